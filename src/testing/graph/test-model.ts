/** The model of a machine: the state graph from one input, as `@xstate/graph` searches it and tests its paths. */
import { TestModel } from '@xstate/graph'
import type { AnyStateMachine } from 'xstate'
import type { GraphOptions } from './graph-options.ts'
import { defaultKey } from './state-key.ts'
import type { Stimulus } from './stimulus.ts'
import { testLogic, type TestState } from './test-logic.ts'
import { traversalOf, type Traversal } from './traversal.ts'

export interface MachineModel {
  readonly model: TestModel<TestState, Stimulus, unknown>
  readonly traversal: Traversal
}

/** `machine` is stubbed: all its children are effects. */
export function machineModel(machine: AnyStateMachine, input: unknown, options: GraphOptions): MachineModel {
  const logic = testLogic(machine, options.stateKey ?? defaultKey)
  const traversal = traversalOf(logic, machine.id, input, options)
  return { model: new TestModel(logic, traversal), traversal }
}
