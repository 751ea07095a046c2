/** The report as tables for a terminal. */
import type { ColdImport } from '../footprint/cold-import.ts'
import type { InstalledPackage } from '../footprint/installed-size.ts'
import type { PeakMemory } from '../footprint/peak-memory.ts'
import { median } from '../support/statistics.ts'
import type { Latency } from '../scenarios/latency.ts'
import type { SharedTroupe } from '../scenarios/troupe-processes.ts'
import type { Verdict } from './budgets.ts'
import type { Comparison, Growth } from './comparison.ts'

export function printComparison(title: string, rows: readonly Comparison[]): void {
  console.log(`\n${title}`)
  console.table(
    keyed(rows, ({ name, wall, cpu, cpuQuartiles: [low, high], toLoop, toMachine }) => [
      name,
      {
        'wall ms': rounded(wall, 2),
        'µs CPU / call': rounded(cpu, 1),
        quartiles: `${low.toFixed(1)} to ${high.toFixed(1)}`,
        'CPU × loop': rounded(toLoop.cpu, 2),
        'CPU × XState': rounded(toMachine.cpu, 2),
        'wall × loop': rounded(toLoop.wall, 2),
        'wall × XState': rounded(toMachine.wall, 2),
      },
    ]),
  )
}

export function printGrowth(title: string, rows: readonly Growth[]): void {
  console.log(`\n${title}`)
  console.table(
    keyed(rows, ({ name, cpu, toSmaller }) => [
      name,
      { 'µs CPU / call': rounded(cpu, 1), 'CPU × smaller': rounded(toSmaller, 2) },
    ]),
  )
}

export function printSharedTroupe(title: string, rows: readonly SharedTroupe[]): void {
  console.log(`\n${title}`)
  console.table(
    keyed(rows, ({ name, cpu, toOneByOne, withoutPretenuring, toDefault }) => [
      name,
      {
        'µs CPU / run': rounded(cpu, 1),
        'CPU × one by one': rounded(toOneByOne, 2),
        'without pretenuring': rounded(withoutPretenuring, 1),
        'CPU × default': rounded(toDefault, 2),
      },
    ]),
  )
}

export function printLatency(title: string, rows: readonly Latency[]): void {
  console.log(`\n${title}`)
  console.table(
    keyed(rows, ({ name, call, added }) => [
      name,
      { 'ms / call': rounded(call, 2), 'ms added': rounded(added, 2) },
    ]),
  )
}

export function printPeaks(peaks: readonly PeakMemory[]): void {
  console.log('\nPeak memory of (d), in processes of their own')
  console.table(keyed(peaks, ({ name, megabytes }) => [name, { 'MB RSS': rounded(megabytes, 0) }]))
}

export function printImports(imports: readonly ColdImport[]): void {
  console.log('\nCold import, in processes of their own')
  console.table(
    keyed(imports, ({ packages, samples }) => {
      const walls = samples.map(({ wall }) => wall)
      return [
        packages.join(' + '),
        {
          'wall ms': rounded(median(walls), 1),
          least: rounded(Math.min(...walls), 1),
          'CPU ms': rounded(median(samples.map(({ cpu }) => cpu)), 1),
        },
      ]
    }),
  )
}

export function printPackages(packages: readonly InstalledPackage[]): void {
  console.log('\nInstalled')
  const total = {
    name: 'all',
    version: '',
    bytes: packages.reduce((sum, { bytes }) => sum + bytes, 0),
    files: packages.reduce((sum, { files }) => sum + files, 0),
  }
  console.table(
    keyed([...packages, total], ({ name, version, bytes, files }) => [
      `${name} ${version}`.trim(),
      { MB: rounded(bytes / 1e6, 1), files },
    ]),
  )
}

export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log('\nBudgets')
  console.table(
    keyed(verdicts, ({ budget, limit, measured, verdict }) => [
      budget,
      { limit, measured: rounded(measured, 2), verdict },
    ]),
  )
}

function keyed<Row>(rows: readonly Row[], entry: (row: Row) => [string, object]): Record<string, object> {
  return Object.fromEntries(rows.map(entry))
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
