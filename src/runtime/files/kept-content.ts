/**
 * Replaces the bytes of files by references, for the journal: the bytes themselves go into the blob storage before the
 * entry that names them.
 */
import { bytesOf } from '../../actors/content/base64.ts'
import type { Content, FilePart, FileRef, FileUrl, Part } from '../../actors/content/content.ts'
import { digestText } from '../../actors/values/digest.ts'
import { sha256 } from '../../actors/values/sha256.ts'
import { TerminalError, type ConfigurationError } from '../../errors.ts'
import { missingPort } from '../missing-port.ts'
import type { Clock } from '../clock.ts'
import { inTime } from '../in-time.ts'
import type { Blob, BlobAccess } from './blob-storage.ts'
import type { Message } from '../../actors/message.ts'
import { isMadeFile } from '../../actors/messages/file.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { toJsonValue, type JsonNaming } from '../../actors/values/to-json.ts'
import { SparseMap } from '../../actors/values/sparse.ts'

/** A file as the journal holds it. */
export type KeptFile = FileRef | FileUrl

/** Content as the journal holds it, with the bytes of its files. */
export interface KeptContent {
  readonly content: Content
  readonly blobs: readonly Blob[]
}

/** Each file gets a name, where it has none: a model can then hand it on. */
export function keptFile(part: FilePart): { readonly file: KeptFile; readonly blobs: readonly Blob[] } {
  const { type, mediaType, name } = part
  if ('ref' in part)
    return { file: { type, mediaType, name: name ?? nameOf(mediaType, part.ref), ref: part.ref }, blobs: [] }
  if ('url' in part)
    return { file: { type, mediaType, name: name ?? nameInUrl(part), url: part.url }, blobs: [] }
  const bytes = bytesOf(part.data)
  const ref = sha256(bytes)
  return { file: { type, mediaType, name: name ?? nameOf(mediaType, ref), ref }, blobs: [{ ref, bytes }] }
}

/** A text is returned as it is. */
export function keptContent(content: Content): KeptContent {
  if (typeof content === 'string') return { content, blobs: [] }
  const blobs: Blob[] = []
  const parts = content.map((part): Part => {
    if (part.type === 'text') return part
    const kept = keptFile(part)
    blobs.push(...kept.blobs)
    return kept.file
  })
  return { content: parts, blobs }
}

/**
 * Puts blobs that the store must have before an entry names them; none after `leaving` has fired. Rejects with a
 * `TerminalError`, `NO_BLOB_STORAGE`.
 */
export async function putAll(
  blobs: readonly Blob[],
  storage: BlobAccess | undefined,
  leaving?: AbortSignal,
): Promise<void> {
  if (blobs.length === 0) return
  if (storage === undefined) throw noBlobStorage()
  for (const { ref, bytes } of blobs) {
    if (leaving?.aborted === true) return
    await storage.put(ref, bytes)
  }
}

/** The storage of an effect, and the time that it has: the effect itself may have no deadline. */
export interface BlobLimit {
  readonly blobs: BlobAccess | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * As `putAll`, within `timeout` milliseconds; `undefined`: any time. Rejects also with a `TerminalError`, code
 * `HOOK_TIMEOUT`.
 */
export async function putInTime(
  blobs: readonly Blob[],
  limit: BlobLimit,
  timeout: number | undefined,
): Promise<void> {
  if (blobs.length === 0) return
  await inTime(limit, timeout, 'The blob storage', () => putAll(blobs, limit.blobs))
}

/** The refusal of files where the store has no blobs. */
export function blobsNeeded(): ConfigurationError {
  return missingPort('Files need', 'blobs')
}

/** The same, inside a run. */
function noBlobStorage(): TerminalError {
  return new TerminalError(blobsNeeded().message, { code: 'NO_BLOB_STORAGE' })
}

const kinds: ReadonlySet<string> = new Set(['image', 'audio', 'video'])

const extensions: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  mpeg: 'mp3',
  plain: 'txt',
  'svg+xml': 'svg',
}

/** Such as `image-1f825aa2.png`. */
function nameOf(mediaType: string, ref: string): string {
  const [type = '', subtype = ''] = mediaType.toLowerCase().split('/')
  const known = extensions[subtype] ?? (/^[a-z0-9]{1,4}$/.test(subtype) ? subtype : '')
  return `${kinds.has(type) ? type : 'file'}-${ref.slice(0, 8)}${known === '' ? '' : `.${known}`}`
}

function nameInUrl({ url }: FileUrl): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  return last === '' ? `file-${digestText(url)}` : last
}

/** The messages of a hook's answer, with references in the place of the bytes of their files. */
export function keptMessages(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly blobs: readonly Blob[]
} {
  const blobs: Blob[] = []
  const kept = messages.map((message): Message => {
    if (message.role === 'system' || typeof message.content === 'string') return message
    const { content, blobs: found } = keptContent(message.content)
    blobs.push(...found)
    return { ...message, content }
  })
  return { messages: kept, blobs }
}

/** A result as JSON, in which references stand for the bytes of its files. */
export interface KeptResult {
  readonly value: JsonValue
  /** In the order in which they stand in the result, each once. */
  readonly files: readonly KeptFile[]
  readonly blobs: readonly Blob[]
}

/** Throws a `TerminalError` that names the path for a value that JSON cannot hold. */
export function keptResult(result: unknown, what: string, naming: JsonNaming): KeptResult {
  const made = new SparseMap<object, KeptFile>()
  const blobs: Blob[] = []
  const replace = (part: object): JsonValue | undefined => {
    if (!isMadeFile(part)) return undefined
    const kept = made.get(part) ?? keep(part)
    made.set(part, kept)
    return { ...kept }
  }
  const keep = (part: Parameters<typeof keptFile>[0]): KeptFile => {
    const kept = keptFile(part)
    blobs.push(...kept.blobs)
    return kept.file
  }
  const value = toJsonValue(result, what, { ...naming, replace })
  return { value, files: [...made.values()], blobs }
}
