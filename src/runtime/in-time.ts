/** Calls a user's function whose answer is a part of an effect, with a deadline of its own. */
import { hookTimeout } from '../actors/timeouts.ts'
import { TerminalError } from '../errors.ts'
import type { Clock } from './clock.ts'
import { isThenable } from './report.ts'

/** `timeout`: in milliseconds; `undefined`: any time. Rejects with a `TerminalError`, code `HOOK_TIMEOUT`. */
export async function inTime<Answer>(
  context: { readonly clock: Clock; readonly signal?: AbortSignal },
  timeout: number | undefined,
  what: string,
  ask: () => Answer | PromiseLike<Answer>,
): Promise<Answer> {
  if (timeout === undefined) return ask()
  const { clock } = context
  const due = clock.now() + timeout
  const answer = ask()
  const isLate = clock.now() >= due
  if (!isThenable(answer)) {
    if (isLate) throw tooLate(what, timeout)
    return answer
  }
  const { signal } = context
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
