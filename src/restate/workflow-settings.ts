/** What Restate is asked to do with the workflows of agents. Where nothing is said, the server's own settings hold. */
import type { WorkflowOptions } from '@restatedev/restate-sdk'

export type WorkflowSettings = Pick<
  WorkflowOptions,
  'retryPolicy' | 'inactivityTimeout' | 'abortTimeout' | 'journalRetention' | 'workflowRetention'
>

/** After a crash a run is tried again soon: the server's own pauses grow to many seconds. */
export const defaultRetryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: 1_000,
} as const satisfies WorkflowSettings['retryPolicy']
