/** What a user sees of the store. Free of `node:sqlite`, so that its types need no types of Node. */
import type { Store } from '../runtime/journal/store.ts'

export interface SqliteStore extends Store {
  /** Writes what was asked for before, and gives up the file. What follows is refused with `STORE_CLOSED`. */
  close(): Promise<void>
}

export interface SqliteStoreOptions {
  /**
   * `'full'`: what was appended outlives a loss of power. `'normal'`: it outlives a crash of the process, and a loss
   * of power may take the last transactions, never a part of one. Default: `'full'`.
   */
  readonly synchronous?: 'full' | 'normal'
  /**
   * Milliseconds to wait for another process that is writing, then it is `STORE_BUSY`. The event loop goes on meanwhile;
   * only opening a file that is new, or of an older release, holds it. Default: 5 000.
   */
  readonly busyTimeout?: number
  /** Puts the database into a thread of its own, so that waiting for the disk does not hold the event loop. Default: `false`. */
  readonly worker?: boolean
}
