/** The options from which the state graph of a machine is made. */
import type { AnyStateMachine, SnapshotFrom } from 'xstate'
import type { EventFor, Outcomes, SourceOf } from './machine-types.ts'

/** Events from outside: a list, or those of a state. */
export type Events<Machine extends AnyStateMachine = AnyStateMachine> =
  readonly EventFor<Machine>[] | ((snapshot: SnapshotFrom<Machine>) => readonly EventFor<Machine>[])

/** `live` are the ids of the children that may still report. */
export type StateKey<Machine extends AnyStateMachine = AnyStateMachine> = (
  snapshot: SnapshotFrom<Machine>,
  live: readonly string[],
) => string

/** The stimuli of a machine: the outcomes of its children, and events from outside. */
export interface GraphOptions<Machine extends AnyStateMachine = AnyStateMachine> {
  /** The possible outcomes of each source of children: `{ name, value }` or `{ name, error }`. */
  readonly outcomes: Outcomes<Machine>
  /** Events that may come from outside; the ends of delays (`after`) are added. */
  readonly events?: Events<Machine>
  /**
   * Sources whose live children are alike: of the children of such a source only the first, by id, reports. Default: none;
   * every live child may report next, so that every order is tried.
   */
  readonly interchangeable?: readonly SourceOf<Machine>[]
  /** The key of a state. Default: value, status, ids of the live children, and the plain fields of context. */
  readonly stateKey?: StateKey<Machine>
  /** Default: 20 000 states. */
  readonly limit?: number
}
