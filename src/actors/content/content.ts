/** The content of a message: text, or parts of text and files. */

/** Text in a message of several parts. */
export interface TextPart {
  /** Tells the parts of a message apart. */
  readonly type: 'text'
  /** The words. */
  readonly text: string
}

/** The facts of every file in a message. */
export interface FileFacts {
  readonly type: 'file'
  /** IANA media type, such as `image/png`. */
  readonly mediaType: string
  /** The name by which a model may hand the file on. Default: one made of the media type and the content. */
  readonly name?: string
}

/** A file by its bytes. */
export interface FileData extends FileFacts {
  /** The bytes as base64. */
  readonly data: string
}

/** A file that the provider of the model fetches itself. */
export interface FileUrl extends FileFacts {
  /** `https:` or `http:`. */
  readonly url: string
}

/** A file in the blob storage of the troupe. */
export interface FileRef extends FileFacts {
  /** The SHA-256 of the bytes, in hexadecimal: the key of `troupe.blobs`. */
  readonly ref: string
}

/** A file in a message: an image, audio, a document. */
export type FilePart = FileData | FileUrl | FileRef

/** A part of a message. */
export type Part = TextPart | FilePart

/** The content of a message: a text, or parts in the order in which the model reads them. */
export type Content = string | readonly Part[]

/** The text of the content; a file stands as a line with its name and its media type. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : labelOf(part))).join('\n')
}

/** The text of the content without its files. */
export function textAlone(content: Content): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
}

/** The line that stands for a file where only text can. */
export function labelOf({ name, mediaType }: FilePart): string {
  return name === undefined ? `[file, ${mediaType}]` : `[file ${JSON.stringify(name)}, ${mediaType}]`
}

/** The files of the content, in their order. */
export function filesOf(content: Content): readonly FilePart[] {
  if (typeof content === 'string') return []
  return content.filter((part) => part.type === 'file')
}

/** The files, and after them each other one that has not their bytes or address, once. */
export function withOthers(
  files: readonly FilePart[] = [],
  others: readonly FilePart[] = [],
): readonly FilePart[] {
  const known = new Set(files.map(sourceOf))
  const added = others.filter((file) => !known.has(sourceOf(file)) && known.add(sourceOf(file)))
  return added.length === 0 ? files : [...files, ...added]
}

function sourceOf(file: FilePart): string {
  return 'ref' in file ? file.ref : 'url' in file ? file.url : file.data
}

/** Whether the content is nothing but white space. */
export function isBlank(content: Content): boolean {
  if (typeof content === 'string') return content.trim() === ''
  return content.every((part) => part.type === 'text' && part.text.trim() === '')
}

/** Words with files, each of which may be missing. */
interface Spoken {
  readonly text: string
  readonly files?: readonly FilePart[]
}

/** Whether a reply or an answer says anything: with words, or with files alone. */
export function saysAnything({ text, files = [] }: Spoken): boolean {
  return files.length > 0 || text.trim() !== ''
}

/** What a reply or an answer says where only text can stand: its words or, without any, a line for each file. */
export function inWords({ text, files = [] }: Spoken): string {
  return text.trim() === '' && files.length > 0 ? textOf(files) : text
}

/** The text with files after it; the text alone where there are none. */
export function withFiles(text: string, files: readonly FilePart[] = []): Content {
  if (files.length === 0) return text
  return text === '' ? files : [{ type: 'text', text }, ...files]
}
