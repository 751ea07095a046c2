/** A file of a call's prompt as a part of a message of ours. */
import type { LanguageModelV4FilePart } from '@ai-sdk/provider'
import { base64Of } from '../../actors/content/base64.ts'
import type { FilePart } from '../../actors/content/content.ts'
import { isMediaType } from '../../actors/content/media-type.ts'
import { TerminalError } from '../../errors.ts'
import { textOfData } from '../model/files.ts'

/** Throws a `TerminalError` for a reference to a file of another provider, and for a file whose type is not known. */
export function readFilePart({ data, mediaType, filename }: LanguageModelV4FilePart): FilePart {
  const name = filename === undefined || filename.trim() === '' ? {} : { name: filename }
  switch (data.type) {
    case 'data': {
      const base64 = textOfData(data.data)
      return { type: 'file', mediaType: typeOf(mediaType, base64), ...name, data: base64 }
    }
    case 'text': {
      const base64 = base64Of(new TextEncoder().encode(data.text))
      const type = isMediaType(mediaType) ? mediaType : 'text/plain'
      return { type: 'file', mediaType: type, ...name, data: base64 }
    }
    case 'url':
      if (!/^https?:$/.test(data.url.protocol)) throw refused(`by a URL of ${data.url.protocol}`)
      return { type: 'file', mediaType: typeOf(mediaType), ...name, url: data.url.href }
    case 'reference':
      throw refused('by a reference of a provider')
  }
}

/** The beginnings of files, as base64, whose type a caller need not state. */
const beginnings: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
]

/** A caller may state the first half of a media type alone: `image`, or `image/*`. */
function typeOf(stated: string, base64 = ''): string {
  const [half = ''] = stated.split('/')
  if (isMediaType(stated)) return stated
  const known = beginnings.find(([start, type]) => base64.startsWith(start) && type.startsWith(`${half}/`))
  if (known === undefined) throw refused(`of the type "${stated}", which is not complete`)
  return known[1]
}

function refused(how: string): TerminalError {
  return new TerminalError(`toLanguageModel: the prompt has a file ${how}.`, { code: 'FILE_NOT_ACCEPTED' })
}
