/** Readers of content: a text, or parts of text and files. */
import { ConfigurationError } from '../../errors.ts'
import { isBase64 } from '../content/base64.ts'
import type { Content, FilePart, Part, TextPart } from '../content/content.ts'
import { isMediaType } from '../content/media-type.ts'
import { documentSource, webSource, type Source } from '../content/source.ts'
import { isWebUrl } from '../content/web-url.ts'
import { aName, aText, is, oneOf } from './checks.ts'
import { anObject, isObject, optional, required, wrong, type Fields, type Reader } from './read-options.ts'

const ofText: Fields<TextPart> = { type: required(oneOf('text')), text: required(aText) }

interface FileFields {
  readonly type: 'file'
  readonly mediaType: string
  readonly name?: string
  readonly data?: string
  readonly url?: string
  readonly ref?: string
}

const ofFile: Fields<FileFields> = {
  type: required(oneOf('file')),
  mediaType: required(is('a media type such as image/png', isMediaType)),
  name: optional(aName),
  data: optional(is('bytes as base64', isBase64, { isSecret: true })),
  url: optional(is('a URL that begins with https: or http:', isWebUrl)),
  ref: optional(is('a SHA-256 in hexadecimal', (given) => /^[0-9a-f]{64}$/.test(String(given)))),
}

const aTextPart = anObject(ofText, { word: 'field' })
const aFileFields = anObject(ofFile, { word: 'field' })

const expected = "a part { type: 'text', text } or a file (see file())"

const aPart: Reader<Part> = (given, where) => {
  if (!isObject(given)) throw wrong(given, where, expected)
  const type: unknown = Reflect.get(given, 'type')
  if (type === 'text') return aTextPart(given, where)
  if (type === 'file') return aFile(given, where)
  throw wrong(type, `${where}.type`, "'text' or 'file'")
}

const aFile: Reader<FilePart> = (given, where) => {
  const fields = aFileFields(given, where)
  const { data, url, ref } = fields
  if ([data, url, ref].filter((source) => source !== undefined).length === 1) return fields as FilePart
  throw new ConfigurationError(`${where} must have one of data, url and ref.`)
}

/** A text, or a list of parts that is not empty: a copy. */
export const aContent: Reader<Content> = (given, where) => {
  if (typeof given === 'string') return given
  if (!Array.isArray(given) || given.length === 0) throw wrong(given, where, 'a text, or a list of parts')
  return Array.from(given as readonly unknown[], (part, index) => aPart(part, `${where}[${index}]`))
}

interface SourceFields {
  readonly type: 'url' | 'document'
  readonly url?: string
  readonly title?: string
  readonly mediaType?: string
}

const ofSource: Fields<SourceFields> = {
  type: required(oneOf('url', 'document')),
  url: optional(is('a URL that begins with https: or http:', isWebUrl)),
  title: optional(aName),
  mediaType: optional(aName),
}

const aSourceFields = anObject(ofSource, { word: 'field' })

/** What a reply cites: a page of the web by its `url`, or a document by its `title`. */
export const aSource: Reader<Source> = (given, where) => {
  const { type, url, title, mediaType } = aSourceFields(given, where)
  const source = type === 'url' ? webSource(url, title) : documentSource(title, mediaType)
  if (source === undefined)
    throw new ConfigurationError(`${where} must have ${type === 'url' ? 'a url' : 'a title'}.`)
  return source
}
