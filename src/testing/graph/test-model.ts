/** The model of a machine: the state graph from one input, as `@xstate/graph` searches it and tests its paths. */
import { TestModel, type TraversalConfig } from '@xstate/graph'
import { initialTransition, type AnyStateMachine, type InputFrom, type AnyMachineSnapshot } from 'xstate'
import { anything } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { GraphOptions, StateKey } from './graph-options.ts'
import { graphFields, graphSource, type GraphSource } from './graph-source.ts'
import type { Stimulus } from './stimulus.ts'
import { testLogic, type TestLogic, type TestState } from './test-logic.ts'
import { stimuliOf } from './stimuli.ts'
import { AppendLog } from '../../actors/values/append-log.ts'
import { atOnce } from '../../runtime/user-function.ts'

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

/** The `TestModel` of a machine. */
export interface MachineModel {
  readonly logic: TestLogic
  readonly model: TestModel<TestState, Stimulus, unknown>
  readonly traversal: Traversal
}

const defaultLimit = 20_000

export type Traversal = Pick<
  TraversalConfig<TestState, Stimulus>,
  'events' | 'serializeEvent' | 'serializeState'
> & { readonly fromState: TestState }

/** Throws for an initial state that has no key. The search throws when it finds more states than the limit allows. */
function traversalOf(logic: TestLogic, input: unknown, source: GraphSource): Traversal {
  const limit = source.options.limit ?? defaultLimit
  const known = new Set<string>()
  const [fromState] = initialTransition(logic, input)
  return {
    fromState,
    // The limit of `@xstate/graph` counts edges.
    events: (state) => {
      known.add(state.key)
      if (known.size > limit) {
        throw new Error(
          `The state graph of "${source.machine.id}" has more than ${limit} states. Give a stateKey that keeps less, or smaller caps in the input.`,
        )
      }
      return stimuliOf(state, source)
    },
    // An object lists keys that are numbers first: with a prefix, states and stimuli stay in the order of the search.
    serializeState: ({ key }) => `state ${key}`,
    serializeEvent: ({ name }) => `stimulus ${name}`,
  }
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

/** The key of the options, or the default. */
export function keyIn({ stateKey }: GraphOptions): StateKey {
  if (stateKey === undefined) return defaultKey
  return (snapshot, live) => atOnce('stateKey of the options', stateKey(snapshot, live))
}

/** Fields that are lists count by their length, other objects by their presence. */
export function defaultKey(snapshot: AnyMachineSnapshot, live: readonly string[]): string {
  const context = snapshot.context as Record<string, unknown>
  const plain = Object.entries(context).map(([name, value]) => [name, summary(value)])
  return JSON.stringify([snapshot.value, snapshot.status, live, plain])
}

function summary(value: unknown): unknown {
  if (Array.isArray(value) || value instanceof AppendLog) return value.length
  if (typeof value === 'object' && value !== null) return 'object'
  return hasOwnText(value) ? value : [String(value)]
}

/** JSON writes `null` for `NaN`, infinities and symbols, and has no bigint. */
function hasOwnText(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : !['bigint', 'symbol'].includes(typeof value)
}
