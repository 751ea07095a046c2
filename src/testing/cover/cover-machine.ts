/**
 * The edge cover of a machine: every edge of its state graph lies on a path, and every path is run on the real
 * engine, its outcomes delivered through the effect door. Each step must lead to the state that the graph
 * predicts, and each run must replay from its journal alone.
 */
import type { AnyStateMachine } from 'xstate'
import { readOptions } from '../../actors/strict/read-options.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { adjacencyOf, edgePaths, type Adjacency } from '../graph/edge-cover.ts'
import { graphSource, type GraphSource } from '../graph/graph-source.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import type { TestState } from '../graph/test-logic.ts'
import { machineModel, type MachineModel } from '../graph/test-model.ts'
import { coverFields, type CoverOptions } from './cover-options.ts'
import { EndlessCalls } from './endless-calls.ts'
import { located, machinePath, type MachinePath } from './machine-path.ts'
import { TransitionRecorder, type TransitionCoverage } from './transition-coverage.ts'

/** The paths that take every edge of a machine, and their coverage. */
export interface MachineCover {
  readonly paths: readonly MachinePath[]
  /** Of all graphs together. */
  readonly states: number
  readonly edges: number
  /** The transitions that the paths run so far have covered. */
  transitions(): TransitionCoverage
  /** Runs all paths, and rejects at the first that fails, or with the transitions that no path covers. */
  run(): Promise<TransitionCoverage>
}

/**
 * The edge cover of `machine`. Every invoked or spawned actor is stubbed: its outcomes are in `outcomes`, by the name
 * of its source. The end of a delay (`after`) counts as one more event. An `onSnapshot` is triggered by an event
 * `xstate.snapshot.<id>` among `events`. Throws when a live child has no outcomes, no id or no named source, when an outcome
 * has not the shape of its source, when no state hears an event, when a graph outgrows its limit, and when the machine calls a
 * model on a cycle that nothing ends.
 */
export function coverMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  options: CoverOptions<NoInfer<Machine>>,
): MachineCover
export function coverMachine(machine: AnyStateMachine, given: CoverOptions): MachineCover {
  return coverBy('xstate', machine, given)
}

/** As `coverMachine`, by an interpreter: a troupe runs the charts of its agents by tables. */
export function coverBy(
  interpreter: InterpreterName,
  machine: AnyStateMachine,
  given: CoverOptions,
): MachineCover {
  const where = `coverMachine("${machine.id}")`
  const options = readOptions<CoverOptions>(given, where, coverFields)
  const source = graphSource(machine, options, where)
  const recorder = new TransitionRecorder(source.machine, options.golden)
  const rule = new EndlessCalls(source, options.mayRepeat ?? {})
  let states = 0
  let edges = 0
  const paths = Object.entries(options.inputs).flatMap(([inputName, input]) => {
    const { model, traversal, adjacency } = explored(source, inputName, input, rule)
    states += adjacency.size
    for (const { steps } of adjacency.values()) edges += steps.length
    const { invariant } = options
    const onTransitions = recorder.take.bind(recorder)
    return edgePaths(adjacency, traversal).map((path) =>
      machinePath(path, { source, model, input, inputName, invariant, interpreter, onTransitions }),
    )
  })
  rule.refuseUnused(where)
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

function explored(source: GraphSource, inputName: string, input: unknown, rule: EndlessCalls): Explored {
  try {
    const { logic, model, traversal } = machineModel(source, input)
    const adjacency = adjacencyOf(model.getAdjacencyMap())
    rule.check(adjacency, traversal)
    return { logic, model, traversal, adjacency }
  } catch (cause) {
    throw located(cause, `with the input "${inputName}"`)
  }
}
