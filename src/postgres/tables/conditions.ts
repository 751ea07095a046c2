/** The conditions of a list, with the values of their parameters. */
import { toColumn } from '../../runtime/journal/column-text.ts'
import { positionOf, type ListName, type PageOptions } from '../../runtime/journal/run-index.ts'

type Given<Options> = { readonly [Name in keyof Options]: Options[Name] | undefined }

export class Conditions {
  readonly values: unknown[] = []
  readonly #conditions: string[] = []
  #page = { id: '', end: '' }

  add(condition: string): void {
    this.#conditions.push(condition)
  }

  /** The column has this text, where one is given. */
  text(column: string, value: string | undefined): void {
    if (value !== undefined) this.add(`${column} = ${this.#parameter(toColumn(value))}::text`)
  }

  /** The end of a statement: conditions, order and the most rows, one more than the page has. */
  page(list: ListName, id: string, { limit, before, order }: Given<PageOptions>): string {
    const isForward = order !== 'newest'
    if (before !== undefined)
      this.add(`${id} ${isForward ? '>' : '<'} ${this.#parameter(positionOf(list, before))}::bigint`)
    const most = limit === undefined ? '' : `LIMIT ${this.#parameter(limit + 1)}::int`
    this.#page = { id, end: `ORDER BY ${id} ${isForward ? '' : 'DESC'} ${most}` }
    return `${this.where} ${this.#page.end}`
  }

  /** The end of the same statement, for rows of the page up to this position. */
  pageUpTo(position: number): string {
    const { id, end } = this.#page
    this.add(`${id} <= ${this.#parameter(position)}::bigint`)
    return `${this.where} ${end}`
  }

  get where(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`
  }

  #parameter(value: unknown): string {
    return `$${this.values.push(value)}`
  }
}
