/** A run as a PROV-O graph: from its events, or from its journal by way of a replay. */
import type { JournalEntry, Replay, ReplayOptions, RunEvent } from '../index.ts'
import { readOptions } from '../kit/index.ts'
import {
  prefixField,
  urisOf,
  ProvenanceRecorder,
  type ProvenanceOptions,
  type Provenance,
} from './recorder.ts'
import type { Uris } from './rdf/uris.ts'

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
 * not contain: the run that the run was forked from, and results of tools that came late.
 * Throws a `ConfigurationError` for events of no run, of several, or that do not begin with the first.
 */
export function toProvenance(events: Iterable<RunEvent>, options: ProvenanceOptions = {}): Provenance {
  return make(validated(options), events, [])
}

function make(uris: Uris, events: Iterable<RunEvent>, journal: readonly JournalEntry[]): Provenance {
  const recorder = new ProvenanceRecorder(uris)
  for (const event of events) recorder.take(event)
  return recorder.end(journal)
}

/** Checks the options, and returns the URIs of the graph. */
function validated(options: ProvenanceOptions): Uris {
  return urisOf(readOptions<ProvenanceOptions>(options, 'provenance', prefixField).prefix)
}
