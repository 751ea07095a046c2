import { expect, test } from 'vitest'
import { graphOf } from 'troupe/testing'
import { createMachine } from 'xstate'
import { allMachines } from '../../../scripts/machines.ts'
import { arrowsOf } from '../../../src/diagram/arrows.ts'
import { edgesOf } from '../../../src/testing/chart/graph-of.ts'

const machine = createMachine({
  id: 'm',
  initial: 'a',
  on: { stop: '.b' },
  states: {
    a: { always: [{ guard: () => false, target: 'b' }, { target: 'c' }], on: { tick: {} } },
    b: { type: 'final' },
    c: { after: { 5: 'b' } },
  },
})

test('a graph has every transition, those without an event and those without a target too', () => {
  const edges = edgesOf(graphOf(machine))
  expect(edges.map(({ source, target, label }) => [source.id, label.text, target.id])).toEqual([
    ['m', 'stop', 'm.b'],
    ['m.a', 'tick', 'm.a'],
    ['m.a', '', 'm.b'],
    ['m.a', '', 'm.c'],
    ['m.c', 'xstate.after.5.m.c', 'm.b'],
  ])
  expect(new Set(edges.map(({ id }) => id)).size).toBe(edges.length)
})

test('a graph is JSON', () => {
  const [child] = graphOf(machine).children
  expect(JSON.parse(JSON.stringify(child))).toEqual({
    id: 'm.a',
    children: [],
    edges: [
      { source: 'm.a', target: 'm.a', label: { text: 'tick' } },
      { source: 'm.a', target: 'm.b', label: { text: '' } },
      { source: 'm.a', target: 'm.c', label: { text: '' } },
    ],
  })
})

test('a drawing has an arrow for each edge of the graph', async () => {
  const machines = await allMachines()
  const arrows = machines.map(({ id, root }) => [
    id,
    arrowsOf({ inside: root, depth: Infinity }, { withActions: false, isMerged: false }).length,
  ])
  expect(arrows).toEqual(machines.map((one) => [one.id, edgesOf(graphOf(one)).length]))
})
