/** Delivers the journal of a run to an engine. Before each delivery it checks that the run would have led to the entry. */
import { agentAt, requesterOf } from '../../actors/actor-path.ts'
import { JournalMismatchError, type JournalMismatch } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { Engine } from '../engine/engine.ts'
import {
  isForcedEnd,
  type JournalEntry,
  type RunSettled,
  type SignalReceived,
  type TimerFired,
} from '../journal/journal.ts'
import { namesOf } from '../program/program.ts'
import { wallClockKey } from '../state/effects/wall-clock.ts'

/** Replays a journal to its end; performs and appends nothing. Throws a `JournalMismatchError` at the first entry that does not fit the run. */
export function resumeFrom(engine: Engine, journal: readonly JournalEntry[]): void {
  engine.beginReplay()
  deliverToEnd(engine, journal, 0, (entry, position) => deliverChecked(engine, entry, position))
}

/**
 * Delivers entries from a position on. Of a run that was ended by force, the entries to which its agents do not lead any more
 * are passed over: its end needs no chart. Returns the difference at the first of these.
 */
export function deliverToEnd(
  engine: Engine,
  entries: readonly JournalEntry[],
  from: number,
  deliver: (entry: JournalEntry, position: number) => void,
): JournalMismatch | undefined {
  try {
    entries.forEach((entry, index) => deliver(entry, from + index))
    return undefined
  } catch (error) {
    const mismatch = mismatchBeforeForcedEnd(engine, entries, error)
    for (const entry of entries.slice(engine.delivered - from)) passOver(engine, entry)
    return mismatch
  }
}

/**
 * The difference for which entries are to be passed over: a forced end is among them, and has not been delivered. Throws any
 * other error again.
 */
export function mismatchBeforeForcedEnd(
  engine: Engine,
  entries: readonly JournalEntry[],
  error: unknown,
): JournalMismatch {
  const isEnded = entries.some(isForcedEnd)
  if (!isEnded || engine.isSettled || !(error instanceof JournalMismatchError)) throw error
  return error.mismatch
}

/** Takes an entry without the charts of the run: the forced end is delivered, and any other is counted. */
export function passOver(engine: Engine, entry: JournalEntry): void {
  if (isForcedEnd(entry)) engine.deliver(entry)
  else engine.passOver()
}

/**
 * Delivers an entry that fits the run. Recorded outcomes stand where an agent was edited: only an unedited program must ask
 * the same. Throws a `JournalMismatchError` for an entry to which the run would not have led.
 */
export function deliverChecked(engine: Engine, entry: JournalEntry, position: number): void {
  const mismatch = mismatchOf(engine, entry, position)
  const isExplained = mismatch?.field === digestField && engine.program.drift !== undefined
  if (mismatch !== undefined && !isExplained) throw mismatchError(engine, { entry: position, ...mismatch })
  engine.deliver(entry)
}

/**
 * Delivers an entry also where the input of its effect differs from the recorded one, and returns the first difference that
 * no entry explains. `known`: the difference so far. Throws a `JournalMismatchError` for an entry to which the run would not
 * have led.
 */
export function deliverTolerant(
  engine: Engine,
  entry: JournalEntry,
  position: number,
  known?: JournalMismatch,
): JournalMismatch | undefined {
  const mismatch = mismatchOf(engine, entry, position)
  if (mismatch !== undefined && mismatch.field !== digestField) {
    throw mismatchError(engine, { entry: position, ...mismatch })
  }
  engine.deliver(entry)
  if (entry.type === 'program.drifted' && engine.program.drift === undefined) return undefined
  return known ?? (mismatch && { entry: position, ...mismatch })
}

function mismatchError({ program }: Engine, mismatch: JournalMismatch): JournalMismatchError {
  const { key } = mismatch
  return new JournalMismatchError(mismatch, {
    ...(key === undefined ? {} : { agent: agentAt(requesterOf(key)) }),
    ...(program.drift === undefined ? {} : { edited: namesOf(program.drift.edits) }),
  })
}

type Difference = Omit<JournalMismatch, 'entry'>

const digestField = 'digest of the input'

function mismatchOf(engine: Engine, entry: JournalEntry, position: number): Difference | undefined {
  switch (entry.type) {
    case 'run.started':
      return position === 0
        ? undefined
        : { field: 'type', recorded: entry.type, actual: 'a run that has started' }
    case 'run.settled':
      if (entry.forced === true) return undefined
      return engine.isSettled
        ? { field: 'type', recorded: entry.type, actual: 'a run that is settled' }
        : settledDifference(engine.output, entry)
    case 'signal.received':
      return signalDifference(engine, entry)
    case 'program.drifted':
      return undefined
    case 'effect.started':
    case 'effect.settled':
    case 'timer.fired':
      return effectDifference(engine, entry)
  }
}

function effectDifference(
  engine: Engine,
  entry: Extract<JournalEntry, { readonly key: string }>,
): Difference | undefined {
  const { key } = entry
  if (entry.type === 'timer.fired' && key === wallClockKey) return wallClockDifference(engine, entry)
  const wanted = engine.effects.pending.get(key)
  const effect = wanted ?? engine.effects.letGone.get(key)
  if (effect === undefined) return unknownKey(engine, key)
  const kind = entry.type === 'timer.fired' ? 'timer' : entry.kind
  if (effect.kind !== kind) return { key, field: 'kind', recorded: kind, actual: effect.kind }
  if (effect.digest !== entry.digest) {
    return { key, field: digestField, recorded: entry.digest, actual: effect.digest }
  }
  if (entry.type === 'effect.settled' && entry.late === true && wanted !== undefined) {
    return { key, field: 'late', recorded: true, actual: 'an effect that is still wanted' }
  }
  return undefined
}

function wallClockDifference(engine: Engine, { key, digest }: TimerFired): Difference | undefined {
  const { wallClock } = engine.limits
  if (wallClock?.mayFire !== true) return unknownKey(engine, key)
  if (wallClock.digest === digest) return undefined
  return { key, field: digestField, recorded: digest, actual: wallClock.digest }
}

/** The run may have ended by an earlier entry of the same turn; once its end is on record it takes no signal. */
function signalDifference(engine: Engine, entry: SignalReceived): Difference | undefined {
  if (engine.recorder.log.hasEnded) {
    return { field: 'type', recorded: entry.type, actual: 'a run that has ended' }
  }
  const { signal } = entry
  if (
    signal.type !== 'answer' ||
    engine.effects.pending.has(signal.key) ||
    engine.effects.letGone.has(signal.key)
  )
    return undefined
  return unknownKey(engine, signal.key)
}

function unknownKey(engine: Engine, key: string): Difference {
  const open = [...engine.effects.pending.keys()].join(', ')
  return {
    key,
    field: 'key',
    recorded: key,
    actual: open === '' ? 'no open effect' : `these open: ${open}`,
  }
}

function settledDifference(output: AgentOutput | undefined, entry: RunSettled): Difference | undefined {
  if (output === undefined) {
    return { field: 'outcome', recorded: entry.outcome, actual: 'a run that goes on' }
  }
  for (const field of ['outcome', 'text', 'reason', 'by'] as const) {
    if (output[field] !== entry[field]) return { field, recorded: entry[field], actual: output[field] }
  }
  return output.error?.code === entry.error?.code
    ? undefined
    : { field: 'error', recorded: entry.error?.code, actual: output.error?.code }
}
