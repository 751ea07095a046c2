import { afterEach, describe } from 'vitest'
import { sqliteStore, type SqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { storeContract } from './contract.ts'

const variants: [string, SqliteStoreOptions][] = [
  ['sqliteStore(path)', {}],
  ['sqliteStore(path, { worker: true })', { worker: true }],
]

describe.each(variants)('%s', (_name, options) => {
  const cleanUps: (() => Promise<void> | undefined)[] = []

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp()
  })

  storeContract(() => {
    const folder = temporaryFolder()
    const open = (): SqliteStore => {
      const store = sqliteStore(folder.file('runs.db'), options)
      cleanUps.unshift(() => store.close())
      return store
    }
    cleanUps.push(async () => folder[Symbol.dispose]())
    const store = open()
    return {
      store,
      async reopen() {
        await store.close()
        return open()
      },
    }
  })
})
