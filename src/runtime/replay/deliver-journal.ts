/** Delivers the journal of a run to its state. Before each delivery it checks that the run would have led to the entry. */
import { agentAt, requesterOf } from '../../actors/actor-path.ts'
import { JournalMismatchError, type JournalMismatch } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { RunState } from '../state/run-state.ts'
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
export function resumeFrom(state: RunState, journal: readonly JournalEntry[]): void {
  state.begin()
  deliverToEnd(state, journal, 0, (entry, position) => deliverChecked(state, entry, position))
}

/**
 * Delivers entries from a position on. Of a run that was ended by force, the entries to which its agents do not lead any more
 * are passed over: its end needs no chart. Returns the difference at the first of these.
 */
export function deliverToEnd(
  state: RunState,
  entries: readonly JournalEntry[],
  from: number,
  deliver: (entry: JournalEntry, position: number) => void,
): JournalMismatch | undefined {
  try {
    entries.forEach((entry, index) => deliver(entry, from + index))
    return undefined
  } catch (error) {
    const mismatch = mismatchBeforeForcedEnd(state, entries, error)
    for (const entry of entries.slice(state.delivered - from)) passOver(state, entry)
    return mismatch
  }
}

/**
 * The difference for which entries are to be passed over: a forced end is among them, and has not been delivered. Throws any
 * other error again.
 */
export function mismatchBeforeForcedEnd(
  state: RunState,
  entries: readonly JournalEntry[],
  error: unknown,
): JournalMismatch {
  const isEnded = entries.some(isForcedEnd)
  if (!isEnded || state.isSettled || !(error instanceof JournalMismatchError)) throw error
  return error.mismatch
}

/** Takes an entry without the charts of the run: the forced end is delivered, and any other is counted. */
export function passOver(state: RunState, entry: JournalEntry): void {
  if (isForcedEnd(entry)) state.deliver(entry)
  else state.passOver()
}

/**
 * Delivers an entry that fits the run. Recorded outcomes stand where an agent was edited: only an unedited program must ask
 * the same. Throws a `JournalMismatchError` for an entry to which the run would not have led.
 */
export function deliverChecked(state: RunState, entry: JournalEntry, position: number): void {
  const mismatch = mismatchOf(state, entry, position)
  const isExplained = mismatch?.field === digestField && state.program.drift !== undefined
  if (mismatch !== undefined && !isExplained) throw mismatchError(state, { entry: position, ...mismatch })
  state.deliver(entry)
}

/**
 * Delivers an entry also where the input of its effect differs from the recorded one, and returns the first difference that
 * no entry explains. `known`: the difference so far. Throws a `JournalMismatchError` for an entry to which the run would not
 * have led.
 */
export function deliverTolerant(
  state: RunState,
  entry: JournalEntry,
  position: number,
  known?: JournalMismatch,
): JournalMismatch | undefined {
  const mismatch = mismatchOf(state, entry, position)
  if (mismatch !== undefined && mismatch.field !== digestField) {
    throw mismatchError(state, { entry: position, ...mismatch })
  }
  state.deliver(entry)
  if (entry.type === 'program.drifted' && state.program.drift === undefined) return undefined
  return known ?? (mismatch && { entry: position, ...mismatch })
}

function mismatchError({ program }: RunState, mismatch: JournalMismatch): JournalMismatchError {
  const { key } = mismatch
  return new JournalMismatchError(mismatch, {
    ...(key === undefined ? {} : { agent: agentAt(requesterOf(key)) }),
    ...(program.drift === undefined ? {} : { edited: namesOf(program.drift.edits) }),
  })
}

type Difference = Omit<JournalMismatch, 'entry'>

const digestField = 'digest of the input'

function mismatchOf(state: RunState, entry: JournalEntry, position: number): Difference | undefined {
  switch (entry.type) {
    case 'run.started':
      return position === 0
        ? undefined
        : { field: 'type', recorded: entry.type, actual: 'a run that has started' }
    case 'run.settled':
      if (entry.forced === true) return undefined
      return state.isSettled
        ? { field: 'type', recorded: entry.type, actual: 'a run that is settled' }
        : settledDifference(state.output, entry)
    case 'signal.received':
      return signalDifference(state, entry)
    case 'program.drifted':
    case 'run.restored':
      return undefined
    case 'effect.started':
    case 'effect.settled':
    case 'timer.fired':
      return effectDifference(state, entry)
  }
}

function effectDifference(
  state: RunState,
  entry: Extract<JournalEntry, { readonly key: string }>,
): Difference | undefined {
  const { key } = entry
  if (entry.type === 'timer.fired' && key === wallClockKey) return wallClockDifference(state, entry)
  const wanted = state.effects.pending.get(key)
  const effect = wanted ?? state.effects.letGone.get(key)
  if (effect === undefined) return unknownKey(state, key)
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

function wallClockDifference(state: RunState, { key, digest }: TimerFired): Difference | undefined {
  const { wallClock } = state.limits
  if (wallClock?.mayFire !== true) return unknownKey(state, key)
  if (wallClock.digest === digest) return undefined
  return { key, field: digestField, recorded: digest, actual: wallClock.digest }
}

/** The run may have ended by an earlier entry of the same turn; once its end is on record it takes no signal. */
function signalDifference(state: RunState, entry: SignalReceived): Difference | undefined {
  if (state.recorder.log.hasEnded) {
    return { field: 'type', recorded: entry.type, actual: 'a run that has ended' }
  }
  const { signal } = entry
  if (
    signal.type !== 'answer' ||
    state.effects.pending.has(signal.key) ||
    state.effects.letGone.has(signal.key)
  )
    return undefined
  return unknownKey(state, signal.key)
}

function unknownKey(state: RunState, key: string): Difference {
  const open = [...state.effects.pending.keys()].join(', ')
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
