/** A machine that is no agent is explored with every order of its children and events. */
import { assign, fromPromise, setup, type SnapshotFrom } from 'xstate'
import { createTroupe } from 'troupe'
import { describe, expect, test } from 'vitest'
import { always, eventually, explore, never, sometimes } from 'troupe/testing'
import { worker } from './agents.ts'

/** Two children of one source: the machine keeps the answer that comes first. */
const race = setup({
  types: {
    context: {} as { readonly first: string | undefined; readonly answers: number },
    events: {} as { type: 'stop' },
    output: {} as { readonly first: string | undefined },
  },
  actors: { writer: fromPromise<string, { readonly name: string }>(async ({ input }) => input.name) },
  guards: { isLast: ({ context }) => context.answers === 1 },
  actions: {
    note: assign({
      first: ({ context }, params: { readonly text: string }) => context.first ?? params.text,
      answers: ({ context }) => context.answers + 1,
    }),
  },
}).createMachine({
  id: 'race',
  context: { first: undefined, answers: 0 },
  output: ({ context }) => ({ first: context.first }),
  initial: 'writing',
  states: {
    writing: {
      invoke: [
        {
          src: 'writer',
          id: 'one',
          input: { name: 'one' },
          onDone: [
            {
              guard: 'isLast',
              target: 'done',
              actions: { type: 'note', params: ({ event }) => ({ text: event.output }) },
            },
            { actions: { type: 'note', params: ({ event }) => ({ text: event.output }) } },
          ],
          onError: 'failed',
        },
        {
          src: 'writer',
          id: 'two',
          input: { name: 'two' },
          onDone: [
            {
              guard: 'isLast',
              target: 'done',
              actions: { type: 'note', params: ({ event }) => ({ text: event.output }) },
            },
            { actions: { type: 'note', params: ({ event }) => ({ text: event.output }) } },
          ],
          onError: 'failed',
        },
      ],
      on: { stop: 'stopped' },
      after: { 1000: 'stopped' },
    },
    done: { type: 'final' },
    failed: { type: 'final' },
    stopped: { type: 'final' },
  },
})

type Race = SnapshotFrom<typeof race>

const outcomes = {
  writer: (input: { readonly name: string }) => [
    { name: 'writes', value: input.name },
    { name: 'fails', error: { name: 'Error', code: 'DOWN', message: 'down' } },
  ],
}
const events = [{ name: 'stop', event: { type: 'stop' } }] as const

test('every order is tried, and every path runs', async () => {
  const report = await explore(race, { outcomes, events })
  report.assert()
  expect(report.isComplete).toBe(true)
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['done', 'failed', 'stopped'])
  const paths = report.paths()
  expect(paths.map(({ name }) => name)).toContain('two: writes → one: writes')
  for (const path of paths) await path.run()
})

describe('rules over snapshots', () => {
  const first = (name: string) => (snapshot: Race) => snapshot.context.first === name

  test('find the order that breaks them, and show it', async () => {
    const report = await explore(race, { outcomes, rules: { 'one is first': never(first('two')) } })
    const [violation] = report.violations
    expect(violation).toMatchObject({ rule: 'one is first', steps: ['two: writes'] })
    expect(violation?.diagram()).toBe(
      'sequenceDiagram\n  Note over race: two: writes\n  Note over race: ✗ one is first: It holds, and never should.',
    )
  })

  test('that hold are not reported', async () => {
    const report = await explore(race, {
      outcomes,
      rules: {
        both: sometimes(first('two')),
        few: always((snapshot: Race) => snapshot.context.answers <= 2),
        begun: eventually((snapshot: Race) => snapshot.value === 'writing'),
      },
    })
    expect(report.violations).toEqual([])
  })

  test('of the kinds that need a way or a state are reported where there is none', async () => {
    const report = await explore(race, {
      outcomes,
      rules: {
        never: sometimes((snapshot: Race) => snapshot.context.answers > 2),
        answered: eventually((snapshot: Race) => snapshot.context.answers > 0),
      },
    })
    expect(report.violations.map(({ rule, steps }) => [rule, steps.length])).toEqual([
      ['never', 0],
      ['answered', 1],
    ])
  })
})

test('states are told apart by the whole context, unless the options give a key', async () => {
  const collecting = setup({
    types: { context: {} as { readonly answers: readonly string[] } },
    actors: { writer: fromPromise<string, { readonly name: string }>(async ({ input }) => input.name) },
  }).createMachine({
    id: 'collecting',
    context: { answers: [] },
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'writer',
          id: 'one',
          input: { name: 'one' },
          onDone: {
            target: 'asked',
            actions: assign({ answers: ({ context, event }) => [...context.answers, event.output] }),
          },
        },
      },
      asked: { on: { end: 'done' } },
      done: { type: 'final' },
    },
  })
  const given = {
    outcomes: {
      writer: [
        { name: 'says yes', value: 'yes' },
        { name: 'says no', value: 'no' },
      ],
    },
    events: [{ name: 'end', event: { type: 'end' } }],
  } as const
  const whole = await explore(collecting, given)
  whole.assert()
  const byValue = await explore(collecting, { ...given, stateKey: ({ value }) => JSON.stringify(value) })
  byValue.assert()
  expect([whole.states, byValue.states]).toEqual([5, 3])
})

test.each<[string, unknown, (before: unknown) => unknown]>([
  ['bigints', 0n, (before) => (before as bigint) + 1n],
  [
    'maps by objects',
    new Map<object, true>(),
    (before) => new Map(before as Map<object, true>).set({ size: Number(sizeOf(before)) }, true),
  ],
])('%s in the context tell states apart', async (_what, first, next) => {
  const growing = setup({
    types: { context: {} as { readonly value: unknown } },
    actors: { writer: fromPromise(async () => 'done') },
    guards: { isLast: ({ context }) => sizeOf(context.value) >= 2 },
    actions: { grow: assign({ value: ({ context }) => next(context.value) }) },
  }).createMachine({
    id: 'growing',
    context: { value: first },
    initial: 'writing',
    states: {
      writing: {
        invoke: {
          src: 'writer',
          id: 'writer',
          onDone: [
            { guard: 'isLast', target: 'done' },
            { target: 'writing', reenter: true, actions: 'grow' },
          ],
        },
      },
      done: { type: 'final' },
    },
  })
  const report = await explore(growing, {
    outcomes: { writer: [{ name: 'writes', value: 'done' }] },
    rules: { 'it grows': sometimes(({ value }: SnapshotFrom<typeof growing>) => value === 'done') },
  })
  report.assert()
  expect(report.states).toBe(4)
})

function sizeOf(value: unknown): number | bigint {
  return value instanceof Map ? value.size : (value as bigint)
}

test('a machine that cannot come to its end is found', async () => {
  const asking = setup({ actors: { model: fromPromise(async () => 'text') } }).createMachine({
    id: 'asking',
    initial: 'thinking',
    states: {
      thinking: { invoke: { src: 'model', id: 'model', onDone: 'stuck' } },
      stuck: {},
      done: { type: 'final' },
    },
  })
  const report = await explore(asking, { outcomes: { model: [{ name: 'answers', value: 'text' }] } })
  expect(report.violations).toMatchObject([{ rule: 'an end can be reached' }])
})

describe('a machine that asks an agent again and again', () => {
  const poet = worker('poet')
  const troupe = createTroupe({ agents: [poet] })
  const asking = setup({
    types: { events: {} as { type: 'again' } },
    actors: { poet: troupe.logic(poet) },
  }).createMachine({
    id: 'asking',
    initial: 'thinking',
    states: {
      thinking: {
        invoke: { src: 'poet', id: 'poet', input: { prompt: 'Go.' }, onDone: 'idle', onError: 'done' },
      },
      idle: { always: { target: 'thinking' } },
      done: { type: 'final' },
    },
  })
  const outcomes = {
    poet: [
      { name: 'answers', value: { outcome: 'completed' as const } },
      { name: 'fails', error: { name: 'Error', code: 'DOWN', message: 'down' } },
    ],
  }

  test('is found', async () => {
    const report = await explore(asking, { outcomes })
    expect(report.violations).toMatchObject([{ rule: 'no effect on a cycle' }])
  })
})

test('a wrong option of a machine is refused', async () => {
  const wrong: object = { outcomes, ruls: {} }
  await expect(explore(race, wrong as { outcomes: typeof outcomes })).rejects.toThrow('did you mean "rules"?')
})
