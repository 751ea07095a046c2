/**
 * The contract of stores, on a Postgres that runs in this process and, where the machine has the programs, on a server.
 * Each case has a schema of its own.
 */
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { postgresStore, type PostgresPool, type PostgresStore } from 'troupe/postgres'
import { storeContract, type OpenStore } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { PostgresServer, postgresPrograms } from '../support/postgres/server.ts'

let schemas = 0

function openOn(pool: PostgresPool): OpenStore {
  const schema = `case_${++schemas}`
  const opened: PostgresStore[] = []
  const open = (): PostgresStore => {
    const store = postgresStore({ pool, schema })
    opened.push(store)
    return store
  }
  const store = open()
  return {
    store,
    async reopen() {
      await store.close()
      return open()
    },
    async close() {
      for (const one of opened) await one.close()
    },
  }
}

describe('postgresStore({ pool }), in this process', () => {
  const database = new PGlite()
  const pool = pglitePool(database)
  beforeAll(() => database.waitReady)
  afterAll(() => database.close())

  test.each(storeContract({ open: () => openOn(pool) }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

describe.runIf(postgresPrograms() !== undefined)('postgresStore({ pool }), on a server', () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.connectionString })
  })
  afterAll(async () => {
    await pool.end()
    await server[Symbol.asyncDispose]()
  })

  test.each(storeContract({ open: () => openOn(pool) }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
