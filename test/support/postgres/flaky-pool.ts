/** A pool whose connections break: before a statement takes effect, or after it, when its answer is lost. */
import type { PostgresClient, PostgresPool } from 'troupe/postgres'
import { queryText } from './query-text.ts'

export type Break = 'before' | 'after' | undefined

/** `next` is asked for each statement. A transaction whose connection breaks is rolled back, unless it is committed. */
export function flakyPool(pool: PostgresPool, next: (sql: string) => Break): PostgresPool {
  return {
    ...pool,
    connect: async () => flakyClient(await pool.connect(), next),
  }
}

function flakyClient(client: PostgresClient, next: (sql: string) => Break): PostgresClient {
  let isBroken = false
  let isInTransaction = false
  const lost = (): Error => {
    isBroken = true
    return new Error('Connection terminated unexpectedly')
  }
  const query: PostgresClient['query'] = async (asked, values) => {
    const text = queryText(asked)
    if (isBroken) throw lost()
    const how = next(text)
    if (how === 'before') throw lost()
    if (text === 'BEGIN') isInTransaction = true
    if (text === 'COMMIT' || text === 'ROLLBACK') isInTransaction = false
    const result = await client.query(asked, values)
    if (how === 'after') throw lost()
    return result
  }
  /** The server rolls back the transaction of a connection that has ended. */
  const end = async (error: Error | boolean | undefined): Promise<void> => {
    if (isInTransaction) await client.query('ROLLBACK')
    isInTransaction = false
    client.release(error)
  }
  return {
    query,
    release: (error) => void end(error),
    on: (event: never, listener: never) => client.on(event, listener),
    off: (event: never, listener: never) => client.off(event, listener),
  }
}
