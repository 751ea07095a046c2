/** The decisions of an agent's own model: their inputs, and how to read their outcomes. */
import type { JsonValue } from '../../../actors/values/json.ts'
import type { DecisionInput } from '../../decision.ts'
import type { DecisionOutput } from '../../contract/reports.ts'
import type { ErrorData } from '../../../errors.ts'
import type { InContext, LoopContext } from './context.ts'
import type { AgentProfile } from '../../contract/agent.ts'

/** A question of a pattern to its model; all other parts of the input are the agent's. */
export type Question = Pick<DecisionInput, 'subject' | 'messages' | 'responseFormat' | 'check'>

export function decisionInput(context: LoopContext, question: Question): DecisionInput {
  const { profile } = context.input
  const { id, model, toolset, retries } = profile
  return { agent: id, model, toolset, retries, limits: modelLimits(profile), ...question }
}

/** Deadlines of a model call and of the functions around it, in milliseconds. */
export function modelLimits({ modelTimeout, hookTimeout }: AgentProfile) {
  return { ...(modelTimeout === undefined ? {} : { timeout: modelTimeout }), hookTimeout }
}

/** The decision that was reported last. */
const decisionOf = ({ context }: InContext): DecisionOutput | undefined => context.verdict.decision

/** The value of a decision. */
export const valueOf = ({ context }: InContext): { readonly value: JsonValue } => ({
  value: decisionOf({ context })?.value ?? null,
})

/** Why a decision was not made. */
export const problemOf = ({ context }: InContext): ErrorData => decisionOf({ context })?.error ?? cancelled

const cancelled: ErrorData = {
  name: 'CancelledError',
  code: 'CANCELLED',
  message: 'The decision was cancelled.',
}
