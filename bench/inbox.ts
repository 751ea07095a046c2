/**
 * What lists cost in a large store beside a small one: a page of runs, a page of the inbox, and a look at one run. Both stores
 * are read in turn, in one process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { fill, idOf, resourceOf } from './inbox/fill.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    small: { type: 'string', default: '1000' },
    large: { type: 'string', default: '100000' },
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
for (const store of Object.values(stores)) await store.close?.()
rmSync(folder, { recursive: true })
if (isOver) process.exitCode = 1
