/** What a reply of a model cites: pages of the web, and documents that its provider has searched. */
import { isWebUrl } from './web-url.ts'

/** A page of the web. */
export interface WebSource {
  readonly type: 'url'
  /** `https:` or `http:`. */
  readonly url: string
  /** The title of the page, where the provider gives one. */
  readonly title?: string
}

/** A document that the provider has searched. */
export interface DocumentSource {
  readonly type: 'document'
  /** Its title, or the name of its file. */
  readonly title: string
  /** IANA media type, such as `application/pdf`, where the provider gives one. */
  readonly mediaType?: string
}

/** A source that a reply of a model cites. */
export type Source = WebSource | DocumentSource

/** `undefined` for an address that is not one of the web. */
export function webSource(url: unknown, title?: unknown): WebSource | undefined {
  if (!isWebUrl(url)) return undefined
  return { type: 'url', url, ...(isWord(title) ? { title } : {}) }
}

/** `undefined` without a title. */
export function documentSource(title: unknown, mediaType?: unknown): DocumentSource | undefined {
  if (!isWord(title)) return undefined
  return { type: 'document', title, ...(isWord(mediaType) ? { mediaType } : {}) }
}

/** Each source once, as it was cited first: by its address, or by its title. */
export function distinct(sources: readonly (Source | undefined)[]): readonly Source[] {
  const first = new Map<string, Source>()
  for (const source of sources) {
    if (source === undefined) continue
    const key = source.type === 'url' ? `url ${source.url}` : `document ${source.title}`
    if (!first.has(key)) first.set(key, source)
  }
  return [...first.values()]
}

function isWord(given: unknown): given is string {
  return typeof given === 'string' && given !== ''
}
