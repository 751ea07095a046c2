/** An effect as wrappers see it. */
import type { EffectKind } from '../../../actors/effect-names.ts'

/** One performed effect of a run. */
export interface ObservedEffect {
  readonly kind: Exclude<EffectKind, 'signal' | 'timer'>
  /** Of the tool, hook, scorer, model, subagent or effect of an adapter. */
  readonly name?: string
  readonly runId: string
  /** The id of the agent that the effect works for. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that requests the effect, joined with "/"; as in events. */
  readonly path: string
  /** As in the journal: `path`, the id of the effect, and a count. Stable over replays and processes. */
  readonly key: string
  /** From 1; more where it repeats an effect that failed for now, or that the end of a process interrupted. */
  readonly attempt: number
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  readonly conversationId?: string
  /** The W3C trace context with which the run was started, or resumed here. */
  readonly traceparent?: string
  /** The request, by kind: for example the `model` and `messages` of a model call, the `args` of a tool. */
  readonly input: Readonly<Record<string, unknown>>
}
