/** Journals with links: whoever changes, removes, moves or adds an entry without the key is found (FIELD F5). */
import { PGlite } from '@electric-sql/pglite'
import { DatabaseSync } from 'node:sqlite'
import { createAgent, createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { chainedStore, verifyJournal, type ChainKeys, type LinkedEntry } from 'troupe/audit'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { storeContract, type OpenStore } from 'troupe/testing'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, until, worker } from '../support/agents/agents.ts'
import { reopened } from '../support/contract/reopened.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const keyOf = (byte: number) => new Uint8Array(32).fill(byte)
const keys: ChainKeys = { current: 'k1', keys: { k1: keyOf(1) } }

const database = new PGlite()
beforeAll(() => database.waitReady, 120_000)
afterAll(() => database.close())

let schemas = 0
const opened: Readonly<Record<string, () => OpenStore>> = {
  memory: () => {
    const inner = memoryStore()
    return reopened(() => chainedStore(inner, keys))
  },
  SQLite: () => {
    const folder = temporaryFolder()
    return reopened(
      () => chainedStore(sqliteStore(folder.file('runs.db')), keys),
      () => folder[Symbol.dispose](),
    )
  },
  Postgres: () => {
    const schema = `chained_${++schemas}`
    return reopened(() => chainedStore(postgresStore({ pool: pglitePool(database), schema }), keys))
  },
}

describe.each(Object.entries(opened))('over %s', (_, open) => {
  test.each(storeContract({ open }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })
})

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }) => `Paid ${euros}.`,
})
const payer = () =>
  worker('payer', [], {
    tools: { pay },
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Paid.' : calls({ name: 'pay', args: { euros: 7 } }),
  }).agent

/** A run that was approved by somebody, with its store. */
async function approved<Inner extends Store>(inner: Inner) {
  const store = chainedStore(inner, keys)
  const agent = payer()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay.')
  await run.whenIdle
  const [question] = (await troupe.awaiting()).items
  await run.approve(question?.toolCallId ?? '', { by: 'mallory', note: 'Due.' })
  await run.result
  return { store, troupe, agent, runId: run.id, journal: await store.linked(run.id) }
}

test('a run that nobody has touched is intact, and so are its forks', async () => {
  const { store, troupe, runId, journal } = await approved(memoryStore())
  const verified = await store.verify(runId)
  expect(verified).toEqual({
    isIntact: true,
    head: { entries: journal.length, link: journal.at(-1)?.link },
  })
  expect(await verifyJournal(journal, keys)).toEqual(verified)
  const fork = await troupe.fork(runId, { at: 2 })
  await until(fork, 'suspended')
  await fork.cancel()
  await fork.result
  expect(await store.verify(fork.id)).toMatchObject({ isIntact: true })
  expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'completed' })
  await troupe.close()
})

test('a run that goes on in another process, by another key, is one chain', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const agent = payer()
  const first = chainedStore(sqliteStore(file), keys)
  const before = createTroupe({ agents: [agent], store: first })
  const run = await before.start(agent, 'Pay.')
  await run.whenIdle
  await before.close()
  await first.close?.()

  const rotated: ChainKeys = { current: 'k2', keys: { ...keys.keys, k2: keyOf(2) } }
  const second = chainedStore(sqliteStore(file), rotated)
  const after = createTroupe({ agents: [payer()], store: second })
  const resumed = await after.resume(run.id)
  const [question] = (await after.awaiting()).items
  await resumed.approve(question?.toolCallId ?? '')
  expect(await resumed.result).toMatchObject({ outcome: 'completed' })
  const journal = await second.linked(run.id)
  const names = journal.map(({ link }) => link?.split('.')[0])
  expect(new Set(names)).toEqual(new Set(['k1', 'k2']))
  expect(await second.verify(run.id)).toMatchObject({ isIntact: true })
  expect(await verifyJournal(journal, keys)).toMatchObject({
    isIntact: false,
    fault: { entry: names.indexOf('k2'), fault: 'unknown-key' },
  })
  await after.close()
  await second.close?.()
})

test('an approver that was forged in the table, with its checksum, is found', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const { store, troupe, runId, journal } = await approved(sqliteStore(file))
  await troupe.close()
  await store.close?.()
  const position = journal.findIndex((entry) => JSON.stringify(entry).includes('mallory'))
  const db = new DatabaseSync(file)
  const row = db
    .prepare("select e.*, r.run_id from entries e join runs r on r.id = e.run where entry like '%mallory%'")
    .get() as { entry: string; seq: number; run_id: string; id: number }
  const forged = row.entry.replaceAll('mallory', 'trusted')
  const checksum = crc32(`${row.seq}\0${forged}\0`, crc32(`${row.run_id}\0`))
  db.prepare('update entries set entry = ?, checksum = ? where id = ?').run(forged, checksum, row.id)
  db.close()
  const again = chainedStore(sqliteStore(file), keys)
  expect(await again.verify(runId)).toMatchObject({
    isIntact: false,
    fault: { entry: position, fault: 'broken' },
  })
  await again.close?.()
})

test('each change of a journal is found where it begins', async () => {
  const { troupe, journal, store, runId } = await approved(memoryStore())
  const { head } = await store.verify(runId)
  await troupe.close()
  const { length } = journal
  const at = fc.integer({ min: 1, max: length - 1 })
  const changes = fc.oneof(
    at.map((place) => ({
      place,
      fault: 'broken',
      made: journal.map((entry, index) => (index === place ? { ...entry, at: entry.at + 1 } : entry)),
    })),
    at.map((place) => ({
      place,
      fault: 'broken',
      made: journal.toSpliced(place - 1, 2, ...journal.slice(place - 1, place + 1).toReversed()),
      from: place - 1,
    })),
    fc
      .integer({ min: 1, max: length - 2 })
      .map((place) => ({ place, fault: 'broken', made: journal.toSpliced(place, 1) })),
    at.map((place) => ({
      place,
      fault: 'broken',
      made: [...journal.slice(0, place), ...journal.slice(place - 1)],
    })),
    at.map((place) => ({
      place,
      fault: 'unlinked',
      made: journal.map(
        ({ link, ...entry }, index) => (index === place ? entry : { ...entry, link }) as LinkedEntry,
      ),
    })),
    at.map((place) => ({ place, fault: 'missing', made: journal.slice(0, place) })),
  )
  await fc.assert(
    fc.asyncProperty(changes, async ({ fault, made, place, ...rest }) => {
      if (made[0]?.type !== 'run.started') return
      const entry = 'from' in rest ? rest.from : place
      expect(await verifyJournal(made, { ...keys, ...(head === undefined ? {} : { head }) })).toMatchObject({
        isIntact: false,
        fault: { entry, fault },
      })
    }),
  )
})

test('a journal that was cut and written on has another head', async () => {
  const { troupe, journal, store, runId } = await approved(memoryStore())
  const head = { entries: journal.length, link: `k1.${'x'.repeat(43)}` }
  expect(await store.verify(runId, { head })).toMatchObject({
    isIntact: false,
    fault: { entry: journal.length - 1, fault: 'other-head' },
    head: { entries: journal.length },
  })
  await expect(store.verify('none')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await troupe.close()
})

test('entries of another run do not fit, also with their links', async () => {
  const inner = memoryStore()
  const { troupe, runId, journal } = await approved(inner)
  const other = await approved(inner)
  const swapped = [other.journal[0] as LinkedEntry, ...journal.slice(1)]
  expect(await verifyJournal(swapped, keys)).toMatchObject({ fault: { entry: 1, fault: 'broken' } })
  expect(await other.store.verify(runId)).toMatchObject({ isIntact: true })
  await troupe.close()
  await other.troupe.close()
})

test('a store that was chained late tells so', async () => {
  const inner = memoryStore()
  const agent = createAgent({ id: 'plain', model: worker('x', ['Hello.']).model })
  const troupe = createTroupe({ agents: [agent], store: inner })
  const run = await troupe.start(agent, 'Hi')
  await run.result
  expect(await chainedStore(inner, keys).verify(run.id)).toEqual({
    isIntact: false,
    fault: { entry: 0, fault: 'unlinked' },
  })
  await troupe.close()
})

test.each<[string, () => unknown]>([
  ['no store', () => chainedStore({} as Store, keys)],
  ['no keys', () => chainedStore(memoryStore(), { current: 'k', keys: {} })],
  ['a short key', () => chainedStore(memoryStore(), { current: 'k', keys: { k: new Uint8Array(31) } })],
  ['a current key that is not there', () => chainedStore(memoryStore(), { ...keys, current: 'k2' })],
  ['a name with a dot', () => chainedStore(memoryStore(), { current: 'a.b', keys: { 'a.b': keyOf(1) } })],
])('%s is refused', (_, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIGURATION' }))
})
