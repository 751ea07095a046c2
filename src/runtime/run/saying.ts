/** A message of a person on its way to the journal: with an id, and with references in the place of the bytes of files. */
import { textOf } from '../../actors/content/content.ts'
import type { Clock } from '../clock.ts'
import { heldBy, type Blob, type BlobAccess, type BlobStorage } from '../files/blob-storage.ts'
import { blobsNeeded, keptContent, putAll } from '../files/kept-content.ts'
import { inTime } from '../in-time.ts'
import { blobsOfRun } from '../journal/memory-of-run.ts'
import type { Store } from '../journal/store.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Signal } from '../journal/journal.ts'

export type Say = Extract<RunSignal, { readonly type: 'say' }>

export type IdentifiedSay = Say & { readonly id: string }

export function withId(say: Say, newId: () => string): IdentifiedSay {
  return { ...say, id: say.id ?? `say:${newId()}` }
}

export interface SayFiles {
  readonly runId: string
  readonly storage: BlobStorage | undefined
  /** The store of the run, where it has begun: files of a run that was deleted meanwhile are not stored. */
  readonly store?: Pick<Store, 'list'>
  readonly clock: Clock
  /** Milliseconds that the storage has for all files. */
  readonly timeout: number
}

/**
 * Returns the message with references, at once where it has no bytes; else it resolves when the store has them, and
 * rejects with a `TerminalError`, code `HOOK_TIMEOUT`, where it does not have them in time. Throws a
 * `ConfigurationError` where the store has no blobs.
 */
export function keptSay<Given extends Say>(say: Given, files: SayFiles): Given | Promise<Given> {
  const { runId, storage, store } = files
  const { content, blobs } = keptContent(say.message)
  const kept = { ...say, message: content }
  if (blobs.length === 0) return kept
  if (storage === undefined) throw blobsNeeded()
  const held = store === undefined ? heldBy(storage, { runId }) : blobsOfRun(storage, store, runId)
  return put(blobs, held, files).then(() => kept)
}

/** A file that is stored late is one of its run, and is removed with it. */
async function put(
  blobs: readonly Blob[],
  storage: BlobAccess,
  { clock, timeout }: Pick<SayFiles, 'clock' | 'timeout'>,
): Promise<void> {
  const leaving = new AbortController()
  try {
    await inTime({ clock }, timeout, 'The blob storage', () => putAll(blobs, storage, leaving.signal))
  } finally {
    leaving.abort()
  }
}

/** The entry of a message whose files are kept. */
export function sayEntry({ id, message, by }: IdentifiedSay): Extract<Signal, { readonly type: 'say' }> {
  return {
    type: 'say',
    id,
    message: textOf(message),
    ...(typeof message === 'string' ? {} : { content: message }),
    ...(by === undefined ? {} : { by }),
  }
}
