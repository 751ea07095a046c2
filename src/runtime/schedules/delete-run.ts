/** Deletes a run, and has its schedule know first: an occurrence whose run is gone must not be started again. */
import type { Clock } from '../clock.ts'
import { deleteRun } from '../journal/run-notes.ts'
import type { DeleteOutcome, Store } from '../journal/store.ts'
import { occurrenceOf } from './schedule-options.ts'
import { ScheduleRows } from './schedule-rows.ts'

interface Host {
  readonly store: Pick<Store, 'config' | 'list' | 'delete' | 'schedules'>
  readonly environment: { newId(): string }
  readonly clock: Clock
}

/** As `deleteRun` of the journal. */
export async function deleteRunOf(host: Host, runId: string, atOnce?: boolean): Promise<DeleteOutcome> {
  await tellSchedule(host, runId)
  return deleteRun(host.store, runId, atOnce)
}

async function tellSchedule({ store, environment, clock }: Host, runId: string): Promise<void> {
  const occurrence = occurrenceOf(runId)
  if (store.schedules === undefined || occurrence === undefined) return
  const [run] = (await store.list('runs', { runId, limit: 1 })).items
  if (run?.status !== 'settled') return
  const { key, due } = occurrence
  const rows = new ScheduleRows({
    storage: store.schedules,
    newId: () => environment.newId(),
    now: () => clock.now(),
  })
  await rows.tell(key, () => ({ type: 'run.deleted', due, at: clock.now() }))
}
