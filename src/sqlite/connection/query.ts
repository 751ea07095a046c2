/** A prepared statement that returns rows of a known shape. */
import type { SQLInputValue, StatementSync } from 'node:sqlite'

export class Query<Row extends object> {
  readonly #statement: StatementSync

  constructor(on: { prepare(sql: string): StatementSync }, sql: string) {
    this.#statement = on.prepare(sql)
  }

  get(...values: SQLInputValue[]): Row | undefined {
    const row: unknown = this.#statement.get(...values)
    return row as Row | undefined
  }

  /** By the names of the parameters. Node 22.13 cannot bind `?1` and its like. */
  getNamed(values: Record<string, SQLInputValue>): Row | undefined {
    const row: unknown = this.#statement.get(values)
    return row as Row | undefined
  }

  all(...values: SQLInputValue[]): Row[] {
    const rows: unknown = this.#statement.all(...values)
    return rows as Row[]
  }
}
