/** A run as a PROV-O graph: from its events, or from its journal by way of a replay. */
import { anything } from '../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../actors/strict/read-options.ts'
import { ConfigurationError } from '../errors.ts'
import type { RunEvent } from '../runtime/handle/event-log.ts'
import type { JournalEntry } from '../runtime/journal/journal.ts'
import type { Replay, ReplayOptions } from '../runtime/replay/replay.ts'
import { toExpandedJsonLd } from './rdf/json-ld.ts'
import type { Quad } from './rdf/rdf.ts'
import { recordJournal } from './trace/journal.ts'
import { Ledger } from './trace/ledger.ts'
import { Trace } from './trace/trace.ts'
import { Uris } from './rdf/uris.ts'
import { toNQuads, toTriG, toTurtle } from './rdf/write.ts'

/** The options of `toProvenance` and `provenanceOf`. */
export interface ProvenanceOptions {
  /** The beginning of every URI of the graph, such as `https://example.org/runs/`. Default: `urn:trustgraph:`. */
  readonly prefix?: string
}

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

/** The part of a troupe that a graph is made from. */
export interface ReplayingTroupe {
  journal(runId: string): Promise<readonly JournalEntry[]>
  replay(runId: string, options?: ReplayOptions): Promise<Replay>
}

/**
 * Makes the graph of a run that is in a troupe's store, ended or not. The run is replayed, and no effect is performed.
 * Rejects with a `RunNotFoundError`; a `JournalMismatchError` when agents or machines have changed; a
 * `ConfigurationError` for a wrong option.
 */
export async function provenanceOf(
  troupe: ReplayingTroupe,
  runId: string,
  options: ProvenanceOptions = {},
): Promise<Provenance> {
  const uris = validated(options)
  const journal = await troupe.journal(runId)
  const { events } = await troupe.replay(runId, { until: journal.length })
  return make(uris, events, journal)
}

/**
 * Makes the graph of a run from its events, from the first one on, without a troupe. It lacks the facts that events do
 * not contain: the conversation, the run that the run was forked from, and results of tools that came late.
 * Throws a `ConfigurationError` for events of no run, of several, or that do not begin with the first.
 */
export function toProvenance(events: Iterable<RunEvent>, options: ProvenanceOptions = {}): Provenance {
  return make(validated(options), events, [])
}

function make(uris: Uris, events: Iterable<RunEvent>, journal: readonly JournalEntry[]): Provenance {
  const started = journal.find((entry) => entry.type === 'run.started')
  const ledger = new Ledger(uris, started?.conversationId)
  const trace = new Trace(ledger)
  let runId: string | undefined
  for (const event of events) {
    if (event.seq === undefined) continue // a delta, which is not journaled
    if (runId !== undefined && event.runId !== runId) {
      throw new ConfigurationError(`provenance: the events are of two runs, "${runId}" and "${event.runId}".`)
    }
    runId = event.runId
    trace.read(event)
  }
  const { root } = trace
  if (runId === undefined || root === undefined) {
    throw new ConfigurationError('provenance: there are no events of a run.')
  }
  recordJournal(ledger, trace, root, journal)
  trace.close()
  const quads = ledger.statements.quads()
  return {
    runId,
    session: root.uri,
    answer: trace.answer,
    quads,
    toTurtle: () => toTurtle(quads),
    toTriG: () => toTriG(quads),
    toNQuads: () => toNQuads(quads),
    toJsonLd: () => JSON.stringify(toExpandedJsonLd(quads), undefined, 2),
  }
}

const fields: Fields<ProvenanceOptions> = { prefix: optional(anything) }

/** Checks the options, and returns the URIs of the graph. */
function validated(options: ProvenanceOptions): Uris {
  const { prefix } = readOptions<ProvenanceOptions>(options, 'provenance', fields)
  return new Uris(prefix)
}
