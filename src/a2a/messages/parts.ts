/** Texts, data and files as parts of messages and artifacts, without halves of characters. */
import type { FileData, FileUrl, JsonValue } from '../../index.ts'
import { wellFormed } from '../../kit/index.ts'
import type { Part } from '@a2a-js/sdk'

const empty = { metadata: undefined, filename: '', mediaType: '' }

export function textPart(text: string): Part {
  return { ...empty, content: { $case: 'text', value: text.toWellFormed() }, mediaType: 'text/plain' }
}

export function dataPart(value: JsonValue): Part {
  return { ...empty, content: wellFormed({ $case: 'data' as const, value }), mediaType: 'application/json' }
}

export function filePart(file: FileData | FileUrl): Part {
  const { mediaType, name: filename = '' } = file
  return {
    ...empty,
    mediaType,
    filename: filename.toWellFormed(),
    content:
      'url' in file
        ? { $case: 'url', value: file.url }
        : { $case: 'raw', value: Buffer.from(file.data, 'base64') },
  }
}
