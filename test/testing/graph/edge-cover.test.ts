import { getAdjacencyMap, getShortestPaths, TestModel } from '@xstate/graph'
import { expect, test } from 'vitest'
import { edgeCover } from 'troupe/testing'
import { createMachine, type EventFromLogic, type SnapshotFrom } from 'xstate'

const machine = createMachine({
  initial: 'a',
  states: {
    a: { on: { next: 'b', skip: 'c' } },
    b: { on: { next: 'c', back: 'a' } },
    c: { type: 'final' },
  },
})

type State = SnapshotFrom<typeof machine>
type Event = EventFromLogic<typeof machine>

const events = (state: State): Event[] =>
  ['next', 'skip', 'back'].filter((type) => state.can({ type })).map((type) => ({ type }))
const options = { events, serializeState: valueOf }

function valueOf(state: State | undefined): string {
  return typeof state?.value === 'string' ? state.value : ''
}

const stepsOf = (paths: ReturnType<typeof edgeCover<State, Event, unknown>>): string[] =>
  paths.map(({ steps }) => steps.map(({ event, state }) => `${event.type} ${valueOf(state)}`).join(' → '))

test('every edge lies on a path, and a path is no beginning of another', () => {
  const paths = edgeCover(machine, options)
  expect(stepsOf(paths)).toEqual([
    'xstate.init a → next b → next c',
    'xstate.init a → next b → back a',
    'xstate.init a → skip c',
  ])
  const taken = new Set(
    paths.flatMap(({ steps }) =>
      steps.slice(1).map(({ event }, at) => `${valueOf(steps[at]?.state)} ${event.type}`),
    ),
  )
  const edges = Object.entries(getAdjacencyMap(machine, options)).flatMap(([key, { transitions }]) =>
    Object.values<{ event: Event }>(transitions).map(({ event }) => `${key} ${event.type}`),
  )
  expect([...taken].toSorted()).toEqual(edges.toSorted())
})

test('it is a generator of paths beside those of @xstate/graph', () => {
  const model = new TestModel<State, Event, unknown>(machine, options)
  const cover = model.getPaths(edgeCover, { allowDuplicatePaths: true })
  const shortest = getShortestPaths(machine, options)
  expect(cover).toHaveLength(3)
  expect(shortest).toHaveLength(3)
  for (const { state, weight } of cover)
    expect(weight).toBeGreaterThanOrEqual(
      shortest.find((path) => path.state.value === state.value)?.weight ?? NaN,
    )
})

test('a search may begin, stop and end where it is told to', () => {
  const toState = (state: State): boolean => state.value === 'b'
  expect(stepsOf(edgeCover(machine, { ...options, toState }))).toEqual(['xstate.init a → next b'])
  const fromState = machine.resolveState({ value: 'b' })
  const stopWhen = (state: State): boolean => state.value === 'a'
  expect(stepsOf(edgeCover(machine, { ...options, fromState, stopWhen }))).toEqual([
    'xstate.init b → next c',
    'xstate.init b → back a',
  ])
})

test('a state without edges is a path', () => {
  const ended = createMachine({ initial: 'a', states: { a: {} } })
  expect(edgeCover(ended, {}).map(({ steps, weight }) => [steps.length, weight])).toEqual([[1, 0]])
})
