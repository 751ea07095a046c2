/** Gives a model the files of its conversation: their bytes in the place of references. */
import type { ChatModel } from '../../actors/chat-model.ts'
import { base64Of } from '../../actors/content/base64.ts'
import {
  labelOf,
  type Content,
  type FileData,
  type FilePart,
  type FileUrl,
  type Part,
} from '../../actors/content/content.ts'
import { isAmong } from '../../actors/content/media-type.ts'
import type { Message } from '../../actors/message.ts'
import { TerminalError } from '../../errors.ts'
import { sharedStorage, type BlobAccess } from './blob-storage.ts'
import { inTime } from '../in-time.ts'
import type { BlobLimit } from './kept-content.ts'

export interface Sending {
  readonly model: ChatModel
  /** Milliseconds that the storage has for all files; `undefined`: any time. */
  readonly timeout: number | undefined
  /** A line with its name precedes each file, for a model that may hand files on. */
  readonly named: boolean
}

/**
 * Messages of text alone are returned as they are. Rejects with a `TerminalError`: `FILE_NOT_ACCEPTED` where the model
 * does not take a file, `FILE_NOT_FOUND` where the blob storage does not have it, `HOOK_TIMEOUT` where it does not answer
 * in time.
 */
export async function sentMessages(
  messages: readonly Message[],
  limit: BlobLimit,
  sending: Sending,
): Promise<readonly Message[]> {
  if (messages.every(({ content }) => typeof content === 'string')) return messages
  return inTime(limit, sending.timeout, 'The blob storage', () =>
    Promise.all(messages.map(async (message) => sentMessage(message, limit.blobs, sending))),
  )
}

async function sentMessage<Sent extends Message>(
  message: Sent,
  blobs: BlobAccess | undefined,
  sending: Sending,
): Promise<Sent> {
  const { content }: { readonly content: Content } = message
  if (typeof content === 'string') return message
  const parts = await Promise.all(content.map((part) => sentPart(part, blobs, sending)))
  return { ...message, content: parts.flat() }
}

async function sentPart(
  part: Part,
  blobs: BlobAccess | undefined,
  sending: Sending,
): Promise<readonly Part[]> {
  if (part.type === 'text') return [part]
  assertAccepted(part, sending.model)
  const file = await withBytes(part, blobs)
  return sending.named ? [{ type: 'text', text: labelOf(file) }, file] : [file]
}

function assertAccepted(part: FilePart, { accepts, provider, modelId }: ChatModel): void {
  if (accepts === undefined || isAmong(part.mediaType, accepts)) return
  const taken = accepts.length === 0 ? 'no files' : accepts.join(', ')
  throw new TerminalError(
    `The model "${provider}/${modelId}" was not given ${labelOf(part)}: it accepts ${taken}.`,
    {
      code: 'FILE_NOT_ACCEPTED',
    },
  )
}

/** Characters: about 48 MiB of bytes. */
const capacity = 64 * 2 ** 20

/** Keeps the files that were sent last: each step of a conversation sends all of its files again. */
class Base64Cache {
  readonly #read: (ref: string) => Promise<string | undefined>
  /** The one that was used last stands last. */
  readonly #texts = new Map<string, string>()
  #size = 0

  constructor(read: (ref: string) => Promise<string | undefined>) {
    this.#read = read
  }

  async get(ref: string): Promise<string | undefined> {
    const text = this.#texts.get(ref) ?? (await this.#read(ref))
    if (text !== undefined) this.#use(ref, text)
    return text
  }

  #use(ref: string, text: string): void {
    if (text.length > capacity) return
    if (this.#texts.delete(ref)) this.#size -= text.length
    this.#texts.set(ref, text)
    this.#size += text.length
    for (const [oldest, { length }] of this.#texts) {
      if (this.#size <= capacity) break
      this.#texts.delete(oldest)
      this.#size -= length
    }
  }
}

const caches = new WeakMap<BlobAccess, Base64Cache>()

async function withBytes(part: FilePart, blobs: BlobAccess | undefined): Promise<FileData | FileUrl> {
  if (!('ref' in part)) return part
  const { ref, ...facts } = part
  const data = blobs === undefined ? undefined : await cacheOf(sharedStorage(blobs)).get(ref)
  if (data === undefined) {
    throw new TerminalError(`The blob storage does not have ${labelOf(part)}, ${ref}.`, {
      code: 'FILE_NOT_FOUND',
    })
  }
  return { ...facts, data }
}

function cacheOf(blobs: BlobAccess): Base64Cache {
  const known = caches.get(blobs)
  if (known !== undefined) return known
  const made = new Base64Cache(async (ref) => {
    const bytes = await blobs.get(ref)
    return bytes === undefined ? undefined : base64Of(bytes)
  })
  caches.set(blobs, made)
  return made
}
