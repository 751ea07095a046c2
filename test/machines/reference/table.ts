/**
 * A table says how an agent ends: its rows are asked in their order after each outcome and each event, and the first row that
 * holds is the ending. So the order of the rows is the precedence of the endings.
 */
import type { Stimulus } from 'troupe/testing'
import type { AgentInput } from '../../../src/machines/contract/agent.ts'
import type { Story } from './story/story.ts'

export interface Row<Told extends Story = Story> {
  /** The outcome, its reason, and the code of its error; of a row that depends on the error: a function. */
  readonly ending: string | ((story: Told) => string)
  readonly when: (story: Told) => boolean
  /** Before the end the model has a last turn: `always`, or unless the options say that the agent stops when exhausted. */
  readonly lastTurn?: 'always' | 'unless silent'
}

/** How the last turn ends, and what still crosses an ending that is settled. `ending`: the one that the rows have given. */
export interface LateRow<Told extends Story = Story> {
  readonly ending: string | ((story: Told, ending: string) => string)
  readonly when: (story: Told, ending: string) => boolean
}

export interface Table<Told extends Story = Story> {
  readonly rows: readonly Row<Told>[]
  readonly lastTurn: readonly LateRow<Told>[]
  readonly crossing: readonly LateRow<Told>[]
}

type Stage = 'at work' | 'in its last turn' | 'settled'

/** A table with the story that it reads. */
export interface AgentReference {
  readonly rows: readonly unknown[]
  /** The ending of a path; `undefined`: no row holds. `onRow`: is told the rows that hold. */
  endingOf(
    input: AgentInput,
    stimuli: readonly Stimulus[],
    onRow?: (row: unknown) => void,
  ): string | undefined
}

export function referenceOf<Told extends Story>(
  table: Table<Told>,
  tell: (input: AgentInput) => Told,
): AgentReference {
  return {
    rows: [...table.rows, ...table.lastTurn, ...table.crossing],
    endingOf: (input, stimuli, onRow) => new Reading(table, tell(input), onRow).endingOf(stimuli),
  }
}

/** One path, as a table reads it. */
class Reading<Told extends Story> {
  readonly #table: Table<Told>
  readonly #story: Told
  readonly #onRow: (row: unknown) => void
  #stage: Stage = 'at work'
  #ending = ''

  constructor(table: Table<Told>, story: Told, onRow: (row: unknown) => void = () => undefined) {
    this.#table = table
    this.#story = story
    this.#onRow = onRow
  }

  endingOf(stimuli: readonly Stimulus[]): string | undefined {
    this.#ask()
    for (const stimulus of stimuli) {
      this.#story.take(stimulus)
      this.#ask()
    }
    return this.#stage === 'settled' ? this.#ending : undefined
  }

  #ask(): void {
    if (this.#stage === 'at work') this.#askWhether()
    else this.#askHow()
    if (this.#stage === 'settled') this.#story.background.drop()
  }

  /** Does the agent end? If not, it goes on. */
  #askWhether(): void {
    const row = this.#table.rows.find(({ when }) => when(this.#story))
    if (row === undefined) return this.#story.goOn()
    this.#onRow(row)
    this.#ending = typeof row.ending === 'string' ? row.ending : row.ending(this.#story)
    const isSilent = row.lastTurn === 'unless silent' && this.#story.profile.onExhausted === 'stop'
    if (row.lastTurn === undefined || isSilent) this.#stage = 'settled'
    else {
      this.#stage = 'in its last turn'
      this.#story.beginLastTurn()
    }
  }

  /** The ending is known: does anything change it? */
  #askHow(): void {
    const rows = this.#stage === 'settled' ? this.#table.crossing : this.#table.lastTurn
    const row = rows.find(({ when }) => when(this.#story, this.#ending))
    if (row === undefined) return
    this.#onRow(row)
    this.#ending = typeof row.ending === 'string' ? row.ending : row.ending(this.#story, this.#ending)
    this.#stage = 'settled'
  }
}
