/** Paths of a machine that end otherwise than its reference says. */
import type { Stimulus } from 'troupe/testing'
import type { AgentInput } from '../../../src/machines/contract/agent.ts'
import { adjacencyOf, edgePaths } from '../../../src/testing/graph/edge-cover.ts'
import { graphSource } from '../../../src/testing/graph/graph-source.ts'
import { machineModel } from '../../../src/testing/graph/test-model.ts'
import type { Suite } from '../suites/suite.ts'
import { references } from './patterns/patterns.ts'

export interface Ended<Input> {
  readonly path: string
  readonly ending: string
  readonly input: Input
  readonly stimuli: readonly Stimulus[]
}

/** A machine with the options from which its state graph is made. */
export type Explored = Pick<Suite, 'machine' | 'options'>

/** The paths that end the machine. */
export function endedPaths<Input>(
  { machine, options }: Explored,
  endingOf: (output: never) => string,
): Ended<Input>[] {
  const { inputs, invariant: _invariant, mayRepeat: _mayRepeat, ...graph } = options
  const source = graphSource(machine, graph, machine.id)
  return Object.entries(inputs).flatMap(([inputName, input]) => {
    const { model, traversal } = machineModel(source, input)
    // Not by `getPaths` of the model: it compares all paths, and takes as long for that as for the search.
    return edgePaths(adjacencyOf(model.getAdjacencyMap()), traversal).flatMap(({ state, steps }) => {
      const { status, output } = state.snapshot
      if (status !== 'done') return []
      const stimuli = steps.slice(1).map(({ event }) => event)
      const path = [inputName, ...stimuli.map(({ name }) => name)].join(' → ')
      return [{ path, ending: endingOf(output as never), input: input as Input, stimuli }]
    })
  })
}

interface Ending {
  readonly outcome: string
  readonly reason?: string
  readonly error?: { readonly code: string }
}

function endingNamed({ outcome, reason, error }: Ending): string {
  return [outcome, reason, error?.code].filter((part) => part !== undefined).join(' ')
}

/** The faults of an agent, the outcomes in which paths end, the rows of its table by which they do, and how many paths end. */
export function readAgent(explored: Explored) {
  const reference = references[explored.machine.id]
  const rows = new Set<unknown>()
  const ended = endedPaths<AgentInput>(explored, endingNamed)
  const faults = ended.flatMap(({ path, ending, input, stimuli }) => {
    const named = reference?.endingOf(input, stimuli, (row) => rows.add(row))
    return named === ending ? [] : [`${ending}, and not ${named}: ${path}`]
  })
  return {
    faults,
    outcomes: new Set(ended.map(({ ending }) => ending.replace(/ .*/, ''))),
    rows,
    paths: ended.length,
  }
}
