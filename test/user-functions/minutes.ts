/** Work that may wait for minutes by the timers of the platform, in no time. */
import { vi } from 'vitest'
import { answerTimeout } from '../../src/runtime/user-function.ts'

/** What the work comes to. Ten minutes pass while it waits. */
export async function inMinutes<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const progress = { isOver: false }
    const got = work().finally(() => (progress.isOver = true))
    got.catch(() => undefined) // it is told below
    for (let minute = 0; minute < 10 && !progress.isOver; minute++) {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      if (!progress.isOver) await vi.advanceTimersByTimeAsync(answerTimeout)
    }
    return await got
  } finally {
    vi.useRealTimers()
  }
}
