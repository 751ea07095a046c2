/** Replays a journal: the same machines, the same deliveries, and no effect performed. */
import { actorViews } from './actor-view.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { lookUp, type AgentRegistry } from '../definition/registry.ts'
import type { Reporter } from '../report.ts'
import { EventLog } from '../handle/event-log.ts'
import { registryOf, type RunRegistry } from '../agents/run-registry.ts'
import { recordInPlaceOf, resultOfRecord, tellRecord, type EndedRecord } from './ended-record.ts'
import { registryHere } from './registry-here.ts'
import { deliverChecked, deliverToEnd, deliverTolerant } from './deliver-journal.ts'
import type { Replay, ReplayOptions } from './replay-contract.ts'
import { replayedResult } from './replayed-run.ts'
import { RunState } from '../state/run-state.ts'
import type { JournalMismatch } from '../../errors.ts'
import { shapedResult } from '../handle/shaped-result.ts'

export interface JournalReplayOptions extends ReplayOptions {
  readonly report?: Reporter
  /** Default: by tables. */
  readonly interpreter?: InterpreterName | undefined
  /**
   * Stops at the first effect whose input differs from the recorded one; agents that are not registered are a
   * `ConfigurationError`. Default: `false`.
   */
  readonly isStrict?: boolean
}

/** Without its agents as they were: those of today must ask for the same. */
function asToday({ agents: _agents, ...started }: RunStarted): RunStarted {
  return started
}

/**
 * Rejects with a `JournalMismatchError` at the first entry that the run would not have led to, and with a `TroupeError` of
 * the code `AGENT_NOT_HERE` for a run of agents that are not registered.
 */
export async function replayJournal(
  agents: AgentRegistry,
  whole: readonly JournalEntry[],
  { until, inspect, report, interpreter, isStrict = false }: JournalReplayOptions,
): Promise<Replay> {
  const journal = whole.slice(0, until)
  const read = (): readonly [RunStarted, RunRegistry] => {
    const begun = startedOf(journal)
    const started = isStrict ? asToday(begun) : begun
    return [started, isStrict ? registryOf(agents, started) : registryHere(agents, started)]
  }
  let known: ReturnType<typeof read>
  try {
    known = read()
  } catch (error) {
    return replayOfRecord(recordInPlaceOf(error, journal), journal)
  }
  const [started, registry] = known
  const state = new RunState({ registry, started, inspect, report, interpreter })
  let diverged: JournalMismatch | undefined
  state.begin()
  const passed = deliverToEnd(state, journal, 0, (entry, position) => {
    if (isStrict) deliverChecked(state, entry, position)
    else diverged = deliverTolerant(state, entry, position, diverged)
  })
  diverged ??= passed
  const result = replayedResult(state)
  // A schema that was given for this run alone is not available: its object stays JSON.
  const schema =
    started.settings.responseFormat === undefined
      ? lookUp(registry, started.agent).options.structuredOutput?.schema
      : undefined
  return {
    runId: started.runId,
    result: result && (await shapedResult(result, schema)),
    events: state.recorder.log.withCursors(),
    entries: journal.length,
    ...(diverged === undefined ? {} : { diverged }),
    actors: actorViews(state.agent),
  }
}

/** A run that was ended by force, and cannot be replayed. */
function replayOfRecord(record: EndedRecord, journal: readonly JournalEntry[]): Replay {
  const log = new EventLog()
  tellRecord(record, log)
  return {
    runId: record.started.runId,
    result: resultOfRecord(record),
    events: log.withCursors(),
    entries: journal.length,
    actors: [],
  }
}
