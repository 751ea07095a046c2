/** Records the facts that only the journal of a run contains: the run that it was forked from, and late results. */
import type { JournalEntry } from '../../index.ts'
import { requesterOf } from '../../kit/index.ts'
import type { EffectOutcome } from '../../kit/host.ts'
import type { Ledger } from './ledger.ts'
import type { Session } from './session.ts'
import { recordLate } from './tool-calls.ts'
import type { Trace } from './trace.ts'

export function recordJournal(
  ledger: Ledger,
  { calls, last }: Trace,
  root: Session,
  journal: readonly JournalEntry[],
): void {
  let { seq } = last
  for (const entry of journal) {
    if (entry.type === 'run.started' && entry.forkedFrom !== undefined) {
      const origin = ledger.uris.session(entry.forkedFrom.runId)
      ledger.about(root, root.uri).link('troupe:forkedFrom', origin)
    }
    if (entry.type !== 'effect.settled' || entry.late === undefined || entry.kind !== 'tool') continue
    const call = calls.get(requesterOf(entry.key))
    if (call === undefined) continue
    const { value, error } = entry.settlement
    const text = error === undefined ? returned(value as EffectOutcome<'tool'>) : error.message
    recordLate(ledger, call, text, { at: entry.at, seq: ++seq })
  }
}

function returned(outcome: EffectOutcome<'tool'>): string {
  if (outcome.type !== 'returned') return outcome.type
  return typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value)
}
