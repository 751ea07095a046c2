/**
 * Troupe beside other agent frameworks: the same scripted work, with a model in the process of each contestant.
 * `npm run bench:peers`, or a part: `npm run bench:peers -- d import`. What it measures and how, and what it said: README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { coldImports } from './footprint/cold-import.ts'
import { installedPackages } from './footprint/installed-size.ts'
import { entrants, type Entrant } from './peers/contestants.ts'
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
import { measured, works, type Workload } from './peers/works.ts'

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
  const measurements = await measured(work, field, Number(values.rounds ?? work.rounds))
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
