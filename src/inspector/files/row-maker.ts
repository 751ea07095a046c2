/** Makes the rows of a run from the entries of its trail, in their order. */
import { requesterOf } from '../../actors/actor-path.ts'
import type { Usage } from '../../actors/usage.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'
import { historyOf, type HistoryEntry } from '../../runtime/replay/history.ts'
import type { TrailEntry, TrailTransition } from '../../runtime/trail/trail.ts'
import type { Row, RowEvent, RowTransition } from '../wire/rows.ts'
import { entryLine, eventLine } from './lines.ts'

export class RowMaker {
  /** By the paths of calls, the names of their tools. */
  readonly #names = new Map<string, string>()

  row(entry: TrailEntry, row: number): Row {
    for (const event of entry.events) this.#note(event)
    const [read] = historyOf([entry.recorded])
    return {
      row,
      journal: entry.journal,
      entry: entry.entry,
      type: entry.type,
      at: entry.at,
      ...(entry.key === undefined ? {} : { key: entry.key }),
      ...(read === undefined ? {} : factsOf(read)),
      line: entryLine(entry.recorded, this.#nameOf(entry.key)),
      transitions: entry.transitions.map(transitionOf),
      events: entry.events.map(eventOf),
      actorsAdded: entry.actorsAdded,
      actorsEnded: entry.actorsEnded,
    }
  }

  #note({ type, path, payload }: RunEvent): void {
    if (type === 'tool-call' || type === 'tool-call-approval') this.#names.set(path, payload.toolName)
  }

  #nameOf(key: string | undefined): string | undefined {
    return key === undefined ? undefined : this.#names.get(requesterOf(key))
  }
}

function factsOf({ path, kind, duration, usage, error, late }: HistoryEntry): Partial<Row> {
  const facts: { path?: string; kind?: NonNullable<Row['kind']>; duration?: number; usage?: Usage } & {
    error?: string
    late?: true
  } = {}
  if (path !== undefined) facts.path = path
  if (kind !== undefined) facts.kind = kind
  if (duration !== undefined) facts.duration = duration
  if (usage !== undefined) facts.usage = usage
  if (error !== undefined) facts.error = error.code
  if (late !== undefined) facts.late = late
  return facts
}

function transitionOf({ description: _, ...transition }: TrailTransition): RowTransition {
  return transition
}

function eventOf(event: RunEvent): RowEvent {
  const { type, seq, agent, path, delegationId } = event
  const toolCallId = 'toolCallId' in event.payload ? event.payload.toolCallId : undefined
  return {
    type,
    ...(seq === undefined ? {} : { seq }),
    agent,
    path,
    ...(delegationId === undefined ? {} : { delegationId }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    line: eventLine(event),
  }
}
