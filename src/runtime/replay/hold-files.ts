/** The files of a fork: its journal names those of the run that it comes from. */
import { RunNotFoundError } from '../../errors.ts'
import { blobRefsIn } from '../files/blob-refs.ts'
import { holdsAll } from '../files/blob-storage.ts'
import type { JournalEntry, RunStarted } from '../journal/journal.ts'
import type { Store } from '../journal/store.ts'

/** Keeps the files of a fork. Rejects with a `RunNotFoundError` where its run was deleted with files of it. */
export async function holdFiles(
  store: Store,
  { runId, forkedFrom }: RunStarted,
  journal: readonly JournalEntry[],
): Promise<void> {
  const refs = blobRefsIn(JSON.stringify(journal))
  if (refs.length === 0 || forkedFrom === undefined) return
  const { blobs } = store
  if (await holdsAll(blobs, refs, { runId, isStored: true })) return
  if ((await store.read(forkedFrom.runId, 0)) !== undefined) return
  await blobs?.release?.({ runId })
  throw new RunNotFoundError(forkedFrom.runId)
}
