/** The public types of the store. Free of `node:sqlite`, so that they need no types of Node. */
import type { OnError, WholeStore, StoreListener } from '../index.ts'

/** A store in one SQLite file. */
export interface SqliteStore extends WholeStore {
  /**
   * Calls `listener` with the id of a run after entries were appended to it (`entries`) or a signal was queued for it
   * (`signals`), by any store of this process on the same file; not by another process, for whose changes a caller
   * polls. A listener that throws is reported to `onError`. Returns the function that removes the listener.
   */
  subscribe(listener: StoreListener): () => void
  /**
   * Writes the store, as it is at one moment, to a new file. The store goes on, and its event loop too. Who opens that file goes
   * on from an earlier point: calls of its unfinished runs that may have been made since ask first. Rejects with a `StoreError`:
   * `STORE_CANNOT_OPEN` where there is such a file, `STORE_FULL`. No file is then left.
   */
  backup(path: string): Promise<void>
  /**
   * Writes the database anew, without what was deleted, gives its room back, and empties its log: from then on neither file has a
   * byte of what was deleted before. It needs room for a second copy. Readers go on, writers wait. The event loop goes on.
   * Rejects with `STORE_BUSY` where another process keeps on reading or writing for `busyTimeout`: compact it again.
   */
  compact(): Promise<void>
  /** Writes all pending operations, and closes the file. Later operations are refused with `STORE_CLOSED`. */
  close(): Promise<void>
}

/** The options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /**
   * `'full'`: appended entries survive a loss of power. `'normal'`: they survive a crash of the process, and a loss of
   * power may take the last transactions, never a part of one. Default: `'full'`.
   */
  readonly synchronous?: 'full' | 'normal'
  /**
   * Milliseconds to wait for another process that is writing; then the operation fails with `STORE_BUSY`. The event
   * loop goes on meanwhile; only opening a file that is new, or of an older release, blocks it. Default: 5 000.
   */
  readonly busyTimeout?: number
  /** Runs the database in a worker thread, so that waits for the disk do not block the event loop. Default: `false`. */
  readonly worker?: boolean
  /**
   * Overwrites what is deleted with zeros, so that the file has nothing of it once its log is in the file; the log keeps it
   * until `compact()` or `close()`. It doubles what a deletion writes. `false`: what was deleted stays in the file until its place
   * is used again, or until `compact()`. Default: `true`.
   */
  readonly secureDelete?: boolean
  /** Receives the error of a listener of `subscribe`. Default: one `console.warn` each. */
  readonly onError?: OnError
}
