/** The watched runs of a troupe: one follower for all readers of a run that is not live in this process. */
import { SlotMap } from '../../actors/values/slot-map.ts'
import type { JournalMismatch } from '../../errors.ts'
import type { EventLog } from '../handle/event-log.ts'
import { closedError } from '../journal/lost-run.ts'
import type { Store } from '../journal/store.ts'
import { StoreSubscription } from '../journal/store-subscription.ts'
import { RunFollower, type FollowerOptions } from './run-follower.ts'
import { runWatch, type RunWatch, type WatchOptions } from './run-watch.ts'
import { WatchReader, type EventSource } from './watch-reader.ts'

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
