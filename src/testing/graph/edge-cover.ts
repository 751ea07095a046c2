/** Paths on which every edge of a state graph lies: a generator of paths beside those of `@xstate/graph`. */
import {
  getAdjacencyMap,
  type StatePath,
  type Step,
  type TraversalOptions,
  type AdjacencyMap,
  type AdjacencyValue,
} from '@xstate/graph'
import { initialTransition, type ActorLogic, type EventObject, type Snapshot } from 'xstate'
import type { AnySystem } from './test-logic.ts'

interface Edge<State extends Snapshot<unknown>, Event extends EventObject> {
  /** The edge by which its source was first reached; `undefined` where the source is the initial state. */
  readonly before: Edge<State, Event> | undefined
  readonly step: Step<State, Event>
}

/**
 * A `PathGenerator` of `@xstate/graph`. Each edge lies on a path that is the shortest to the source of its last edge; a path
 * that is the beginning of another one is left out. With `toState`, only the paths that end in such a state.
 */
export function edgeCover<State extends Snapshot<unknown>, Event extends EventObject, Input>(
  logic: ActorLogic<State, Event, Input, AnySystem>,
  options: TraversalOptions<State, Event, Input>,
): StatePath<State, Event>[] {
  const { serializeState = (state: State) => JSON.stringify(state), toState } = options
  const fromState = options.fromState ?? initialTransition(logic, options.input as never)[0]
  const adjacency = adjacencyOf(getAdjacencyMap(logic, { ...options, fromState }))
  const paths = edgePaths(adjacency, { fromState, serializeState })
  return toState === undefined ? paths : paths.filter(({ state }) => toState(state))
}

interface Neighbours<State extends Snapshot<unknown>, Event extends EventObject> {
  readonly state: State
  /** Each edge from the state: its event, and the state that it leads to. */
  readonly steps: readonly Step<State, Event>[]
}

/** By key, in the order in which the states were found. */
export type Adjacency<State extends Snapshot<unknown>, Event extends EventObject> = ReadonlyMap<
  string,
  Neighbours<State, Event>
>

type ByText<Value> = Readonly<Record<string, Value>>

/** The adjacency map of `@xstate/graph` as a map, so that its keys are texts and its steps a list. */
export function adjacencyOf<State extends Snapshot<unknown>, Event extends EventObject>(
  map: AdjacencyMap<State, Event>,
): Adjacency<State, Event> {
  const states = Object.entries(map as ByText<AdjacencyValue<State, Event>>)
  return new Map(
    states.map(([key, { state, transitions }]) => [
      key,
      { state, steps: Object.values(transitions as ByText<Step<State, Event>>) },
    ]),
  )
}

interface Start<State, Event> {
  readonly fromState: State
  readonly serializeState: (state: State, event: Event | undefined, before?: State) => string
}

/** The edge cover of a graph that is already explored. */
export function edgePaths<State extends Snapshot<unknown>, Event extends EventObject>(
  adjacency: Adjacency<State, Event>,
  { fromState, serializeState }: Start<State, Event>,
): StatePath<State, Event>[] {
  /** By state, the edge by which it was first reached. */
  const tree = new Map<string, Edge<State, Event> | undefined>([
    [serializeState(fromState, undefined), undefined],
  ])
  const extended = new Set<string>()
  const others: Edge<State, Event>[] = []
  for (const [key, before] of tree) {
    const from = adjacency.get(key)
    for (const step of from?.steps ?? []) {
      extended.add(key)
      const edge = { before, step }
      const nextKey = serializeState(step.state, step.event, from?.state)
      if (tree.has(nextKey)) others.push(edge)
      else tree.set(nextKey, edge)
    }
  }
  // An edge into a state that is extended lies on the paths beyond it.
  const leaves = [...tree].flatMap(([key, edge]) => (edge === undefined || extended.has(key) ? [] : [edge]))
  const ends = [...others, ...leaves]
  return ends.length === 0 ? [pathTo(undefined, fromState)] : ends.map((edge) => pathTo(edge, fromState))
}

/** As all paths of `@xstate/graph`, it begins with the initial state, by an event `xstate.init`. */
function pathTo<State extends Snapshot<unknown>, Event extends EventObject>(
  last: Edge<State, Event> | undefined,
  fromState: State,
): StatePath<State, Event> {
  const steps: Step<State, Event>[] = []
  for (let edge = last; edge !== undefined; edge = edge.before) steps.unshift(edge.step)
  const init = { type: 'xstate.init' } as Event
  return {
    state: last?.step.state ?? fromState,
    steps: [{ state: fromState, event: init }, ...steps],
    weight: steps.length,
  }
}
