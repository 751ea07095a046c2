/** The model of a machine: the state graph from one input, as `@xstate/graph` searches it and tests its paths. */
import { TestModel } from '@xstate/graph'
import type { AnyStateMachine, InputFrom } from 'xstate'
import { anything } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { GraphOptions } from './graph-options.ts'
import { graphFields, graphSource, type GraphSource } from './graph-source.ts'
import { keyIn } from './state-key.ts'
import type { Stimulus } from './stimulus.ts'
import { testLogic, type TestLogic, type TestState } from './test-logic.ts'
import { traversalOf, type Traversal } from './traversal.ts'

/** The options of `testModel`. */
export interface ModelOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends GraphOptions<Machine> {
  /** The input of the machine. */
  readonly input?: InputFrom<Machine>
}

const fields: Fields<ModelOptions> = { ...graphFields, input: optional(anything) }

/**
 * The `TestModel` of `@xstate/graph` for a machine with children, delays and events with payloads, all of which
 * `createTestModel` refuses. Its states are `{ snapshot, … }`, its events stimuli.
 */
export function testModel<Machine extends AnyStateMachine>(
  machine: Machine,
  options: ModelOptions<NoInfer<Machine>>,
): TestModel<TestState<Machine>, Stimulus, unknown>
export function testModel(machine: AnyStateMachine, given: ModelOptions): MachineModel['model'] {
  const where = `testModel("${machine.id}")`
  const options = readOptions<ModelOptions>(given, where, fields)
  return machineModel(graphSource(machine, options, where), options.input).model
}

export interface MachineModel {
  readonly logic: TestLogic
  readonly model: TestModel<TestState, Stimulus, unknown>
  readonly traversal: Traversal
}

/** `keepsActions`: the states have the actions that led to them. */
export function machineModel(
  source: GraphSource,
  input: unknown,
  { keepsActions = false }: { readonly keepsActions?: boolean } = {},
): MachineModel {
  const logic = testLogic(source.machine, keyIn(source.options), { keepsActions })
  const traversal = traversalOf(logic, input, source)
  return { logic, model: new TestModel(logic, traversal), traversal }
}
