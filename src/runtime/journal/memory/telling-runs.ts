/** Tells the listeners of a store in memory of each change. */
import type { Reporter } from '../../report.ts'
import { ChangeListeners } from '../change-listeners.ts'
import type { JournalAppend, RunStore } from '../store.ts'

/** The runs of a store, with `subscribe`. */
export function tellingOf(runs: RunStore, report: Reporter): RunStore {
  const listeners = new ChangeListeners(report)
  /** No listener is called within an append. */
  const tellLater = (runIds: Iterable<string>): void =>
    queueMicrotask(() => {
      for (const runId of runIds) listeners.tell(runId, 'entries')
    })
  return {
    ...runs,
    append(appends) {
      const report = runs.append(appends)
      if (listeners.size > 0) tellLater(runsOf(appends))
      return report
    },
    async enqueueSignal(runId, signal, claim) {
      const outcome = await runs.enqueueSignal(runId, signal, claim)
      if (outcome === 'accepted') listeners.tell(runId, 'signals')
      return outcome
    },
    subscribe: (listener) => listeners.add(listener),
  }
}

/** Each run once. */
function runsOf(appends: readonly JournalAppend[]): Iterable<string> {
  const [first] = appends
  if (first !== undefined && appends.length === 1) return [first.runId]
  return new Set(appends.map(({ runId }) => runId))
}
