/** Reads a journal as what happened: the same machines, the same deliveries, and no effect performed. */
import type { InspectionEvent } from 'xstate'
import { aFunction, is } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { actorViews, type ActorView } from './actor-view.ts'
import { startedOf } from './check-entry.ts'
import { systemClock } from '../clock.ts'
import { Engine } from '../engine/engine.ts'
import type { RunEvent } from '../handle/event-log.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { lookUp, type AgentRegistry } from '../definition/registry.ts'
import type { Reporter } from '../report.ts'
import { registryOf } from '../agents/run-registry.ts'
import { resumeFrom } from './resume.ts'
import { shapedResult, type FinalResult } from '../handle/result.ts'
import { resultOf } from '../engine/run-results.ts'

export interface Replay {
  readonly runId: string
  /** `undefined` when the journal, or the part of it that was asked for, ends before the run does. */
  readonly result: FinalResult | undefined
  readonly events: readonly RunEvent[]
  /** How many entries were delivered. */
  readonly entries: number
  /** The actors as they were then: the root agent, what it had spawned, and what was waited for. */
  readonly actors: readonly ActorView[]
}

export interface ReplayOptions {
  /** How many entries are delivered. Default: all. */
  readonly until?: number
  /** Watches the actors as they go through it again. */
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
  const registry = registryOf(agents, started)
  let ended: FinalResult | undefined
  const engine = new Engine({
    registry,
    clock: systemClock,
    started,
    functions: {},
    ...(inspect === undefined ? {} : { inspect }),
    ...(report === undefined ? {} : { report }),
    onSettled(output) {
      ended = resultOf(engine, output)
      engine.root.send({ type: 'run.ended', result: ended })
    },
    onSuspended: () => undefined,
  })
  resumeFrom(engine, journal)
  // A shape that was given for this run alone is not here: its object stays JSON.
  const schema =
    started.settings.responseFormat === undefined
      ? lookUp(registry, started.agent).options.structuredOutput?.schema
      : undefined
  return {
    runId: started.runId,
    result: ended === undefined ? undefined : await shapedResult(ended, schema),
    events: engine.recorder.log.toArray(),
    entries: journal.length,
    actors: actorViews(engine.agent),
  }
}
