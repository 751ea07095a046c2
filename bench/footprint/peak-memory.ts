/** The peak memory of each contestant of scenario (d), in a process of its own. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../support/statistics.ts'

export interface PeakMemory {
  readonly name: string
  /** Megabytes (10^6 bytes) of resident set, the median of some processes. */
  readonly megabytes: number
}

const child = join(import.meta.dirname, '../memory/peak-process.ts')

/** Names a process that loads everything and runs nothing. */
export const nothing = 'nothing (all of it loaded)'

export function peakMemory(names: readonly string[], processes: number): PeakMemory[] {
  const measured = names.map((name) => ({ name, peaks: [] as number[] }))
  for (let round = 0; round < processes; round++) {
    for (const { name, peaks } of measured) peaks.push(peakOf(name))
  }
  return measured.map(({ name, peaks }) => ({ name, megabytes: median(peaks) }))
}

function peakOf(name: string): number {
  const args = ['--conditions=troupe-source', child, name]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The process of "${name}" ended with ${status}:\n${stderr}`)
  return Number(stdout)
}
