/** How a Postgres store opens, closes, and finds a server that is not there. */
import { PGlite } from '@electric-sql/pglite'
import { ConfigurationError, type Store } from 'troupe'
import { postgresStore, type PostgresPool } from 'troupe/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Connections } from '../../src/postgres/connection/connections.ts'
import { upgrade } from '../../src/postgres/connection/migrate.ts'
import { schemaSteps, tablesIn } from '../../src/postgres/connection/schema.ts'
import { SchemaSteps } from '../../src/kit/sql/schema-steps.ts'
import { flakyPool } from '../support/postgres/flaky-pool.ts'
import { appends, started } from '../support/journal-entries.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { PostgresServer, postgresPrograms } from '../support/postgres/server.ts'

const database = new PGlite()
const pool = pglitePool(database)
beforeAll(() => database.waitReady)
afterAll(() => database.close())

/** A pool whose server is not there. */
const unreachable: PostgresPool = {
  connect: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  on: () => undefined,
  off: () => undefined,
}

describe('the options', () => {
  test('are a connection string or a pool, and not both', () => {
    expect(() => postgresStore({})).toThrow(ConfigurationError)
    expect(() => postgresStore({ pool, connectionString: 'postgres://db' })).toThrow(
      'give either connectionString or pool',
    )
  })

  test.each(['', 'Runs', '1st', 'a"b', 'a'.repeat(41)])('refuse the schema %j', (schema) => {
    expect(() => postgresStore({ pool, schema })).toThrow(ConfigurationError)
  })

  test('do not tell the connection string in an error', () => {
    const wrong = { connectionString: ['postgres://user:secret@db'] as unknown as string }
    expect(() => postgresStore(wrong)).toThrow(expect.not.stringContaining('secret'))
  })
})

describe('opening', () => {
  test('by many at once makes the tables once, and all can use them', async () => {
    const stores = Array.from({ length: 8 }, () => postgresStore({ pool, schema: 'together' }))
    await Promise.all(stores.map((store) => store.open()))
    await Promise.all(
      stores.map(async (store, index) => store.append(appends(`run-${index}`, [started(`run-${index}`)]))),
    )
    expect(await idsIn(stores[0])).toHaveLength(8)
    for (const store of stores) await store.close()
  })

  test.runIf(postgresPrograms() !== undefined)(
    'by many at once on a server makes the tables once, and all can use them',
    async () => {
      await using server = await PostgresServer.start()
      const { connectionString } = server
      for (let round = 0; round < 5; round++) {
        const schema = `round_${round}`
        const stores = Array.from({ length: 6 }, () => postgresStore({ connectionString, schema }))
        await Promise.all(stores.map((store) => store.open()))
        await Promise.all(
          stores.map(async (store, index) =>
            store.append(appends(`run-${index}`, [started(`run-${index}`)])),
          ),
        )
        expect(await idsIn(stores[0])).toHaveLength(6)
        for (const store of stores) await store.close()
      }
    },
  )

  test('is part of the first operation', async () => {
    const store = postgresStore({ pool, schema: 'first_operation' })
    expect(await store.read('nothing')).toBeUndefined()
    await store.close()
  })

  test('refuses tables of another program, and leaves them as they are', async () => {
    await database.exec('CREATE SCHEMA theirs; CREATE TABLE theirs.runs (distance int)')
    const store = postgresStore({ pool, schema: 'theirs' })
    await expect(store.open()).rejects.toMatchObject({ code: 'STORE_FOREIGN' })
    const { rows } = await database.query(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'theirs'`,
    )
    expect(rows).toEqual([{ table_name: 'runs' }])
    await store.close()
  })

  test('refuses tables of a build before the first release, and leaves them as they are', async () => {
    const made = 'CREATE TABLE older.troupe_schema (version int NOT NULL, oldest int NOT NULL)'
    await database.exec(`CREATE SCHEMA older; ${made}; INSERT INTO older.troupe_schema VALUES (5, 3)`)
    const store = postgresStore({ pool, schema: 'older' })
    await expect(store.list('runs', {})).rejects.toMatchObject({
      code: 'STORE_OLDER',
      message: expect.stringMatching(
        /schema "older".* version is 5, this release reads 9 to 11.* name another schema/,
      ),
    })
    const { rows } = await database.query(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'older'`,
    )
    expect(rows).toEqual([{ table_name: 'troupe_schema' }])
    await store.close()
  })

  test('takes the steps of a later release, and keeps all that is in the tables', async () => {
    const store = postgresStore({ pool, schema: 'stepped' })
    await store.append(appends('a', [started('a')]))
    const connections = new Connections(pool, {
      schema: 'stepped',
      retryTimeout: 1_000,
      isPreparing: () => false,
    })
    const tables = tablesIn('stepped')
    const later = new SchemaSteps(schemaSteps.first, [
      ...schemaSteps.steps,
      { sql: ({ runs }: typeof tables) => `ALTER TABLE ${runs} ADD COLUMN label text` },
    ])
    await connections.transaction((session) => upgrade(session, tables, later))
    const { rows } = await database.query(
      'SELECT run_id, label, version, oldest FROM stepped.runs, stepped.troupe_schema',
    )
    expect(rows).toEqual([{ run_id: 'a', label: null, version: later.version, oldest: later.version }])
    await expect(store.append(appends('b', [started('b')]))).rejects.toMatchObject({ code: 'STORE_NEWER' })
    await connections.close()
  })

  test('refuses tables that need a newer release, and works with newer ones that do not', async () => {
    const store = postgresStore({ pool, schema: 'newer' })
    await store.append(appends('a', [started('a')]))
    await database.exec('UPDATE newer.troupe_schema SET version = 99')
    const other = postgresStore({ pool, schema: 'newer' })
    expect(await idsIn(other)).toEqual(['a'])
    await database.exec('UPDATE newer.troupe_schema SET oldest = 99')
    await expect(postgresStore({ pool, schema: 'newer' }).open()).rejects.toMatchObject({
      code: 'STORE_NEWER',
    })
    // A store that is open writes nothing more.
    await expect(store.append(appends('b', [started('b')]))).rejects.toMatchObject({ code: 'STORE_NEWER' })
    expect(await store.claim('a', 'other', Number.MAX_SAFE_INTEGER, 1)).toBeUndefined()
    expect(await idsIn(other)).toEqual(['a'])
  })

  test('is tried again by the next operation', async () => {
    let isThere = false
    const store = postgresStore({
      pool: { ...pool, connect: () => (isThere ? pool : unreachable).connect() },
      schema: 'later',
      retryTimeout: 20,
    })
    await expect(store.open()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
    isThere = true
    await expect(store.open()).resolves.toBeUndefined()
    await store.close()
  })
})

describe('a server that is not there', () => {
  test('is an error after retryTimeout, and is found again before', async () => {
    const store = postgresStore({ pool: unreachable, retryTimeout: 30 })
    await expect(store.list('runs', {})).rejects.toMatchObject({
      name: 'StoreError',
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    let failures = 3
    const returning = flakyPool(pool, () => (failures-- > 0 ? 'before' : undefined))
    expect(await idsIn(postgresStore({ pool: returning, schema: 'returning' }))).toEqual([])
  })

  test('that does not answer is an error too', async () => {
    const silent: PostgresPool = { ...unreachable, connect: () => new Promise(() => undefined) }
    const store = postgresStore({ pool: silent, retryTimeout: 30 })
    await expect(store.open()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  })

  test('is not asked again after an error that another attempt would repeat', async () => {
    let asked = 0
    const refusing: PostgresPool = {
      ...unreachable,
      connect() {
        asked++
        return Promise.reject(Object.assign(new Error('password authentication failed'), { code: '28P01' }))
      },
    }
    await expect(postgresStore({ pool: refusing }).open()).rejects.toMatchObject({
      code: 'STORE_CANNOT_OPEN',
    })
    expect(asked).toBe(1)
  })
})

test('close waits for what is under way, and later operations are refused', async () => {
  const store = postgresStore({ pool, schema: 'closing' })
  const appended = store.append(appends('a', [started('a')]))
  await store.open()
  const closing = store.close()
  await appended
  await closing
  await store.close()
  for (const operation of [
    () => store.list('runs', {}),
    () => store.append(appends('b', [started('b')])),
    () => store.open(),
  ])
    await expect(operation()).rejects.toMatchObject({ code: 'STORE_CLOSED' })
  expect(await idsIn(postgresStore({ pool, schema: 'closing' }))).toEqual(['a'])
})

async function idsIn(store: Pick<Store, 'list'> | undefined): Promise<string[]> {
  return ((await store?.list('runs', {}))?.items ?? []).map(({ runId }) => runId).toSorted()
}
