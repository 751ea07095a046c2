/**
 * One run for all components that show it: one connection, which is open while there is one of them. Where it is lost it is
 * made again, behind the last event.
 */
import { type RunEvent, type RunSignal, TroupeError } from '../../index.ts'
import { soon, startTimer } from '../../kit/index.ts'
import { emptyView, type RunView } from '../../view/contract/run-view.ts'
import { viewOf } from '../../view/next-view.ts'
import { asTroupeError, mayPass } from '../source/failures.ts'
import type { OpenRun, RunSource, UseRunOptions } from '../source/run-source.ts'

/**
 * `idle`: no component shows the run. `connecting`: for the first time. `reconnecting`: the connection is lost, and is
 * made again. `closed`: the run has ended, and all of it is there. `failed`: there is no use in trying again.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed' | 'failed'

export interface RunSnapshot {
  readonly view: RunView
  readonly connection: ConnectionState
  /** Why the connection is lost, or was not made. */
  readonly error?: TroupeError
}

export const idle: RunSnapshot = { view: emptyView, connection: 'idle' }

/** Milliseconds between two notices to components: a screen draws no more often. */
const pace = 16

/** Milliseconds before the first attempt after a lost connection, where the server does not say, and the most. */
const firstPause = 1_000
const longestPause = 30_000

export class SharedRun {
  options: UseRunOptions = {}
  #snapshot = idle
  readonly #source: RunSource
  readonly #onClose: () => void
  readonly #listeners = new Set<() => void>()
  #following: AbortController | undefined
  /** Stops the notice that is due. */
  #notice: (() => void) | undefined

  constructor(source: RunSource, onClose: () => void) {
    this.#source = source
    this.#onClose = onClose
  }

  get snapshot(): RunSnapshot {
    return this.#snapshot
  }

  subscribe(listener: () => void): () => void {
    const own = (): void => listener() // the same function may be given twice
    this.#listeners.add(own)
    this.#open()
    return () => {
      this.#listeners.delete(own)
      // A component that is mounted again at once keeps the connection, as under StrictMode.
      soon(() => this.#closeIfUnused())
    }
  }

  send(signal: RunSignal): Promise<void> {
    return this.#source.send(signal, this.options)
  }

  #open(): void {
    if (this.#following !== undefined) return
    this.#following = new AbortController()
    void this.#follow(this.#following.signal)
  }

  #closeIfUnused(): void {
    if (this.#listeners.size > 0 || this.#following === undefined) return
    this.#following.abort()
    this.#following = undefined
    this.#notice?.()
    this.#notice = undefined
    this.#onClose()
  }

  /** Never rejects: a failure is a state. */
  async #follow(signal: AbortSignal): Promise<void> {
    this.#change({ connection: 'connecting' })
    // The time that the server has asked for holds until it asks for another.
    let pause = firstPause
    for (let failures = 0; !signal.aborted; failures++) {
      let opened: OpenRun | undefined
      try {
        opened = await this.#source.open(this.#snapshot.view.cursor, signal, this.options)
        if (signal.aborted) return
        this.#change({ connection: 'open' })
        for await (const group of opened.events) {
          failures = 0
          this.#take(group)
        }
        if (signal.aborted) return
        if (this.#snapshot.view.status === 'settled') return this.#change({ connection: 'closed' })
        if (!this.#source.isRemote)
          throw new TroupeError('CONNECTION_LOST', 'The run goes on without this handle.')
        this.#change({ connection: 'reconnecting' })
      } catch (error) {
        if (signal.aborted) return
        const known = { error: asTroupeError(error) }
        if (!this.#source.isRemote || !mayPass(error)) return this.#change({ connection: 'failed', ...known })
        this.#change({ connection: 'reconnecting', ...known })
      }
      pause = opened?.retryIn() ?? pause
      await passed(Math.min(pause * 2 ** failures, longestPause) * (0.75 + Math.random() / 2), signal)
    }
  }

  #take(events: readonly RunEvent[]): void {
    const view = viewOf(events, this.#snapshot.view)
    if (view === this.#snapshot.view) return
    this.#snapshot = { ...this.#snapshot, view }
    this.#notice ??= startTimer(pace, () => this.#notify())
  }

  /** Components learn of a change of the connection at once, with the events before it. */
  #change(change: Omit<RunSnapshot, 'view'>): void {
    this.#snapshot = { view: this.#snapshot.view, ...change }
    this.#notify()
  }

  #notify(): void {
    this.#notice?.()
    this.#notice = undefined
    for (const listener of this.#listeners) listener()
  }
}

/** Resolves after these milliseconds, or when the signal fires. */
function passed(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = startTimer(milliseconds, resolve)
    signal.addEventListener(
      'abort',
      () => {
        stopTimer()
        resolve()
      },
      { once: true },
    )
  })
}
