/** The content of a message of the user as Chat Completions takes it: text, images, audio and documents. */
import type { OpenAI } from 'openai'
import type { Content, FileData, FilePart } from '../../content/content.ts'
import { notAccepted, sendable } from '../../messages/not-accepted.ts'
import { fileNameOf, kindOf, urlOf } from '../shared/files.ts'

type UserPart = OpenAI.Chat.ChatCompletionContentPart

const api = 'Chat Completions'

/** Throws a `TerminalError` for a file that the API cannot carry. An empty text is not sent beside other parts. */
export function toUserContent(content: Content): string | UserPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap((part): UserPart[] => {
    if (part.type === 'file') return [toFilePart(part)]
    return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  })
  return parts.length === 0 ? '' : parts
}

function toFilePart(given: FilePart): UserPart {
  const file = sendable(given, api)
  const kind = kindOf(file)
  if (kind === 'image') return { type: 'image_url', image_url: { url: urlOf(file) } }
  if ('url' in file) throw notAccepted(file, api)
  switch (kind) {
    case 'audio':
      return toAudio(file)
    case 'document':
      return { type: 'file', file: { filename: fileNameOf(file), file_data: urlOf(file) } }
    case 'video':
      throw notAccepted(file, api)
  }
}

/** The formats of audio, by the subtypes that are in use for them. */
const formats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  wav: 'wav',
  wave: 'wav',
  'x-wav': 'wav',
  'vnd.wave': 'wav',
  mp3: 'mp3',
  mpeg: 'mp3',
}

function toAudio(file: FileData): UserPart {
  const format = formats[file.mediaType.toLowerCase().slice('audio/'.length)]
  if (format === undefined) throw notAccepted(file, api)
  return { type: 'input_audio', input_audio: { data: file.data, format } }
}
