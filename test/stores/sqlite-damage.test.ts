/** Damage on the disk: whatever bit has flipped, what is read is what was written, or is refused. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StoreError, type OpenQuestion, type WholeStore } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { firstLease, released } from '../../src/runtime/journal/store.ts'
import { appends, fired, message, settled, started } from '../support/journal-entries.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = folder.file('runs.db')
})

afterEach(() => folder[Symbol.dispose]())

const runIds = Array.from({ length: 12 }, (_, index) => `run-${index}`)

async function fill(): Promise<void> {
  const store = sqliteStore(file)
  for (const [index, runId] of runIds.entries()) {
    const entries = Array.from({ length: 6 }, (_, at) => fired(at + 1, (index * 37 + at * 91) % 400))
    await store.append(
      appends(runId, [started(runId, 0, { conversationId: `talk-${index % 3}` }), ...entries]),
    )
    if (index % 2 === 0)
      await store.append(appends(runId, [settled(9, index % 4 === 0 ? 'completed' : 'failed')]))
    else
      await store.append([
        { runId, lease: firstLease(runId), questions: { opened: [asked(runId)], closed: [] } },
      ])
    if (index % 3 === 0) await store.renew([released(firstLease(runId), { wakeAt: 1_000 + index })])
    await store.enqueueSignal(runId, { type: 'cancel', reason: `because of ${index}` })
    const messages = Array.from({ length: 4 }, (_, at) => message(`m${at}`, `said ${index}.${at}`, at))
    await store.memory.save(`thread-${index}`, messages, `user-${index % 4}`)
    await store.memory.workingMemory(`user-${index}`, `Likes ${index}.`)
    await store.config.set({ kind: 'kind', key: `key-${index}`, value: { index } })
  }
  await store.close()
}

/** A question of a run. */
function asked(runId: string): OpenQuestion {
  return {
    runId,
    toolCallId: 'scout/call:1.1',
    type: 'approval',
    agent: 'scout',
    path: 'scout',
    toolName: 'remove',
    args: { of: runId },
    since: 6,
    asOf: 7,
  }
}

type Reading = Readonly<Record<string, (store: WholeStore) => Promise<unknown>>>

/** What is read of something that is named. */
const byName: Reading = Object.fromEntries([
  ...runIds.map((runId) => [`journal of ${runId}`, (store: WholeStore) => store.read(runId)] as const),
  ...runIds.map((_, index) => {
    const recall = (store: WholeStore) =>
      store.memory.messages(`thread-${index}`, { runId: 'reader', resourceId: `user-${index % 4}` })
    return [`thread-${index}`, recall] as const
  }),
  ...runIds.map((_, index) => {
    const note = (store: WholeStore) => store.memory.workingMemory(`user-${index}`)
    return [`note on user-${index}`, note] as const
  }),
])

/** What is read as a list. */
const lists: Reading = {
  runs: async (store) => (await store.list('runs', {})).items,
  questions: async (store) => (await store.list('questions', {})).items,
  threads: (store) => store.memory.threads({}),
  posts: async (store) => (await store.list('signals', { runIds })).items,
  items: (store) => store.config.items('kind'),
}

/** Nothing counts the items of these: a damaged index may hide one, but no item is another than it was. */
const mayLack = new Set(['posts', 'items', 'questions'])

/** A run whose questions a damaged index hides. */
function lacking(item: object): object {
  return 'awaiting' in item ? { ...item, awaiting: [] } : item
}

async function readAll(store: WholeStore, readings: Reading): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>()
  for (const [name, read] of Object.entries(readings)) {
    all.set(
      name,
      await read(store).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StoreError)
        return error
      }),
    )
  }
  return all
}

/** A number that looks random and is the same in each run of the test. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function damaged(
  change: (bytes: Buffer) => void,
  look: (store: WholeStore) => Promise<void>,
): Promise<boolean> {
  const copy = folder.file('copy.db')
  for (const part of ['', '-wal', '-shm']) rmSync(`${copy}${part}`, { force: true })
  copyFileSync(file, copy)
  const bytes = readFileSync(copy)
  change(bytes)
  writeFileSync(copy, bytes)
  let store: WholeStore
  try {
    store = sqliteStore(copy, { synchronous: 'normal' })
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError)
    return false
  }
  try {
    await look(store)
  } finally {
    await store.close?.()
  }
  return true
}

test('800 flipped bits: each read gives what was written, or a StoreError', async () => {
  await fill()
  const store = sqliteStore(file)
  const [named, listed] = [await readAll(store, byName), await readAll(store, lists)]
  await store.close()
  const random = sequence(20_261_122)
  const size = readFileSync(file).length
  let refused = 0
  const wrong: string[] = []
  for (let round = 0; round < 800; round++) {
    const [at, bit] = [Math.floor(random() * size), Math.floor(random() * 8)]
    const flip = (bytes: Buffer): void => void bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at)
    const opened = await damaged(flip, async (copy) => {
      for (const [name, found] of await readAll(copy, byName)) {
        if (found instanceof StoreError) refused++
        else if (JSON.stringify(found) !== JSON.stringify(named.get(name)))
          wrong.push(`${at}.${bit} ${name}: ${JSON.stringify(found)?.slice(0, 80)}`)
      }
      for (const [name, found] of await readAll(copy, lists)) {
        if (found instanceof StoreError) refused++
        else {
          const known = listed.get(name) as readonly object[]
          const items = new Set(
            known.flatMap((item) => [item, lacking(item)]).map((item) => JSON.stringify(item)),
          )
          for (const item of found as readonly unknown[])
            if (!items.has(JSON.stringify(item))) wrong.push(`${at}.${bit} ${name}: ${JSON.stringify(item)}`)
          if ((found as readonly unknown[]).length !== known.length && !mayLack.has(name))
            wrong.push(`${at}.${bit} ${name}: ${(found as readonly unknown[]).length} of ${known.length}`)
        }
      }
    })
    if (!opened) refused++
  }
  expect(wrong).toEqual([])
  expect(refused).toBeGreaterThan(100)
})

/** Changes rows as no store does. */
function change(sql: string): void {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

const corrupt = (what: string) => ({
  name: 'StoreError',
  code: 'STORE_CORRUPT',
  message: expect.stringContaining(what),
})

describe('a row that another program has changed', () => {
  const entry = (seq: number): string => `run = (SELECT id FROM runs WHERE run_id = 'run-1') AND seq = ${seq}`
  const swap = `UPDATE entries SET seq = -1 WHERE ${entry(2)}; UPDATE entries SET seq = 2 WHERE ${entry(3)};
    UPDATE entries SET seq = 3 WHERE ${entry(-1)}`
  const elsewhere = `UPDATE entries SET (entry, checksum) = (SELECT entry, checksum FROM entries WHERE run =
    (SELECT id FROM runs WHERE run_id = 'run-2') AND seq = 2) WHERE ${entry(2)}`

  test.each([
    ['an entry', `UPDATE entries SET entry = replace(entry, 'timer', 'tamer') WHERE ${entry(2)}`],
    ['an entry that is no JSON any more', `UPDATE entries SET entry = substr(entry, 2) WHERE ${entry(2)}`],
    ['a checksum', `UPDATE entries SET checksum = checksum + 1 WHERE ${entry(2)}`],
    ['two entries that are swapped', swap],
    ['an entry of another run', elsewhere],
  ])('%s: the run and its number are named, and the rest is read', async (_what, sql) => {
    await fill()
    change(sql)
    const store = sqliteStore(file)
    await expect(store.read('run-1')).rejects.toMatchObject(corrupt('entry 2 of the run "run-1"'))
    expect(await store.read('run-1', 4)).toHaveLength(3)
    expect(await store.read('run-2')).toHaveLength(8)
    await store.close()
  })

  test('an index row is refused wherever it is used, and no write makes it pass again', async () => {
    await fill()
    change(`UPDATE runs SET outcome = 'completed' WHERE run_id = 'run-1'`)
    const store = sqliteStore(file)
    const refusal = corrupt('"run-1"')
    const lease = firstLease('run-1')
    await expect(store.list('runs', {})).rejects.toMatchObject(refusal)
    await expect(store.claim('run-1', 'me', 0, 9, 9)).rejects.toMatchObject(refusal)
    await expect(store.renew([{ ...lease, expiresAt: 9 }])).rejects.toMatchObject(refusal)
    await expect((async () => store.append(appends('run-1', [fired(9)], lease)))()).rejects.toMatchObject(
      refusal,
    )
    await store.renew([released(lease)])
    await expect(store.list('runs', {})).rejects.toMatchObject(refusal)
    expect(await store.read('run-2')).toHaveLength(8)
    await store.close()
  })

  test.each([
    [
      'the owner of a thread',
      `UPDATE threads SET resource_id = 'mallory' WHERE thread_id = 'thread-1'`,
      (store: WholeStore) => store.memory.messages('thread-1', { runId: 'r', resourceId: 'mallory' }),
      'the thread "thread-1"',
    ],
    [
      'a message that is taken away',
      `DELETE FROM messages WHERE message_id = 'm2'`,
      (store: WholeStore) => store.memory.messages('thread-1', { last: 2 }),
      'messages of the thread "thread-1" are missing',
    ],
    [
      'a message',
      `UPDATE messages SET message = replace(message, 'said', 'meant')`,
      (store: WholeStore) => store.memory.messages('thread-1', {}),
      'of the thread "thread-1"',
    ],
    [
      'a note',
      `UPDATE working_memory SET content = 'Hates it.' WHERE resource_id = 'user-1'`,
      (store: WholeStore) => store.memory.workingMemory('user-1'),
      'the working memory of "user-1"',
    ],
    [
      'a signal',
      `UPDATE queued_signals SET signal = replace(signal, 'cancel', 'approve')`,
      (store: WholeStore) => store.list('signals', { runIds: ['run-1'] }),
      'to the run "run-1"',
    ],
    [
      'an item',
      `UPDATE config_items SET value = '1'`,
      (store: WholeStore) => store.config.items('kind'),
      'the item "key-0" of "kind"',
    ],
  ])('%s is refused', async (_what, sql, read, named) => {
    await fill()
    change(sql)
    const store = sqliteStore(file)
    await expect(read(store)).rejects.toMatchObject(corrupt(named))
    await store.close()
  })
})
