/** Copies of a file: a backup goes on from a new epoch, and a file that was copied alone is refused. */
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from 'troupe'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { appends, fired, started } from '../support/journal-entries.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const modes = [
  ['in this thread', false],
  ['in a worker', true],
] as const

const begin = (store: SqliteStore, runId: string, entries = 3) =>
  store.append(
    appends(runId, [started(runId), ...Array.from({ length: entries - 1 }, (_, i) => fired(i, 2_000))]),
  )

const names = async (store: SqliteStore) => (await store.list('runs', {})).items.map(({ runId }) => runId)

const epochs = async (store: SqliteStore) => (await store.config.items('troupe:epoch')).map(({ key }) => key)

describe.each(modes)('a backup %s', (_name, worker) => {
  test('has all that was durable, and the store goes on', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    const copying = store.backup(folder.file('backup.db'))
    await begin(store, 'b')
    await copying
    await begin(store, 'c')
    expect(await names(store)).toEqual(['a', 'b', 'c'])
    await store.close()
    const copy = sqliteStore(folder.file('backup.db'), { worker })
    expect((await names(copy)).slice(0, 1)).toEqual(['a'])
    expect(await names(copy)).not.toContain('c')
    expect(await copy.read('a')).toHaveLength(3)
    await copy.close()
  })

  test('comes to a new epoch when it is first opened, and the store stays in its own', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    await store.backup(folder.file('backup.db'))
    expect(await epochs(store)).toEqual([])
    await store.close()
    for (const opening of [1, 2]) {
      const copies = [1, 2].map(() => sqliteStore(folder.file('backup.db'), { worker }))
      for (const copy of copies)
        expect({ opening, epochs: await epochs(copy) }).toEqual({ opening, epochs: ['1'] })
      for (const copy of copies) await copy.close()
    }
    const copy = sqliteStore(folder.file('backup.db'), { worker })
    await copy.backup(folder.file('second.db'))
    await copy.close()
    const second = sqliteStore(folder.file('second.db'), { worker })
    expect(await epochs(second)).toEqual(['1', '2'])
    await second.close()
  })

  test('replaces no file, and leaves none where it fails', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    writeFileSync(folder.file('there'), 'mine')
    await expect(store.backup(folder.file('there'))).rejects.toMatchObject({ code: 'STORE_CANNOT_OPEN' })
    await expect(store.backup(folder.file('none/backup.db'))).rejects.toMatchObject({
      code: 'STORE_CANNOT_OPEN',
    })
    await expect(store.backup('')).rejects.toBeInstanceOf(ConfigurationError)
    expect(readdirSync(folder.path).filter((name) => !name.startsWith('live.db'))).toEqual(['there'])
    await store.close()
    await expect(store.backup(folder.file('late.db'))).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    expect(existsSync(folder.file('late.db'))).toBe(false)
  })

  test('takes the place of what a former one has left', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    writeFileSync(folder.file('backup.db.partial'), 'half of it')
    await store.backup(folder.file('backup.db'))
    expect(existsSync(folder.file('backup.db.partial'))).toBe(false)
    await store.close()
  })
})

describe.each(modes)('a file that was copied alone, while it was open %s', (_name, worker) => {
  const opened = (file: string) => () => sqliteStore(file, { worker })

  test.each([1, 10, 700])('is refused after %d transactions (mmeyerlein/meclaw#60)', async (count) => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker, synchronous: 'normal' })
    for (let at = 0; at < count; at++) await begin(store, `run-${at}`)
    copyFileSync(folder.file('live.db'), folder.file('copy.db'))
    expect(opened(folder.file('copy.db'))).toThrow('was copied without its log')
    expect(opened(folder.file('copy.db'))).toThrow(
      expect.objectContaining({ code: 'STORE_CORRUPT' }) as Error,
    )
    await store.close()
    copyFileSync(folder.file('live.db'), folder.file('closed.db'))
    const copy = sqliteStore(folder.file('closed.db'), { worker })
    expect(await names(copy)).toHaveLength(count)
    await copy.close()
  })

  test('is no file that another program has closed after a crash, and no copy with its log', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    for (let at = 0; at < 5; at++) await begin(store, `run-${at}`)
    for (const end of ['', '-wal'])
      copyFileSync(folder.file(`live.db${end}`), folder.file(`crashed.db${end}`))
    for (const end of ['', '-wal'])
      copyFileSync(folder.file(`live.db${end}`), folder.file(`looked-at.db${end}`))
    await store.close()
    const crashed = sqliteStore(folder.file('crashed.db'), { worker })
    expect(await names(crashed)).toHaveLength(5)
    await crashed.close()
    const program = new DatabaseSync(folder.file('looked-at.db'))
    program.prepare('SELECT count(*) FROM runs').get()
    program.close()
    expect(existsSync(folder.file('looked-at.db-wal'))).toBe(false)
    const lookedAt = sqliteStore(folder.file('looked-at.db'), { worker })
    expect(await names(lookedAt)).toHaveLength(5)
    await lookedAt.close()
  })

  test('is no copy that SQLite itself has made', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    const program = new DatabaseSync(folder.file('live.db'))
    program.prepare('VACUUM INTO ?').run(folder.file('vacuumed.db'))
    program.close()
    await begin(store, 'b')
    const copy = sqliteStore(folder.file('vacuumed.db'), { worker })
    expect(await names(copy)).toEqual(['a'])
    await copy.close()
    await store.close()
  })

  test('is refused as long as it has the mark, which can be taken away', async () => {
    using folder = temporaryFolder()
    const store = sqliteStore(folder.file('live.db'), { worker })
    await begin(store, 'a')
    copyFileSync(folder.file('live.db'), folder.file('copy.db'))
    await store.close()
    expect(opened(folder.file('copy.db'))).toThrow("DELETE FROM config_items WHERE kind = 'troupe:log'")
    const program = new DatabaseSync(folder.file('copy.db'))
    program.exec("DELETE FROM config_items WHERE kind = 'troupe:log'")
    program.close()
    const copy = sqliteStore(folder.file('copy.db'), { worker })
    expect(await names(copy)).toEqual([])
    await copy.close()
  })
})

test('a store whose owners come and go never expects a log that is gone', async () => {
  using folder = temporaryFolder()
  const file = folder.file('live.db')
  for (let round = 0; round < 5; round++) {
    const stores = [0, 1, 2].map((at) => sqliteStore(file, { synchronous: 'normal', worker: at === 2 }))
    for (let at = 0; at < 300; at++) {
      const store = stores[at % 3] as SqliteStore
      await begin(store, `run-${round}-${at}`, 1)
      if (at % 100 === 99) {
        await store.close()
        stores[at % 3] = sqliteStore(file, { synchronous: 'normal' })
      }
    }
    for (const store of stores) await store.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
  }
  const store = sqliteStore(file)
  expect(await names(store)).toHaveLength(1_500)
  await store.close()
})

test('a backup in the place of a file is refused beside the log of that file (vavallee/bindery#2337)', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('live.db'))
  await begin(store, 'a')
  await store.backup(folder.file('backup.db'))
  for (let at = 0; at < 20; at++) await begin(store, `later-${at}`)
  copyFileSync(folder.file('live.db-wal'), folder.file('restored.db-wal'))
  copyFileSync(folder.file('backup.db'), folder.file('restored.db'))
  await store.close()
  expect(() => sqliteStore(folder.file('restored.db'))).toThrow('is the log of another file: remove that log')
  copyFileSync(folder.file('backup.db'), folder.file('restored.db'))
  for (const end of ['-wal', '-shm']) rmSync(folder.file(`restored.db${end}`), { force: true })
  const restored = sqliteStore(folder.file('restored.db'))
  expect(await names(restored)).toEqual(['a'])
  await restored.close()
})
