/** The specification of a run in this process. */
import type { AnyActorRef } from 'xstate'
import type { RunStarted } from '../journal/journal.ts'
import type { OnError } from '../report.ts'
import type { SupervisorOptions } from '../options/options.ts'

export interface RunSpec {
  readonly started: RunStarted
  /** The options that were given with the run; they hold its functions. */
  readonly functions: SupervisorOptions
  readonly signal?: AbortSignal | undefined
  readonly onError?: OnError | undefined
  /** An actor of another XState system, as the root of the run. */
  readonly root?: AnyActorRef
}
