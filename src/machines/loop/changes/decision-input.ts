/** The decisions of an agent's own model: their inputs, and how to read their outcomes. */
import type { CallVerdicts } from '../../../actors/message.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import type { DecisionInput } from '../../decision/context.ts'
import type { DecisionOutput } from '../../contract/reports.ts'
import type { ErrorData } from '../../../errors.ts'
import type { InContext, LoopContext } from './context.ts'
import type { AgentInput, AgentProfile } from '../../contract/agent.ts'
import type { CompactionProfile } from '../../contract/profile.ts'
import type { Summarizer } from '../../compaction/context.ts'

/** A question of a pattern to its model; all other parts of the input are the agent's. */
export type Question = Pick<DecisionInput, 'subject' | 'prompt' | 'responseFormat' | 'check' | 'calls'>

export function decisionInput(context: LoopContext, question: Question): DecisionInput {
  const { input, messages, measured, step } = context
  const { id, model, fallbacks, toolset, retries, compaction } = input.profile
  return {
    agent: id,
    model,
    ...(fallbacks && { fallbacks }),
    toolset,
    step,
    retries,
    limits: modelLimits(input.profile),
    conversation: messages,
    ...(compaction && {
      compaction: { profile: compaction, summarizer: summarizerOf(input, compaction), scale: measured.scale },
    }),
    ...question,
  }
}

/** Who summarises the conversation of an agent. */
export function summarizerOf({ profile, task }: AgentInput, { by }: CompactionProfile): Summarizer {
  const { id, model, fallbacks, toolset, retries, hooks, hookTimeout } = profile
  const isFunction = by === 'function'
  return {
    agent: id,
    task,
    writer: {
      ...(isFunction ? {} : { model: by === 'own' ? model : by.model }),
      ...(by === 'own' && fallbacks && { fallbacks }),
      ...(by === 'own' ? {} : { scope: hooks.compaction ?? 'agent' }),
    },
    toolset,
    retries,
    timeouts: isFunction ? { timeout: hookTimeout, hookTimeout } : modelLimits(profile),
  }
}

/** Deadlines of a model call and of the functions around it, in milliseconds. */
export function modelLimits({ modelTimeout, hookTimeout }: AgentProfile) {
  return { ...(modelTimeout === undefined ? {} : { timeout: modelTimeout }), hookTimeout }
}

/** The decision that was reported last. */
const decisionOf = ({ context }: InContext): DecisionOutput | undefined => context.verdict.decision

/** The verdicts on the calls that the decision asks for, where they are on record. */
export const verdictsOf = (context: LoopContext): CallVerdicts | undefined =>
  context.verdict.decision?.verdicts

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
