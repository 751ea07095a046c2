/**
 * Troupe beside other agent frameworks: the same scripted work, with a model in the process of each contestant.
 * `npm run bench:peers`, or a part: `npm run bench:peers -- d import`. What it measures and how, and what it said: README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { coldImports } from './footprint/cold-import.ts'
import { installedPackages } from './footprint/installed-size.ts'
import { adding, delegating, modelCallsOf, type Job } from './jobs/job.ts'
import { entrants, type Contestant, type Entrant } from './peers/contestants.ts'
import { aiSdk, peers, troupe } from './peers/field.ts'
import { installPeers } from './peers/install.ts'
import {
  printFootprints,
  printImports,
  printPeaks,
  printRows,
  rowsOf,
  type Footprint,
} from './peers/tables.ts'
import type { Work } from './peers/work.ts'
import type { Measurement, Sample } from './support/measure.ts'

interface Workload extends Work {
  readonly title: string
  /** Rounds that count. */
  readonly rounds: number
}

const works: Readonly<Record<string, Workload>> = {
  a: { title: 'one agent, 20 model calls', ...workOf(adding(20), 20, false), rounds: 15 },
  b: { title: 'ten delegations, one after the other', ...workOf(delegating(10, 1), 20, false), rounds: 15 },
  c: { title: 'fifty delegations side by side', ...workOf(delegating(50, 50), 8, false), rounds: 15 },
  d: { title: '1 000 concurrent runs of 3 model calls', ...workOf(adding(3), 1000, true), rounds: 7 },
}

/** Model calls that do not count, before the rounds of each work: V8 optimises the code meanwhile. */
const warmUpCalls = 6000
const parts = [...Object.keys(works), 'memory', 'import', 'size']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Overrides how many rounds count. */
    rounds: { type: 'string' },
    /** Some contestants, by their labels with commas between them. */
    only: { type: 'string' },
    /** A folder to install into, which is kept and used again. */
    folder: { type: 'string' },
    /** A file for all numbers. */
    json: { type: 'string' },
  },
})
const unknown = positionals.find((name) => !parts.includes(name))
if (unknown !== undefined) throw new Error(`There is no part "${unknown}". Known: ${parts.join(', ')}.`)
const only = values.only?.split(',')
const chosen = (part: string): boolean => positionals.length === 0 || positionals.includes(part)
const isChosen = ({ label }: { readonly label: string }): boolean => only?.includes(label) ?? true
const report: Record<string, unknown> = {}

function workOf(job: Job, runs: number, concurrent: boolean): Work {
  return { job, runs, concurrent, modelCalls: modelCallsOf(job) }
}

async function main(): Promise<void> {
  using installed = installPeers(values.folder)
  console.log(`node ${process.version}, ${process.platform} ${process.arch}`)
  const field = entrants(installed.folder).filter(isChosen)
  for (const [id, work] of Object.entries(works)) if (chosen(id)) await measure(id, work, field)
  if (chosen('memory')) await measureMemory(field)
  if (chosen('import')) measureImports(installed.folder)
  if (chosen('size')) measureSizes(installed.folder)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 2))
}

async function measure(id: string, work: Workload, field: readonly Entrant[]): Promise<void> {
  const rounds = Number(values.rounds ?? work.rounds)
  const warmUps = Math.ceil(warmUpCalls / (work.runs * work.modelCalls))
  const contestants: Contestant[] = []
  for (const entrant of field) contestants.push(await entrant.start())
  const samples = contestants.map((): Sample[] => [])
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const { sample } = await contestant.play(work)
      if (round >= 0) samples[index]?.push(sample)
    }
  }
  for (const contestant of contestants) await contestant.stop()
  const measurements = contestants.map(({ label }, index): Measurement => ({
    name: label,
    samples: samples[index] ?? [],
    modelCallsPerRound: work.runs * work.modelCalls,
    runsPerRound: work.runs,
  }))
  const rows = rowsOf(measurements, troupe)
  report[id] = rows
  printRows(`(${id}) ${work.title}`, rows, troupe)
}

/** The first round of a new process, three times. */
async function measureMemory(field: readonly Entrant[]): Promise<void> {
  const { d } = works
  if (d === undefined) throw new Error('There is no work (d).')
  const peaks: Record<string, number[]> = {}
  for (let round = 0; round < 3; round++) {
    for (const { label, start } of field) {
      const contestant = await start()
      const { maxRss } = await contestant.play(d)
      await contestant.stop()
      ;(peaks[label] ??= []).push(maxRss)
    }
  }
  report['memory'] = peaks
  printPeaks(peaks)
}

function measureImports(scratch: string): void {
  const field = peers.filter(isChosen).filter(({ imports }) => imports.length > 0)
  const places = field.map(({ folder, imports }) => ({ folder: join(scratch, folder), packages: imports }))
  const measured = coldImports(places, Number(values.rounds ?? 21))
  const imports = measured.map((one, index) => ({ ...one, label: field[index]?.label ?? '' }))
  report['imports'] = imports
  printImports(imports, aiSdk)
}

function measureSizes(scratch: string): void {
  const field = peers.filter(isChosen).filter(({ imports }) => imports.length > 0)
  const footprints = field.map(({ label, folder, imports: [main = ''] }): Footprint => {
    const packages = installedPackages(join(scratch, folder, 'node_modules'))
    const manifest = JSON.parse(
      readFileSync(join(scratch, folder, 'node_modules', main, 'package.json'), 'utf8'),
    ) as { readonly version: string }
    const bytes = packages.reduce((sum, one) => sum + one.bytes, 0)
    return { label, version: manifest.version, packages: packages.length, megabytes: bytes / 1e6 }
  })
  report['sizes'] = footprints
  printFootprints(footprints)
}

await main()
