/** A run and its questions, as the store in memory holds them. */
import type { SparseMap } from '../../../actors/values/sparse.ts'
import type { Usage } from '../../../actors/usage.ts'
import type { JournalEntry } from '../journal.ts'
import type { OpenQuestion } from '../run-index.ts'
import type { startedColumns } from '../run-summary.ts'
import type { Lease, QueuedSignal } from '../store.ts'

export interface StoredRun {
  readonly runId: string
  /** From 1, in the order in which the runs began. */
  readonly position: number
  readonly facts: ReturnType<typeof startedColumns>
  readonly entries: JournalEntry[]
  /** The newest lease; a released one has expired at 0. */
  lease: Lease
  /** The lapses by the newest claim, and the number of entries at that claim. */
  lapses: number
  lapsedAt: number
  outcome: string | undefined
  usage: Usage | undefined
  passivated: { readonly wakeAt?: number } | undefined
  /** The number of entries with which it was suspended last. */
  suspendedAt: number | undefined
  queue: QueuedSignal[]
  /** By call. */
  readonly questions: SparseMap<string, StoredQuestion>
}

export interface StoredQuestion {
  readonly position: number
  readonly question: OpenQuestion
}
