/** Questions as lists have them: that of a run which is left says so. */
import type { OpenQuestion } from '../../runtime/journal/run-index.ts'
import { listedQuestion, type LapseFacts } from '../../runtime/journal/run-summary.ts'

/** The columns of a run from which it follows whether it is left. */
export interface LapseColumns {
  readonly outcome: string | null
  readonly entries: number
  readonly expires_at: number
  readonly lapses: number
  readonly lapsed_at: number
}

export function lapseFacts({ outcome, entries, expires_at, lapses, lapsed_at }: LapseColumns): LapseFacts {
  return { isSettled: outcome !== null, entries, expiresAt: expires_at, lapses, lapsedAt: lapsed_at }
}

export function questionOf(question: string, run: LapseColumns): OpenQuestion {
  return listedQuestion(JSON.parse(question) as OpenQuestion, lapseFacts(run))
}
