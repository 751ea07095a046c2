/** A machine as a logic that an interpreter other than XState interprets. */
import type { AnyActorScope, AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { tableInterpreter, type Interpreter } from '../../../src/runtime/interpreter/interpreter.ts'

export function interpreted(
  machine: AnyStateMachine,
  { getInitialSnapshot, transition }: Interpreter = tableInterpreter,
): AnyStateMachine {
  return Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: unknown) => getInitialSnapshot(machine, scope, input),
    },
    transition: {
      value: (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope) =>
        transition(snapshot, event, scope),
    },
  }) as AnyStateMachine
}
