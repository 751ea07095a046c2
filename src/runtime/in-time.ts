/** Calls a user's function whose answer is a part of an effect, with a deadline of its own. */
import { hookTimeout } from '../actors/timeouts.ts'
import { TerminalError } from '../errors.ts'
import type { Clock } from './clock.ts'

/** `timeout`: in milliseconds; `undefined`: any time. Rejects with a `TerminalError`, code `HOOK_TIMEOUT`. */
export async function inTime<Answer>(
  limit: Limit,
  timeout: number | undefined,
  what: string,
  ask: () => Answer | PromiseLike<Answer>,
): Promise<Answer> {
  return nowOrInTime(limit, timeout, what, ask)
}

/**
 * As `inTime`. An answer that is no promise is returned as it is, and an error at once is thrown: each promise less is a
 * turn less in which other runs go on between, with all that the effect holds.
 */
export function nowOrInTime<Answer>(
  limit: Limit,
  timeout: number | undefined,
  what: string,
  ask: () => Answer | PromiseLike<Answer>,
): Answer | PromiseLike<Answer> {
  if (timeout === undefined) return ask()
  const { clock } = limit
  const due = clock.now() + timeout
  const answer = ask()
  const isLate = clock.now() >= due
  if (isThenable(answer)) return answerInTime(limit, answer, what, { timeout, due, isLate })
  if (isLate) throw tooLate(what, timeout)
  return answer
}

interface Limit {
  readonly clock: Clock
  readonly signal?: AbortSignal
}

async function answerInTime<Answer>(
  { clock, signal }: Limit,
  answer: PromiseLike<Answer>,
  what: string,
  { timeout, due, isLate }: { readonly timeout: number; readonly due: number; readonly isLate: boolean },
): Promise<Answer> {
  const ended = Promise.withResolvers<never>()
  const end = (): void => ended.reject(tooLate(what, timeout))
  const callOff = clock.after(due - clock.now(), end)
  signal?.addEventListener('abort', end, { once: true }) // the effect is over, and so is this call
  try {
    if (isLate || signal?.aborted === true) end()
    const value = await Promise.race([ended.promise, answer])
    if (clock.now() >= due) throw tooLate(what, timeout)
    return value
  } finally {
    callOff()
    signal?.removeEventListener('abort', end)
  }
}

export function tooLate(what: string, timeout: number): TerminalError {
  const { code, message } = hookTimeout(what, `within ${timeout} ms.`)
  return new TerminalError(message, { code })
}

export function isThenable<Answer>(answer: Answer | PromiseLike<Answer>): answer is PromiseLike<Answer> {
  return typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
