/** A state of a pattern in which a decision is made: asked for on entry, taken down when it is reported. */
import type { JsonValue } from '../../../actors/values/json.ts'
import type { DecisionInput, DecisionOutput } from '../../decision.ts'
import type { LoopContext } from './context.ts'
import { modelLimits } from './limits.ts'

/** What a pattern asks its model to decide; the rest is the agent's. */
export type Question = Pick<DecisionInput, 'subject' | 'messages' | 'responseFormat' | 'check'>

export function decisionInput(context: LoopContext, question: Question): DecisionInput {
  const { profile } = context.input
  const { id, model, toolset, retries } = profile
  return { agent: id, model, toolset, retries, limits: modelLimits(profile), ...question }
}

interface Reported {
  readonly event: { readonly output: unknown }
}

/** The value of the decision that was reported, for the actions that take it down. */
export const decided = ({ event }: Reported): JsonValue => (event.output as DecisionOutput).value ?? null

/** Why there is none. */
export const undecided = ({ event }: Reported) =>
  (event.output as DecisionOutput).error ?? {
    name: 'CancelledError',
    code: 'CANCELLED',
    message: 'The decision was cancelled.',
  }
