/** The columns of a run from which it follows whether it is left. */
import type { LapseFacts } from '../../runtime/journal/run-summary.ts'
import type { RunRow } from './run-checksum.ts'

export type LapseColumns = Pick<RunRow, 'outcome' | 'entries' | 'expires_at' | 'lapses' | 'lapsed_at'>

export function lapseFacts({ outcome, entries, expires_at, lapses, lapsed_at }: LapseColumns): LapseFacts {
  return { isSettled: outcome !== null, entries, expiresAt: expires_at, lapses, lapsedAt: lapsed_at }
}
