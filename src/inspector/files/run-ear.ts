/** Listens to the events of a run: those that are not among its rows yet are news, and deltas are messages under way. */
import type { ErrorData, RunEvent, RunService, TrailEntry } from '../../index.ts'
import { startTimer, toErrorData } from '../../kit/index.ts'
import { Changes, firstOf, type Following } from './changes.ts'
import { Speeches } from './speeches.ts'

/** Milliseconds between two messages of one text that is being written. */
const speechPause = 60

/** Milliseconds until a run whose events cannot be followed is tried again. */
const pause = 3_000

export class RunEar {
  readonly speeches = new Speeches()
  readonly #runId: string
  readonly #service: Pick<RunService, 'watch'>
  readonly #changes: Changes
  readonly #news = new Changes()
  readonly #leaving = new AbortController()
  #events: AsyncIterator<RunEvent> | undefined
  #isListening = false
  #failure: ErrorData | undefined
  /** Stops the timer of speech that is to be told. */
  #speechTimer: (() => void) | undefined
  // Of the rows so far:
  #lastSeq = 0
  #lastAt = 0

  constructor(runId: string, service: Pick<RunService, 'watch'>, changes: Changes) {
    this.#runId = runId
    this.#service = service
    this.#changes = changes
  }

  /** Events that come and are not among the rows. */
  get news(): Following {
    return this.#news.next
  }

  /** The error for which the events cannot be followed at the moment. */
  get failure(): ErrorData | undefined {
    return this.#failure
  }

  /** An entry became a row. */
  told({ at, events }: Pick<TrailEntry, 'at' | 'events'>): void {
    this.#lastAt = Math.max(this.#lastAt, at)
    for (const { seq = 0 } of events) this.#lastSeq = Math.max(this.#lastSeq, seq)
  }

  listen(): void {
    if (this.#isListening || this.#leaving.signal.aborted) return
    this.#isListening = true
    void this.#listen()
  }

  close(): void {
    this.#leaving.abort()
    this.#speechTimer?.()
    void this.#events?.return?.()
  }

  async #listen(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      try {
        const events = this.#service.watch(this.#runId)[Symbol.asyncIterator]()
        this.#events = events
        for (let next = await events.next(); next.done !== true; next = await events.next()) {
          this.#failure = undefined
          this.#hear(next.value)
        }
      } catch (error) {
        this.#failure = toErrorData(error)
      }
      this.#news.tell()
      await firstOf([], { within: pause, signal })
    }
  }

  #hear(event: RunEvent): void {
    const { seq, at } = event
    if (seq !== undefined && (seq > this.#lastSeq || at > this.#lastAt)) this.#news.tell()
    if (this.speeches.hear(event)) this.#tellSpeech()
  }

  #tellSpeech(): void {
    this.#speechTimer ??= startTimer(
      speechPause,
      () => {
        this.#speechTimer = undefined
        this.#changes.tell()
      },
      { background: true },
    )
  }
}
