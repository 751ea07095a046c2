/** A chart with its states by their paths. */
import type { Chart, ChartState, ChartTransition } from '../index.ts'

export class ChartIndex {
  readonly chart: Chart
  readonly #states = new Map<string, ChartState>()
  readonly #lineages = new Map<string, readonly string[]>()
  readonly #active = new Map<string, readonly string[]>()

  constructor(chart: Chart) {
    this.chart = chart
    this.#add(chart, [])
  }

  /** The state at a path; that of the chart itself is empty. */
  state(path: string): ChartState | undefined {
    return this.#states.get(path)
  }

  transition({ source, position }: TransitionPlace): ChartTransition | undefined {
    return this.#states.get(source)?.transitions[position]
  }

  /** The description of a transition, else that of the state that it leads to, where it leads to one. */
  descriptionOf(taken: TransitionPlace): string | undefined {
    const transition = this.transition(taken)
    const [target] = transition?.targets ?? []
    return (
      transition?.description ?? (target === undefined ? undefined : this.#states.get(target)?.description)
    )
  }

  /** The name of the state that the machine starts in, as a trail has it. */
  get initial(): string {
    return initialOf(this.chart, (path) => this.#states.get(path))
  }

  /**
   * The paths of the states that are active in the state of this name, as a trail has it: each outer one before those
   * inside it. States that the chart does not have are left out.
   */
  active(name: string): readonly string[] {
    const known = this.#active.get(name)
    if (known !== undefined) return known
    const found = [...new Set(name.split(', ').flatMap((path) => this.lineage(path)))]
    this.#active.set(name, found)
    return found
  }

  /** The paths of the states around a state, outer ones first, and its own; without the chart itself. */
  lineage(path: string): readonly string[] {
    return this.#lineages.get(path) ?? []
  }

  /** Whether a state is inside another one; none is inside itself. */
  isInside(path: string, outer: string): boolean {
    return path !== outer && (outer === '' || this.lineage(path).includes(outer))
  }

  /** The state around `path`, or itself, that lies directly in the state at `outer`. */
  childWithin(outer: string, path: string): string {
    return this.lineage(path)[this.lineage(outer).length] ?? path
  }

  /** The outermost state around `path`, or itself, that the state at `from` is not inside of. */
  outermost(path: string, from: string): string {
    const around = new Set(this.lineage(from))
    return this.lineage(path).find((one) => !around.has(one)) ?? path
  }

  #add(state: ChartState, around: readonly string[]): void {
    const lineage = state === this.chart ? around : [...around, state.path]
    this.#states.set(state.path, state)
    this.#lineages.set(state.path, lineage)
    for (const inner of state.states) this.#add(inner, lineage)
  }
}

/** The place of a transition in its chart. */
export interface TransitionPlace {
  /** The path of the state that defines it; empty for the chart as a whole. */
  readonly source: string
  /** Its position among the transitions of that state, from 0. */
  readonly position: number
}

export function transitionKey({ source, position }: TransitionPlace): string {
  return `${source}#${position}`
}

function initialOf(state: ChartState, stateAt: (path: string) => ChartState | undefined): string {
  if (state.type === 'parallel') return state.states.map((inner) => initialOf(inner, stateAt)).join(', ')
  const first = state.initial === undefined ? undefined : stateAt(state.initial)
  return first === undefined ? state.path : initialOf(first, stateAt)
}
