/** What an actor has done in its chart up to a row: the states that it is in and has been in, and the ways it took. */
import type { Actor } from '../model/actor.ts'
import type { TransitionPlace, ChartIndex } from '../../../drawing/chart-index.ts'

/** `now`: active after the row. `visited`: active before. */
export type Mark = 'now' | 'visited' | 'never'

export class Highlights {
  /** The name of the state after the row; absent where there is no actor yet. */
  readonly state: string | undefined
  readonly #index: ChartIndex
  readonly #actor: Actor | undefined
  readonly #row: number
  readonly #now: ReadonlySet<string>
  readonly #visited: ReadonlySet<string>

  constructor(index: ChartIndex, actor: Actor | undefined, row: number) {
    const names = actor?.enteredUntil(row, index) ?? []
    this.state = actor?.stateAt(row, index)
    this.#index = index
    this.#actor = actor
    this.#row = row
    this.#now = new Set(index.active(this.state ?? ''))
    this.#visited = new Set(names.flatMap((name) => index.active(name)))
  }

  /** `path`: of a state; the chart itself is as its actor is. */
  of(path: string): Mark {
    if (path === '') return this.#actor === undefined ? 'never' : 'now'
    if (this.#now.has(path)) return 'now'
    return this.#visited.has(path) ? 'visited' : 'never'
  }

  /** How often one of the transitions was taken, up to the row. */
  count(transitions: readonly TransitionPlace[]): number {
    return transitions.reduce((sum, one) => sum + (this.#actor?.countUntil(one, this.#row) ?? 0), 0)
  }

  /** `now`: one of the transitions was taken by the row itself. */
  ofWay(transitions: readonly TransitionPlace[]): Mark {
    const count = this.count(transitions)
    if (count === 0) return 'never'
    const before = transitions.reduce(
      (sum, one) => sum + (this.#actor?.countUntil(one, this.#row - 1) ?? 0),
      0,
    )
    return count > before ? 'now' : 'visited'
  }

  /** The path of the innermost composite state that all active states are in; empty: there is none in the chart. */
  get focus(): string {
    const leaves = (this.state ?? '').split(', ').map((path) => this.#index.lineage(path))
    const [first = [], ...others] = leaves
    if (others.length === 0) return first.at(-2) ?? ''
    const shared = first.filter((path, at) => others.every((other) => other[at] === path)).at(-1)
    // The regions of the chart itself are drawn with it: of the states in them, the first that has active states inside.
    return shared ?? leaves.find(({ length }) => length > 2)?.at(-2) ?? ''
  }
}
