/**
 * New runs that come from another one: a fork, and a run within a call. Where that one was deleted while the new run began, the
 * new run goes too: a deletion that looks for such runs may have passed by it.
 */
import { RunNotFoundError } from '../../errors.ts'
import type { RunStarted } from '../journal/journal.ts'
import { deleteRun } from '../journal/run-notes.ts'
import type { Lease, Store } from '../journal/store.ts'
import { appendForcedEnd } from './forced-end.ts'

/** A troupe, for its store. */
type Host = Parameters<typeof appendForcedEnd>[0]

interface BegunRun {
  readonly id: string
  readonly lease: Lease
  readonly started: RunStarted
}

/** Rejects with a `RunNotFoundError`. */
export async function assertOriginStays(host: Host, { id, lease, started }: BegunRun): Promise<void> {
  const { forkedFrom } = started
  if (forkedFrom === undefined || (await isThere(host.store, forkedFrom.runId))) return
  await remove(host, { id, lease })
  throw new RunNotFoundError(forkedFrom.runId)
}

/** Rejects with a `RunNotFoundError`. */
export async function assertOuterStays(host: Host, run: BegunRun & { lost(): void }): Promise<void> {
  const { nested } = run.started
  if (nested === undefined || (await isThere(host.store, nested.runId))) return
  run.lost()
  await remove(host, run)
  throw new RunNotFoundError(nested.runId)
}

async function isThere(store: Store, runId: string): Promise<boolean> {
  return (await store.list('runs', { runId, limit: 1 })).items.length > 0
}

async function remove(host: Host, { id, lease }: Pick<BegunRun, 'id' | 'lease'>): Promise<void> {
  await appendForcedEnd(host, lease, 'deleted')
  await deleteRun(host.store, id, true)
}
