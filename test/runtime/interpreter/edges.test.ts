/** The tables and XState in lockstep over every edge of every machine. */
import { expect, test } from 'vitest'
import { located } from '../../../src/testing/cover/machine-path.ts'
import { adjacencyOf } from '../../../src/testing/graph/edge-cover.ts'
import { graphSource } from '../../../src/testing/graph/graph-source.ts'
import { toEvent } from '../../../src/testing/graph/stimulus.ts'
import { machineModel } from '../../../src/testing/graph/test-model.ts'
import { allSuites } from '../../machines/suites/all.ts'
import type { Suite } from '../../machines/suites/suite.ts'
import { proved } from '../../support/covers/proved.ts'
import { Lockstep } from './lockstep.ts'

/** How many states and edges were compared. */
function inLockstep({ machine, options }: Suite, input: unknown) {
  const source = graphSource(machine, options, 'lockstep')
  const { model } = machineModel(source, input)
  const lockstep = new Lockstep(source.machine)
  lockstep.begin(input)
  const adjacency = adjacencyOf(model.getAdjacencyMap())
  let edges = 0
  for (const { state, steps } of adjacency.values()) {
    for (const { event } of steps) {
      lockstep.step(state.snapshot, toEvent(event))
      edges++
    }
    lockstep.step(state.snapshot, { type: 'xstate.stop' })
    lockstep.step(state.snapshot, { type: 'event.of.another' })
  }
  return { states: adjacency.size, edges }
}

test.for(allSuites as unknown as readonly Suite[])('$machine.id', (suite, context) =>
  proved(context, () => {
    const counts = { states: 0, edges: 0 }
    for (const [name, input] of Object.entries(suite.options.inputs)) {
      try {
        const { states, edges } = inLockstep(suite, input)
        expect(states).toBeGreaterThan(0)
        counts.states += states
        counts.edges += edges
      } catch (cause) {
        throw located(cause, `from the input "${name}"`)
      }
    }
    return counts
  }),
)
