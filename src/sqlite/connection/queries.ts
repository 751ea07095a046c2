/** Prepared statements by their text, for lists with filters. */
import type { Database } from './database.ts'
import { Query } from './query.ts'

export class Queries<Row extends object> {
  readonly #database: Database
  readonly #prepared = new Map<string, Query<Row>>()

  constructor(database: Database) {
    this.#database = database
  }

  of(sql: string): Query<Row> {
    const known = this.#prepared.get(sql) ?? new Query<Row>(this.#database, sql)
    this.#prepared.set(sql, known)
    return known
  }
}
