/** The public types of the store. Free of `pg`, so that they need no types of it. */
import type { OnError, WholeStore, StoreListener } from '../index.ts'
import type { PostgresPool } from './connection/pool.ts'

/** A store in a Postgres database. */
export interface PostgresStore extends WholeStore {
  /**
   * Connects, and makes or updates the tables. The first operation does so too. Rejects with a `StoreError` when the
   * database cannot be used.
   */
  open(): Promise<void>
  /**
   * Calls `listener` with the id of a run after entries were appended to it (`entries`) or a signal was queued for it
   * (`signals`), by any process. Calls may be late, repeated, or missing while the connection is lost: a caller also
   * polls. The first listener opens a connection of its own, which closes 10 seconds after the last one has left and does
   * not keep the process alive. A listener that throws is reported to `onError`. Returns the function that removes the
   * listener.
   */
  subscribe(listener: StoreListener): () => void
  /**
   * Writes each table anew (`VACUUM FULL`), without what was deleted, and gives its room back. Operations on a table wait
   * meanwhile. What it does not reach: the server's log of writes, its backups and its replicas, and rows that a transaction
   * older than their deletion can still see. Rejects with a `StoreError`.
   */
  compact(): Promise<void>
  /** Ends all pending operations, and closes the connections that the store has opened. Later operations are refused with `STORE_CLOSED`. */
  close(): Promise<void>
}

/** The options of `postgresStore`: either `connectionString` or `pool`. */
export interface PostgresStoreOptions {
  /** For example `postgres://user:password@host/database`. The store makes a pool of at most ten connections. */
  readonly connectionString?: string
  /** A `Pool` of `pg`. It needs two connections or more: a listener takes one for itself. The store does not end it. */
  readonly pool?: PostgresPool
  /** The schema of the tables: lower-case letters, digits and `_`. It is made when it is missing. Default: `'troupe'`. */
  readonly schema?: string
  /**
   * Milliseconds for which an operation is tried again while the server cannot be reached; then it fails with
   * `STORE_UNREACHABLE`. An attempt that takes longer counts as failed. Default: 10 000.
   */
  readonly retryTimeout?: number
  /**
   * Whether each connection plans the statements of runs once, and keeps them by name. Give `false` for a pooler that cannot, such
   * as PgBouncer before 1.21 with pooled transactions. Without the option, a store leaves off when a connection has lost a
   * statement. Default: `true`; `false` for connections that a program wraps.
   */
  readonly preparedStatements?: boolean
  /** Receives errors that no caller receives: those of listeners. Default: one `console.warn` each. */
  readonly onError?: OnError
}
