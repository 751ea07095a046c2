/**
 * The list of runs in SQL. Where a filter or an order is by a number that changes with each entry, the statement reads the ended
 * and the unfinished runs apart: only ended runs have an index of such numbers, so that a step changes none.
 */
import {
  growingOrder,
  runPlace,
  type GrowingOrder,
  type ListPlace,
  type RunFilter,
} from '../../runtime/journal/run-index.ts'
import { Conditions, Values, type Dialect, type Statement } from './conditions.ts'

/** The runs of which a part of the statement reads. */
export type RunsPart = 'all' | 'ended' | 'unfinished'

/** The index that finds the ended runs of a part. */
export type EndedRunsIndex = 'code' | 'changed' | 'started' | 'outcome' | 'costliest' | 'longest'

/** How a store writes the parts. */
export interface RunsTable {
  readonly dialect: Dialect
  /** The columns of a row, with `id`. */
  readonly columns: string
  /** `FROM …`, with the table under the name `runs`. `index`: by which ended runs are found. */
  from(part: RunsPart, filter: RunFilter, index: EndedRunsIndex | undefined): string
  /** The cost of a run: a number of the column `usage`. */
  readonly cost: string
  /** A column that no index is to be used for: the runs of a resource, a thread or a conversation are few. */
  unindexed(column: string): string
}

/** A row of the list. `sort_value`: the number of an order by one. */
export interface SortedRow {
  readonly id: number
  readonly sort_value: number | null
}

/** The statement of a page, for its rows and one more. `upTo`: the position of the last row. */
export function runsQuery(table: RunsTable, filter: RunFilter, upTo?: number): Statement {
  const order = growingOrder(filter.order)
  const direction = filter.order === undefined || filter.order === 'oldest' ? '' : ' DESC'
  const values = new Values(table.dialect)
  const parts = partsOf(filter).map((part) => partOf(table, filter, { part, order, direction, values, upTo }))
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return { sql: only, values: values.all }
  const all = parts.map((sql, index) => `SELECT * FROM (${sql}) AS part${index}`).join(' UNION ALL ')
  const by = order === undefined ? `id${direction}` : 'sort_value DESC, id DESC'
  return { sql: `${all} ORDER BY ${by}${limitOf(filter, values)}`, values: values.all }
}

/** The place behind a row. */
export function placeOfRow({ id, sort_value }: SortedRow, { order }: Pick<RunFilter, 'order'>): ListPlace {
  const growing = growingOrder(order)
  return growing === undefined
    ? { position: id }
    : { position: id, sorted: { order: growing, value: sort_value ?? 0 } }
}

/** Whether the runs are found by what they were given or come from. */
export function isNarrow(filter: RunFilter): boolean {
  const { runId, resourceId, threadId, conversationId, forkedFrom, nestedIn } = filter
  return [runId, resourceId, threadId, conversationId, forkedFrom, nestedIn].some(
    (text) => text !== undefined,
  )
}

function partsOf(filter: RunFilter): readonly RunsPart[] {
  const { status, outcome, code, order, changedSince, startedSince } = filter
  if (isNarrow(filter)) return ['all']
  if (status === 'settled' || outcome !== undefined || code !== undefined) return ['ended']
  if (status !== undefined) return ['unfinished']
  const isOfTime = changedSince !== undefined || startedSince !== undefined
  return isOfTime || growingOrder(order) !== undefined ? ['ended', 'unfinished'] : ['all']
}

interface Part {
  readonly part: RunsPart
  readonly order: GrowingOrder | undefined
  readonly direction: string
  readonly values: Values
  readonly upTo: number | undefined
}

function partOf(table: RunsTable, filter: RunFilter, { part, order, direction, values, upTo }: Part): string {
  const narrow = isNarrow(filter)
  const column = (name: string): string => (narrow ? table.unindexed(`runs.${name}`) : `runs.${name}`)
  const conditions = new Conditions(values)
    .text('runs.run_id', filter.runId)
    .given(filter, 'runs')
    .origin(filter)
    .status(filter.status)
    .found(
      part === 'all' ? undefined : part === 'ended' ? 'runs.outcome IS NOT NULL' : 'runs.outcome IS NULL',
    )
    .text(column('outcome'), filter.outcome)
    .text(column('code'), filter.code)
    .since(column('started_at'), filter.startedSince)
    .since(column('updated_at'), filter.changedSince)
    .words(filter.text)
    .text(column('agent'), filter.agent)
  const value = order === undefined ? undefined : valueOf(table, part, order)
  const place = runPlace(filter)
  const by = value ?? 'runs.id'
  if (place !== undefined) conditions.behind(by, 'runs.id', place, direction === '' ? '>' : '<')
  if (upTo !== undefined) conditions.upTo('runs.id', upTo)
  const sorted = value === undefined ? `runs.id${direction}` : `${value} DESC, runs.id DESC`
  const index = part === 'ended' ? endedIndexOf(filter, order) : undefined
  const from = table.from(part, filter, index)
  const columns = `${table.columns}, ${value ?? 'null'} AS sort_value`
  return `SELECT ${columns} ${from} ${conditions.where}ORDER BY ${sorted}${limitOf(filter, values)}`
}

function valueOf({ cost }: RunsTable, part: RunsPart, order: GrowingOrder): string {
  switch (order) {
    case 'changed':
      return 'runs.updated_at'
    case 'costliest':
      return cost
    case 'longest':
      return `(${lasts[part]} - runs.counts_from)`
  }
}

const lasts: Readonly<Record<RunsPart, string>> = {
  all: 'coalesce(runs.ended_at, runs.updated_at)',
  ended: 'runs.ended_at',
  unfinished: 'runs.updated_at',
}

function endedIndexOf(
  { code, changedSince, startedSince, outcome, agent }: RunFilter,
  order: GrowingOrder | undefined,
): EndedRunsIndex | undefined {
  if (code !== undefined) return 'code'
  if (changedSince !== undefined) return 'changed'
  if (startedSince !== undefined) return 'started'
  if (order !== undefined) return order
  return outcome === undefined || agent !== undefined ? undefined : 'outcome'
}

function limitOf({ limit }: RunFilter, values: Values): string {
  return limit === undefined ? '' : ` LIMIT ${values.add(limit + 1, 'bigint')}`
}
