/**
 * A store is copied after each of its changes, while its runs go on to their ends. Each copy is restored, and its runs go on too:
 * no payment is made again unless a person has said so before, and each run ends.
 */
import { PGlite } from '@electric-sql/pglite'
import { createTroupe, memoryStore, type OpenQuestion, type Store, type Troupe } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recorded, type Recorded } from './copies.ts'
import { kinds, orderOf, type Kind } from './kinds.ts'

const leaseTtl = 1_000

interface FormerLife {
  readonly made: Recorded
  /** The payments that it has made, in the end. */
  readonly paid: readonly string[]
}

/** Answers questions until all runs have ended. */
async function toEnd(troupe: Troupe, answer: (question: OpenQuestion) => Promise<void>): Promise<void> {
  for (;;) {
    const { items } = await troupe.runs({ status: 'unfinished' })
    if (items.length === 0) return
    await troupe.recover()
    for (const question of (await troupe.awaiting()).items) await answer(question)
    await new Promise((resolve) => void setImmediate(resolve))
  }
}

async function answered(troupe: Troupe, { runId, toolCallId, type }: OpenQuestion): Promise<void> {
  if (type === 'approval') await troupe.signal(runId, { type: 'approve', toolCallId })
  else await troupe.signal(runId, { type: 'resume', toolCallId, data: { retry: true } })
}

async function formerLife(kind: Kind): Promise<FormerLife> {
  const made = recorded(memoryStore())
  const paid: string[] = []
  const agents = kind((order) => void paid.push(order))
  const troupe = createTroupe({ agents, store: made.store, leaseTtl, passivateAfter: 0 })
  const [root] = agents
  if (root === undefined) throw new Error('A kind has one agent at least.')
  const run = await troupe.start(root, 'Pay.', { threadId: 'thread' })
  await toEnd(troupe, (question) => answered(troupe, question).catch(() => undefined))
  await run.result
  await troupe.close()
  return { made, paid }
}

interface Restored {
  /** Payments that were made again, and that nobody was asked about before. */
  readonly unasked: readonly string[]
  readonly asked: number
  readonly again: number
}

async function restored(kind: Kind, former: FormerLife, store: Store): Promise<Restored> {
  const allowed: string[] = []
  const unasked: string[] = []
  let [asked, again] = [0, 0]
  const agents = kind((order) => {
    if (!former.paid.includes(order)) return
    again++
    const answer = allowed.indexOf(order)
    if (answer < 0) unasked.push(order)
    else allowed.splice(answer, 1)
  })
  const troupe = createTroupe({ agents, store, leaseTtl, passivateAfter: 0 })
  await troupe.recover({ restored: true })
  await toEnd(troupe, async (question) => {
    expect(question.restored).toBe(true)
    asked++
    if (question.type === 'interruption') allowed.push(orderOf(question))
    await answered(troupe, question).catch(() => allowed.pop())
  })
  await troupe.close()
  return { unasked, asked, again }
}

interface Sweep {
  readonly unasked: readonly { readonly at: number; readonly orders: readonly string[] }[]
  readonly questions: number
  readonly repeated: number
}

async function sweep(name: string, open: () => Store, points: number): Promise<Sweep> {
  const kind = kinds[name] as Kind
  const former = await formerLife(kind)
  const count = former.made.changes()
  const step = Math.max(1, Math.floor(count / points))
  let [questions, repeated] = [0, 0]
  const unasked: { at: number; orders: readonly string[] }[] = []
  for (let at = 1; at <= count; at += step) {
    const store = open()
    await former.made.copyTo(store, at)
    await released(store)
    const life = await restored(kind, former, store)
    if (life.unasked.length > 0) unasked.push({ at, orders: life.unasked })
    questions += life.asked
    repeated += life.again
    await store.close?.()
  }
  return { unasked, questions, repeated }
}

function expectAsked({ unasked, questions, repeated }: Sweep): void {
  expect(unasked).toEqual([])
  expect(questions).toBeGreaterThan(0)
  expect(repeated).toBeGreaterThan(0)
}

/** The owners of a copy have gone, and their leases have run out. */
async function released(store: Store): Promise<void> {
  for (const { runId } of (await store.list('runs', { status: 'unfinished' })).items) {
    const now = Date.now() + 3_600_000
    await store.claim(runId, 'nobody', now, now - 3_600_001)
  }
}

test.each(Object.keys(kinds))('every copy in memory: %s', async (name) => {
  expectAsked(await sweep(name, () => memoryStore(), Infinity))
  expect.hasAssertions()
})

test.each(Object.keys(kinds))('every copy on SQLite: %s', async (name) => {
  using folder = temporaryFolder()
  let files = 0
  const open = (): Store => sqliteStore(folder.file(`${++files}.db`), { synchronous: 'normal' })
  expectAsked(await sweep(name, open, Infinity))
  expect.hasAssertions()
})

describe('some copies on Postgres', () => {
  const database = new PGlite()
  const pool = pglitePool(database)
  let schemas = 0
  afterAll(() => database.close())

  test.each(Object.keys(kinds))('%s', async (name) => {
    expectAsked(await sweep(name, () => postgresStore({ pool, schema: `copy_${++schemas}` }), 3))
    expect.hasAssertions()
  })
})
