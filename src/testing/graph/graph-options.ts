/** The options from which the state graph of a machine is made. */
import type { AnyStateMachine, SnapshotFrom } from 'xstate'
import type { ExternalEvent, Outcome } from './stimulus.ts'

/** By the name of the child's source; a function receives the input that the child was started with. */
export type Outcomes = Readonly<Record<string, readonly Outcome[] | ((input: never) => readonly Outcome[])>>

export type Events<Machine extends AnyStateMachine = AnyStateMachine> =
  readonly ExternalEvent[] | ((snapshot: SnapshotFrom<Machine>) => readonly ExternalEvent[])

/** `live` are the ids of the children that may still report. */
export type StateKey<Machine extends AnyStateMachine = AnyStateMachine> = (
  snapshot: SnapshotFrom<Machine>,
  live: readonly string[],
) => string

export interface GraphOptions<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly outcomes: Outcomes
  /** Events that may come from outside; the ends of delays (`after`) are added. */
  readonly events?: Events<Machine>
  /** The key of a state. Default: value, status, ids of the live children, and the plain fields of context. */
  readonly stateKey?: StateKey<Machine>
  /** Default: 20 000 states. */
  readonly limit?: number
}
