/** The content of a server's answer: JSON for the journal and for the model, with its files. */
import type { FileData } from '../../actors/content/content.ts'
import { isMadeFile } from '../../actors/messages/file.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'
import { fileOf } from './files.ts'

/** The result of a tool whose answer has files. Like any result with files it is JSON once they are kept. */
interface ResultWithFiles {
  /** The structured content of the answer; absent without any. */
  readonly structuredContent?: JsonValue
  /** The text of the answer, where it has no structured content. */
  readonly text?: string
  /** Images, audio and resources of bytes, in their order. */
  readonly files: readonly FileData[]
}

/** Structured content where there is any, else the text of all blocks; with files, an object of both. */
export function resultOf({ structuredContent, content }: Readonly<Record<string, unknown>>): JsonValue {
  const structured =
    structuredContent === undefined
      ? undefined
      : toJsonValue(structuredContent, 'The structured content of the tool')
  const blocks = Array.isArray(content)
    ? content.map((block: unknown) => ({ block, file: fileOf(block) }))
    : []
  const files = blocks.flatMap(({ file }) => file ?? [])
  if (files.length === 0) return structured ?? textOfContent(content)
  if (structured !== undefined) return withFiles({ structuredContent: structured, files })
  const text = textOfContent(blocks.flatMap(({ block, file }) => (file === undefined ? [block] : [])))
  return withFiles({ ...(text === '' ? {} : { text }), files })
}

function withFiles(result: ResultWithFiles): JsonValue {
  return result as unknown as JsonValue
}

export function isWithFiles(value: unknown): value is ResultWithFiles {
  const files = isRecord(value) ? value['files'] : undefined
  return Array.isArray(files) && files.some((item) => isRecord(item) && isMadeFile(item))
}

/** The text of the blocks, one below the other. */
export function textOfContent(content: unknown): string {
  return Array.isArray(content) ? content.map(textOfBlock).join('\n') : ''
}

/** A block that is neither text nor a file stands as a line that names it; so does a file in an error. */
function textOfBlock(block: unknown): string {
  if (!isRecord(block)) return ''
  const { type, text, mimeType, name, uri, resource } = block
  switch (type) {
    case 'text':
      return textOr(text, '')
    case 'image':
    case 'audio':
      return `[${type} ${textOr(mimeType, 'of unknown type')}]`
    case 'resource_link':
      return `[resource ${textOr(name, '')}](${textOr(uri, '')})`
    case 'resource':
      return textOfResource(isRecord(resource) ? resource : {})
    default:
      return `[${textOr(type, 'content')}]`
  }
}

function textOfResource({ text, uri, mimeType }: Readonly<Record<string, unknown>>): string {
  return textOr(text, `[resource ${textOr(uri, '')} ${textOr(mimeType, 'of unknown type')}]`)
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
