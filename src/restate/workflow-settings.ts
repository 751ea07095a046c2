/** What Restate is asked to do with the workflows of agents. Where nothing is said, the server's own settings hold. */
import type { WorkflowOptions } from '@restatedev/restate-sdk'

export type WorkflowSettings = Pick<
  WorkflowOptions,
  'retryPolicy' | 'inactivityTimeout' | 'abortTimeout' | 'journalRetention' | 'workflowRetention'
>

/** Milliseconds. */
const longestPause = 5_000
const day = 24 * 60 * 60 * 1_000

/**
 * After a crash a run is tried again soon: the server's own pauses grow to a minute. It is tried for about a day, since
 * the server's 70 attempts would be over in minutes, and whatever is paused then waits for a person.
 */
export const defaultRetryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: longestPause,
  maxAttempts: day / longestPause,
  onMaxAttempts: 'pause',
} as const satisfies WorkflowSettings['retryPolicy']
