/** The decisions of people and programs over all runs of a store, as journals have them: who decided what, when, and about what. */
import { aText, is, positiveInteger } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { once } from '../../actors/values/once.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import { cannotGoOn } from '../cannot-go-on.ts'
import { readable } from '../ending/forced-end.ts'
import { isForcedEnd, startedOf, type JournalEntry, type Signal } from '../journal/journal.ts'
import type { Page, RunFilter, RunSummary } from '../journal/run-index.ts'
import type { Store } from '../journal/store.ts'
import type { TrailEntry } from '../trail/trail.ts'

/** A decision of a person or a program about a run, as its journal has it. */
export interface Decision {
  readonly runId: string
  /** The root agent of the run. */
  readonly agent: string
  readonly resourceId?: string
  readonly conversationId?: string
  /** Position in the journal, from 0. */
  readonly entry: number
  /** When the run took it. Milliseconds since 1970. */
  readonly at: number
  readonly type: 'approve' | 'deny' | 'resume' | 'say' | 'cancel'
  /** The person or program, where the decision names it. */
  readonly by?: string
  readonly note?: string
  /** Of a denial and a cancel. */
  readonly reason?: string
  /** The id that its sender has given to an answer or a message. */
  readonly id?: string
  /** Of an answer: the call or the delegation that it is about. Of a cancel: the delegation; absent: the whole run. */
  readonly toolCallId?: string
  /** The tool of the call, and the arguments of the model. Absent where the agents of the run are not here. */
  readonly toolName?: string
  readonly args?: JsonValue
  /** The arguments that an approval has put in the place of those of the model. */
  readonly changedArgs?: JsonValue
  /** The data of a `resume`. */
  readonly data?: JsonValue
  /** The text of a message. */
  readonly message?: string
  /** The decision holds for the rest of the run. */
  readonly always?: true
  /** A cancel that ended a run by force. */
  readonly forced?: true
}

/** Chooses decisions. */
export interface DecisionFilter {
  readonly runId?: string
  /** The root agent of the run. */
  readonly agent?: string
  readonly resourceId?: string
  readonly conversationId?: string
  /** The person or program that decided. */
  readonly by?: string
  /** Those that were taken from this time on, and before that one: milliseconds since 1970. */
  readonly from?: number
  readonly to?: number
  /** The most decisions of the page. Default: all. */
  readonly limit?: number
  /** The `next` of the page before, of the same filter. Default: the list begins. */
  readonly before?: string
}

const aTime = is('a time in milliseconds since 1970', Number.isFinite)

const fields = once((): Fields<DecisionFilter> => ({
  runId: optional(aText),
  agent: optional(aText),
  resourceId: optional(aText),
  conversationId: optional(aText),
  by: optional(aText),
  from: optional(aTime),
  to: optional(aTime),
  limit: optional(positiveInteger),
  before: optional(aText),
}))

/** What the list needs of a troupe. */
export interface DecidedRuns {
  readonly store: Pick<Store, 'list' | 'read'>
  /** Tells what the entries of a run led to. Rejects where the agents of the run are not here. */
  trail(runId: string): Promise<{ readonly entries: readonly TrailEntry[] }>
}

/**
 * A page of decisions, by the beginning of their runs and then by their order. It reads the journals of the runs that the filter
 * leaves, one at a time; a run that is sealed by a key that was forgotten has none. Rejects with a `ConfigurationError` for a wrong filter.
 */
export async function listDecisions(runs: DecidedRuns, given: DecisionFilter = {}): Promise<Page<Decision>> {
  const filter = readOptions<DecisionFilter>(given, 'decisions', fields())
  const { limit = Infinity } = filter
  const items: Decision[] = []
  let { after, skip } = placeOf(filter.before)
  for (;;) {
    const page = await runs.store.list('runs', runFilter(filter, after))
    const [run] = page.items
    const found = run === undefined ? [] : await decisionsOf(runs, run, filter)
    const room = limit - items.length
    items.push(...found.slice(skip, skip + room))
    if (found.length - skip > room) return { items, next: cursorOf(after, skip + room) }
    if (page.next === undefined) return { items }
    after = page.next
    skip = 0
    if (items.length >= limit) return { items, next: cursorOf(after, 0) }
  }
}

/** A run, and how many of its decisions a page has had: the run behind this cursor of the list of runs. */
interface Place {
  readonly after: string | undefined
  readonly skip: number
}

function cursorOf(after: string | undefined, skip: number): string {
  return `d${skip}${after === undefined ? '' : `.${after}`}`
}

/** Throws a `ConfigurationError` for a text that is no cursor of this list. */
function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { after: undefined, skip: 0 }
  const [, skip, after] = /^d(\d{1,9})(?:\.(.+))?$/.exec(cursor) ?? []
  if (skip === undefined) {
    throw new ConfigurationError('decisions: before must be the `next` of a page of the list of decisions.')
  }
  return { after, skip: Number(skip) }
}

function runFilter(filter: DecisionFilter, after: string | undefined): RunFilter {
  const { runId, agent, resourceId, conversationId } = filter
  return {
    limit: 1,
    ...(runId === undefined ? {} : { runId }),
    ...(agent === undefined ? {} : { agent }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(after === undefined ? {} : { before: after }),
  }
}

async function decisionsOf(
  runs: DecidedRuns,
  { runId, startedAt, updatedAt }: RunSummary,
  { by, from = -Infinity, to = Infinity }: DecisionFilter,
): Promise<readonly Decision[]> {
  if (startedAt >= to || updatedAt < from) return []
  const journal = (await readable(runs.store.read(runId))) ?? [] // it may have been deleted, or its key forgotten
  const decisions = decisionsIn(journal).filter(
    (decision) => decision.at >= from && decision.at < to && (by === undefined || decision.by === by),
  )
  if (!decisions.some(isAnswer)) return decisions
  const calls = await callsOf(() => runs.trail(runId))
  return decisions.map((decision) =>
    isAnswer(decision) ? { ...decision, ...calls(decision.toolCallId, decision.entry) } : decision,
  )
}

function isAnswer({ type, toolCallId }: Decision): boolean {
  return type !== 'cancel' && toolCallId !== undefined
}

/** The decisions in the own entries of a run: those that a fork shares are of its origin. */
function decisionsIn(journal: readonly JournalEntry[]): readonly Decision[] {
  if (journal.length === 0) return []
  const { runId, agent, resourceId, conversationId, forkedFrom } = startedOf(journal)
  const run = {
    runId,
    agent,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
  const shared = forkedFrom?.at ?? 0
  return journal.flatMap((entry, position): readonly Decision[] => {
    const made = position < shared ? undefined : madeBy(entry)
    return made === undefined ? [] : [{ ...run, entry: position, at: entry.at, ...made }]
  })
}

type Made = Omit<Decision, 'runId' | 'agent' | 'entry' | 'at'>

function madeBy(entry: JournalEntry): Made | undefined {
  if (isForcedEnd(entry)) {
    const { reason, forcedBy: by } = entry
    return { type: 'cancel', forced: true, ...defined({ reason, by }) }
  }
  return entry.type === 'signal.received' ? decided(entry.signal) : undefined
}

/** `undefined`: the signal is of the run itself. */
function decided(signal: Signal): Made | undefined {
  switch (signal.type) {
    case 'answer': {
      const { id: toolCallId, by, note, answerId: id, always, answer } = signal
      const { approved, reason, data, args: changedArgs } = answer
      const type = !approved ? 'deny' : data === undefined ? 'approve' : 'resume'
      return { type, toolCallId, ...defined({ by, note, reason, id, changedArgs, data, always }) }
    }
    case 'say': {
      const { id, message, by } = signal
      return { type: 'say', id, message, ...defined({ by }) }
    }
    case 'cancel': {
      const { reason, by, delegationId: toolCallId } = signal
      return { type: 'cancel', ...defined({ reason, by, toolCallId }) }
    }
    default:
      return undefined
  }
}

/** The fields that have a value. */
function defined<Given extends object>(given: Given): { [Name in keyof Given]?: NonNullable<Given[Name]> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

type Call = Pick<Decision, 'toolName' | 'args'>

/** Gives the tool and the arguments of a call as an entry found them; neither where the run cannot be replayed here. */
async function callsOf(
  trail: () => Promise<{ readonly entries: readonly TrailEntry[] }>,
): Promise<(toolCallId: string | undefined, entry: number) => Call> {
  const told = new Map<string, Told[]>()
  try {
    for (const { entry, events } of (await trail()).entries) {
      for (const { type, payload } of events) {
        if (type === 'tool-call-answered' || !isCall(payload)) continue
        const { toolCallId, toolName, args } = payload
        told.set(toolCallId, [...(told.get(toolCallId) ?? []), { entry, call: { toolName, args } }])
      }
    }
  } catch (error) {
    if (!cannotGoOn(error)) throw error
  }
  return (toolCallId = '', before) =>
    told.get(toolCallId)?.findLast(({ entry }) => entry < before)?.call ?? {}
}

interface Told {
  /** The entry that led to the call, or to its question. */
  readonly entry: number
  readonly call: Call
}

function isCall(payload: unknown): payload is Required<Call> & { readonly toolCallId: string } {
  return isRecord(payload) && typeof payload['toolCallId'] === 'string' && 'args' in payload
}
