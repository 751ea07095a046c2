/** The queue of calls that keep a pace: at most so many at a time, and so many a minute. */
import { CancelledError } from '../../errors.ts'
import { startTimer } from '../values/timer.ts'

export interface Limits {
  readonly concurrency?: number
  readonly perMinute?: number
}

const minute = 60_000

/** Ends a turn; further calls do nothing. */
export type Leave = () => void

export class Pace {
  readonly #limits: Required<Limits>
  /** The turns that have not come yet, oldest first. */
  readonly #waiting = new Set<() => void>()
  /** When the turns of the last minute began, oldest first. */
  #begun: number[] = []
  #running = 0
  #coolUntil = 0
  #stopTimer: () => void = () => undefined

  constructor({ concurrency = Infinity, perMinute = Infinity }: Limits) {
    this.#limits = { concurrency, perMinute }
  }

  /** Resolves when the turn of a call has come. Rejects with a `CancelledError` when the call is aborted before. */
  async turn(signal: AbortSignal): Promise<Leave> {
    if (signal.aborted) throw aborted()
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        this.#waiting.delete(begin)
        reject(aborted())
      }
      signal.addEventListener('abort', abort, { once: true })
      this.#waiting.add(begin)
      this.#next()
    })
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      this.#running--
      this.#next()
    }
  }

  /** No turn begins for so many milliseconds from now. */
  coolDown(milliseconds: number): void {
    this.#coolUntil = Math.max(this.#coolUntil, performance.now() + milliseconds)
  }

  /** Begins the turns that may begin now, and comes back when the next one may. */
  #next(): void {
    this.#stopTimer()
    for (const begin of this.#waiting) {
      if (this.#running >= this.#limits.concurrency) return
      const delay = this.#delay()
      if (delay > 0) {
        this.#stopTimer = startTimer(delay, () => this.#next())
        return
      }
      this.#waiting.delete(begin)
      this.#running++
      if (this.#limits.perMinute < Infinity) this.#begun.push(performance.now())
      begin()
    }
  }

  /** Milliseconds until a turn may begin. */
  #delay(): number {
    const now = performance.now()
    const cooling = this.#coolUntil - now
    this.#begun = this.#begun.filter((at) => at > now - minute)
    const [oldest] = this.#begun
    const full = oldest !== undefined && this.#begun.length >= this.#limits.perMinute
    return Math.ceil(Math.max(cooling, full ? oldest + minute - now : 0))
  }
}

function aborted(): CancelledError {
  return new CancelledError('The call was aborted before its turn came.')
}
