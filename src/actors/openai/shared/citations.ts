/** The annotations of a text that cite a source: in both APIs a list, of which the fields lie at different depths. */
import { distinct, documentSource, webSource, type Source } from '../../content/source.ts'
import { isRecord } from '../../values/json.ts'
import type { Part } from './part.ts'

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
