/** The content of a server's answer as JSON, for the journal and for the model. */
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'

/** Structured content where there is any, else the text of all blocks. */
export function resultOf(answer: Readonly<Record<string, unknown>>): JsonValue {
  const { structuredContent } = answer
  return structuredContent === undefined
    ? textOfContent(answer['content'])
    : toJsonValue(structuredContent, 'The structured content of the tool')
}

/** The text of the blocks, one below the other. */
export function textOfContent(content: unknown): string {
  return Array.isArray(content) ? content.map(textOfBlock).join('\n') : ''
}

/** A block that is no text stands as a line that names it. */
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
