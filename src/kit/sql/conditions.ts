/** The conditions of a list in SQL, with the values of their parameters. */
import { toColumn } from './column-text.ts'
import {
  placeIn,
  type ListName,
  type ListPlace,
  type PageOptions,
  type QuestionFilter,
  type RunFilter,
} from '../../runtime/journal/run-index.ts'
import { wordsOf } from '../../runtime/journal/run-summary.ts'

type ValueType = 'text' | 'bigint' | 'float8'

/** How a dialect writes a parameter: its number, from 1, and its type. */
export type Dialect = (number: number, type: ValueType) => string

/** Parameters by their place: `?`. */
export const sqlite: Dialect = () => '?'

/** Parameters by number, with their type: `$1::text`. */
export const postgres: Dialect = (number, type) => `$${number}::${type}`

/** A statement, or the end of one, with the values of its parameters. */
export interface Statement {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** The values of the parameters of a statement, in the order in which its text names them. */
export class Values {
  readonly all: (string | number)[] = []
  readonly parameter: Dialect

  constructor(dialect: Dialect) {
    this.parameter = dialect
  }

  /** Whether a text holds that of a parameter, which is in lower case. */
  holds(column: string, parameter: string): string {
    return this.parameter === postgres
      ? `strpos(lower(${column} COLLATE "C"), ${parameter}) > 0`
      : `instr(lower(${column}), ${parameter}) > 0`
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

  /** Of a whole statement, or with the values of one of which they are a part. */
  constructor(on: Dialect | Values) {
    this.#values = on instanceof Values ? on : new Values(on)
  }

  /** The conditions, as a part of a statement. */
  get where(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')} `
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

  /** A condition without a value. */
  found(condition: string | undefined): this {
    if (condition !== undefined) this.#conditions.push(condition)
    return this
  }

  /** The column has this number or a greater one. */
  since(column: string, value: number | undefined): this {
    if (value !== undefined) this.#add(`${column} >=`, value, 'float8')
    return this
  }

  /** The id or the task of a run has each of the words of a text; letters of ASCII are found in either case. */
  words(text: string | undefined): this {
    for (const word of wordsOf(text)) {
      const wanted = this.#values.add(toColumn(word), 'text')
      this.#conditions.push(this.#values.holds("(runs.run_id || ' ' || coalesce(runs.task, ''))", wanted))
    }
    return this
  }

  /** Beyond a place. `by`: the column, or expression, of the order. */
  behind(by: string, id: string, { position, sorted }: ListPlace, comparison: '<' | '>'): this {
    if (sorted === undefined) this.#add(`${id} ${comparison}`, position, 'bigint')
    else {
      const value = this.#values.add(sorted.value, 'float8')
      this.#conditions.push(`(${by}, ${id}) < (${value}, ${this.#values.add(position, 'bigint')})`)
    }
    return this
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
    if (before !== undefined) this.behind(id, id, placeIn(list, before), isForward ? '>' : '<')
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
  end(): Statement {
    const { where } = this
    if (this.#limit === undefined) return { sql: `${where}${this.#page}`, values: this.#values.all }
    const limit = this.#values.parameter(this.#values.all.length + 1, 'bigint')
    return { sql: `${where}${this.#page} LIMIT ${limit}`, values: [...this.#values.all, this.#limit] }
  }

  #add(comparison: string, value: string | number, type: ValueType): void {
    this.#conditions.push(`${comparison} ${this.#values.add(value, type)}`)
  }
}
