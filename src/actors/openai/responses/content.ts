/** The content of a message of the user, or of the result of a call, as the Responses API takes it. */
import type { OpenAI } from 'openai'
import type { Content, FilePart } from '../../content/content.ts'
import { notAccepted, sendable } from '../../messages/not-accepted.ts'
import { fileNameOf, kindOf, urlOf } from '../shared/files.ts'

export type InputPart = OpenAI.Responses.ResponseInputContent

const api = 'The Responses API'

/** Throws a `TerminalError` for a file that the API cannot carry. An empty text is not sent beside other parts. */
export function toInput(content: Content): string | InputPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap((part): InputPart[] => {
    if (part.type === 'file') return [toFilePart(part)]
    return part.text === '' ? [] : [{ type: 'input_text', text: part.text }]
  })
  return parts.length === 0 ? '' : parts
}

function toFilePart(given: FilePart): InputPart {
  const file = sendable(given, api)
  switch (kindOf(file)) {
    case 'image':
      return { type: 'input_image', image_url: urlOf(file), detail: 'auto' }
    case 'document':
      return 'url' in file
        ? { type: 'input_file', file_url: file.url }
        : { type: 'input_file', filename: fileNameOf(file), file_data: urlOf(file) }
    case 'audio':
    case 'video':
      throw notAccepted(file, api)
  }
}
