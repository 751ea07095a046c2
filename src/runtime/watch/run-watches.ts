/** The watched runs of a troupe: one follower for all readers of a run that is not live in this process. */
import { SlotMap } from '../../actors/values/slot-map.ts'
import type { JournalMismatch } from '../../errors.ts'
import type { EventLog } from '../handle/event-log.ts'
import { closedError } from '../journal/lost-run.ts'
import type { Store } from '../journal/store.ts'
import { StoreSubscription } from '../journal/store-subscription.ts'
import { RunFollower, type FollowerOptions } from './run-follower.ts'
import { runWatch, type RunWatch, type WatchOptions } from './run-watch.ts'
import type { ReaderPosition } from '../handle/cursor.ts'
import type { EventReader } from '../handle/event-reader.ts'
import type { RunEvent } from '../handle/run-event.ts'

export interface RunWatchesOptions extends Omit<FollowerOptions, 'store'> {
  readonly store: Pick<Store, 'read' | 'list' | 'subscribe'>
  /** The log of a run that is live in this process. */
  readonly liveLog: (runId: string) => EventLog | undefined
}

export class RunWatches {
  readonly #options: RunWatchesOptions
  readonly #followers = new SlotMap<RunFollower>()
  readonly #subscription: StoreSubscription
  #isClosed = false

  constructor(options: RunWatchesOptions) {
    this.#options = options
    this.#subscription = new StoreSubscription(options, (runId, change) => {
      if (change === 'entries') this.#followers.get(runId)?.look()
    })
  }

  /** Throws a `ConfigurationError`. */
  watch(runId: string, options?: WatchOptions): RunWatch {
    let diverged: JournalMismatch | undefined
    /** That of the last reader. */
    let follower: RunFollower | undefined
    const noted = (): JournalMismatch | undefined => (diverged ??= follower?.diverged)
    const sourceNow = (): EventSource => {
      const log = this.#liveLog(runId)
      if (log !== undefined) return { log, release: () => undefined }
      noted()
      follower = this.#follow(runId)
      return follower
    }
    return runWatch(runId, options, {
      read: (position) => new WatchReader(position, sourceNow),
      ready: async () => {
        const source = sourceNow()
        if (source instanceof RunFollower) await source.found
      },
      diverged: noted,
    })
  }

  /** A run has become live in this process: its readers go on in its log. */
  entered(runId: string): void {
    this.#followers.get(runId)?.log.dismissObservers()
  }

  /** Ends all watches. A read of the store that is under way is not waited for. */
  async close(): Promise<void> {
    this.#isClosed = true
    const followers = [...this.#followers.values()]
    for (const follower of followers) {
      follower.drop()
      follower.log.dismissObservers()
    }
    await Promise.all(followers.map(({ done }) => done))
  }

  #liveLog(runId: string): EventLog | undefined {
    if (this.#isClosed) throw closedError(runId)
    return this.#options.liveLog(runId)
  }

  #follow(runId: string): RunFollower {
    const known = this.#followers.get(runId)
    if (known?.isDropped === false) return known
    const follower = new RunFollower(runId, this.#options)
    this.#followers.set(runId, follower)
    this.#subscription.open()
    void follower.done.then(() => this.#forget(follower))
    return follower
  }

  #forget(follower: RunFollower): void {
    if (this.#followers.get(follower.runId) === follower) this.#followers.delete(follower.runId)
    if (this.#followers.size > 0) return
    this.#subscription.close()
  }
}

/** Where the events of a run come from. */
interface EventSource {
  readonly log: EventLog
  /** The error for which the run cannot be followed there. */
  readonly failure?: Error | undefined
  /** The reader has left. */
  release(): void
}

interface Reading {
  readonly source: EventSource
  readonly reader: EventReader
}

/**
 * One reader of a watched run. It reads the log of the run where that is live in this process, and the log of a follower
 * elsewhere; when the run comes or leaves, it goes on in the other log from where it was.
 */
export class WatchReader implements AsyncIterableIterator<RunEvent> {
  readonly #position: ReaderPosition
  readonly #sourceNow: () => EventSource
  #reading: Reading | undefined
  #isOver = false

  /** `sourceNow` throws when the troupe was closed. */
  constructor(position: ReaderPosition, sourceNow: () => EventSource) {
    this.#position = position
    this.#sourceNow = sourceNow
  }

  async next(): Promise<IteratorResult<RunEvent>> {
    while (!this.#isOver) {
      const reading = (this.#reading ??= this.#open())
      const result = await reading.reader.next()
      if (result.done !== true) return result
      if (this.#reading === reading) this.#left(reading.source)
    }
    return { done: true, value: undefined }
  }

  #open(): Reading {
    try {
      const source = this.#sourceNow()
      return { source, reader: source.log.read({ position: this.#position, isObserver: true }) }
    } catch (error) {
      this.#isOver = true
      throw error
    }
  }

  /** The log has no more events: the run has ended, or cannot be followed, or has moved. */
  #left(source: EventSource): void {
    this.#reading = undefined
    source.release()
    if (source.log.isFinal) this.#isOver = true
    else if (source.failure !== undefined) {
      this.#isOver = true
      throw source.failure
    }
  }

  async return(): Promise<IteratorResult<RunEvent>> {
    this.#isOver = true
    const reading = this.#reading
    this.#reading = undefined
    await reading?.reader.return()
    reading?.source.release()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this
  }
}
