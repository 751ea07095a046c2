/** Observers: wrappers around effects, which may be told of agents at work and of runs that begin, too. */
import type { TraceContext } from '../../../actors/strict/trace-context.ts'
import type { DelegationOutcome, Outcome, SubagentOutcome } from '../../../machines/contract/records.ts'
import type { ErrorData } from '../../../errors.ts'
import type { Around } from './around.ts'

/** An agent that goes to work in this process. */
export interface ObservedAgent {
  readonly runId: string
  readonly agent: string
  readonly description?: string
  readonly version?: string
  /** Another system serves it: its work here are requests. */
  readonly isRemote?: true
  /** Ids of the actors from the root agent to this one, joined with "/"; the effects of the agent have paths from here on. */
  readonly path: string
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  readonly conversationId?: string
  /** The W3C trace context of the run. */
  readonly traceparent?: string
  /** The W3C tracestate beside it. */
  readonly tracestate?: string
  /** The task of the run, or of the delegation. Absent where the agent goes on with a conversation after a handoff. */
  readonly task?: string
}

/**
 * How the work of an agent in this process has ended: as a run or a delegation ends, or `handoff`: another agent goes on
 * with its conversation; `suspended`: the run waits for answers; `left`: the process has let go of the run.
 */
export interface AgentEnd {
  readonly outcome: Outcome | DelegationOutcome | 'handoff' | 'suspended' | 'left'
  /** How the subagent ended, where its delegation ended otherwise. */
  readonly subagentOutcome?: SubagentOutcome
  readonly text?: string
  readonly error?: ErrorData
}

/** A run that is about to begin. */
export interface BeginningRun {
  readonly runId: string
  readonly agent: string
}

/** Called with the end of an agent's work, where there is one. */
export type AgentObserver = ((end: AgentEnd) => unknown) | undefined

/** Observes effects, agents at work, and runs that begin. Each part is optional; one that throws is reported. */
export interface Observer {
  /** A wrapper around effects. */
  readonly around?: Around
  /**
   * Called when an agent goes to work in this process: before the first effect that is performed for it or for a subagent
   * of it, after a suspension again, and never in a replay. The function that it returns, or promises, is called once, when
   * that work has ended.
   */
  readonly agent?: (agent: ObservedAgent) => AgentObserver | Promise<AgentObserver>
  /**
   * Returns the W3C trace context of a run that is started without one, at once: a run does not wait for a promise. A text is a
   * `traceparent` without a `tracestate`.
   */
  readonly traceparent?: (run: BeginningRun) => TraceContext | string | undefined
  /**
   * Returns the W3C trace context of an agent at work, for those of its subagents that run in workflows of their own.
   * Default: the trace context of the run.
   */
  readonly traceparentOf?: (agent: ObservedAgent) => TraceContext | string | undefined
}

/** One value of the option `around`. */
export type AroundOption = Around | Observer | readonly (Around | Observer)[]

/** The observers that the option `around` gives. */
export function observersOf(given: AroundOption = []): readonly Observer[] {
  const list: readonly (Around | Observer)[] = Array.isArray(given) ? given : [given as Around | Observer]
  return list.map((one) => (typeof one === 'function' ? { around: one } : one))
}

/** The wrappers of observers, in their order. */
export function wrappersOf(observers: readonly Observer[]): readonly Around[] {
  return observers.flatMap((observer): readonly Around[] =>
    observer.around === undefined ? [] : [(effect, perform) => observer.around?.(effect, perform)],
  )
}
