import { chartOf, type ChartState } from 'troupe'
import { describe, expect, test } from 'vitest'
import { and, assign, fromPromise, setup, type AnyStateMachine, type AnyStateNode } from 'xstate'
import { allMachines } from '../../../scripts/machines.ts'
import { labelledTransitions } from '../../../src/testing/chart/graph-of.ts'

const machines = await allMachines()

function statesOf(state: ChartState): readonly ChartState[] {
  return [state, ...state.states.flatMap(statesOf)]
}

const machine = setup({
  types: { context: {} as { tries: number }, events: {} as { type: 'go' } | { type: 'tool.done' } },
  actors: { fetchUser: fromPromise(async () => 'Ada') },
  guards: { isBelow: (_, _max: number) => true, isOpen: () => true },
  actions: { note: () => undefined },
}).createMachine({
  id: 'm',
  description: 'A machine.',
  context: { tries: 0 },
  initial: 'working',
  states: {
    working: {
      description: 'It works.',
      initial: 'fetching',
      invoke: { src: 'fetchUser', id: 'user', onDone: { target: '.resting', actions: 'note' } },
      states: {
        fetching: { always: { guard: and(['isOpen', { type: 'isBelow', params: 3 }]), target: 'resting' } },
        resting: { after: { 500: 'fetching' } },
        last: { type: 'history' },
      },
      on: {
        go: [
          { guard: { type: 'isBelow', params: 5 }, target: '#m.over', description: 'Enough.' },
          { actions: [assign({ tries: 1 }), () => undefined] },
        ],
      },
    },
    over: { type: 'final' },
  },
  on: { 'tool.*': { target: ['.working.fetching'] } },
})

test('a chart has the states and transitions of its machine as data', () => {
  expect(chartOf(machine)).toEqual({
    id: 'm',
    name: 'm',
    path: '',
    type: 'compound',
    description: 'A machine.',
    initial: 'working',
    invokes: [],
    transitions: [{ event: 'tool.*', label: 'tool.*', targets: ['working.fetching'], actions: [] }],
    states: [
      {
        name: 'working',
        path: 'working',
        type: 'compound',
        description: 'It works.',
        initial: 'working.fetching',
        invokes: [{ id: 'user', source: 'fetchUser' }],
        transitions: [
          {
            event: 'go',
            label: 'go',
            guard: 'isBelow 5',
            targets: ['over'],
            actions: [],
            description: 'Enough.',
          },
          { event: 'go', label: 'go', targets: [], actions: ['assign', 'action'] },
          {
            event: 'xstate.done.actor.user',
            label: 'user done',
            targets: ['working.resting'],
            actions: ['note'],
          },
        ],
        states: [
          {
            name: 'fetching',
            path: 'working.fetching',
            type: 'atomic',
            invokes: [],
            transitions: [
              { label: '', guard: 'isOpen and isBelow 3', targets: ['working.resting'], actions: [] },
            ],
            states: [],
          },
          {
            name: 'resting',
            path: 'working.resting',
            type: 'atomic',
            invokes: [],
            transitions: [
              {
                event: 'xstate.after.500.m.working.resting',
                label: 'after 500 ms',
                targets: ['working.fetching'],
                actions: [],
              },
            ],
            states: [],
          },
          {
            name: 'last',
            path: 'working.last',
            type: 'history',
            invokes: [],
            transitions: [],
            states: [],
          },
        ],
      },
      { name: 'over', path: 'over', type: 'final', invokes: [], transitions: [], states: [] },
    ],
  })
})

test('what is no machine is refused', () => {
  for (const given of [undefined, null, 'react', {}, fromPromise(async () => 1)])
    expect(() => chartOf(given as AnyStateMachine)).toThrow(
      /^chartOf: the machine must be a state machine of XState/,
    )
})

function nodesOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesOf)]
}

describe.each(machines.map((one) => [one.id, one] as const))('the chart of %s', (id, one) => {
  const chart = chartOf(one)
  const states = statesOf(chart)

  test('is JSON, and has every state and every transition', () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart)
    expect(chart.id).toBe(id)
    expect(states).toHaveLength(nodesOf(one.root).length)
    const transitions = states.flatMap((state) => state.transitions)
    expect(transitions).toHaveLength(labelledTransitions(one).size)
    expect(transitions.filter(({ guard }) => guard === 'condition')).toEqual([])
  })

  test('leads from state to state', () => {
    const paths = states.map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const { initial, transitions } of states) {
      if (initial !== undefined) expect(paths).toContain(initial)
      for (const target of transitions.flatMap(({ targets }) => targets)) expect(paths).toContain(target)
    }
  })
})
