/**
 * The answer of a model, or a piece of it, in either API. Servers differ and are not trusted, so a value that is not
 * of the expected type counts as absent.
 */
import type { FilePart } from '../../content/content.ts'
import { distinct, documentSource, webSource, type Source } from '../../content/source.ts'
import { isRecord, type JsonValue } from '../../values/json.ts'

export interface Part {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly CallPart[]
  /** Files that the server has made; absent: none. */
  readonly files?: readonly FilePart[]
  /** What the reply cites; absent: nothing. */
  readonly sources?: readonly Source[]
  /** What the server wants back with the message, in a form of its API; absent: nothing. */
  readonly data?: PartData
  /** The server wants the reasoning back as well. */
  readonly keepReasoning?: true
  /** Thoughts in the text go back with its calls as they came. */
  readonly takesThoughts?: true
}

export type PartData = Readonly<Record<string, JsonValue>>

export interface CallPart {
  readonly index: number | undefined
  readonly id: string
  readonly name: string
  /** JSON as text, in a stream a piece of it. */
  readonly args: string
  /** What the server wants back with the call, in a form of its API; absent: nothing. */
  readonly data?: PartData
}

/** A text, or the text parts of a list (Mistral, and the content of the Responses API). */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : readTexts(value).join('')
}

/** The text of each item of a list, for a text under another name than `text`. */
export function readTexts(list: unknown, key = 'text'): readonly string[] {
  if (!Array.isArray(list)) return []
  return list.filter(isRecord).map((item) => (typeof item[key] === 'string' ? item[key] : ''))
}

/** Some servers send the arguments as an object, not as its text. */
export function readArguments(args: unknown): string {
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : readText(args)
}

export function readIndex(index: unknown): number | undefined {
  return typeof index === 'number' && Number.isInteger(index) ? index : undefined
}

// The annotations of a text that cite a source: in both APIs a list, of which the fields lie at different depths.

/** Annotations of other types, and those of another form, cite nothing. */
export function readCitations(annotations: unknown): readonly Source[] {
  if (!Array.isArray(annotations)) return []
  return distinct(annotations.filter(isRecord).map(readCitation))
}

/** Empty where nothing is cited. */
export function citing(sources: readonly Source[]): Pick<Part, 'sources'> {
  return sources.length === 0 ? {} : { sources: distinct(sources) }
}

function readCitation(annotation: Record<string, unknown>): Source | undefined {
  switch (annotation['type']) {
    case 'url_citation': {
      const nested = annotation['url_citation']
      const { url, title } = isRecord(nested) ? nested : annotation
      return webSource(url, title)
    }
    case 'file_citation':
      return documentSource(annotation['filename'] ?? annotation['file_id'])
    default:
      return undefined
  }
}
