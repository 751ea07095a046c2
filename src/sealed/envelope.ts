/** The clear part of what a store has: the fields that its lists, claims, sums and releases need, and no others. */
import type { JournalEntry, OpenQuestion, RunFilter, RunSummary, QuestionFilter } from '../index.ts'
import { blobRefsIn, entryUsage, startedColumns } from '../kit/index.ts'
import type { NameKind, Names } from './names.ts'

/** The ids that a run was given. */
interface GivenIds {
  readonly resourceId?: string
  readonly threadId?: string
  readonly conversationId?: string
}

const kinds = { resourceId: 'resource', threadId: 'thread', conversationId: 'conversation' } as const

const fields = ['resourceId', 'threadId', 'conversationId'] as const

/** A row or a filter of which every field is a name or stays clear. A new field does not compile until it is named here. */
type Decided<Row, Clear extends string> =
  Exclude<keyof Required<Row>, Clear | keyof GivenIds> extends never ? Row : never

type ClearPage = 'limit' | 'before' | 'order'

/** The filter of the list of runs. */
export type ClearRunFilter = Decided<
  RunFilter,
  | 'runId'
  | 'status'
  | 'outcome'
  | 'code'
  | 'text'
  | 'startedSince'
  | 'changedSince'
  | 'agent'
  | 'forkedFrom'
  | 'nestedIn'
  | ClearPage
>

/** The filter of the list of questions. */
export type ClearQuestionFilter = Decided<QuestionFilter, 'runId' | 'type' | 'agent' | ClearPage>

/** A run of a list. Its questions are opened. */
export type ClearRun = Decided<
  RunSummary,
  | 'runId'
  | 'agent'
  | 'status'
  | 'isPassivated'
  | 'leftAt'
  | 'outcome'
  | 'code'
  | 'task'
  | 'forkedFrom'
  | 'nestedIn'
  | 'entries'
  | 'usage'
  | 'startedAt'
  | 'updatedAt'
  | 'endedAt'
  | 'duration'
  | 'wakeAt'
  | 'awaiting'
>

/** The ids of a filter as names. */
export function namedFilter<Filter extends GivenIds>(filter: Filter, names: Names): Filter {
  return changed(filter, (field, id) => names.of(kinds[field], id))
}

/** The names of a row as ids. A name that these names do not open stays as it is: one row hides no other. */
export function unnamed<Row extends GivenIds>(row: Row, names: Names): Row {
  return changed(row, (field, name) => idOrName(names, kinds[field], name))
}

export function idOrName(names: Names, kind: NameKind, name: string): string {
  try {
    return names.idOf(kind, name)
  } catch {
    return name
  }
}

function changed<Row extends GivenIds>(row: Row, change: (field: keyof GivenIds, id: string) => string): Row {
  let made: Row | undefined
  for (const field of fields) {
    const id = row[field]
    if (typeof id !== 'string') continue
    made ??= { ...row }
    Object.assign(made, { [field]: change(field, id) })
  }
  return made ?? row
}

/** An entry as the store has it. `json`: the whole entry, which `sealed` holds. */
export function sealedEntry(entry: JournalEntry, json: string, sealed: string, names: Names): JournalEntry {
  const refs = refsIn(json, names)
  const clear = { ...clearOf(entry, names), ...(refs.length === 0 ? {} : { refs }), sealed }
  return clear as object as JournalEntry
}

function clearOf(entry: JournalEntry, names: Names): object {
  const { type, at } = entry
  switch (entry.type) {
    case 'run.started': {
      const { forkedFrom, nestedIn, startedAt: _at, ...columns } = startedColumns(entry)
      const fork = forkedFrom === undefined ? {} : { forkedFrom: { runId: forkedFrom } }
      const nested = nestedIn === undefined ? {} : { nested: { runId: nestedIn } }
      const gaps = entry.uncounted === undefined ? {} : { uncounted: entry.uncounted }
      return { type, at, runId: entry.runId, ...namedFilter(columns, names), ...fork, ...nested, ...gaps }
    }
    case 'effect.settled': {
      const usage = entryUsage(entry)
      return {
        type,
        at,
        ...(usage === undefined ? {} : { kind: entry.kind, settlement: { value: { usage } } }),
      }
    }
    case 'run.settled':
      return {
        type,
        at,
        outcome: entry.outcome,
        usage: entry.usage,
        ...(entry.error === undefined ? {} : { error: { code: entry.error.code } }),
      }
    case 'effect.started':
    case 'timer.fired':
    case 'signal.received':
    case 'program.drifted':
    case 'run.restored':
      return { type, at }
  }
}

/** The blobs that JSON names, as the store knows them: in a form in which stores find them. */
export function refsIn(json: string, names: Names): readonly { readonly ref: string }[] {
  return blobRefsIn(json).map((ref) => ({ ref: names.refOf(ref) }))
}

/** A question as the index has it. `sealed` holds the whole question. */
export function sealedQuestion(question: OpenQuestion, sealed: string, names: Names): OpenQuestion {
  const { runId, type, agent, toolCallId, since, asOf } = question
  return {
    runId,
    type,
    agent,
    toolCallId: names.of('call', toolCallId),
    since,
    asOf,
    sealed,
  } as object as OpenQuestion
}

/** The sealed part of a row. */
export function sealedIn(row: object): unknown {
  return (row as { readonly sealed?: unknown }).sealed
}
