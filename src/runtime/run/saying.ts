/** A message of a person on its way to the journal: with an id, and with references in the place of the bytes of files. */
import { textOf } from '../../actors/content/content.ts'
import { ConfigurationError } from '../../errors.ts'
import { heldBy, type BlobStorage } from '../files/blob-storage.ts'
import { blobsNeeded, keptContent, putAll } from '../files/kept-content.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Signal } from '../journal/journal.ts'

export type Say = Extract<RunSignal, { readonly type: 'say' }>

export type IdentifiedSay = Say & { readonly id: string }

export function withId(say: Say, newId: () => string): IdentifiedSay {
  return { ...say, id: say.id ?? `say:${newId()}` }
}

/**
 * Returns the message with references, at once where it has no bytes; else it resolves when the store has them, and
 * rejects with a `ConfigurationError` where the store has no blobs.
 */
export function keptSay<Given extends Say>(
  say: Given,
  { runId, storage }: { readonly runId: string; readonly storage: BlobStorage | undefined },
): Given | Promise<Given> {
  const { content, blobs } = keptContent(say.message)
  const kept = { ...say, message: content }
  if (blobs.length === 0) return kept
  if (storage === undefined) throw new ConfigurationError(blobsNeeded)
  return putAll(blobs, heldBy(storage, { runId })).then(() => kept)
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
