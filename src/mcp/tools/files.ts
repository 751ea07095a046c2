/** The files in the blocks of a server's answer: images, audio, and embedded resources of bytes. */
import { bytesOf } from '../../actors/content/base64.ts'
import type { FileData } from '../../actors/content/content.ts'
import { file } from '../../actors/messages/file.ts'
import { isMediaType } from '../../actors/content/media-type.ts'
import { isRecord } from '../../actors/values/json.ts'
import { TerminalError } from '../../errors.ts'

/** `undefined` for a block without bytes, and for bytes of an unknown type. */
export function fileOf(block: unknown): FileData | undefined {
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
