/**
 * The inside of a composite state as a diagram: the states in it as nodes, and the transitions between them as edges. A
 * state of its own inside is one node, whatever it holds; a transition that begins or ends deeper is drawn from node to
 * node. Transitions with equal ends are one edge. Final states are one node.
 */
import type { ChartState, ChartTransition } from '../index.ts'
import type { ChartIndex, TransitionPlace } from './chart-index.ts'

export interface DiagramNode {
  readonly id: string
  /** `exit`: a state outside, to which transitions lead. `entry`: where transitions from outside lead in. */
  readonly kind: 'state' | 'ends' | 'exit' | 'entry'
  /** Its text; empty for the mark of the initial state. */
  readonly text: string
  /** The states that it stands for: several for the final states, the state outside for an exit, none for an entry. */
  readonly states: readonly ChartState[]
}

export interface DiagramEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  /** None: the way to the initial state. */
  readonly transitions: readonly DrawnTransition[]
}

/** The transitions of a chart as they are drawn: one for each target, with its words. */
export interface DrawnTransition extends TransitionPlace {
  /** The path of a state that it leads to; absent: the state stays as it is. */
  readonly target?: string
  /** The event and the guard, for example `model done [hasToolCalls]`; `else` for a transition without both. */
  readonly text: string
  readonly description?: string
}

/** Those of the state and of all states inside it. */
export function transitionsBelow(state: ChartState): readonly DrawnTransition[] {
  const own = state.transitions.flatMap((transition, position) => {
    const { targets, description } = transition
    const said = { text: textOf(transition), ...(description === undefined ? {} : { description }) }
    const drawn = { source: state.path, position, ...said }
    return targets.length === 0 ? [drawn] : targets.map((target) => ({ ...drawn, target }))
  })
  return [...own, ...state.states.flatMap(transitionsBelow)]
}

function textOf({ label, guard }: ChartTransition): string {
  const words = guard === undefined ? label : `${label} [${guard}]`
  return words.trim() || 'else'
}

/** The diagram of a composite state; of a parallel state there is one for each region. */
export interface Diagram {
  readonly state: ChartState
  readonly nodes: readonly DiagramNode[]
  readonly edges: readonly DiagramEdge[]
  /** The transitions of the state itself, which all states inside have. */
  readonly common: readonly DrawnTransition[]
  readonly regions: readonly Diagram[]
}

/**
 * `path`: of the composite state; empty for the whole chart. `endsApart`: each final state is a node of its own, so that each
 * arrow leads to its own.
 */
export function diagramOf(index: ChartIndex, path: string, endsApart = false): Diagram {
  const state = index.state(path) ?? index.chart
  const all = transitionsBelow(index.chart)
  return state.type === 'parallel'
    ? {
        state,
        nodes: [],
        edges: [],
        common: commonOf(state, all),
        regions: state.states.map((region) => insideOf(index, region, all, endsApart)),
      }
    : insideOf(index, state, all, endsApart)
}

function insideOf(
  index: ChartIndex,
  state: ChartState,
  all: readonly DrawnTransition[],
  endsApart: boolean,
): Diagram {
  const inside = state.states.length > 0 ? state.states : [state]
  const nodes = new Nodes(index, inside, state, endsApart)
  const edges = new Map<string, { from: string; to: string; transitions: DrawnTransition[] }>()
  const connect = (from: string, to: string, transition?: DrawnTransition): void => {
    if (from === to) return
    const id = `${from}→${to}`
    const edge = edges.get(id) ?? { from, to, transitions: [] }
    edges.set(id, edge)
    if (transition !== undefined) edge.transitions.push(transition)
  }
  if (state.initial !== undefined) connect(nodes.initial(), nodes.inside(state.initial))
  for (const transition of all) {
    const { source, target } = transition
    if (target === undefined || source === state.path) continue
    const begins = index.isInside(source, state.path)
    const ends = index.isInside(target, state.path)
    if (begins && ends) connect(nodes.inside(source), nodes.inside(target), transition)
    else if (begins) connect(nodes.inside(source), nodes.exit(target), transition)
    else if (ends) connect(nodes.entry(source), nodes.inside(target), transition)
  }
  return {
    state,
    nodes: nodes.all,
    edges: [...edges].map(([id, edge]) => ({ id, ...edge })),
    common: commonOf(state, all),
    regions: [],
  }
}

function commonOf(state: ChartState, all: readonly DrawnTransition[]): readonly DrawnTransition[] {
  return all.filter(({ source }) => source === state.path)
}

/** The nodes of a diagram, made as they are needed: states first, then entries and exits. */
class Nodes {
  readonly #all = new Map<string, DiagramNode>()
  readonly #byState = new Map<string, string>()
  readonly #index: ChartIndex
  readonly #outer: string

  constructor(index: ChartIndex, inside: readonly ChartState[], state: ChartState, endsApart: boolean) {
    this.#index = index
    this.#outer = state.path
    const finals = inside.filter(({ type }) => type === 'final')
    const grouped = finals.length > 1 && !endsApart ? finals : []
    for (const one of inside)
      if (!grouped.includes(one)) this.#add('state', one.path || one.name, one.name, [one])
    if (grouped.length > 0) this.#add('ends', `${state.path}.ends`, '', grouped)
    for (const { id, states } of this.#all.values()) for (const one of states) this.#byState.set(one.path, id)
  }

  get all(): readonly DiagramNode[] {
    return [...this.#all.values()]
  }

  /** The node that has the state of this path inside. */
  inside(path: string): string {
    const own = this.#index.childWithin(this.#outer, path)
    return this.#byState.get(own) ?? own
  }

  /** The node of the state outside that a transition leads to. */
  exit(target: string): string {
    const state = this.#outside(target)
    return this.#add('exit', `exit ${state?.path ?? target}`, state?.name ?? target, state ? [state] : [])
  }

  /** The node of the state outside that a transition comes from. */
  entry(source: string): string {
    const state = source === '' ? undefined : this.#outside(source)
    return this.#add('entry', `entry ${state?.path ?? ''}`, state?.name ?? 'any state', state ? [state] : [])
  }

  /** The mark from which an arrow leads to the initial state. */
  initial(): string {
    return this.#add('entry', 'initial', '', [])
  }

  #outside(path: string): ChartState | undefined {
    return this.#index.state(this.#index.outermost(path, this.#outer))
  }

  #add(kind: DiagramNode['kind'], id: string, text: string, states: readonly ChartState[]): string {
    if (!this.#all.has(id)) this.#all.set(id, { id, kind, text, states })
    return id
  }
}
