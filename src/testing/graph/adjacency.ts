/** The adjacency map of `@xstate/graph` as a map, so that its keys are texts and its steps a list. */
import type { AdjacencyMap, AdjacencyValue, Step } from '@xstate/graph'
import type { EventObject, Snapshot } from 'xstate'

export interface Neighbours<State extends Snapshot<unknown>, Event extends EventObject> {
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
