/** The checksum of a row of `runs`, which changes with every append, claim, renewal and release. */
import type { RunRow } from '../../kit/sql/index.ts'
import { checksumFunction, checksumOf } from '../connection/checksum.ts'

/** A whole row of `runs`. */
export interface SealedRun extends RunRow {
  readonly owner: string
  readonly token: number
  readonly passivated: number
  readonly checksum: number
}

const columns = [
  'run_id',
  'agent',
  'conversation_id',
  'forked_from',
  'outcome',
  'entries',
  'started_at',
  'updated_at',
  'owner',
  'token',
  'expires_at',
  'passivated',
  'wake_at',
  'thread_id',
  'resource_id',
  'usage',
  'suspended_at',
  'lapses',
  'lapsed_at',
  'nested_in',
  'code',
  'task',
  'counts_from',
  'ended_at',
] as const satisfies readonly (keyof SealedRun)[]

/** In a statement: the checksum of the row with these columns changed. */
function runChecksum(changed: Partial<Record<(typeof columns)[number], string>> = {}): string {
  return `${checksumFunction}(${columns.map((column) => changed[column] ?? column).join(', ')})`
}

/** In a statement: these columns set, and the checksum with them. */
export function changedRun(changed: Partial<Record<(typeof columns)[number], string>>): string {
  const set = Object.entries({ ...changed, checksum: runChecksum(changed) })
  return set.map(([column, value]) => `${column} = ${value}`).join(', ')
}

/** In a statement: whether the row is as it was written. A change of a damaged row would hide the damage. */
export const isRunWhole = `checksum = ${runChecksum()}`

export function isWhole(row: SealedRun): boolean {
  return row.checksum === checksumOf(...columns.map((column) => row[column]))
}
