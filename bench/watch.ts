/**
 * What readers of one run cost beside one reader, in a process that does not have the run: 100 readers of one troupe, which share
 * a replay, and 100 troupes with a reader each, which have a replay each. The journal grows as that of a run that is under way.
 */
import { parseArgs } from 'node:util'
import { createTroupe, memoryStore, type Store } from 'troupe'
import { median } from './support/statistics.ts'
import { lead, recordedRun } from './trail/company.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    entries: { type: 'string', default: '600' },
    readers: { type: 'string', default: '100' },
  },
})
const rounds = Number(values.rounds)
const readers = Number(values.readers)
const warmUps = 2
/** The entries that a read finds at most, and the milliseconds between two reads. */
const grown = 20
const pollInterval = 1

const recorded = memoryStore()
const runId = await recordedRun(recorded, Number(values.entries))
const entries = (await recorded.read(runId)) ?? []
const store: Store = { ...recorded, read: async (_, from = 0) => entries.slice(from, from + grown) }

/** A case that is short is repeated, so that what follows a forced collection counts little in it. */
const cases = {
  one: { troupes: 1, readersOfEach: 1, repeats: 10 },
  shared: { troupes: 1, readersOfEach: readers, repeats: 10 },
  own: { troupes: readers, readersOfEach: 1, repeats: 1 },
}
type Case = keyof typeof cases

/** Reads the run to its end; returns the number of its events. */
async function read(troupe: ReturnType<typeof createTroupe>): Promise<number> {
  let count = 0
  for await (const _ of troupe.watch(runId)) count++
  return count
}

async function watch({ troupes, readersOfEach }: (typeof cases)[Case]): Promise<void> {
  const watching = Array.from({ length: troupes }, () =>
    createTroupe({ agents: [lead], store, pollInterval }),
  )
  const counts = await Promise.all(
    watching.flatMap((troupe) => Array.from({ length: readersOfEach }, () => read(troupe))),
  )
  await Promise.all(watching.map((troupe) => troupe.close()))
  const wrong = counts.find((count) => count !== events)
  if (wrong !== undefined) throw new Error(`A reader has read ${wrong} of ${events} events.`)
}

/** Milliseconds of CPU, those of the garbage collector included. */
async function cpuOf(name: Case): Promise<number> {
  const { repeats } = cases[name]
  globalThis.gc?.()
  const before = process.cpuUsage()
  for (let repeat = 0; repeat < repeats; repeat++) await watch(cases[name])
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / repeats
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')

const owner = createTroupe({ agents: [lead], store: recorded })
const events = (await owner.replay(runId)).events.length
await owner.close()

const samples: Record<Case, number[]> = { one: [], shared: [], own: [] }
for (let round = -warmUps; round < rounds; round++) {
  for (const name of ['one', 'shared', 'own'] as const) {
    const cpu = await cpuOf(name)
    if (round >= 0) samples[name].push(cpu)
  }
}

const timesOne = (name: Case): number =>
  median(samples[name].map((cpu, round) => cpu / (samples.one[round] ?? Number.NaN)))
const row = (readersOfRun: string, name: Case) => ({
  'readers of the run': readersOfRun,
  'ms CPU': median(samples[name]).toFixed(0),
  'times one reader': timesOne(name).toFixed(2),
})
console.log(`${entries.length} entries, ${events} events, ${rounds} rounds, node ${process.version}`)
console.table([
  row('1', 'one'),
  row(`${readers} on one replay`, 'shared'),
  row(`${readers} on replays of their own`, 'own'),
])
