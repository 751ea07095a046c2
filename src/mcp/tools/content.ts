/** The content of a server's answer: JSON for the journal and for the model, with its files. */
import { type FileData, type JsonValue, TerminalError, file } from '../../index.ts'
import { bytesOf, isMediaType, isRecord, toJsonValue } from '../../kit/index.ts'
import { isMadeFile } from '../../kit/host.ts'

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

/** `undefined` for a block without bytes, and for bytes of an unknown type. */
function fileOf(block: unknown): FileData | undefined {
  if (!isRecord(block)) return undefined
  const { type, data, mimeType, resource } = block
  switch (type) {
    case 'image':
    case 'audio':
      return made(data, mimeType)
    case 'resource':
      return isRecord(resource) ? made(resource['blob'], resource['mimeType'], resource['uri']) : undefined
    default:
      return undefined
  }
}

function made(base64: unknown, mimeType: unknown, uri?: unknown): FileData | undefined {
  const mediaType = typeof mimeType === 'string' ? (mimeType.split(';')[0] ?? '').trim() : ''
  if (typeof base64 !== 'string' || !isMediaType(mediaType)) return undefined
  const name = lastSegment(uri)
  return file(decoded(base64), mediaType, name === '' ? {} : { name })
}

function decoded(base64: string): Uint8Array {
  try {
    return bytesOf(base64)
  } catch (error) {
    throw new TerminalError('The tool answered with a file that is not base64.', {
      code: 'MCP_TOOL_FAILED',
      cause: error,
    })
  }
}

/** Such as `tides.pdf` of `docs://sea/tides.pdf`. */
function lastSegment(uri: unknown): string {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  return url?.pathname.split('/').findLast((segment) => segment !== '') ?? ''
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
