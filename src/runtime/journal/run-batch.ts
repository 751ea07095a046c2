/** The entries that one transaction appends to one run, encoded: plain data, so that it can go to another thread. */
import type { Usage } from '../../actors/usage.ts'
import { usageWith } from './entry-usage.ts'
import { begunColumns } from './run-summary.ts'
import type { LedgerSpending } from '../tenants/ledger-storage.ts'
import type { QuestionChange } from './run-index.ts'
import type { JournalAppend, Lease } from './store.ts'

/** Entries of one run that are appended together. */
export interface RunBatch {
  readonly runId: string
  readonly lease: Lease
  /** The columns of a run that begins with the first of these entries. */
  readonly begins: ReturnType<typeof begunColumns> | undefined
  /** JSON, in their order. */
  readonly entries: readonly string[]
  /** Logical time of the last one; `undefined` without entries. */
  readonly updatedAt: number | undefined
  readonly outcome: string | undefined
  /** Of the entry that ends the run: the code of its error, and its time. */
  readonly code: string | undefined
  readonly endedAt: number | undefined
  /** What the model calls of these entries have used; with `outcome` the usage of the whole run. */
  readonly usage: Usage | undefined
  /** What calls of these entries have used of the budget of their tenant. */
  readonly spent: readonly LedgerSpending[]
  /** The queued signals that these entries come from. */
  readonly queued: readonly number[]
  /** Changes of its open questions, in their order. */
  readonly questions: readonly QuestionChange[]
  /** The last `suspendedAt` of these changes. */
  readonly suspendedAt: number | undefined
  /** The batch holds two leases, or a `run.started` after its first entry: it cannot be all of one owner. */
  readonly isMixed: boolean
  /** Only queued signals go, which the run refuses: accepted answers do not keep the batch from its end. */
  readonly isRefusal: boolean
}

type Draft = { -readonly [Key in keyof RunBatch]: RunBatch[Key] } & {
  readonly entries: string[]
  readonly queued: number[]
  readonly spent: LedgerSpending[]
  readonly questions: QuestionChange[]
}

/** The entries of a batch, by their runs. */
export function runBatches(appends: readonly JournalAppend[]): RunBatch[] {
  const drafts = new Map<string, Draft>()
  for (const { runId, entry, lease, queued, questions, spent } of appends) {
    let draft = drafts.get(runId)
    if (draft === undefined) {
      const begins = entry?.type === 'run.started' ? begunColumns(entry) : undefined
      draft = {
        runId,
        lease,
        begins,
        entries: [],
        updatedAt: undefined,
        outcome: undefined,
        code: undefined,
        endedAt: undefined,
        usage: undefined,
        spent: [],
        queued: [],
        questions: [],
        suspendedAt: undefined,
        isMixed: false,
        isRefusal: true,
      }
      drafts.set(runId, draft)
    } else if (entry?.type === 'run.started' || draft.lease.token !== lease.token) {
      draft.isMixed = true
    }
    if (queued !== undefined) draft.queued.push(queued)
    if (spent !== undefined) draft.spent.push(spent)
    if (entry !== undefined || questions !== undefined) draft.isRefusal = false
    if (questions !== undefined) {
      draft.questions.push(questions)
      draft.suspendedAt = questions.suspendedAt ?? draft.suspendedAt
    }
    if (entry === undefined) continue
    draft.entries.push(JSON.stringify(entry))
    draft.updatedAt = entry.at
    if (draft.outcome === undefined) draft.usage = usageWith(draft.usage, entry)
    if (entry.type !== 'run.settled' || draft.outcome !== undefined) continue
    draft.outcome = entry.outcome
    draft.code = entry.error?.code
    draft.endedAt = entry.at
  }
  return [...drafts.values()]
}
