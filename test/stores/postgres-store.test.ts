/** The contract of stores, on a Postgres that runs in this process. Each case has a schema of its own. */
import { PGlite } from '@electric-sql/pglite'
import { postgresStore, type PostgresStore } from 'troupe/postgres'
import { storeContract, type OpenStore } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pglitePool } from '../support/postgres/pglite-pool.ts'

const database = new PGlite()
const pool = pglitePool(database)
let schemas = 0

beforeAll(() => database.waitReady)
afterAll(() => database.close())

function openNew(): OpenStore {
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

describe('postgresStore({ pool })', () => {
  test.each(storeContract({ open: openNew }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
