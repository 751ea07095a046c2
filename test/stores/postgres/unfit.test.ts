/** Pools and databases that a Postgres store cannot work with are told at the first use, in words that name the remedy. */
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { ConfigurationError, createTroupe, type WholeStore } from 'troupe'
import { postgresStore, type PostgresClient, type PostgresPool } from 'troupe/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstLease } from '../../../src/runtime/journal/store.ts'
import { isOutage } from '../../../src/runtime/store-outage.ts'
import { worker } from '../../support/agents/agents.ts'
import { appends, called, started } from '../../support/journal-entries.ts'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { queryText } from '../../support/postgres/query-text.ts'

const database = new PGlite()
const empty = new PGlite()
const pool = pglitePool(database)
beforeAll(async () => {
  await database.waitReady
  await empty.waitReady
})
afterAll(async () => {
  await database.close()
  await empty.close()
})

const operations: Readonly<Record<string, (store: WholeStore) => Promise<unknown>>> = {
  append: async (store) => store.append(appends('a', [called(2)])),
  read: (store) => store.read('a'),
  list: (store) => store.list('runs', {}),
  awaiting: (store) => store.list('questions', {}),
  claim: (store) => store.claim('a', 'other', Number.MAX_SAFE_INTEGER, 1),
  enqueueSignal: (store) => store.enqueueSignal('a', { type: 'cancel', reason: 'enough' }),
  threads: async (store) => store.memory.threads({}),
  renew: (store) => store.renew([{ ...firstLease('a', 'other', 1), expiresAt: 9_000 }]),
}

describe('a pool of one connection', () => {
  test('is refused: a listener would take it from the operations', async () => {
    const one = new pg.Pool({ max: 1 })
    expect(() => postgresStore({ pool: one })).toThrow(ConfigurationError)
    expect(() => postgresStore({ pool: one })).toThrow(/at most 1 connection, and needs 2.*max 2 or more/s)
    await one.end()
  })

  test('a pool of two is taken, and so is one that does not tell', async () => {
    const two = new pg.Pool({ max: 2 })
    for (const given of [two, pool, { ...pool, options: {} }]) {
      expect(() => postgresStore({ pool: given })).not.toThrow()
    }
    await two.end()
  })
})

const refusal = { name: 'StoreError', code: 'STORE_ENCODING', message: expect.stringContaining('LATIN1') }

describe('a database whose encoding is not UTF8', () => {
  test('is refused before the tables are made', async () => {
    const store = postgresStore({ pool: telling(pool, 'LATIN1'), schema: 'latin' })
    await expect(store.open()).rejects.toMatchObject(refusal)
    await expect(store.append(appends('a', [started('a')]))).rejects.toMatchObject(refusal)
    expect(await store.open().catch(isOutage)).toBe(false)
    const { rows } = await database.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'latin'`)
    expect(rows).toEqual([])
    await store.close()
  })

  test.runIf(postgresPrograms() !== undefined)('of a server is refused', async () => {
    await using server = await PostgresServer.start()
    const client = new pg.Client({ connectionString: server.connectionString })
    await client.connect()
    await client.query(
      `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    )
    await client.end()
    const url = new URL('/latin', server.connectionString)
    const store = postgresStore({ connectionString: url.href })
    await expect(store.list('runs', {})).rejects.toMatchObject(refusal)
    await store.close()
  })
})

describe('a failover to a database without the tables', () => {
  test.each(Object.entries(operations))('is told by %s, and its tables are not made anew', async (_, ask) => {
    const servers = [pool, pglitePool(empty)]
    const store = postgresStore({ pool: switching(() => servers[0]), schema: 'moved', retryTimeout: 300_000 })
    await store.open()
    servers.shift()
    const error: unknown = await ask(store).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      name: 'StoreError',
      code: 'STORE_GONE',
      message: expect.stringContaining('its tables are gone'),
    })
    expect(isOutage(error)).toBe(false)
    const { rows } = await empty.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'moved'`)
    expect(rows).toEqual([])
    await store.close()
  })

  test('ends the handle of a run by its code at once', async () => {
    const servers = [pool, pglitePool(empty)]
    const store = postgresStore({
      pool: switching(() => servers[0]),
      schema: 'at_work',
      retryTimeout: 300_000,
    })
    const reply = (): string => {
      servers.shift()
      return 'Done.'
    }
    const { agent } = worker('desk', [reply])
    const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
    const run = await troupe.start(agent, 'Go')
    await expect(run.result).rejects.toMatchObject({ code: 'STORE_GONE' })
    await troupe.close()
    await store.close()
  })
})

/** A pool of the server that is there at the time. */
function switching(server: () => PostgresPool | undefined): PostgresPool {
  return { ...pool, connect: () => (server() ?? pool).connect() }
}

/** A pool whose server tells another encoding. */
function telling(given: PostgresPool, encoding: string): PostgresPool {
  return {
    ...given,
    async connect() {
      const client = await given.connect()
      const query: PostgresClient['query'] = async (text, values) =>
        queryText(text).includes('server_encoding') ? { rows: [{ encoding }] } : client.query(text, values)
      return {
        query,
        release: (error) => client.release(error),
        on: (event: never, listener: never) => client.on(event, listener),
        off: (event: never, listener: never) => client.off(event, listener),
      }
    },
  }
}
