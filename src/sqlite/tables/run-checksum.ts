/** The checksum of a row of `runs`, which changes with every append, claim, renewal and release. */
import { checksumFunction, checksumOf } from '../connection/checksum.ts'

export interface RunRow {
  readonly run_id: string
  readonly agent: string
  readonly conversation_id: string | null
  readonly forked_from: string | null
  readonly outcome: string | null
  readonly entries: number
  readonly started_at: number
  readonly updated_at: number
  readonly owner: string
  readonly token: number
  readonly expires_at: number
  /** 1: the run is passivated. */
  readonly passivated: number
  readonly wake_at: number | null
  readonly thread_id: string | null
  readonly resource_id: string | null
  /** JSON. */
  readonly usage: string | null
  /** The number of entries with which the run was suspended last. */
  readonly suspended_at: number | null
  /** The lapses by the newest claim, and the number of entries at that claim. */
  readonly lapses: number
  readonly lapsed_at: number
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
] as const satisfies readonly (keyof RunRow)[]

/** In a statement: the checksum of the row with these columns changed. */
export function runChecksum(changed: Partial<Record<(typeof columns)[number], string>> = {}): string {
  return `${checksumFunction}(${columns.map((column) => changed[column] ?? column).join(', ')})`
}

/** In a statement: whether the row is as it was written. A change of a damaged row would hide the damage. */
export const isRunWhole = `checksum = ${runChecksum()}`

export function isWhole(row: RunRow): boolean {
  return row.checksum === checksumOf(...columns.map((column) => row[column]))
}
