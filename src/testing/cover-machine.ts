/**
 * The edge cover of a machine: every edge of its state graph lies on a path, and every path is run on the real
 * engine, its outcomes delivered through the effect door. Each step must lead to the state that the graph
 * predicts, and each run must replay from its journal alone.
 */
import type { AnyMachineSnapshot, AnyStateMachine, SnapshotFrom } from 'xstate'
import {
  aFunction,
  aName,
  anything,
  either,
  is,
  listOf,
  positiveInteger,
  recordOf,
} from '../actors/strict/checks.ts'
import {
  anObject,
  isObject,
  optional,
  readOptions,
  required,
  type Fields,
} from '../actors/strict/read-options.ts'
import { toErrorData } from '../errors.ts'
import { MachineRun } from './machine-run.ts'
import {
  defaultKey,
  exploreStates,
  type Expectation,
  type GraphOptions,
  type GraphPath,
  type StateGraph,
  type StateKey,
} from './state-graph.ts'
import { liveIds, stubChildren } from './stub-children.ts'
import { describe, type ExternalEvent, type Outcome } from './stimulus.ts'
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
    const graph = explored(stubbed, inputName, input, options)
    states += graph.states.size
    edges += graph.edges
    return graph.paths.map((path) => ({
      name: [inputName, ...path.steps.map(({ stimulus }) => describe(stimulus))].join(' → '),
      run: () =>
        runPath(path, { machine: stubbed, input, inputName, recorder, keyOf, invariant: options.invariant }),
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

interface PathContext {
  readonly machine: AnyStateMachine
  readonly input: unknown
  readonly inputName: string
  readonly recorder: TransitionRecorder
  readonly keyOf: StateKey
  readonly invariant: CoverOptions['invariant']
}

async function runPath(path: GraphPath, context: PathContext): Promise<void> {
  const { machine, input, inputName, recorder, keyOf, invariant } = context
  const taken: string[] = []
  try {
    const run = new MachineRun(machine, input, (transitions) => recorder.take(transitions))
    await run.drain()
    compare(path.initial, run.snapshot, keyOf)
    for (const { stimulus, expected } of path.steps) {
      taken.push(describe(stimulus))
      await run.apply(stimulus)
      compare(expected, run.snapshot, keyOf)
      invariant?.(run.snapshot, taken)
    }
    await run.replay()
  } catch (cause) {
    throw located(cause, `at ${[inputName, ...taken].join(' → ')}`)
  }
}

function explored(
  machine: AnyStateMachine,
  inputName: string,
  input: unknown,
  options: GraphOptions,
): StateGraph {
  try {
    return exploreStates(machine, input, options)
  } catch (cause) {
    throw located(cause, `with the input "${inputName}"`)
  }
}

/** An error with the message of `cause`, and where it occurred. */
function located(cause: unknown, where: string): Error {
  return new Error(`${toErrorData(cause).message}\n${where}`, { cause })
}

function compare(expected: Expectation, actual: AnyMachineSnapshot, keyOf: StateKey): void {
  if (actual.status === 'error') {
    throw new Error(`The machine is in error: ${toErrorData(actual.error).message}`, { cause: actual.error })
  }
  const live = liveIds(actual)
  if (actual.status === 'active') differ('live children', expected.live.join(', '), live.join(', '))
  else if (actual.output === undefined && 'output' in actual.machine.config) {
    throw new Error('The machine ended without the output that it declares.')
  }
  differ('state', expected.key, keyOf(actual, actual.status === 'active' ? live : expected.live))
}

function differ(what: string, expected: string, actual: string): void {
  if (expected !== actual) {
    throw new Error(`Other ${what} than expected.\nexpected: ${expected}\nactual:   ${actual}`)
  }
}
