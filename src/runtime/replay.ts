/** Reads a journal as what happened: the same machines, the same deliveries, and no effect performed. */
import { JournalMismatchError, type JournalMismatch } from '../errors.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { systemClock } from './clock.ts'
import { resultOf } from './live-run.ts'
import { Engine } from './engine.ts'
import type { RunEvent } from './event-log.ts'
import { protocolVersion, type JournalEntry, type RunSettled, type SignalReceived } from './journal.ts'
import { lookUp, type Registry } from './registry.ts'
import { shapedResult, type FinalResult } from './result.ts'
import type { InspectionEvent } from 'xstate'

export interface Replay {
  readonly runId: string
  /** `undefined` when the journal ends before the run does. */
  readonly result: FinalResult | undefined
  readonly events: readonly RunEvent[]
  /** How many entries were delivered. */
  readonly entries: number
}

/** Rejects with a `JournalMismatchError` at the first entry that the run would not have led to. */
export async function replayJournal(
  registry: Registry,
  journal: readonly JournalEntry[],
  inspect?: (event: InspectionEvent) => void,
): Promise<Replay> {
  const started = journal[0]
  if (started?.type !== 'run.started') {
    throw new JournalMismatchError({
      entry: 0,
      field: 'type',
      recorded: started?.type,
      actual: 'run.started',
    })
  }
  if (started.protocol !== protocolVersion) {
    throw new JournalMismatchError({
      entry: 0,
      field: 'protocol',
      recorded: started.protocol,
      actual: protocolVersion,
    })
  }
  let output: AgentOutput | undefined
  const engine = new Engine({
    registry,
    clock: systemClock,
    started,
    functions: {},
    ...(inspect === undefined ? {} : { inspect }),
    onSettled: (settled) => (output = settled),
    onSuspended: () => undefined,
  })
  engine.beginReplay()
  journal.forEach((entry, position) => deliverChecked(engine, entry, position))
  // A shape that was given for this run alone is not here: its object stays JSON.
  const schema =
    started.settings.responseFormat === undefined
      ? lookUp(registry, started.agent).options.structuredOutput?.schema
      : undefined
  return {
    runId: started.runId,
    result: output === undefined ? undefined : await shapedResult(resultOf(engine, output), schema),
    events: engine.stamper.log.toArray(),
    entries: journal.length,
  }
}

/** Delivers an entry that fits the run; throws a `JournalMismatchError` for one that does not. */
export function deliverChecked(engine: Engine, entry: JournalEntry, position: number): void {
  const mismatch = mismatchOf(engine, entry, position)
  if (mismatch !== undefined) throw new JournalMismatchError({ entry: position, ...mismatch })
  engine.deliver(entry)
}

type Difference = Omit<JournalMismatch, 'entry'>

function mismatchOf(engine: Engine, entry: JournalEntry, position: number): Difference | undefined {
  switch (entry.type) {
    case 'run.started':
      return position === 0
        ? undefined
        : { field: 'type', recorded: entry.type, actual: 'a run that has started' }
    case 'run.settled':
      return engine.isSettled
        ? { field: 'type', recorded: entry.type, actual: 'a run that is settled' }
        : settledDifference(engine.output, entry)
    case 'signal.received':
      return signalDifference(engine, entry)
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
  const wanted = engine.effects.pending.get(key)
  const ticket = wanted ?? engine.effects.letGone.get(key)
  if (ticket === undefined) return unknownKey(engine, key)
  const kind = entry.type === 'timer.fired' ? 'timer' : entry.kind
  if (ticket.kind !== kind) return { key, field: 'kind', recorded: kind, actual: ticket.kind }
  if (ticket.digest !== entry.digest) {
    return { key, field: 'digest of the input', recorded: entry.digest, actual: ticket.digest }
  }
  if (entry.type === 'effect.settled' && entry.late === true && wanted !== undefined) {
    return { key, field: 'late', recorded: true, actual: 'an effect that is still wanted' }
  }
  return undefined
}

/** The run may have ended by what came before in the same turn; once its end is on record nothing is answered. */
function signalDifference(engine: Engine, entry: SignalReceived): Difference | undefined {
  if (engine.stamper.log.hasEnded) {
    return { field: 'type', recorded: entry.type, actual: 'a run that has ended' }
  }
  const { signal } = entry
  if (
    signal.type === 'cancel' ||
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
