/**
 * Small items that a wire keeps with a run, such as where it tells of the run: config items of a kind of their own. They are
 * deleted with the run.
 */
import type { JsonValue } from '../../actors/values/json.ts'
import type { ConfigItem } from './config-storage.ts'
import type { DeleteOutcome, Store } from './store.ts'

/** The part of `troupe.config` that notes need. */
export interface NoteItems {
  items(kind: string): Promise<readonly ConfigItem[]>
  set(kind: string, key: string, value: JsonValue): Promise<void>
  delete(kind: string, key: string): Promise<void>
}

/** The kind of the items that are kept with a run. */
export function notesOf(runId: string): string {
  return `notes-of-run:${runId}`
}

/**
 * Deletes a run that has ended, with its notes: first the notes, so that a crash between the two leaves no notes without a run.
 * `atOnce`: as `Store.delete` has it.
 */
export async function deleteRun(
  store: Pick<Store, 'config' | 'list' | 'delete'>,
  runId: string,
  atOnce?: boolean,
): Promise<DeleteOutcome> {
  await deleteNotes(store, runId)
  return store.delete(runId, ...(atOnce === undefined ? [] : [atOnce]))
}

/** A store without configuration has no notes. */
async function deleteNotes(store: Pick<Store, 'config' | 'list'>, runId: string): Promise<void> {
  const { config } = store
  const notes = (await config?.items(notesOf(runId))) ?? []
  if (config === undefined || notes.length === 0) return
  const [run] = (await store.list('runs', { runId, limit: 1 })).items
  if (run !== undefined && run.status !== 'settled') return
  for (const { kind, key } of notes) await config.set({ kind, key })
}
