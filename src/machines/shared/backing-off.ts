/** `backingOff`: a state that waits before another attempt, and the transition by which a failed attempt enters it. */
import type { ErrorData } from '../../errors.ts'
import { backoff } from './backoff.ts'
import { failure } from './params.ts'

/** The failed attempts of one call. */
export interface FailedAttempts {
  readonly failures: number
  readonly lastFailure: ErrorData | undefined
}

/** After an error that may pass: to the sibling `backingOff`. */
export const retries = {
  guard: { type: 'mayRetry', params: failure },
  target: 'backingOff',
  actions: [
    { type: 'countFailure', params: failure },
    { type: 'announceRetry', params: failure },
  ],
} as const

/** `onDone`: the transition to the next attempt. */
export function backingOff<Context, const Next>(
  attemptsIn: (context: Context) => FailedAttempts,
  onDone: Next,
) {
  return {
    description: 'Waits before another attempt, after a retryable error.',
    invoke: {
      src: 'timer',
      id: 'timer:backoff',
      input: ({ context }: { readonly context: Context }) => {
        const { failures, lastFailure } = attemptsIn(context)
        return backoff(failures, lastFailure)
      },
      onDone,
    },
  } as const
}
