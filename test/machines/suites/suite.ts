/** A machine of ours with the options from which its state graph is made: for its cover, and for its golden graph. */
import type { CoverOptions } from 'troupe/testing'
import type { AnyStateMachine } from 'xstate'

export interface Suite<Machine extends AnyStateMachine = AnyStateMachine> {
  readonly machine: Machine
  readonly options: CoverOptions<Machine>
}

export function suiteOf<Machine extends AnyStateMachine>(
  machine: Machine,
  options: CoverOptions<NoInfer<Machine>>,
): Suite<Machine> {
  return { machine, options }
}
