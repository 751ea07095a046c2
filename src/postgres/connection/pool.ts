/** The parts of `pg` that the store uses. Free of `pg`, so that they need no types of it. */

/** A statement that a connection plans once, under its name. */
export interface PreparedQuery {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** The part of a connection of `pg` that the store uses. */
export interface PostgresClient {
  /** A `PreparedQuery` comes where the store has `preparedStatements`. */
  query(text: string | PreparedQuery, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** Gives the connection back to its pool, or closes it where there is an error. */
  release(error?: Error | boolean): void
  /** Lets the process end while the connection is open. */
  unref?(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: PostgresNotification) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'notification', listener: (message: PostgresNotification) => void): unknown
}

/** A message of `LISTEN`. */
export interface PostgresNotification {
  readonly channel: string
  readonly payload?: string | undefined
}

/** The part of a `Pool` of `pg` that the store uses. */
export interface PostgresPool {
  /** As a `Pool` of `pg` has them. `max`: most connections, at least 2; a pool that does not tell has enough. */
  readonly options?: { readonly max?: number | undefined } | undefined
  connect(): Promise<PostgresClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}
