/** The files of an answer as blocks of MCP: images, audio, other resources, and links. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { FileData, FileUrl } from '../../actors/content/content.ts'

type Block = CallToolResult['content'][number]

export function blockOf(file: FileData | FileUrl, index: number): Block {
  const { mediaType: mimeType, name = `file-${index + 1}` } = file
  if ('url' in file) return { type: 'resource_link', uri: file.url, name, mimeType }
  const [type] = mimeType.toLowerCase().split('/')
  if (type === 'image' || type === 'audio') return { type, data: file.data, mimeType }
  const uri = `troupe:/files/${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, mimeType, blob: file.data } }
}
