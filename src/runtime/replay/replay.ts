/** Replays a journal: the same machines, the same deliveries, and no effect performed. */
import type { InspectionEvent } from 'xstate'
import { aFunction, is } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { actorViews, type ActorView } from './actor-view.ts'
import { startedOf, type JournalEntry } from '../journal/journal.ts'
import type { RunEvent } from '../handle/run-event.ts'
import { lookUp, type AgentRegistry } from '../definition/registry.ts'
import type { Reporter } from '../report.ts'
import { resumeFrom } from './deliver-journal.ts'
import { replayEngine } from './replay-engine.ts'
import type { FinalResult } from '../handle/result.ts'
import { shapedResult } from '../handle/shaped-result.ts'

/** A replayed run: its events, its result, and its actors. */
export interface Replay {
  readonly runId: string
  /** `undefined` when the journal, or the part of it that is replayed, ends before the run does. */
  readonly result: FinalResult | undefined
  readonly events: readonly RunEvent[]
  /** The number of entries that were delivered. */
  readonly entries: number
  /** The actors at that point: the root agent, its children, and their pending effects. */
  readonly actors: readonly ActorView[]
}

/** The options of `troupe.replay`. */
export interface ReplayOptions {
  /** The number of entries to deliver. Default: all. */
  readonly until?: number
  /** An inspector of the actors during the replay. */
  readonly inspect?: (event: InspectionEvent) => void
}

const fields: Fields<ReplayOptions> = {
  until: optional(
    is('a positive number of entries', (given) => Number.isInteger(given) && Number(given) > 0),
  ),
  inspect: optional(aFunction),
}

/** Throws a `ConfigurationError`. */
export function readReplay(given: ReplayOptions = {}): ReplayOptions {
  return readOptions<ReplayOptions>(given, 'replay', fields)
}

/** Rejects with a `JournalMismatchError` at the first entry that the run would not have led to. */
export async function replayJournal(
  agents: AgentRegistry,
  whole: readonly JournalEntry[],
  { until, inspect }: ReplayOptions,
  report?: Reporter,
): Promise<Replay> {
  const journal = whole.slice(0, until)
  const started = startedOf(journal)
  const run = replayEngine(agents, started, { inspect, report })
  const { engine, registry } = run
  resumeFrom(engine, journal)
  // A schema that was given for this run alone is not available: its object stays JSON.
  const schema =
    started.settings.responseFormat === undefined
      ? lookUp(registry, started.agent).options.structuredOutput?.schema
      : undefined
  return {
    runId: started.runId,
    result: run.result && (await shapedResult(run.result, schema)),
    events: engine.recorder.log.toArray(),
    entries: journal.length,
    actors: actorViews(engine.agent),
  }
}
