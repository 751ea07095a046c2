/**
 * What a trail costs beside a replay of the same journal: CPU at 1 000 and at 10 000 entries, and memory at 10 000. A view is
 * measured beside a replay until the same entry.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { median } from './support/statistics.ts'
import { lead, recordedRun } from './trail/company.ts'
import { looks, type Look } from './trail/looks.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const rounds = Number(values.rounds)
const warmUps = 2
const sizes = { small: 1_000, large: 10_000 }

const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
const file = join(folder, 'trail.db')
const store = sqliteStore(file, { synchronous: 'normal' })
const runs = {
  small: await recordedRun(store, sizes.small),
  large: await recordedRun(store, sizes.large),
}
const troupe = createTroupe({ agents: [lead], store })

/** Milliseconds of CPU, those of the garbage collector included. */
async function cpuOf(act: () => unknown): Promise<number> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

if (globalThis.gc === undefined) console.warn('Without --expose-gc the numbers hold garbage of one another.')

async function compared(runId: string) {
  const samples: Record<'replay' | 'trail', number[]> = { replay: [], trail: [] }
  for (let round = -warmUps; round < rounds; round++) {
    for (const look of ['replay', 'trail'] as const) {
      const cpu = await cpuOf(() => looks[look](troupe, runId))
      if (round >= 0) samples[look].push(cpu)
    }
  }
  const ratio = median(samples.trail.map((cpu, round) => cpu / (samples.replay[round] ?? Number.NaN)))
  return { replay: median(samples.replay), trail: median(samples.trail), ratio }
}

const small = await compared(runs.small)
const large = await compared(runs.large)
const entries = {
  small: (await troupe.journal(runs.small)).length,
  large: (await troupe.journal(runs.large)).length,
}

const trail = await troupe.trail(runs.large)
const middle = Math.round(trail.length / 2)
const path = 'lead'
const views = 100
const viewed = await cpuOf(() => {
  for (let count = 0; count < views; count++) trail.view(middle, { path })
})
const replayed = await cpuOf(() => troupe.replay(runs.large, { until: middle }))
await store.close()

/** The peak of a process that looks at the long run once, in MB. */
function peakOf(look: Look): number {
  const child = join(import.meta.dirname, 'trail/peak-process.ts')
  const args = ['--conditions=troupe-source', child, file, runs.large, look]
  const peaks = Array.from({ length: 3 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The process that takes a ${look} ended with ${status}:\n${stderr}`)
    return Number(stdout)
  })
  return median(peaks)
}

const peaks = { journal: peakOf('journal'), replay: peakOf('replay'), trail: peakOf('trail') }
rmSync(folder, { recursive: true })

console.log(`${rounds} rounds, node ${process.version}`)
console.table([
  {
    entries: entries.small,
    'replay, ms CPU': small.replay.toFixed(0),
    'trail, ms CPU': small.trail.toFixed(0),
  },
  {
    entries: entries.large,
    'replay, ms CPU': large.replay.toFixed(0),
    'trail, ms CPU': large.trail.toFixed(0),
  },
])
console.table([
  { look: 'journal', 'peak MB RSS': peaks.journal.toFixed(0) },
  { look: 'replay', 'peak MB RSS': peaks.replay.toFixed(0) },
  { look: 'trail', 'peak MB RSS': peaks.trail.toFixed(0) },
])

/** Of an entry of the long run, times that of one of the short run. */
const growth = large.trail / entries.large / (small.trail / entries.small)
const share = (peaks.trail - peaks.journal) / (peaks.replay - peaks.journal)
const verdict = (measured: number, limit: number): string => (measured <= limit ? 'met' : 'missed')
const row = (budget: string, limit: number, measured: number) => ({
  budget,
  limit,
  measured: measured.toFixed(3),
  verdict: verdict(measured, limit),
})
console.table([
  row(`trail of ${entries.large} entries, CPU, times a replay`, 1.3, large.ratio),
  row(`trail of ${entries.small} entries, CPU, times a replay`, 1.3, small.ratio),
  row('CPU an entry of the long run, times the short one', 1.3, growth),
  row('memory, times that of a replay', 2, share),
  row('a view of an agent in mid-run, times a replay until there', 0.1, viewed / views / replayed),
])
