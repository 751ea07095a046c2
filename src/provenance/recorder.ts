/** The graph of one run while it is made: from its events in their order, then from its journal. */
import { ConfigurationError, type JournalEntry, type RunEvent } from '../index.ts'
import { type Fields, anything, optional } from '../kit/index.ts'
import { toExpandedJsonLd, toNQuads, toTriG, toTurtle } from './rdf/write.ts'
import type { Quad } from './rdf/rdf.ts'
import { Uris } from './rdf/uris.ts'
import { recordJournal } from './trace/journal.ts'
import { Ledger } from './trace/ledger.ts'
import { Trace } from './trace/trace.ts'

/** The derivations of one run, as RDF. Equal journals give equal graphs. */
export interface Provenance {
  readonly runId: string
  /** The URI of the root agent's session. */
  readonly session: string
  /** The URI of the answer of the run; `undefined` where it has none, or not yet. */
  readonly answer: string | undefined
  /** RDF/JS quads: a graph for each session, and in the default graph the agents and options that sessions share. */
  readonly quads: Quad[]
  /** All graphs as one. */
  toTurtle(): string
  toTriG(): string
  /** Canonical N-Quads, one statement a line. */
  toNQuads(): string
  /** Expanded JSON-LD, which needs no context. */
  toJsonLd(): string
}

export class ProvenanceRecorder {
  readonly #ledger: Ledger
  readonly #trace: Trace
  #runId: string | undefined

  constructor(uris: Uris) {
    this.#ledger = new Ledger(uris)
    this.#trace = new Trace(this.#ledger)
  }

  /** Throws a `ConfigurationError` for an event of another run, or one that does not follow from those before. */
  take(event: RunEvent): void {
    if (event.seq === undefined) return // a delta, which is not journaled
    if (this.#runId !== undefined && event.runId !== this.#runId) {
      throw new ConfigurationError(
        `provenance: the events are of two runs, "${this.#runId}" and "${event.runId}".`,
      )
    }
    this.#runId = event.runId
    this.#trace.read(event)
  }

  /** The statements that were added since the last call, in the order in which they were added. */
  added(): Quad[] {
    return this.#ledger.statements.added()
  }

  /** Throws a `ConfigurationError` where there were no events. */
  end(journal: readonly JournalEntry[]): Provenance {
    const { root } = this.#trace
    if (this.#runId === undefined || root === undefined) {
      throw new ConfigurationError('provenance: there are no events of a run.')
    }
    recordJournal(this.#ledger, this.#trace, root, journal)
    this.#trace.close()
    const quads = this.#ledger.statements.quads()
    return {
      runId: this.#runId,
      session: root.uri,
      answer: this.#trace.answer,
      quads,
      toTurtle: () => toTurtle(quads),
      toTriG: () => toTriG(quads),
      toNQuads: () => toNQuads(quads),
      toJsonLd: () => JSON.stringify(toExpandedJsonLd(quads), undefined, 2),
    }
  }
}

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
