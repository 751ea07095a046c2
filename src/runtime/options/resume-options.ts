/**
 * The options of a run that is taken up again. What a run began with is settled: only its functions are handed in again, as no
 * journal holds them. A value that is settled may be given again where it is the same.
 */
import type { PlanOptions } from './pattern-options.ts'
import type { CallOptions, CompletionOptions, DelegationOptions, SupervisorOptions } from './options.ts'

/** The options of `troupe.resume`: what no journal holds. */
export interface ResumeOptions extends Pick<
  SupervisorOptions,
  | 'structuredOutput'
  | 'compaction'
  | 'stopWhen'
  | 'handoffFilter'
  | 'inputProcessors'
  | 'outputProcessors'
  | 'onStepFinish'
  | 'onFinish'
  | 'onIterationComplete'
> {
  /** Cancels the run. */
  readonly signal?: AbortSignal
  /** Receives the problems of the run from then on, where it is not here already. Default: as the troupe's. */
  readonly onError?: NonNullable<CallOptions['onError']>
  /** The W3C trace context of the work from then on. Default: that of the start. */
  readonly traceparent?: string
  /** The W3C tracestate that came with `traceparent`. Default: with a `traceparent` none, else that of the start. */
  readonly tracestate?: string
  /** The hooks of its delegations, where the run began with some. */
  readonly delegation?: Pick<
    DelegationOptions,
    'onDelegationStart' | 'onDelegationComplete' | 'messageFilter' | 'requireApproval'
  >
  /** Its scorers, where the run began with some. */
  readonly completion?: Pick<CompletionOptions, 'scorers' | 'onComplete'>
  /** Decides whether a person must approve a plan, where the run began with such a function. */
  readonly approvePlan?: PlanOptions['approvePlan']
}

/** The options of `troupe.fork`: those of `resume`, and what is new in the fork. */
export interface ForkRunOptions extends ResumeOptions {
  /** The id of the fork, as that of a run. Default: a new one. */
  readonly runId?: string
  /**
   * The thread in which the fork goes on, as it stands today; working memory is then that of today too. Default: threads and
   * a note of its own, which begin as they stood at its entry.
   */
  readonly threadId?: string
}
