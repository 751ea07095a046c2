/** The questions of a run: calls and delegations that wait for the answer of a person. */
import { parentPath } from '../../../kit/index.ts'
import type { Row } from '../../wire/rows.ts'
import { countUntil } from './sorted.ts'

/** A question, from the row that asks it on. */
export interface Question {
  /** The key of the effect that waits for the answer. */
  readonly key: string
  /** The call or the delegation that asks. */
  readonly path: string
  readonly row: number
  /** The id that an answer names. */
  readonly toolCallId?: string
  /** One line: the tool and its arguments. */
  readonly line?: string
}

const asks: readonly string[] = ['tool-call-approval', 'tool-call-suspended']

export class Questions {
  /** The rows that ask, in order. */
  readonly rows: number[] = []
  /** The rows by which a list of open questions began; each stands beside its row. */
  readonly #changes: number[] = []
  readonly #lists: (readonly Question[])[] = []
  #open: readonly Question[] = []

  append(row: Row): void {
    const before = this.#open
    for (const { path, key, effect } of row.actorsAdded)
      if (effect === 'signal' && key !== undefined) this.#ask(row, parentPath(path), key)
    for (const { key, effect } of row.actorsEnded)
      if (effect === 'signal') this.#open = this.#open.filter((open) => open.key !== key)
    if (this.#open === before) return
    this.#changes.push(row.row)
    this.#lists.push(this.#open)
  }

  /** Those that are open after a row. */
  at(row: number): readonly Question[] {
    return this.#lists[countUntil(this.#changes, row) - 1] ?? []
  }

  #ask(row: Row, path: string, key: string): void {
    const event = row.events.find((one) => one.path === path && asks.includes(one.type))
    const said = event === undefined ? {} : { toolCallId: event.toolCallId ?? path, line: event.line }
    this.#open = [...this.#open, { key, path, row: row.row, ...said }]
    if (this.rows.at(-1) !== row.row) this.rows.push(row.row)
  }
}
