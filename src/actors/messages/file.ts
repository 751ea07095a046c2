/** Makes files for prompts and for the results of tools. */
import { ConfigurationError } from '../../errors.ts'
import { aName } from '../strict/checks.ts'
import { optional, readOptions, show, type Fields } from '../strict/read-options.ts'
import { base64Of } from '../content/base64.ts'
import type { FileData, FilePart, FileUrl } from '../content/content.ts'
import { isMediaType } from '../content/media-type.ts'

/** The name of a file. */
export interface FileOptions {
  /** The name by which a model may hand the file on. Default: one made of the media type and the content. */
  readonly name?: string
}

const fields: Fields<FileOptions> = { name: optional(aName) }

/** Shared by all copies of the library in a process. */
const mark = Symbol.for('troupe.file')

/**
 * Makes a file of bytes, or of the URL of one (`https:` or `http:`), for a message of a prompt, or for the result of a
 * tool: alone, in a list or in a field. `mediaType`: such as `image/png`. The bytes are kept once in the blob storage of
 * the troupe, and the journal holds a reference to them. Throws a `ConfigurationError` for a wrong argument.
 */
export function file(bytes: Uint8Array | ArrayBuffer, mediaType: string, options?: FileOptions): FileData
export function file(url: URL, mediaType: string, options?: FileOptions): FileUrl
export function file(
  source: Uint8Array | ArrayBuffer | URL,
  mediaType: string,
  options: FileOptions = {},
): FilePart {
  const { name } = readOptions<FileOptions>(options, 'file: options', fields)
  if (!isMediaType(mediaType)) {
    throw new ConfigurationError(
      `file: mediaType must be a media type such as image/png, not ${show(mediaType)}.`,
    )
  }
  const facts = { type: 'file', mediaType, ...(name === undefined ? {} : { name }) } as const
  return marked({ ...facts, ...contentOf(source) })
}

function contentOf(source: unknown): { readonly url: string } | { readonly data: string } {
  if (source instanceof URL) {
    if (source.protocol === 'https:' || source.protocol === 'http:') return { url: source.href }
    throw new ConfigurationError(
      `file: the URL must begin with https: or http:, not ${show(source.protocol)}.`,
    )
  }
  if (source instanceof ArrayBuffer) return { data: base64Of(new Uint8Array(source)) }
  if (source instanceof Uint8Array) return { data: base64Of(source) }
  throw new ConfigurationError(`file: expected a Uint8Array, an ArrayBuffer or a URL, not ${show(source)}.`)
}

/** The mark is in no field: it tells a file from other data of the same shape that a tool may return. */
function marked<Part extends FilePart>(part: Part): Part {
  return Object.freeze(Object.defineProperty(part, mark, { value: true }))
}

/** Whether the value was made by `file`. */
export function isMadeFile(value: object): value is FileData | FileUrl {
  return Reflect.get(value, mark) === true
}
