/** Tells the listeners of a store in memory of each change. */
import type { Reporter } from '../../report.ts'
import { ChangeListeners } from '../change-listeners.ts'
import type { RunStore } from '../store.ts'

/** The runs of a store, with `subscribe`. */
export function tellingOf(runs: RunStore, report: Reporter): RunStore {
  const listeners = new ChangeListeners(report)
  /** No listener is called within an append. */
  const tellLater = (runIds: ReadonlySet<string>): void =>
    queueMicrotask(() => {
      for (const runId of runIds) listeners.tell(runId, 'entries')
    })
  return {
    ...runs,
    append(appends) {
      const report = runs.append(appends)
      if (listeners.size > 0) tellLater(new Set(appends.map(({ runId }) => runId)))
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
