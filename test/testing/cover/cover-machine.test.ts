import { assign, createMachine, emit, fromPromise, setup, spawnChild, type AnyStateMachine } from 'xstate'
import { describe, expect, test, vi } from 'vitest'
import { createAgent, createSupervisor, createTroupe, type FinalResult, type HostedSnapshot } from 'troupe'
import {
  coverMachine,
  explore,
  scriptedModel,
  type CoverOptions,
  type Failure,
  type Outcome,
} from 'troupe/testing'
import type { EffectOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import { effect } from '../../../src/actors/effects/effect.ts'

const returns: Outcome<EffectOutcome<'tool'>> = { name: 'returns', value: { type: 'returned', value: null } }
const fails: Failure = { name: 'fails', error: { name: 'Error', code: 'BROKEN', message: 'broken' } }

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

test('a path sets no timer, also for an effect with a deadline: it would hold the whole run', async () => {
  const machine = setup({ actors: { work: effect('tool') } }).createMachine({
    id: 'limited',
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'work',
          id: 'work',
          input: { agent: 'a', tool: 't', callId: 'c', args: {}, timeout: 5 },
          onDone: 'done',
        },
      },
      done: { type: 'final' },
    },
  })
  const cover = coverMachine(machine, { inputs: { only: undefined }, outcomes: { work: [returns] } })
  using setTimer = vi.spyOn(globalThis, 'setTimeout')
  await cover.run()
  expect(setTimer).not.toHaveBeenCalled()
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

test.each<[string, readonly unknown[]]>([
  ['bigints', [0n, 1n, 2n]],
  ['numbers that JSON does not have', [NaN, Infinity, -Infinity]],
])('%s in the context tell states apart', async (_what, values) => {
  const placeOf = (value: unknown): number => values.findIndex((other) => Object.is(other, value))
  const counting = setup({
    types: { context: {} as { readonly value: unknown } },
    actors: { work: fromPromise(async () => 'done') },
    actions: { next: assign({ value: ({ context }) => values[placeOf(context.value) + 1] }) },
    guards: { isLast: ({ context }) => placeOf(context.value) === 2 },
  }).createMachine({
    id: 'counting',
    context: { value: values[0] },
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'work',
          id: 'work',
          onDone: [
            { guard: 'isLast', target: 'done' },
            { target: 'working', reenter: true, actions: 'next' },
          ],
        },
      },
      done: { type: 'final' },
    },
  })
  const outcomes = { work: [{ name: 'ends', value: 'done' }] }
  const cover = coverMachine(counting, { inputs: { only: undefined }, outcomes })
  expect(cover.states).toBe(4)
  expect((await cover.run()).missing).toEqual([])
})

test('an invariant is asked after every step', async () => {
  const cover = coverMachine(twice, {
    inputs: { only: undefined },
    outcomes: { work: [returns, fails] },
    invariant: (snapshot, steps) => {
      if (snapshot.context.count === 2) throw new Error(`two after ${steps.join(', ')}`)
    },
  })
  await expect(cover.run()).rejects.toThrow('two after work: returns\nat only → work: returns')
})

test('an invariant may be asynchronous, and is waited for', async () => {
  const cover = coverMachine(twice, {
    inputs: { only: undefined },
    outcomes: { work: [returns, fails] },
    invariant: async (snapshot, steps) => {
      await Promise.resolve()
      if (snapshot.context.count === 2) throw new Error(`two after ${steps.join(', ')}`)
    },
  })
  await expect(cover.run()).rejects.toThrow('two after work: returns\nat only → work: returns')
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
    'Other state than expected.\nexpected: "waiting"\nactual:   "done"\nat only → work: returns',
  )
})

test('the output of a machine of a user may be any value, in a cover and in an exploration', async () => {
  const counter = setup({
    types: { events: {} as { type: 'end' }, output: {} as { count: bigint } },
  }).createMachine({
    id: 'counter',
    initial: 'counting',
    output: () => ({ count: 1n }),
    states: { counting: { on: { end: 'done' } }, done: { type: 'final' } },
  })
  const options = { outcomes: {}, events: [{ name: 'end', event: { type: 'end' } }] } as const
  const cover = coverMachine(counter, { inputs: { only: undefined }, ...options })
  expect((await cover.run()).missing).toEqual([])
  const report = await explore(counter, options)
  report.assert()
})

describe('the events that a machine of a user emits', () => {
  const telling = (count: () => number) =>
    setup({
      types: { emitted: {} as { type: 'held' | 'tried'; count: number } },
      actors: { work: fromPromise(async () => 'done') },
    }).createMachine({
      id: 'telling',
      initial: 'working',
      states: {
        working: {
          entry: emit(() => ({ type: 'tried' as const, count: count() })),
          invoke: {
            src: 'work',
            id: 'work',
            onDone: { target: 'done', actions: emit({ type: 'held', count: 1 }) },
          },
        },
        done: { type: 'final' },
      },
    })
  const options = { inputs: { only: undefined }, outcomes: { work: [{ name: 'ends', value: 'done' }] } }

  test('have any name and any shape, in a cover and in an exploration', async () => {
    const machine = telling(() => 1)
    expect((await coverMachine(machine, options).run()).missing).toEqual([])
    const report = await explore(machine, { outcomes: options.outcomes })
    report.assert()
  })

  test('are the same in the replay', async () => {
    let calls = 0
    const cover = coverMachine(
      telling(() => calls++),
      options,
    )
    await expect(cover.run()).rejects.toThrow('The replay has other events than the run.')
  })
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
    'The outcome "fails" of "timer" is an error, and a timer cannot fail.\nat only → timer: fails',
  )
})

test('the end of a delay is one more thing that may happen; nothing waits for it', async () => {
  using realTimers = vi.spyOn(globalThis, 'setTimeout')
  const patient = setup({
    actors: { answer: fromPromise<string>(async () => '') },
    delays: { aWhile: 1 },
    guards: { isFirst: ({ context }) => context.reminders === 0 },
    actions: { remind: assign(({ context }) => ({ reminders: context.reminders + 1 })) },
    types: { context: {} as { reminders: number } },
  }).createMachine({
    id: 'patient',
    context: { reminders: 0 },
    initial: 'asking',
    states: {
      asking: {
        initial: 'waiting',
        invoke: { src: 'answer', id: 'answer', onDone: 'answered' },
        after: { aWhile: 'unanswered' },
        states: {
          waiting: {
            after: {
              1: [
                { guard: 'isFirst', target: 'waiting', actions: 'remind', reenter: true },
                { target: 'resigned' },
              ],
            },
          },
          resigned: {},
        },
      },
      answered: { type: 'final' },
      unanswered: { type: 'final' },
    },
  })
  const cover = coverMachine(patient, {
    inputs: { only: undefined },
    outcomes: { answer: [{ name: 'answers', value: 'yes' }] },
  })
  expect(cover.paths.map((path) => path.name)).toEqual([
    'only → after 1 ms in asking.waiting → after 1 ms in asking.waiting → answer: answers',
    'only → after 1 ms in asking.waiting → after 1 ms in asking.waiting → after aWhile in asking',
    'only → answer: answers',
    'only → after aWhile in asking',
    'only → after 1 ms in asking.waiting → answer: answers',
    'only → after 1 ms in asking.waiting → after aWhile in asking',
  ])
  expect(await cover.run()).toEqual({ total: 4, covered: 4, missing: [] })
  expect(realTimers).not.toHaveBeenCalled()
})

test('a machine that declares no output needs none; one that does must have it', async () => {
  const config = {
    id: 'quiet',
    initial: 'waiting',
    states: { waiting: { on: { go: 'done' } }, done: { type: 'final' } },
  } as const
  const options = {
    inputs: { only: undefined },
    outcomes: {},
    events: [{ name: 'go', event: { type: 'go' } }],
  }
  expect(await coverMachine(createMachine(config), options).run()).toEqual({
    total: 1,
    covered: 1,
    missing: [],
  })
  const declared = createMachine({ ...config, output: () => undefined })
  await expect(coverMachine(declared, options).run()).rejects.toThrow(
    'The machine ended without the output that it declares.\nat only → go',
  )
})

test('sources without a name are refused, and so are children without an id', async () => {
  const work = fromPromise(async () => 1)
  const options = {
    inputs: { only: undefined },
    outcomes: {},
    events: [{ name: 'go', event: { type: 'go' } }],
  }
  const invoking = createMachine({
    id: 'invoking',
    initial: 'a',
    states: { a: { initial: 'b', states: { b: { invoke: [{ src: work, id: 'worker' }] } } } },
  })
  expect(() => coverMachine(invoking, options)).toThrow(
    'The source of "worker", invoked in "invoking.a.b", has no name, so that nothing can stand in for it.',
  )
  const spawning = createMachine({
    id: 'spawning',
    on: { go: { actions: spawnChild(work, { id: 'worker' }) } },
  })
  expect(() => coverMachine(spawning, options)).toThrow(
    'The source of "worker", which is spawned, has no name, so that nothing can stand in for it.',
  )
  const anonymous = setup({ actors: { work } }).createMachine({ on: { go: { actions: spawnChild('work') } } })
  expect(() => coverMachine(anonymous, options)).toThrow(
    'A child of the source "work" has no id of its own: give it one.\nwith the input "only"',
  )
})

describe('an app of the user that is composed of troupe.logic', () => {
  const model = scriptedModel([])
  const drafter = createAgent({ id: 'drafter', instructions: 'Draft.', model })
  const sender = createSupervisor({ id: 'sender', instructions: 'Send.', model })
  const troupe = createTroupe({ agents: [drafter, sender] })
  const app = setup({
    types: {
      input: {} as { task: string },
      context: {} as { task: string; text: string; asked: number },
      events: {} as { type: 'approve' } | { type: 'reject' },
    },
    actors: { draft: troupe.logic(drafter), send: troupe.logic(sender) },
    guards: {
      isUseful: (_, { outcome, text }: FinalResult) => outcome === 'completed' && text !== '',
      isAsked: (_, { awaiting }: HostedSnapshot) => awaiting.length > 0,
    },
  }).createMachine({
    id: 'desk',
    context: ({ input }) => ({ ...input, text: '', asked: 0 }),
    initial: 'drafting',
    states: {
      drafting: {
        invoke: {
          src: 'draft',
          id: 'draft',
          input: ({ context }) => ({ prompt: context.task }),
          onDone: [
            {
              guard: { type: 'isUseful', params: ({ event }) => event.output },
              target: 'awaitingApproval',
              actions: assign({ text: ({ event }) => event.output.text }),
            },
            { target: 'failed' },
          ],
          onError: 'failed',
        },
      },
      awaitingApproval: { on: { approve: 'sending', reject: 'drafting' }, after: { 60_000: 'failed' } },
      sending: {
        invoke: {
          src: 'send',
          id: 'send',
          input: ({ context }) => ({ prompt: context.text }),
          onSnapshot: {
            guard: { type: 'isAsked', params: ({ event }) => event.snapshot },
            actions: assign({ asked: ({ event }) => event.snapshot.awaiting.length }),
          },
          onDone: 'sent',
          onError: 'failed',
        },
      },
      sent: { type: 'final' },
      failed: { type: 'final' },
    },
  })

  const options: CoverOptions<typeof app> = {
    inputs: { task: { task: 'Answer.' } },
    outcomes: {
      draft: [
        { name: 'drafts', value: { outcome: 'completed', text: 'Dear all' } },
        { name: 'has nothing to say', value: { outcome: 'completed', text: '' } },
        fails,
      ],
      send: [{ name: 'sends', value: { outcome: 'completed', text: 'Sent.' } }, fails],
    },
    events: (snapshot) => {
      if (snapshot.matches('awaitingApproval')) {
        return (['approve', 'reject'] as const).map((type) => ({ name: type, event: { type } }))
      }
      if (!snapshot.matches('sending')) return []
      const asked = { awaiting: [{ toolCallId: 't' }] }
      return [{ name: 'is asked', event: { type: 'xstate.snapshot.send', snapshot: asked } }]
    },
  }

  test('runs of agents are outcomes by the name of the source; every transition is taken, and no model is asked', async () => {
    const cover = coverMachine(app, options)
    expect(await cover.run()).toEqual({ total: 9, covered: 9, missing: [] })
    expect(cover.paths.map((path) => path.name)).toContain(
      'task → draft: drafts → approve → is asked → send: sends',
    )
    expect(model.calls).toEqual([])
    expect((await troupe.runs()).items).toEqual([])
  })

  test('what it does wrong is found, with the way there', async () => {
    const careless = app.provide({ guards: { isUseful: () => true } })
    const cover = coverMachine(careless, {
      ...options,
      invariant: (snapshot) => {
        if (snapshot.matches('awaitingApproval') && snapshot.context.text === '')
          throw new Error('No text to approve.')
      },
    })
    await expect(cover.run()).rejects.toThrow('No text to approve.\nat task → draft: has nothing to say')
  })
})
