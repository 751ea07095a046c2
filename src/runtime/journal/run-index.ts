/**
 * The index of a store: the facts about runs and their open questions that are read without a journal and without the
 * agents. Lists come in pages.
 */
import { aText, notNegative, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { optional, readOptions, show, type Fields, type Reader } from '../../actors/strict/read-options.ts'
import type { Usage } from '../../actors/usage.ts'
import { once } from '../../actors/values/once.ts'
import { ConfigurationError } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'

/** A held call that a signal can answer, as the index of a store has it. */
export interface OpenQuestion extends AwaitedSignal {
  readonly runId: string
  /** The path of the agent that asks. */
  readonly path: string
  /** Logical time at which the call was held, milliseconds since 1970. */
  readonly since: number
  /** The number of journal entries with which the call was held: the row says nothing about later entries. */
  readonly asOf: number
  /** The effect key of the call, which an answer claims. Absent in an index that did not hold it. */
  readonly key?: string
  /** The `leftAt` of its run, in lists: no worker goes on with the run when the answer comes. Absent: the run is not left. */
  readonly leftAt?: number
}

/** A change of the questions of one run in the index. A repeated change changes nothing. */
export interface QuestionChange {
  /** Questions to set. One with the same `toolCallId` is replaced, in its place. */
  readonly opened: readonly OpenQuestion[]
  /** The `toolCallId`s of questions to remove; `'others'`: all that are not in `opened`. */
  readonly closed: readonly string[] | 'others'
  /**
   * The number of journal entries with which the run is suspended: nothing of it is in progress, and it waits for signals
   * alone, until it has another entry. Absent: the last such number stays.
   */
  readonly suspendedAt?: number
}

/** The facts about a run that a store has without reading its journal: an append changes them in its transaction. */
export interface RunSummary {
  readonly runId: string
  /** The id of its root agent. */
  readonly agent: string
  readonly conversationId?: string
  /**
   * The thread that the run begins with. Absent: its agent has no memory and was given none, or a function of the run
   * decides on the memory.
   */
  readonly threadId?: string
  /** The resource that the run was given. */
  readonly resourceId?: string
  /**
   * `suspended`: unfinished, and it waits for signals or timers alone. `running`: unfinished otherwise, whether or not a
   * process works on it.
   */
  readonly status: 'running' | 'suspended' | 'settled'
  /** It is suspended, and has left the memory of its process: it goes on in any process, with a signal or at `wakeAt`. */
  readonly isPassivated?: true
  /**
   * Set once three workers in a row have claimed the run after its lease ran out, without a new entry or a release: when
   * the newest lease runs out, milliseconds since 1970. From then on workers leave the run: `resume` takes it up again,
   * and a forced cancel ends it.
   */
  readonly leftAt?: number
  /** Set once it is settled. Later entries do not change it. */
  readonly outcome?: string
  /** The code of the error that ended it. Later entries do not change it. */
  readonly code?: string
  /** The first line of its task that has a character, of at most 200. A sealed store does not have it. */
  readonly task?: string
  /** The run that it was forked from. */
  readonly forkedFrom?: string
  /** The run whose call began it. */
  readonly nestedIn?: string
  /** Number of journal entries. */
  readonly entries: number
  /** Of the model calls that have ended so far; of a settled run that of the whole run. Later entries do not change it. */
  readonly usage: Usage
  /** Logical time of the first and the last entry, milliseconds since 1970. */
  readonly startedAt: number
  readonly updatedAt: number
  /** Logical time of the entry that ended it, milliseconds since 1970. Absent: it is not settled. */
  readonly endedAt?: number
  /** Milliseconds to its end, or to its last entry so far, without the gap between the entries that a fork shares and its own. */
  readonly duration: number
  /** Of a passivated run that is not settled: when it must be revived at the latest, because a timer is due. */
  readonly wakeAt?: number
  /** The questions that wait for an answer, oldest first. */
  readonly awaiting: readonly OpenQuestion[]
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Given as `before`, it continues the list. Absent: the list ends here. */
  readonly next?: string
}

/** The part of a list to return. */
export interface PageOptions {
  /** The most items of the page. Default: all. */
  readonly limit?: number
  /**
   * The `next` of the page before, from a list of the same filter and order. Items that are added or deleted meanwhile
   * neither repeat nor hide others. Default: the list begins.
   */
  readonly before?: string
  /** Default: `oldest` first. */
  readonly order?: 'oldest' | 'newest'
}

/** The order of a list of runs. */
export type RunOrder = (typeof runOrders)[number]

/** `oldest`, `newest`: by the time at which runs began. The others: the run that changed last, cost or lasted most is first. */
export const runOrders = ['oldest', 'newest', 'changed', 'costliest', 'longest'] as const

/** An order by a number that may grow while a run goes on: the run then moves to the front. */
export type GrowingOrder = Exclude<RunOrder, 'oldest' | 'newest'>

/** Chooses runs of a store. */
export interface RunFilter extends Omit<PageOptions, 'order'> {
  /** Default: `oldest` first. A run that changes while pages are read may move to the front of the last three. */
  readonly order?: RunOrder
  /** The one run of this id. */
  readonly runId?: string
  readonly status?: RunSummary['status'] | 'unfinished'
  /** Runs that have ended with this outcome, such as `failed`. */
  readonly outcome?: string
  /** Runs that an error with this code has ended. */
  readonly code?: string
  /**
   * Runs whose `task` or id has each of these words, or parts of words. Letters of ASCII are found in either case. The first 8
   * distinct words among the first 200 characters count. A sealed store finds ids alone.
   */
  readonly text?: string
  /** Runs that began at this time or later: milliseconds since 1970. */
  readonly startedSince?: number
  /** Runs whose last entry is of this time or later: milliseconds since 1970. */
  readonly changedSince?: number
  /** The root agent. */
  readonly agent?: string
  readonly resourceId?: string
  readonly threadId?: string
  readonly conversationId?: string
  /** Runs that were forked from this one. */
  readonly forkedFrom?: string
  /** Runs that calls of this one began. */
  readonly nestedIn?: string
}

/** Chooses open questions of a store. */
export interface QuestionFilter extends PageOptions {
  readonly runId?: string
  readonly type?: AwaitedSignal['type']
  /** The agent that asks. */
  readonly agent?: string
  /** The resource, the thread and the conversation that the run was given. */
  readonly resourceId?: string
  readonly threadId?: string
  readonly conversationId?: string
}

/** Chooses things that a retention deletes: those that meet either limit, the oldest first. */
export interface Expiry {
  /** Those that were last changed before: milliseconds since 1970. */
  readonly before?: number
  /** Those beyond this number of the newest. */
  readonly keep?: number
  /** The most to return. Default: all. */
  readonly limit?: number
}

/** Reads a cursor of a list. */
export function aCursorOf(list: ListName): Reader {
  return (given, where) => {
    const cursor = aText(given, where) as string
    placeIn(list, cursor, where)
    return cursor
  }
}

const pageFields = (list: ListName): Fields<Omit<PageOptions, 'order'>> => ({
  limit: optional(positiveInteger),
  before: optional(aCursorOf(list)),
})

const runFields = once((): Fields<RunFilter> => ({
  ...pageFields('runs'),
  order: optional(oneOf(...runOrders)),
  runId: optional(aText),
  status: optional(oneOf('running', 'suspended', 'settled', 'unfinished')),
  outcome: optional(aText),
  code: optional(aText),
  text: optional(aText),
  startedSince: optional(notNegative),
  changedSince: optional(notNegative),
  agent: optional(aText),
  resourceId: optional(aText),
  threadId: optional(aText),
  conversationId: optional(aText),
  forkedFrom: optional(aText),
  nestedIn: optional(aText),
}))

const questionFields = once((): Fields<QuestionFilter> => ({
  ...pageFields('questions'),
  order: optional(oneOf('oldest', 'newest')),
  runId: optional(aText),
  type: optional(oneOf('approval', 'suspension', 'interruption')),
  agent: optional(aText),
  resourceId: optional(aText),
  threadId: optional(aText),
  conversationId: optional(aText),
}))

/** Throws a `ConfigurationError`: a misspelt filter must not list all runs. */
export function readRunFilter(given: RunFilter = {}): RunFilter {
  const filter = readOptions<RunFilter>(given, 'runs', runFields())
  runPlace(filter)
  return filter
}

/** Throws a `ConfigurationError`: a misspelt filter must not list all questions. */
export function readQuestionFilter(given: QuestionFilter = {}): QuestionFilter {
  return readOptions<QuestionFilter>(given, 'awaiting', questionFields())
}

/** A list of a store. A cursor names its list, so that the cursor of another list is refused. */
export type ListName = 'runs' | 'questions' | 'schedules'

/** A place in a list, behind an item. */
export interface ListPlace {
  /** A number of the store that grows from item to item and is never used again. */
  readonly position: number
  /** In an order by a number: that of the item. */
  readonly sorted?: { readonly order: GrowingOrder; readonly value: number }
}

const tags: Readonly<Record<ListName, string>> = { runs: 'r', questions: 'q', schedules: 's' }

const cursorForm = /^([rqs])([0-9a-z]{1,11})(?:\.(changed|costliest|longest)\.(-?\d[\d.e+-]{0,24}))?$/

/** The cursor of a place. */
export function cursorAt(list: ListName, { position, sorted }: ListPlace): string {
  const place = `${tags[list]}${position.toString(36)}`
  return sorted === undefined ? place : `${place}.${sorted.order}.${sorted.value}`
}

/** The place of a cursor. Throws a `ConfigurationError` for a text that is no cursor of this list. */
export function placeIn(list: ListName, cursor: string, where = 'before'): ListPlace {
  const [, tag, digits, order, number] = cursorForm.exec(cursor) ?? []
  const value = Number(number ?? 0)
  const isOfList = digits !== undefined && tag === tags[list] && (order === undefined || list === 'runs')
  if (!isOfList || Number.isNaN(value)) throw wrongCursor(list, cursor, where)
  const position = Number.parseInt(digits, 36)
  return order === undefined ? { position } : { position, sorted: { order: order as GrowingOrder, value } }
}

/** The order of a list of runs by a number that may grow. `undefined`: it is by the beginning. */
export function growingOrder(order: RunOrder | undefined): GrowingOrder | undefined {
  return order === undefined || order === 'oldest' || order === 'newest' ? undefined : order
}

/** The place from which a list of runs goes on. Throws a `ConfigurationError` for the cursor of another order. */
export function runPlace({ before, order }: Pick<RunFilter, 'before' | 'order'>): ListPlace | undefined {
  if (before === undefined) return undefined
  const place = placeIn('runs', before)
  if (place.sorted?.order === growingOrder(order)) return place
  throw wrongCursor('runs', before, 'before')
}

/** The error of a text that is no cursor of this list. */
export function wrongCursor(list: ListName | 'resources', cursor: string, where: string): ConfigurationError {
  return new ConfigurationError(
    `${where} must be the \`next\` of a page of the list of ${list}, not ${show(cursor)}.`,
  )
}

/** The page of `limit` items, from a list that has one more where there are more. */
export function pageOf<Row, Item>(
  list: ListName,
  found: readonly Row[],
  limit: number | undefined,
  read: { readonly item: (row: Row) => Item; readonly place: (row: Row) => ListPlace },
): Page<Item> {
  const rows = limit === undefined ? found : found.slice(0, limit)
  const last = rows.at(-1)
  const items = rows.map((row) => read.item(row))
  return last === undefined || rows.length === found.length
    ? { items }
    : { items, next: cursorAt(list, read.place(last)) }
}
