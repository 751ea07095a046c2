/**
 * The edge cover of a machine: every edge of its state graph lies on a path, and every path is run on the real
 * engine, its outcomes delivered through the effect door. Each step must lead to the state that the graph
 * predicts, and each run must replay from its journal alone.
 */
import type { AnyStateMachine, SnapshotFrom } from 'xstate'
import {
  aFunction,
  aName,
  anything,
  either,
  is,
  listOf,
  positiveInteger,
  recordOf,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  isObject,
  optional,
  readOptions,
  required,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { adjacencyOf, type Adjacency } from '../graph/adjacency.ts'
import type { GraphOptions } from '../graph/graph-options.ts'
import { edgePaths } from '../graph/edge-cover.ts'
import { defaultKey } from '../graph/state-key.ts'
import type { ExternalEvent, Outcome, Stimulus } from '../graph/stimulus.ts'
import { stubChildren } from '../graph/stub-children.ts'
import type { TestState } from '../graph/test-logic.ts'
import { machineModel, type MachineModel } from '../graph/test-model.ts'
import { located, runPath } from './path-run.ts'
import { TransitionRecorder, type TransitionCoverage } from './transition-coverage.ts'

export interface CoverOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends GraphOptions<Machine> {
  /** Inputs by name: a machine whose guards read its input needs several. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** Throws when a snapshot breaks the invariant; called after every step. */
  readonly invariant?: (snapshot: SnapshotFrom<Machine>, steps: readonly string[]) => void
}

export interface CoverPath {
  /** The input and the stimuli, readable as the name of a test. */
  readonly name: string
  /** Runs the path on the real engine. Rejects where the run differs from the graph, or its replay from the run. */
  run(): Promise<void>
}

export interface MachineCover {
  readonly paths: readonly CoverPath[]
  /** Of all graphs together. */
  readonly states: number
  readonly edges: number
  /** The transitions that the paths run so far have covered. */
  transitions(): TransitionCoverage
  /** Runs all paths, and rejects at the first that fails, or with the transitions that no path covers. */
  run(): Promise<TransitionCoverage>
}

const outcomeFields: Fields<Outcome> = {
  name: required(aName),
  value: optional(anything),
  error: optional(anything),
}
const eventFields: Fields<ExternalEvent> = {
  name: required(aName),
  event: required(is('an event ({ type })', isObject)),
}

/** Checks outcomes and returns them as they are: an outcome may have no value. Those of functions are not checked. */
function readOutcomes(given: unknown, where: string): unknown {
  listOf(anObject(outcomeFields, { word: 'field' }))(given, where)
  return given
}

const readEvents = listOf(anObject(eventFields, { word: 'field' }))

const fields: Fields<CoverOptions> = {
  inputs: required(is('an object of inputs by name', isObject)),
  outcomes: required(
    recordOf(either(Array.isArray, readOutcomes, aFunction), 'an object of outcomes by source'),
  ),
  events: optional(either(Array.isArray, readEvents, aFunction)),
  stateKey: optional(aFunction),
  limit: optional(positiveInteger),
  invariant: optional(aFunction),
}

/**
 * The edge cover of `machine`. Every invoked or spawned actor is stubbed: its outcomes are in `outcomes`, by the name
 * of its source. The end of a delay (`after`) counts as one more event. An `onSnapshot` is triggered by an event
 * `xstate.snapshot.<id>` among `events`. Throws when a live child has no outcomes, no id or no named source, or a graph
 * outgrows its limit.
 */
export function coverMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  options: CoverOptions<Machine>,
): MachineCover
export function coverMachine(machine: AnyStateMachine, given: CoverOptions): MachineCover {
  const options = readOptions<CoverOptions>(given, `coverMachine("${machine.id}")`, fields)
  const stubbed = stubChildren(machine)
  const recorder = new TransitionRecorder(stubbed)
  const keyOf = options.stateKey ?? defaultKey
  let states = 0
  let edges = 0
  const paths = Object.entries(options.inputs).flatMap(([inputName, input]) => {
    const { model, traversal, adjacency } = explored(stubbed, inputName, input, options)
    states += adjacency.size
    for (const { steps } of adjacency.values()) edges += steps.length
    const { invariant } = options
    const context = { model, machine: stubbed, input, inputName, recorder, keyOf, invariant }
    return edgePaths(adjacency, traversal).map((path) => ({
      name: [inputName, ...path.steps.slice(1).map(({ event }) => event.name)].join(' → '),
      run: () => runPath(path, context),
    }))
  })
  return {
    paths,
    states,
    edges,
    transitions: () => recorder.coverage(),
    async run() {
      for (const path of paths) await path.run()
      const coverage = recorder.coverage()
      if (coverage.missing.length > 0) {
        throw new Error(`No path takes these transitions of "${machine.id}":\n${coverage.missing.join('\n')}`)
      }
      return coverage
    },
  }
}

interface Explored extends MachineModel {
  readonly adjacency: Adjacency<TestState, Stimulus>
}

function explored(
  machine: AnyStateMachine,
  inputName: string,
  input: unknown,
  options: GraphOptions,
): Explored {
  try {
    const found = machineModel(machine, input, options)
    return { ...found, adjacency: adjacencyOf(found.model.getAdjacencyMap()) }
  } catch (cause) {
    throw located(cause, `with the input "${inputName}"`)
  }
}
