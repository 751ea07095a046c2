/** The settings of agent workflows on Restate. The server's own settings hold where none are given. */
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
 * Models and tools take their time. After the first timeout without progress Restate would wait only for the end of the
 * steps in progress, and the run would receive nothing before; after the second it would start them again. The server's
 * own timeouts are one minute and ten.
 */
export const defaultTimeouts = {
  inactivityTimeout: 10 * minute,
  abortTimeout: day,
} as const satisfies WorkflowSettings

/**
 * After a crash a run is retried soon: the server's own pauses grow to a minute. It is retried for about a day, since
 * the server's 70 attempts would be over in minutes, and a run that is paused then waits for manual action.
 */
export const defaultRetryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: longestPause,
  maxAttempts: day / longestPause,
  onMaxAttempts: 'pause',
} as const satisfies WorkflowSettings['retryPolicy']
