/** The contract of stores, over sealed ones: on each store, by a codec that answers at once and by one that answers later. */
import { PGlite } from '@electric-sql/pglite'
import { memoryStore, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sealedStore, type SealCodec } from 'troupe/sealed'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { storeContract, type OpenStore } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const variants: [string, SealCodec][] = [
  ['at once', codec],
  ['later', later],
]

function opened(
  open: () => Store & { close?(): Promise<void> },
  by: SealCodec,
  end = (): void => undefined,
): OpenStore {
  const all: Store[] = []
  const openSealed = (): Store => {
    const store = sealedStore(open(), { ...sealing, codec: by })
    all.push(store)
    return store
  }
  const store = openSealed()
  return {
    store,
    async reopen() {
      await store.close?.()
      return openSealed()
    },
    async close() {
      for (const one of all) await one.close?.()
      end()
    },
  }
}

describe.each(variants)('sealedStore, by a codec that answers %s', (_name, by) => {
  describe('memoryStore()', () => {
    const open = (): OpenStore => {
      const inner = memoryStore()
      return opened(() => inner, by)
    }
    test.each(storeContract({ open }))('$name', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined()
    })
  })

  describe.each<[string, SqliteStoreOptions]>([
    ['sqliteStore(path)', {}],
    ...(by === later
      ? []
      : [['sqliteStore(path, { worker: true })', { worker: true }] as [string, SqliteStoreOptions]]),
  ])('%s', (_store, options) => {
    const open = (): OpenStore => {
      const folder = temporaryFolder()
      return opened(
        () => sqliteStore(folder.file('runs.db'), options),
        by,
        () => folder[Symbol.dispose](),
      )
    }
    test.each(storeContract({ open }))('$name', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined()
    })
  })

  describe.runIf(by === later)('postgresStore({ pool })', () => {
    const database = new PGlite()
    const pool = pglitePool(database)
    let schemas = 0
    beforeAll(() => database.waitReady)
    afterAll(() => database.close())
    const open = (): OpenStore => {
      const schema = `sealed_${++schemas}`
      return opened(() => postgresStore({ pool, schema }), by)
    }
    test.each(storeContract({ open }))('$name', async ({ run }) => {
      await expect(run()).resolves.toBeUndefined()
    })
  })
})
