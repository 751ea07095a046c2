import { describe, expect, test } from 'vitest'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { storeContract, type OpenStore } from 'troupe/testing'
import { reopened } from '../support/contract/reopened.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const variants: [string, SqliteStoreOptions][] = [
  ['sqliteStore(path)', {}],
  ['sqliteStore(path, { worker: true })', { worker: true }],
]

function openWith(options: SqliteStoreOptions): OpenStore {
  const folder = temporaryFolder()
  return reopened(
    () => sqliteStore(folder.file('runs.db'), options),
    () => folder[Symbol.dispose](),
  )
}

describe.each(variants)('%s', (_name, options) => {
  test.each(storeContract({ open: () => openWith(options) }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
