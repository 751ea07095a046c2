/**
 * A run that was ended by force and that cannot be replayed at all: its agents are not here, or it is of another release. Its
 * readers get its beginning and its end.
 */
import { noUsage } from '../../actors/usage.ts'
import { JournalMismatchError, TroupeError } from '../../errors.ts'
import { forcedOutput } from '../state/root-agents.ts'
import { beginningOf } from '../state/prepare.ts'
import type { EventLog } from '../handle/event-log.ts'
import { EventRecorder } from '../handle/event-recorder.ts'
import { finalResult, type FinalResult } from '../handle/result.ts'
import type { RunEvent } from '../handle/run-event.ts'
import { isForcedEnd, type JournalEntry, type RunSettled, type RunStarted } from '../journal/journal.ts'

export interface EndedRecord {
  readonly started: RunStarted
  readonly end: RunSettled
  /** The position of the end in the journal. */
  readonly position: number
}

/** The beginning and the end of a run for which `error` was thrown. Throws the error again for any other run and error. */
export function recordInPlaceOf(error: unknown, journal: readonly JournalEntry[]): EndedRecord {
  const [started] = journal
  const position = journal.findIndex(isForcedEnd)
  const end = journal[position]
  if (!isUnreplayable(error) || started?.type !== 'run.started' || end?.type !== 'run.settled') throw error
  return { started, end, position }
}

function isUnreplayable(error: unknown): boolean {
  return (
    error instanceof JournalMismatchError || (error instanceof TroupeError && error.code === 'AGENT_NOT_HERE')
  )
}

/** Writes the events of both, and ends the log. */
export function tellRecord({ started, end, position }: EndedRecord, log: EventLog): void {
  const recorder = new EventRecorder(started, { log })
  recorder.recordRun('run-start', beginningOf(started, started.threadId), started.at)
  const { type: _type, at, ...payload } = end
  recorder.entry = position
  recorder.recordRun('run-finish', payload, at, { final: true })
  log.end()
}

/** The events of an entry, by its position. */
export function eventsAt(
  { position }: EndedRecord,
  events: readonly RunEvent[],
  entry: number,
): readonly RunEvent[] {
  if (entry === 0) return events.slice(0, 1)
  return entry === position ? events.slice(1) : []
}

export function resultOfRecord({ started, end }: EndedRecord): FinalResult {
  const reached = { text: '', delegations: [], scores: [], steps: [], usage: {} }
  return finalResult(
    started.runId,
    forcedOutput(end, reached),
    { ...noUsage, ...end.usage, byAgent: {} },
    {
      agent: started.agent,
      threadId: started.threadId,
      errors: [],
      durationOf: () => 0,
      versionOf: () => started.version,
    },
  )
}
