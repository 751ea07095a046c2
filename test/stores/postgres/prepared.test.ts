/** Statements that a connection plans once: poolers and changed tables may lose them, and the store goes on. */
import pg from 'pg'
import { postgresStore, type PostgresClient, type PostgresPool } from 'troupe/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTransient, storeFailure } from '../../../src/postgres/connection/failures.ts'
import { appends, started } from '../../support/journal-entries.ts'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'

describe.skipIf(postgresPrograms() === undefined)('prepared statements', () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.connectionString, max: 2 })
    pool.on('error', () => undefined) // an idle connection that breaks is replaced by the pool
  })
  afterAll(async () => {
    await pool.end()
    await server[Symbol.asyncDispose]()
  })

  /** How many statements the connections of a pool have planned, of a schema. */
  async function planned(of: pg.Pool, schema: string): Promise<number> {
    const { rows } = await of.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'troupe\\_%' AND statement LIKE $1`,
      [`%"${schema}"%`],
    )
    return rows[0]?.count ?? 0
  }

  async function keepsRuns(given: PostgresPool, schema: string, between: () => Promise<unknown>) {
    const store = postgresStore({ pool: given, schema })
    for (const id of ['a', 'b', 'c']) {
      await store.append(appends(id, [started(id)]))
      await between()
      expect(await store.read(id, 0)).toHaveLength(1)
    }
    await store.close()
  }

  /** As tracers wrap a pool: they read the text of each statement. */
  function traced(given: pg.Pool): PostgresPool {
    const connect = async (): Promise<PostgresClient> => {
      const client: PostgresClient = await given.connect()
      return {
        query: (text, values) => client.query((text as string).slice(0), values),
        release: (error) => client.release(error),
        on: (event: never, listener: never) => client.on(event, listener),
        off: (event: never, listener: never) => client.off(event, listener),
      }
    }
    return new Proxy(given, {
      get: (target, key): unknown => (key === 'connect' ? connect : Reflect.get(target, key)),
    })
  }

  test('are planned on a pool of pg, once each', async () => {
    const own = new pg.Pool({ connectionString: server.connectionString, max: 2 })
    await keepsRuns(own, 'planned', async () => undefined)
    expect(await planned(own, 'planned')).toBeGreaterThan(0)
    await own.end()
  })

  test('are not planned where an option says so, nor on connections that a program wraps', async () => {
    const own = new pg.Pool({ connectionString: server.connectionString, max: 2 })
    await keepsRuns(traced(own), 'traced', async () => undefined)
    const store = postgresStore({ pool: own, schema: 'without', preparedStatements: false })
    await store.append(appends('a', [started('a')]))
    await store.close()
    expect([await planned(own, 'traced'), await planned(own, 'without')]).toEqual([0, 0])
    await own.end()
  })

  test('are planned no more where a connection loses them, as behind a pooler', async () => {
    const deallocated = async () => {
      const clients = await Promise.all([pool.connect(), pool.connect()])
      for (const client of clients) {
        await client.query('DEALLOCATE ALL')
        client.release()
      }
    }
    await keepsRuns(pool, 'lost', deallocated)
    expect(await planned(pool, 'lost')).toBe(0)
  })

  test('are no reason to try again where a server lacks a feature', () => {
    const thrown = Object.assign(new Error('unimplemented'), { code: '0A000', routine: 'executeQuery' })
    const error = storeFailure(thrown, 'any')
    expect([error.code, isTransient(error)]).toEqual(['STORE_FAILED', false])
  })

  test('are planned anew where the tables have changed', async () => {
    const store = postgresStore({ pool, schema: 'changed' })
    await store.append(appends('a', [started('a')]))
    const read = () => store.read('a', 0)
    expect(await Promise.all([read(), read()])).toHaveLength(2)
    await pool.query('ALTER TABLE "changed".entries ALTER COLUMN entry TYPE varchar')
    expect(await Promise.all([read(), read()])).toHaveLength(2)
    expect(await read()).toHaveLength(1)
    expect(await planned(pool, 'changed')).toBeGreaterThan(0)
    await store.close()
  })
})
