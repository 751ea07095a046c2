/** How long the store takes for appends, in this process: over the last of them, in memory that does not grow. */
import { systemClock, type Clock } from '../clock.ts'
import { isThenable } from '../report.ts'

/** How long appends took, in milliseconds, from the call to its answer. */
export interface AppendTimes {
  /** Appends that the store took, since the troupe was created. */
  readonly count: number
  /** Appends that failed, since the troupe was created. */
  readonly failed: number
  /** Of the last 1 024 that the store took. Absent: there is none. */
  readonly mean?: number
  readonly p50?: number
  readonly p95?: number
  readonly p99?: number
}

const span = 1_024

/** A clock that is read twice for each append: that of the machine in fractions of a millisecond, where it is the clock. */
function stopwatchOf(clock: Clock): () => number {
  return clock === systemClock ? () => performance.now() : () => clock.now()
}

export class AppendTimer {
  readonly #read: () => number
  /** A ring. */
  #times: Float64Array | undefined
  #count = 0
  #failed = 0
  #isFailing = false

  constructor(clock: Clock) {
    this.#read = stopwatchOf(clock)
  }

  /** Whether the last append that was answered failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /** Performs an append, which may answer at once or later. Its answer is passed on as it is. */
  time<Answer>(append: () => Answer): Answer {
    const since = this.#read()
    try {
      const answer = append()
      if (isThenable(answer)) answer.then(() => this.#took(since), this.#refused)
      else this.#took(since)
      return answer
    } catch (error) {
      this.#refused()
      throw error
    }
  }

  get value(): AppendTimes {
    const [count, failed] = [this.#count, this.#failed]
    const sorted = this.#times?.slice(0, Math.min(count, span)).sort()
    if (sorted === undefined) return { count, failed }
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
    const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length
    return { count, failed, mean, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
  }

  #took(since: number): void {
    this.#times ??= new Float64Array(span)
    this.#times[this.#count++ % span] = Math.max(0, this.#read() - since)
    this.#isFailing = false
  }

  readonly #refused = (): void => {
    this.#failed++
    this.#isFailing = true
  }
}
