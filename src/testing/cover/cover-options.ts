/** The options of a cover, and those that it shares with other paths. */
import type { AnyStateMachine, InputFrom, SnapshotFrom } from 'xstate'
import { aFunction, aName, aText, is, recordOf } from '../../actors/strict/checks.ts'
import { isObject, optional, required, type Fields } from '../../actors/strict/read-options.ts'
import type { GraphOptions } from '../graph/graph-options.ts'
import { graphFields } from '../graph/graph-source.ts'

/** How paths of a machine are found, run and checked. */
export interface RunOptions<Machine extends AnyStateMachine = AnyStateMachine> extends GraphOptions<Machine> {
  /** Inputs by name: a machine whose guards read its input needs several. */
  readonly inputs: Readonly<Record<string, InputFrom<Machine>>>
  /**
   * Throws, or rejects, when a snapshot breaks the invariant; called for the initial state, and after every step. No answer
   * within a minute fails the path.
   */
  readonly invariant?: (snapshot: SnapshotFrom<Machine>, steps: readonly string[]) => unknown
}

/** The options of `coverMachine`. */
export interface CoverOptions<Machine extends AnyStateMachine = AnyStateMachine> extends RunOptions<Machine> {
  /**
   * Names of outcomes that lead to another call of a model again and again, each with the reason why there is an end. Any
   * other cycle on which a model is called is an error, unless an event from outside or the answer of a person lies on it.
   */
  readonly mayRepeat?: Readonly<Record<string, string>>
  /**
   * The text of the golden graph (`goldenOf`): a transition that it has and the machine does not is missing from the coverage.
   * Default: none.
   */
  readonly golden?: string
}

export const runFields: Fields<RunOptions> = {
  ...graphFields,
  inputs: required(is('an object of inputs by name', isObject)),
  invariant: optional(aFunction),
}

export const coverFields: Fields<CoverOptions> = {
  ...runFields,
  mayRepeat: optional(recordOf(aName, 'an object of reasons by outcome')),
  golden: optional(aText),
}
