/** The tables and XState in lockstep over every edge of every machine. */
import { describe, expect, test } from 'vitest'
import { adjacencyOf } from '../../../src/testing/graph/edge-cover.ts'
import { graphSource } from '../../../src/testing/graph/graph-source.ts'
import { toEvent } from '../../../src/testing/graph/stimulus.ts'
import { machineModel } from '../../../src/testing/graph/test-model.ts'
import { allSuites } from '../../machines/suites/all.ts'
import type { Suite } from '../../machines/suites/suite.ts'
import { Lockstep } from './lockstep.ts'

describe.each(allSuites as unknown as readonly Suite[])('$machine.id', ({ machine, options }) => {
  test.each(Object.entries(options.inputs))('from the input "%s"', (_name, input) => {
    const source = graphSource(machine, options, 'lockstep')
    const { model } = machineModel(source, input)
    const lockstep = new Lockstep(source.machine)
    lockstep.begin(input)
    let states = 0
    for (const { state, steps } of adjacencyOf(model.getAdjacencyMap()).values()) {
      for (const { event } of steps) {
        lockstep.step(state.snapshot, toEvent(event))
      }
      lockstep.step(state.snapshot, { type: 'xstate.stop' })
      lockstep.step(state.snapshot, { type: 'event.of.another' })
      states++
    }
    expect(states).toBeGreaterThan(0)
  })
})
