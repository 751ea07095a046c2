/** The conditions of a list in SQL, with the values of their parameters. */
import { toColumn } from './column-text.ts'
import {
  positionOf,
  type ListName,
  type PageOptions,
  type QuestionFilter,
  type RunFilter,
} from '../../runtime/journal/run-index.ts'

type ValueType = 'text' | 'bigint' | 'float8'

/** How a dialect writes a parameter: its number, from 1, and its type. */
export type Dialect = (number: number, type: ValueType) => string

/** Parameters by their place: `?`. */
export const sqlite: Dialect = () => '?'

/** Parameters by number, with their type: `$1::text`. */
export const postgres: Dialect = (number, type) => `$${number}::${type}`

/** The values of the parameters of a statement, in the order in which its text names them. */
export class Values {
  readonly all: (string | number)[] = []
  readonly parameter: Dialect

  constructor(dialect: Dialect) {
    this.parameter = dialect
  }

  /** The parameter of a value, for the text. */
  add(value: string | number, type: ValueType): string {
    return this.parameter(this.all.push(value), type)
  }
}

type Given<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined }

const statusConditions: Readonly<Record<NonNullable<RunFilter['status']>, string>> = {
  running: 'outcome IS NULL AND passivated = false AND suspended_at IS DISTINCT FROM entries',
  suspended: 'outcome IS NULL AND (passivated = true OR suspended_at = entries)',
  unfinished: 'outcome IS NULL',
  settled: 'outcome IS NOT NULL',
}

/** The conditions of one list, and its page: each method adds one, and `end` gives the text and the values. */
export class Conditions {
  readonly #values: Values
  readonly #conditions: string[] = []
  #page = ''
  #limit: number | undefined

  constructor(dialect: Dialect) {
    this.#values = new Values(dialect)
  }

  /** The column, or expression, has this text, where one is given. */
  text(column: string, value: string | undefined): this {
    if (value !== undefined) this.#add(`${column} =`, toColumn(value), 'text')
    return this
  }

  status(status: RunFilter['status']): this {
    if (status !== undefined) this.#conditions.push(statusConditions[status])
    return this
  }

  /** How a run has ended, and since when it has an entry. */
  ended({ outcome, changedSince }: Pick<RunFilter, 'outcome' | 'changedSince'>): this {
    if (changedSince !== undefined) this.#add('runs.updated_at >=', changedSince, 'float8')
    return this.text('runs.outcome', outcome)
  }

  /** What a run was given. `table`: the one with the columns. */
  given(
    {
      resourceId,
      threadId,
      conversationId,
    }: Pick<RunFilter & QuestionFilter, 'resourceId' | 'threadId' | 'conversationId'>,
    table: string,
  ): this {
    return this.text(`${table}.resource_id`, resourceId)
      .text(`${table}.thread_id`, threadId)
      .text(`${table}.conversation_id`, conversationId)
  }

  /** The run that runs come from. */
  origin({ forkedFrom, nestedIn }: Pick<RunFilter, 'forkedFrom' | 'nestedIn'>): this {
    return this.text('runs.forked_from', forkedFrom).text('runs.nested_in', nestedIn)
  }

  /** Ends the conditions, for the rows of a page and one more. `id`: the column of positions. */
  page(list: ListName, id: string, { limit, before, order }: Given<PageOptions>): this {
    const isForward = order !== 'newest'
    if (before !== undefined) this.#add(`${id} ${isForward ? '>' : '<'}`, positionOf(list, before), 'bigint')
    this.#page = `ORDER BY ${id}${isForward ? '' : ' DESC'}`
    this.#limit = limit === undefined ? undefined : limit + 1
    return this
  }

  /** For the rows of the same page up to a position. */
  upTo(id: string, position: number): this {
    this.#add(`${id} <=`, position, 'bigint')
    return this
  }

  /** The end of a statement, with all its values. */
  end(): { readonly sql: string; readonly values: readonly (string | number)[] } {
    const where = this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')} `
    if (this.#limit === undefined) return { sql: `${where}${this.#page}`, values: this.#values.all }
    const limit = this.#values.parameter(this.#values.all.length + 1, 'bigint')
    return { sql: `${where}${this.#page} LIMIT ${limit}`, values: [...this.#values.all, this.#limit] }
  }

  #add(comparison: string, value: string | number, type: ValueType): void {
    this.#conditions.push(`${comparison} ${this.#values.add(value, type)}`)
  }
}
