/** The comparison with peers, as tables for a terminal. */
import { ratiosOf } from '../report/comparison.ts'
import type { ColdImport } from '../footprint/cold-import.ts'
import type { Measurement } from '../support/measure.ts'
import { median, quantile } from '../support/statistics.ts'

export interface Row {
  readonly label: string
  /** Microseconds of CPU a model call, their quartiles, and the ratio to the reference within each round. */
  readonly cpu: number
  readonly quartiles: readonly [number, number]
  readonly ratio: number
  /** Milliseconds of one round. */
  readonly wall: number
}

export function rowsOf(measurements: readonly Measurement[], reference: string): Row[] {
  const compared = measurements.find(({ name }) => name === reference)
  return measurements.map((measurement) => {
    const perCall = measurement.samples.map(({ cpu }) => (cpu * 1000) / measurement.modelCallsPerRound)
    return {
      label: measurement.name,
      cpu: median(perCall),
      quartiles: [quantile(perCall, 0.25), quantile(perCall, 0.75)],
      ratio: compared === undefined ? Number.NaN : ratiosOf(measurement, compared).cpu,
      wall: median(measurement.samples.map(({ wall }) => wall)),
    }
  })
}

export function printRows(title: string, rows: readonly Row[], reference: string): void {
  console.log(`\n${title}`)
  print(rows, ({ label, cpu, quartiles: [low, high], ratio, wall }) => [
    label,
    {
      'µs CPU / call': round(cpu, 1),
      quartiles: `${low.toFixed(0)} to ${high.toFixed(0)}`,
      [`CPU × ${reference}`]: round(ratio, 2),
      'wall ms a round': round(wall, 0),
    },
  ])
}

export interface Footprint {
  readonly label: string
  readonly version: string
  readonly packages: number
  readonly megabytes: number
}

export function printFootprints(footprints: readonly Footprint[]): void {
  console.log('\nInstalled, without its contestant')
  print(footprints, ({ label, version, packages, megabytes }) => [
    `${label} ${version}`,
    { packages, MB: round(megabytes, 1) },
  ])
}

export function printPeaks(peaks: Readonly<Record<string, readonly number[]>>): void {
  console.log('\nPeak memory of one round of (d), in processes of their own')
  print(Object.entries(peaks), ([label, bytes]) => [label, { 'MB RSS': round(median(bytes) / 1e6, 0) }])
}

export function printImports(
  imports: readonly (ColdImport & { readonly label: string })[],
  reference: string,
): void {
  console.log('\nCold import, in processes of their own')
  const measured = imports.map(({ label, samples }) => ({
    name: label,
    samples,
    modelCallsPerRound: 1,
    runsPerRound: 1,
  }))
  const compared = measured.find(({ name }) => name === reference)
  print(measured, (measurement) => [
    measurement.name,
    {
      'CPU ms': round(median(measurement.samples.map(({ cpu }) => cpu)), 0),
      [`CPU × ${reference}`]: compared === undefined ? '' : round(ratiosOf(measurement, compared).cpu, 2),
    },
  ])
}

function print<Item>(items: readonly Item[], row: (item: Item) => [string, object]): void {
  console.table(Object.fromEntries(items.map(row)))
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
