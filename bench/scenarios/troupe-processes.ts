/**
 * Measures the runs of one troupe in processes of their own: with V8 as it comes, and without pretenuring of allocation sites.
 * The processes take turns, so that a pair has the same minutes of the machine. See
 * docs/design/decisions/performance.md#literals-that-v8-has-seen-survive.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ratiosOf } from '../report/comparison.ts'
import type { Measurement } from '../support/measure.ts'
import { median } from '../support/statistics.ts'

export interface SharedTroupe {
  readonly name: string
  /** Microseconds of CPU a run, and their ratio to those of the same runs one after the other. */
  readonly cpu: number
  readonly toOneByOne: number
  /** The same without pretenuring, and the ratio of its CPU to that with it. */
  readonly withoutPretenuring: number
  readonly toDefault: number
}

const child = join(import.meta.dirname, 'one-troupe-process.ts')
const withoutPretenuring = '--no-allocation-site-pretenuring'

/** `pairs`: of processes. */
export function sharedTroupe(pairs: number, rounds: number): SharedTroupe[] {
  const measured = Array.from({ length: pairs }, () => ({
    usual: measurementsOf([], rounds),
    changed: measurementsOf([withoutPretenuring], rounds),
  }))
  const usual = joined(measured.map((pair) => pair.usual))
  const changed = joined(measured.map((pair) => pair.changed))
  return usual.map((measurement, index) => {
    const [first, other] = [usual[0], changed[index]]
    if (first === undefined || other === undefined) throw new Error('All processes measure the same.')
    return {
      name: measurement.name,
      cpu: cpuOf(measurement),
      toOneByOne: ratiosOf(measurement, first).cpu,
      withoutPretenuring: cpuOf(other),
      toDefault: ratiosOf(other, measurement).cpu,
    }
  })
}

function measurementsOf(flags: readonly string[], rounds: number): Measurement[] {
  const args = [...flags, '--conditions=troupe-source', child, String(rounds)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`A process of one troupe ended with ${status}:\n${stderr}`)
  return JSON.parse(stdout) as Measurement[]
}

/** The rounds of all processes, for each of what they measure. */
function joined(processes: readonly (readonly Measurement[])[]): Measurement[] {
  const [first = []] = processes
  return first.map((measurement, index) => ({
    ...measurement,
    samples: processes.flatMap((measurements) => measurements[index]?.samples ?? []),
  }))
}

function cpuOf({ samples, modelCallsPerRound: runs }: Measurement): number {
  return median(samples.map(({ cpu }) => (cpu * 1000) / runs))
}
