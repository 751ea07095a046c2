import { describe, expect, test } from 'vitest'
import { sqliteStore, type SqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { storeContract, type OpenStore } from 'troupe/testing'
import { temporaryFolder } from '../support/temporary-folder.ts'

const variants: [string, SqliteStoreOptions][] = [
  ['sqliteStore(path)', {}],
  ['sqliteStore(path, { worker: true })', { worker: true }],
]

function openWith(options: SqliteStoreOptions): OpenStore {
  const folder = temporaryFolder()
  const opened: SqliteStore[] = []
  const open = (): SqliteStore => {
    const store = sqliteStore(folder.file('runs.db'), options)
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
      folder[Symbol.dispose]()
    },
  }
}

describe.each(variants)('%s', (_name, options) => {
  test.each(storeContract({ open: () => openWith(options) }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
