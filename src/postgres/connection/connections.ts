/** Performs operations on connections of a pool. An attempt that fails with its connection is made again on another. */
import { sleep, startTimer } from '../../kit/index.ts'
import type { PostgresClient, PostgresPool } from './pool.ts'
import { AttemptTimeout, closed, isPlanLost, isTransient, storeFailure } from './failures.ts'
import type { Statement } from './statement.ts'

/** One attempt at an operation, on one connection. */
export interface Session {
  query<Row extends object>(sql: string | Statement, values?: readonly unknown[]): Promise<readonly Row[]>
}

export interface ConnectionsOptions {
  readonly schema: string
  /** Milliseconds. */
  readonly retryTimeout: number
  /** Whether a connection plans a `Statement` once. */
  readonly isPreparing: (client: PostgresClient) => boolean
}

/** Milliseconds between two attempts. */
const pauses = [10, 20, 50, 100] as const
const longestPause = 200

export class Connections {
  readonly schema: string
  readonly #pool: PostgresPool
  readonly #retryTimeout: number
  readonly #pending = new Set<Promise<unknown>>()
  #isPreparing: ConnectionsOptions['isPreparing']
  #isClosed = false

  constructor(pool: PostgresPool, { schema, retryTimeout, isPreparing }: ConnectionsOptions) {
    this.schema = schema
    this.#pool = pool
    this.#retryTimeout = retryTimeout
    this.#isPreparing = isPreparing
    pool.on('error', ignored) // an idle connection that breaks is replaced by the pool
  }

  /** One statement. It must be safe to repeat: an attempt may have been kept although its answer was lost. */
  query<Row extends object>(
    sql: string | Statement,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    return this.attempt((session) => session.query<Row>(sql, values))
  }

  /** One transaction. It must be safe to repeat. */
  transaction<T>(body: (session: Session) => Promise<T>): Promise<T> {
    return this.attempt(async (session) => {
      await session.query('BEGIN')
      try {
        const result = await body(session)
        await session.query('COMMIT')
        return result
      } catch (error) {
        await session.query('ROLLBACK')
        throw error
      }
    })
  }

  /** Performs an operation of the store, of any number of statements. Rejects when the store was closed before. */
  perform<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed(this.schema))
    const performed = operation()
    const forget = (): void => void this.#pending.delete(performed)
    this.#pending.add(performed)
    performed.then(forget, forget)
    return performed
  }

  /** Calls `body` with the number of attempts that failed before. Rejects with a `StoreError`. */
  async attempt<T>(body: (session: Session, failed: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#retryTimeout
    for (let failed = 0; ; failed++) {
      try {
        return await this.once((session) => body(session, failed))
      } catch (thrown) {
        // A pooler that gives each transaction another connection, or a program that deallocates.
        if (isPlanLost(thrown)) this.#isPreparing = () => false
        const error = storeFailure(thrown, this.schema)
        if (!isTransient(error) || performance.now() >= deadline) throw error
      }
      await sleep(pauses[failed] ?? longestPause)
    }
  }

  /** One attempt. */
  async once<T>(body: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.connect()
    client.on('error', ignored) // the query that fails with the connection rejects too
    const session = sessionOn(client, this.#isPreparing(client))
    const attempt = body(session)
    try {
      const result = await this.#inTime(attempt)
      client.off('error', ignored)
      client.release()
      return result
    } catch (error) {
      client.off('error', ignored)
      client.on('error', ignored) // stays: a connection that is closed may still report an error
      const isSound = !(error instanceof AttemptTimeout) && !isTransient(storeFailure(error, this.schema))
      client.release(isSound ? undefined : true)
      throw error
    }
  }

  /** A connection of the pool. */
  async connect(): Promise<PostgresClient> {
    const connecting = this.#pool.connect()
    try {
      return await this.#inTime(connecting)
    } catch (error) {
      if (error instanceof AttemptTimeout) {
        connecting.then(
          (late) => late.release(),
          () => undefined, // the attempt has been given up
        )
      }
      throw error
    }
  }

  /** Waits for pending operations. Those that begin later are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#pending)
    this.#pool.off('error', ignored)
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const stopTimer = startTimer(this.#retryTimeout, () => {
      reject(new AttemptTimeout(`The server did not answer for ${this.#retryTimeout} milliseconds.`))
    })
    try {
      return await Promise.race([work, promise])
    } finally {
      stopTimer()
    }
  }
}

function sessionOn(client: PostgresClient, isPreparing: boolean): Session {
  const answerTo = (sql: string | Statement, values: readonly unknown[]) => {
    if (typeof sql !== 'string' && isPreparing) return client.query({ ...sql, values: [...values] })
    const text = typeof sql === 'string' ? sql : sql.text
    return values.length === 0 ? client.query(text) : client.query(text, [...values])
  }
  return {
    async query<Row extends object>(sql: string | Statement, values: readonly unknown[] = []) {
      const { rows } = await answerTo(sql, values)
      return rows as readonly Row[]
    },
  }
}

function ignored(): void {}
