/** Files between messages of ours and the parts of a language model. */
import type { FilePart } from '../../index.ts'
import { base64Of } from '../../kit/index.ts'
import { sendable } from '../../kit/host.ts'
import type { LanguageModelV3File, LanguageModelV4File, LanguageModelV4FilePart } from '@ai-sdk/provider'

/** Throws a `TerminalError` for a reference, which only the troupe can read. */
export function toFilePart(given: FilePart): LanguageModelV4FilePart {
  const file = sendable(given, 'A language model')
  return {
    type: 'file',
    mediaType: file.mediaType,
    data: 'url' in file ? { type: 'url', url: new URL(file.url) } : { type: 'data', data: file.data },
    ...(file.name === undefined ? {} : { filename: file.name }),
  }
}

/** A file that a model has made, of version 4 or 3 of the specification. */
export function readFile({ mediaType, data }: LanguageModelV4File | LanguageModelV3File): FilePart {
  const facts = { type: 'file', mediaType } as const
  if (typeof data === 'string' || data instanceof Uint8Array) return { ...facts, data: textOfData(data) }
  return data.type === 'url' ? { ...facts, url: data.url.href } : { ...facts, data: textOfData(data.data) }
}

export function textOfData(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : base64Of(data)
}
