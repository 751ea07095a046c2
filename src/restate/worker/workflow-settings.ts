/** What Restate is asked to do with the workflows of agents. Where nothing is said, the server's own settings hold. */
import type { WorkflowOptions } from '@restatedev/restate-sdk'

export type WorkflowSettings = Pick<
  WorkflowOptions,
  'retryPolicy' | 'inactivityTimeout' | 'abortTimeout' | 'journalRetention' | 'workflowRetention'
>

/** Milliseconds. */
const longestPause = 5_000
const minute = 60 * 1_000
const day = 24 * 60 * minute

/**
 * Models and tools take their time. After the first of these without news Restate would hear the end of what is at work,
 * and the run nothing before; after the second it would begin that again. The server's own are a minute and ten.
 */
export const defaultTimeouts = {
  inactivityTimeout: 10 * minute,
  abortTimeout: day,
} as const satisfies WorkflowSettings

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
