/** The options of every graph. */
import { anything } from '../actors/strict/checks.ts'
import { optional, type Fields } from '../actors/strict/read-options.ts'
import { Uris } from './rdf/uris.ts'

/** The options of `toProvenance`, `provenanceOf` and `provenanceSink`. */
export interface ProvenanceOptions {
  /** The beginning of every URI of the graph, such as `https://example.org/runs/`. Default: `urn:trustgraph:`. */
  readonly prefix?: string
}

export const prefixField: Fields<ProvenanceOptions> = { prefix: optional(anything) }

/** Throws a `ConfigurationError` for a prefix that begins no URI. */
export function urisOf(prefix: string | undefined): Uris {
  return new Uris(prefix)
}
