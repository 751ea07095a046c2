/**
 * What lists cost in a large store beside a small one: a page of runs, a page of the inbox, and a look at one run. Both stores
 * are read in turn, in one process. Then what it takes to find runs in the large store, with `--postgres` on a server of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { postgresStore } from 'troupe/postgres'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { fill, idOf, resourceOf, timeOf } from './inbox/fill.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    small: { type: 'string', default: '1000' },
    large: { type: 'string', default: '100000' },
    postgres: { type: 'boolean', default: false },
  },
})
const sizes = { small: Number(values.small), large: Number(values.large) }
const rounds = Number(values.rounds)
const warmUps = 3
const repeats = 40
const limit = 50
const budget = 1.3

type Reading = (store: Store, runs: number, repeat: number) => Promise<unknown>

/** A cursor in the middle: a page does not depend on its place. */
async function middleOf(store: Store, runs: number): Promise<string> {
  const { next = '' } = await store.list('runs', { limit: Math.floor(runs / 2) })
  return next
}
const middles = new Map<number, string>()

const readings: Readonly<Record<string, Reading>> = {
  'the newest runs': (store) => store.list('runs', { order: 'newest', limit }),
  'a page in the middle': (store, runs) => store.list('runs', { before: middles.get(runs) ?? '', limit }),
  'the unfinished runs': (store) => store.list('runs', { status: 'unfinished', order: 'newest', limit }),
  'the runs of an agent': (store) => store.list('runs', { agent: 'cashier', order: 'newest', limit }),
  'the unfinished runs of a person': (store, _, repeat) =>
    store.list('runs', {
      status: 'unfinished',
      resourceId: resourceOf(repeat * 10),
      order: 'newest',
      limit: 2,
    }),
  'the inbox': (store) => store.list('questions', { order: 'newest', limit }),
  'the inbox of a person': (store, _, repeat) =>
    store.list('questions', { resourceId: resourceOf(repeat * 10), order: 'newest', limit: 2 }),
  'a look at one run': (store, runs, repeat) => store.read(idOf((repeat * 7_919) % runs)),
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
const open = async (runs: number): Promise<Store> => {
  const store = sqliteStore(join(folder, `${runs}.db`), { synchronous: 'normal' })
  await fill(store, runs)
  middles.set(runs, await middleOf(store, runs))
  return store
}
const stores = { small: await open(sizes.small), large: await open(sizes.large) }

/** Milliseconds of CPU. */
async function cpuOf(size: 'small' | 'large', read: Reading): Promise<number> {
  const before = process.cpuUsage()
  for (let repeat = 0; repeat < repeats; repeat++) await read(stores[size], sizes[size], repeat)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / repeats
}

let isOver = false
console.log(`| what is read | ${sizes.small} runs, ms | ${sizes.large} runs, ms | ratio | verdict |`)
console.log('| --- | --: | --: | --: | --- |')
for (const [name, read] of Object.entries(readings)) {
  const samples: Record<'small' | 'large', number[]> = { small: [], large: [] }
  for (let round = -warmUps; round < rounds; round++) {
    for (const size of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const cpu = await cpuOf(size, read)
      if (round >= 0) samples[size].push(cpu)
    }
  }
  const ratio = median(samples.large.map((cpu, round) => cpu / (samples.small[round] ?? Number.NaN)))
  const isMet = ratio <= budget
  isOver ||= !isMet
  const [small, large] = [median(samples.small), median(samples.large)].map((cpu) => cpu.toFixed(3))
  console.log(`| ${name} | ${small} | ${large} | ${ratio.toFixed(2)} | ${isMet ? 'met' : 'missed'} |`)
}

const hour = 3_600_000
const now = timeOf(sizes.large)
const runs = (filter: Parameters<typeof listRuns>[1]): ((store: Store) => Promise<unknown>) => {
  return (store) => listRuns(store, { limit: 100, order: 'newest', ...filter })
}

function listRuns(store: Store, filter: Extract<Parameters<Store['list']>[1], { readonly order?: unknown }>) {
  return store.list('runs', filter)
}

/** The longest that a reading may take. */
const patience = 1_000

const findings: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'failed in the last hour': runs({ outcome: 'failed', changedSince: now - hour }),
  'failed, ever': runs({ outcome: 'failed' }),
  'by a rare code': runs({ code: 'RARE' }),
  'by a code that no run has': runs({ code: 'NONE' }),
  'by a text of one task': runs({ text: `order ${Math.floor(sizes.large / 3)}.` }),
  'by a text that no task has': runs({ text: 'nowhere' }),
  'changed last': runs({ order: 'changed' }),
  costliest: runs({ order: 'costliest' }),
  'costliest of the failed': runs({ order: 'costliest', outcome: 'failed' }),
  longest: runs({ order: 'longest' }),
  'longest of a person': runs({ order: 'longest', resourceId: resourceOf(7) }),
  'longest of an agent': runs({ order: 'longest', agent: 'cashier' }),
  'begun in the last hour': runs({ startedSince: now - hour }),
  'begun after the last run': runs({ startedSince: now + hour }),
  'costliest, a page in the middle': async (store) => {
    const { next = '' } = await listRuns(store, { limit: sizes.large / 2, order: 'costliest' })
    const before = performance.now()
    await listRuns(store, { limit: 100, order: 'costliest', before: next })
    return performance.now() - before
  },
}

async function find(name: string, store: Store): Promise<void> {
  console.log(`\n| found among ${sizes.large} runs, ${name} | ms | verdict |`)
  console.log('| --- | --: | --- |')
  for (const [what, read] of Object.entries(findings)) {
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = performance.now()
      const own = await read(store)
      times.push(typeof own === 'number' ? own : performance.now() - before)
    }
    const isMet = Math.max(...times) <= patience
    isOver ||= !isMet
    console.log(`| ${what} | ${median(times).toFixed(1)} | ${isMet ? 'met' : 'missed'} |`)
  }
}

await find('SQLite', stores.large)
if (values.postgres) {
  await using server = await PostgresServer.start()
  const store = postgresStore({ connectionString: server.connectionString })
  await fill(store, sizes.large)
  await find('Postgres', store)
  await store.close()
}

for (const store of Object.values(stores)) await store.close?.()
rmSync(folder, { recursive: true })
if (isOver) process.exitCode = 1
