import { assign, fromPromise, setup, type AnyStateMachine } from 'xstate'
import { expect, test } from 'vitest'
import { coverMachine, type Outcome } from 'troupe/testing'
import { effect } from '../../src/actors/effect.ts'

const returns: Outcome = { name: 'returns', value: { type: 'returned', value: null } }
const fails: Outcome = { name: 'fails', error: { name: 'Error', code: 'BROKEN', message: 'broken' } }

/** Waits twice, then ends; a failure ends it at once. */
const twice = setup({
  types: { context: {} as { count: number }, output: {} as { ended: string } },
  actors: { work: effect('tool') },
  guards: { isLast: ({ context }) => context.count >= 2 },
  actions: { count: assign(({ context }) => ({ count: context.count + 1 })) },
}).createMachine({
  id: 'twice',
  context: () => ({ count: 0 }),
  initial: 'waiting',
  output: ({ event }) => event.output as { ended: string },
  states: {
    waiting: {
      entry: 'count',
      invoke: {
        src: 'work',
        id: 'work',
        input: { agent: 'a', tool: 't', callId: 'c', args: {} },
        onDone: [
          { guard: 'isLast', target: 'done' },
          { target: 'waiting', reenter: true },
        ],
        onError: 'failed',
      },
    },
    done: { type: 'final', output: { ended: 'done' } },
    failed: { type: 'final', output: { ended: 'failed' } },
  },
})

test('the edge cover takes every transition, and says how much that is', async () => {
  const cover = coverMachine(twice, { inputs: { only: undefined }, outcomes: { work: [returns, fails] } })
  expect(cover.paths.map((path) => path.name)).toEqual([
    'only → work: fails',
    'only → work: returns → work: returns',
    'only → work: returns → work: fails',
  ])
  expect({ states: cover.states, edges: cover.edges }).toEqual({ states: 5, edges: 4 })
  expect(await cover.run()).toEqual({ total: 3, covered: 3, missing: [] })
})

test('a transition that no outcome leads to is named', async () => {
  const cover = coverMachine(twice, { inputs: { only: undefined }, outcomes: { work: [returns] } })
  await expect(cover.run()).rejects.toThrow(
    'No path takes these transitions of "twice":\ntwice.waiting: xstate.error.actor.work → twice.failed',
  )
  expect(cover.transitions()).toEqual({
    total: 3,
    covered: 2,
    missing: ['twice.waiting: xstate.error.actor.work → twice.failed'],
  })
})

test('a live child without outcomes is an error that names its source', () => {
  expect(() => coverMachine(twice, { inputs: { only: undefined }, outcomes: {} })).toThrow(
    'No outcomes are given for children of the source "work".',
  )
})

test('a graph that does not end is stopped at the limit', () => {
  const endless = twice.provide({ guards: { isLast: () => false } })
  expect(() =>
    coverMachine(endless, { inputs: { only: undefined }, outcomes: { work: [returns] }, limit: 50 }),
  ).toThrow('The state graph of "twice" has more than 50 states.')
})

test('an invariant is asked after every step', async () => {
  const cover = coverMachine(twice, {
    inputs: { only: undefined },
    outcomes: { work: [returns, fails] },
    invariant: (snapshot, steps) => {
      if (snapshot.context.count === 2) throw new Error(`two after ${steps.join(', ')}`)
    },
  })
  await expect(cover.run()).rejects.toThrow('two after work: returns')
})

test('a run that differs from the graph fails, with the way there', async () => {
  let calls = 0
  const impure = twice.provide({ guards: { isLast: () => calls++ > 0 } })
  const cover = coverMachine(impure, {
    inputs: { only: undefined },
    outcomes: { work: [returns] },
    stateKey: (snapshot) => JSON.stringify(snapshot.value),
  })
  await expect(cover.run()).rejects.toThrow(
    'Other state than expected after work: returns.\nexpected: "waiting"\nactual:   "done"',
  )
})

test('a machine that ends in error fails its path', async () => {
  const throwing: AnyStateMachine = twice.provide({
    actions: {
      count: ({ self }) => {
        if (self.id === 'machine') throw new Error('not today')
      },
    },
  })
  const cover = coverMachine(throwing, {
    inputs: { only: undefined },
    outcomes: { work: [returns] },
    limit: 10,
  })
  await expect(cover.run()).rejects.toThrow('in error')
})

test('children that are no effects are stubbed: their outcomes are delivered through the door', async () => {
  const parent = setup({
    types: { output: {} as { text: unknown } },
    actors: {
      answer: fromPromise<string>(() => Promise.reject(new Error('the stub must stand in for this'))),
    },
  }).createMachine({
    id: 'parent',
    initial: 'asking',
    output: ({ event }) => ({ text: event.output }),
    states: {
      asking: { invoke: { src: 'answer', id: 'answer', onDone: 'answered', onError: 'unanswered' } },
      answered: { type: 'final', output: 'yes' },
      unanswered: { type: 'final', output: 'no' },
    },
  })
  const cover = coverMachine(parent, {
    inputs: { only: undefined },
    outcomes: { answer: [{ name: 'answers', value: 'hello' }, fails] },
  })
  expect(await cover.run()).toEqual({ total: 2, covered: 2, missing: [] })
})

test('a timer cannot fail, and the kit says so', async () => {
  const timed = setup({ actors: { timer: effect('timer') }, types: { output: {} } }).createMachine({
    id: 'timed',
    initial: 'waiting',
    output: {},
    states: {
      waiting: {
        invoke: { src: 'timer', id: 'timer', input: { delay: 1 }, onDone: 'done', onError: 'done' },
      },
      done: { type: 'final' },
    },
  })
  const cover = coverMachine(timed, { inputs: { only: undefined }, outcomes: { timer: [fails] } })
  await expect(cover.run()).rejects.toThrow(
    'The outcome "fails" of "timer" is an error, and a timer cannot fail.',
  )
})
