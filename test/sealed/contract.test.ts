/** The contract of stores, over sealed ones: on each store, by a codec that answers at once and by one that answers later. */
import { PGlite } from '@electric-sql/pglite'
import { memoryStore, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sealedStore, type SealCodec } from 'troupe/sealed'
import { sqliteStore } from 'troupe/sqlite'
import { storeContract, type OpenStore } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reopened } from '../support/contract/reopened.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { sealing } from '../support/sealing.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const { codec } = sealing

const later: SealCodec = {
  async seal(bytes, context) {
    await Promise.resolve()
    return codec.seal(bytes, context)
  },
  async open(bytes, context) {
    await Promise.resolve()
    return codec.open(bytes, context)
  },
}

const opened = (open: () => Store, by: SealCodec, end?: () => void): OpenStore =>
  reopened(() => sealedStore(open(), { ...sealing, codec: by }), end)

const sqliteOf = (by: SealCodec) => (): OpenStore => {
  const folder = temporaryFolder()
  return opened(
    () => sqliteStore(folder.file('runs.db')),
    by,
    () => folder[Symbol.dispose](),
  )
}

const memoryOf = (by: SealCodec) => (): OpenStore => {
  const inner = memoryStore()
  return opened(() => inner, by)
}

const database = new PGlite()
beforeAll(() => database.waitReady, 120_000)
afterAll(() => database.close())

let schemas = 0
const postgresOf = (by: SealCodec) => (): OpenStore => {
  const schema = `sealed_${++schemas}`
  return opened(() => postgresStore({ pool: pglitePool(database), schema }), by)
}

describe.each<[string, () => OpenStore]>([
  ['memoryStore(), by a codec that answers at once', memoryOf(codec)],
  ['memoryStore(), by a codec that answers later', memoryOf(later)],
  ['sqliteStore(path), by a codec that answers at once', sqliteOf(codec)],
  ['postgresStore({ pool }), by a codec that answers later', postgresOf(later)],
])('sealed %s', (_, open) => {
  test.each(storeContract({ open, lacks: ['tasks'] }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
