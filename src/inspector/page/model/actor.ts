/** One actor, from its start to its end: the states that it was in, and the transitions that it took. */
import type { EffectKind, EndedActor, TrailActor } from '../../../kit/host.ts'
import type { RowTransition } from '../../wire/rows.ts'
import { countUntil } from './sorted.ts'
import { transitionKey, type TransitionPlace } from '../../../drawing/chart-index.ts'

/** The part of a chart that an actor without a transition is shown by. */
interface Begun {
  /** The name of the first state. */
  readonly initial: string
}

export interface ActorEnd {
  readonly row: number
  readonly status: EndedActor['status']
}

export class Actor {
  readonly path: string
  /** The id of its chart; absent for an effect. */
  readonly machine: string | undefined
  readonly effect: EffectKind | undefined
  /** Of an effect. */
  readonly key: string | undefined
  /** The row by which it started. */
  readonly added: number
  /** Absent while it is active in the last row. */
  end: ActorEnd | undefined
  /** The rows by which its state changed; the name of each state stands beside its row. */
  readonly #rows: number[] = []
  readonly #states: string[] = []
  /** By the name of the state, the first row in which the actor was in it. */
  readonly #entered = new Map<string, number>()
  /** By the transition, the rows in which it was taken; a row stands there as often as it was. */
  readonly #taken = new Map<string, number[]>()

  constructor({ path, machine, effect, key }: TrailActor, added: number) {
    this.path = path
    this.machine = machine
    this.effect = effect
    this.key = key
    this.added = added
  }

  /** Whether a row has told of its start, and will tell of its end: it is not known by its entries alone. */
  get isTold(): boolean {
    return this.machine !== undefined || this.effect !== undefined
  }

  take(taken: RowTransition, row: number): void {
    const { from, to } = taken
    for (const state of [from, to]) if (!this.#entered.has(state)) this.#entered.set(state, row)
    if (this.#rows.at(-1) === row) this.#states[this.#states.length - 1] = to
    else {
      this.#rows.push(row)
      this.#states.push(to)
    }
    const key = transitionKey(taken)
    const rows = this.#taken.get(key)
    if (rows === undefined) this.#taken.set(key, [row])
    else rows.push(row)
  }

  statusAt(row: number): 'active' | EndedActor['status'] {
    return this.end === undefined || row < this.end.row ? 'active' : this.end.status
  }

  /** The name of its state after a row. Before its first transition it is that of its chart; without one, `undefined`. */
  stateAt(row: number, chart: Begun | undefined): string | undefined {
    return this.#states[countUntil(this.#rows, row) - 1] ?? chart?.initial
  }

  /** The names of the states that it has been in up to a row. */
  enteredUntil(row: number, chart: Begun | undefined): readonly string[] {
    const names = [...this.#entered].filter(([, first]) => first <= row).map(([name]) => name)
    return names.length > 0 || chart === undefined ? names : [chart.initial]
  }

  /** How often it has taken a transition up to a row. */
  countUntil(transition: TransitionPlace, row: number): number {
    const rows = this.#taken.get(transitionKey(transition))
    return rows === undefined ? 0 : countUntil(rows, row)
  }
}
