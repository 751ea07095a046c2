/** A store on database operations, in this thread or in a worker. */
import { afterTurn } from '../kit/index.ts'
import { type Ask, storeOn } from '../kit/sql/index.ts'
import type { FileChanges } from './file-changes.ts'
import type { SqliteStore } from './store-types.ts'

/** It tells the stores of its file of each change. */
export function tellingStore(
  ask: Ask,
  changes: FileChanges,
  close: () => Promise<void>,
): Omit<SqliteStore, 'backup'> {
  const store = storeOn(ask, { now: () => Date.now(), later: (act) => void afterTurn(act) }, (batches) => {
    const tell = <Report>(report: Report): Report => {
      changes.tell(
        batches.map(({ runId }) => runId),
        'entries',
      )
      return report
    }
    const report = ask('append', batches)
    return report instanceof Promise ? report.then(tell) : tell(report)
  })
  return {
    ...store,
    async enqueueSignal(runId, signal, claim) {
      const outcome = await store.enqueueSignal(runId, signal, claim)
      if (outcome === 'accepted') changes.tell([runId], 'signals')
      return outcome
    },
    subscribe: (listener) => changes.subscribe(listener),
    close() {
      changes.close()
      return close()
    },
  }
}
