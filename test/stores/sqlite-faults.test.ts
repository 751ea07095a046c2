/** What goes wrong while a store is open: it is said with a code, nothing half is kept, and nothing is lost. */
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTool, createTroupe, type Store } from 'troupe'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { openDatabase } from '../../src/sqlite/connection/open-database.ts'
import { askHere } from '../../src/sqlite/tables/operations.ts'
import { FileChanges } from '../../src/sqlite/file-changes.ts'
import { reporterOf } from '../../src/runtime/report.ts'
import { tellingStore } from '../../src/sqlite/telling-store.ts'
import { allEvents, calls, worker } from '../support/agents/agents.ts'
import { appends, fired, message, started } from '../support/journal-entries.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = folder.file('runs.db')
})

afterEach(() => folder[Symbol.dispose]())

const both = [false, true]

/** Whatever is thrown at once or rejected later. */
const appending = async (store: Store, ...batch: Parameters<Store['append']>) => store.append(...batch)

/** A store that may use so many pages, of 4 096 bytes; `roomFor` changes that. */
function limitedStore(pages: number): Omit<SqliteStore, 'backup'> & { roomFor(pages: number): void } {
  const options = { synchronous: 'normal', busyTimeout: 100, secureDelete: false } as const
  const database = openDatabase(file, options)
  const roomFor = (count: number): void => void database.prepare(`PRAGMA max_page_count = ${count}`).get()
  roomFor(pages)
  const { ask, close } = askHere(database, { busyTimeout: 100, compact: () => undefined })
  const changes = new FileChanges(file, reporterOf())
  return { ...tellingStore(ask, changes, close), roomFor }
}

describe('a full disk', () => {
  test('nothing of the transaction that does not fit is kept, and it fits when there is room', async () => {
    const store = limitedStore(40)
    const lease = firstLease('a')
    await store.append([...appends('a', [started('a')], lease), ...appends('b', [started('b')])])
    const batch = [
      ...appends('b', [fired(1)]),
      ...appends('a', [fired(1), fired(2, 300_000)], lease),
      ...appends('c', [started('c')]),
    ]
    const full = expect.objectContaining({
      name: 'StoreError',
      code: 'STORE_FULL',
      message: expect.stringContaining(`"${file}": there is no room left`),
    })
    expect(() => store.append(batch)).toThrow(full)
    await expect(store.memory.save('t', [message('1', 'x'.repeat(300_000), 1)])).rejects.toEqual(full)
    expect(await store.read('a')).toEqual([started('a')])
    expect(await store.read('b')).toEqual([started('b')])
    expect(await store.read('c')).toBeUndefined()
    expect((await store.list('runs', {})).items.map(({ entries }) => entries)).toEqual([1, 1])
    expect(await store.memory.threads({})).toEqual([])
    expect(store.append(appends('a', [fired(1)], lease))).toBeUndefined()
    store.roomFor(400)
    expect(store.append([...appends('a', [fired(2, 300_000)], lease)])).toBeUndefined()
    await store.close()
    const again = sqliteStore(file)
    expect(await again.read('a')).toEqual([started('a'), fired(1), fired(2, 300_000)])
    await again.close()
  })

  test('a run on it rejects with that code; its journal is what it was told of, and replays', async () => {
    const store = limitedStore(90)
    const note = createTool({
      id: 'note',
      description: 'Takes a note.',
      inputSchema: z.object({}),
      execute: () => 'n'.repeat(20_000),
    })
    const { agent, model } = worker('solo', [], {
      otherwise: calls({ name: 'note' }),
      tools: { note },
      maxSteps: 50,
    })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await expect(run.result).rejects.toMatchObject({
      name: 'StoreError',
      code: 'STORE_FULL',
      runId: run.id,
      message: expect.stringContaining(
        `The store did not take the journal of the run "${run.id}": SQLite store`,
      ),
      cause: { name: 'StoreError', code: 'STORE_FULL' },
    })
    expect(model.calls.length).toBeLessThan(10)
    const told = (await allEvents(run)).filter(({ type }) => type === 'tool-result').length
    await store.close()
    const again = sqliteStore(file)
    const journal = (await again.read(run.id)) ?? []
    const kept = journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'tool').length
    expect(kept).toBe(told)
    expect(kept).toBeGreaterThan(1)
    const replay = await createTroupe({ agents: [agent], store: again }).replay(run.id)
    expect(replay.events.filter(({ type }) => type === 'tool-result')).toHaveLength(kept)
    await again.close()
  })
})

describe('a transaction that fails', () => {
  test('keeps nothing, of no run', async () => {
    const store = sqliteStore(file)
    await store.append([...appends('a', [started('a')]), ...appends('b', [started('b')])])
    const other = new DatabaseSync(file)
    other.exec("INSERT INTO entries (run, seq, entry, checksum) VALUES (2, 2, '{}', 0)") // in the way of the third entry of b
    other.close()
    const batch = [...appends('a', [fired(1)]), ...appends('b', [fired(1), fired(2)])]
    expect(() => store.append(batch)).toThrow(
      expect.objectContaining({
        code: 'STORE_FAILED',
        message: expect.stringContaining('UNIQUE constraint'),
      }),
    )
    expect(await store.read('a')).toEqual([started('a')])
    expect((await store.list('runs', {})).items.map(({ entries }) => entries)).toEqual([1, 1])
    expect(store.append(appends('a', [fired(1)]))).toBeUndefined()
    await store.close()
  })

  test.each(both)('what is no JSON is refused before anything is written (worker: %s)', async (worker) => {
    const store = sqliteStore(file, { worker })
    await appending(store, appends('a', [started('a')]))
    const bad = { ...fired(1), digest: 1n as never }
    await expect(appending(store, appends('a', [fired(1), bad]))).rejects.toThrow('BigInt')
    await expect(
      store.memory.save('t', [message('1', 'x', 1), { ...message('2', 'y', 2), content: 1n as never }]),
    ).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_FAILED' })
    expect(await store.read('a')).toEqual([started('a')])
    expect(await store.memory.threads({})).toEqual([])
    await store.close()
  })

  test('what cannot cross to a thread is refused with a code', async () => {
    const store = sqliteStore(file, { worker: true })
    await expect(store.config.set({ kind: 'k', key: 'x', value: (() => 1) as never })).rejects.toMatchObject({
      name: 'StoreError',
      code: 'STORE_FAILED',
    })
    expect(await store.config.items('k')).toEqual([])
    await store.close()
  })
})

describe('a file that another process is writing to', () => {
  test.each(both)('is waited for, and not for ever (worker: %s)', async (worker) => {
    const store = sqliteStore(file, { worker, busyTimeout: 30 })
    await appending(store, appends('a', [started('a')]))
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const busy = { name: 'StoreError', code: 'STORE_BUSY' }
    await expect(appending(store, appends('a', [fired(1)]))).rejects.toMatchObject(busy)
    await expect(store.claim('a', 'me', 0, 1)).rejects.toMatchObject(busy)
    const another = sqliteStore(file, { worker, busyTimeout: 30 }) // nothing of the file has to be changed for that
    expect(await another.read('a')).toEqual([started('a')])
    await expect(another.claim('a', 'me', 0, 1)).rejects.toMatchObject(busy)
    await another.close()
    expect(await store.read('a')).toEqual([started('a')])
    other.exec('ROLLBACK')
    other.close()
    expect(await appending(store, appends('a', [fired(1)]))).toBeUndefined()
    expect(await store.read('a', 1)).toEqual([fired(1)])
    await store.close()
  })
})

describe('a closed store', () => {
  test.each(both)('rejects whatever follows, and may be closed again (worker: %s)', async (worker) => {
    const store = sqliteStore(file, { worker })
    const last = appending(store, appends('a', [started('a')]))
    const closing = store.close()
    await last
    await closing
    await store.close()
    const closed = { name: 'StoreError', code: 'STORE_CLOSED' }
    await expect(appending(store, appends('a', [fired(1)]))).rejects.toMatchObject(closed)
    await expect(store.read('a')).rejects.toMatchObject(closed)
    await expect(store.memory.threads({})).rejects.toMatchObject(closed)
    await expect(store.config.items('k')).rejects.toMatchObject(closed)
    const again = sqliteStore(file)
    expect(await again.read('a')).toEqual([started('a')])
    await again.close()
  })

  test('is what the handles of runs that are under way reject with', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('solo', [{ text: 'Done.', until: gate.promise }])
    const store = sqliteStore(file)
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
    for await (const event of run.events) if (event.type === 'step-start') break
    await store.close()
    gate.resolve()
    await expect(run.result).rejects.toMatchObject({ code: 'STORE_CLOSED', runId: run.id })
  })
})
