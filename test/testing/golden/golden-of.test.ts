import { expect, test } from 'vitest'
import { compareGoldens, coverMachine, goldenOf, type CoverOptions, type GoldenOptions } from 'troupe/testing'
import { assign, emit, fromPromise, setup } from 'xstate'
import { AppendLog } from '../../../src/actors/values/append-log.ts'

const payment = setup({
  types: {
    context: {} as { readonly tries: number; readonly notes: AppendLog<string> },
    input: {} as { readonly euros: number },
    events: {} as { type: 'cancel' },
    emitted: {} as { type: 'tried'; euros: number },
    output: {} as { paid: boolean },
  },
  actors: {
    bank: fromPromise<string, { readonly euros: number; readonly notes: AppendLog<string> }>(async () => ''),
  },
  actions: {
    count: assign(({ context }) => ({ tries: context.tries + 1, notes: context.notes.append('again') })),
    tell: emit(({ context }) => ({ type: 'tried', euros: context.tries })),
    close: () => undefined,
  },
  guards: { mayTryAgain: ({ context }) => context.tries < 2 },
}).createMachine({
  id: 'payment',
  context: { tries: 0, notes: AppendLog.of() },
  initial: 'paying',
  on: { cancel: '.failed' },
  output: ({ event }) => ({ paid: event.type.startsWith('xstate.done') && event.output === true }),
  states: {
    paying: {
      entry: ['count', 'tell'],
      invoke: {
        src: 'bank',
        id: 'bank',
        input: ({ context }) => ({ euros: 5, notes: context.notes }),
        onDone: 'paid',
        onError: [{ guard: 'mayTryAgain', target: 'paying', reenter: true }, { target: 'failed' }],
      },
    },
    paid: { type: 'final', output: true },
    failed: { type: 'final', entry: 'close', output: false },
  },
})

const options: GoldenOptions<typeof payment> = {
  inputs: { small: { euros: 5 } },
  outcomes: {
    bank: [
      { name: 'pays', value: 'r-1' },
      { name: 'is down', error: { name: 'Error', code: 'DOWN', message: 'no answer' } },
    ],
  },
  events: (snapshot) => (snapshot.context.tries === 2 ? [{ name: 'cancel', event: { type: 'cancel' } }] : []),
}

const golden = goldenOf(payment, options)

test('a golden graph has each transition, each state and each edge, with all that the machine does on it', () => {
  expect(golden.replaceAll(/~\w{6}/g, '~').replaceAll(/#\w+/g, '#')).toBe(`# payment

5 states, 5 edges, 4 transitions

## Transitions

payment: cancel → payment.failed
payment.paying: xstate.done.actor.bank → payment.paid
payment.paying: xstate.error.actor.bank [mayTryAgain] → payment.paying
payment.paying: xstate.error.actor.bank → payment.failed

## small: 5 states

start → paying ~
  starts bank {"id":"bank","input":{"euros":5,"notes":[1 items #]}}
  emits tried {"euros":1,"type":"tried"}
paying ~ · bank: pays → paid ~
  stops bank "bank"
  ends done {"paid":true}
paying ~ · bank: is down → paying ~
  stops bank "bank"
  starts bank {"id":"bank","input":{"euros":5,"notes":[2 items #]}}
  emits tried {"euros":2,"type":"tried"}
paying ~ · bank: pays → paid ~
  stops bank "bank"
  ends done {"paid":true}
paying ~ · bank: is down → failed ~
  stops bank "bank"
  does close
  ends done {"paid":false}
paying ~ · cancel → failed ~
  stops bank "bank"
  does close
  ends done {"paid":false}
`)
})

test('the same machine gives the same text', () => {
  expect(goldenOf(payment.provide({}), options)).toBe(golden)
})

test('in groups, edges that differ in values alone are one entry, and the values are listed by field', () => {
  const grouped = goldenOf(payment, { ...options, form: 'groups' })
  expect(
    grouped
      .slice(grouped.indexOf('## Inputs'))
      .replaceAll(/#[a-z0-9 ]+$/gm, (digests) => `#${digests.split(' ').length}`),
  ).toBe(`## Inputs

small: 5 states

## Edges

paying · bank: is down → failed, stops bank, does close, ends done
  #1
paying · bank: is down → paying, stops bank, starts bank, emits tried
  #1
paying · bank: pays → paid, stops bank, ends done
  #2
paying · cancel → failed, stops bank, does close, ends done
  #1
start → paying, starts bank, emits tried
  #1

## Values

emits tried
  euros: 1 | 2
  type: "tried"
ends done
  paid: false | true
starts bank
  id: "bank"
  input.euros: 5
  input.notes[]: "again"
`)
})

test('two golden graphs are compared edge by edge, in either form', () => {
  const bolder = payment.provide({ guards: { mayTryAgain: ({ context }) => context.tries < 3 } })
  const before = { edges: golden, groups: goldenOf(payment, { ...options, form: 'groups' }) }
  for (const form of ['edges', 'groups'] as const) {
    const { added, gone } = compareGoldens(before[form], goldenOf(bolder, { ...options, form }))
    expect([added.length, gone.length]).toEqual([3, 1])
    expect(gone[0]).toContain('bank: is down → failed')
  }
  const none = { added: [], gone: [] }
  expect(compareGoldens(golden, golden)).toEqual({ ...none, transitions: none, values: none })
  expect(() => compareGoldens('', golden)).toThrow('The text is no golden graph')
})

test('what a machine does differently is a difference, though its states and transitions are the same', () => {
  const silent = payment.provide({ actions: { tell: () => undefined } })
  const { added, gone } = compareGoldens(golden, goldenOf(silent, options))
  expect([added.length, gone.length]).toEqual([2, 2])
})

test('of graphs in groups the values that differ are named by subject and field', () => {
  const loud = payment.provide({
    actions: { tell: emit(({ context }) => ({ type: 'tried' as const, euros: 10 * context.tries })) },
  })
  const [before, after] = [payment, loud].map((machine) => goldenOf(machine, { ...options, form: 'groups' }))
  expect(compareGoldens(before ?? '', after ?? '')).toMatchObject({
    transitions: { added: [], gone: [] },
    values: { added: ['emits tried · euros: 10 | 20'], gone: ['emits tried · euros: 1 | 2'] },
  })
})

test('a guard that is renamed is another transition on the same edges', () => {
  const closed = (guard: 'isOpen' | 'isFree') =>
    setup({ guards: { isOpen: () => true, isFree: () => true } }).createMachine({
      id: 'door',
      initial: 'closed',
      states: { closed: { always: { guard, target: 'open' } }, open: { type: 'final' } },
    })
  const [before, after] = (['isOpen', 'isFree'] as const).map((guard) =>
    goldenOf(closed(guard), { inputs: { one: undefined }, outcomes: {} }),
  )
  expect(compareGoldens(before ?? '', after ?? '')).toEqual({
    added: [],
    gone: [],
    transitions: {
      added: ['door.closed: always [isFree] → door.open'],
      gone: ['door.closed: always [isOpen] → door.open'],
    },
    values: { added: [], gone: [] },
  })
})

test('a transition that was removed is missing from a cover that knows the golden graph', async () => {
  const door = (isLocked: boolean) =>
    setup({ types: { events: {} as { type: 'open' } | { type: 'lock' } } }).createMachine({
      id: 'door',
      initial: 'closed',
      states: {
        closed: { on: { open: 'opened', ...(isLocked && { lock: 'locked' }) } },
        opened: { type: 'final' },
        locked: { type: 'final' },
      },
    })
  const opens: CoverOptions<ReturnType<typeof door>> = {
    inputs: { one: undefined },
    outcomes: {},
    events: [{ name: 'open', event: { type: 'open' } }],
  }
  const locks: typeof opens = {
    ...opens,
    events: (['open', 'lock'] as const).map((type) => ({ name: type, event: { type } })),
  }
  const cover = coverMachine(door(false), { ...opens, golden: goldenOf(door(true), locks) })
  await expect(cover.run()).rejects.toThrow('door.closed: lock → door.locked (in the golden graph alone)')
  expect(cover.transitions()).toMatchObject({ total: 2, covered: 1 })
  expect(
    await coverMachine(door(true), { ...locks, golden: goldenOf(door(true), locks) }).run(),
  ).toMatchObject({
    missing: [],
  })
  expect(() => coverMachine(door(true), { ...locks, golden })).toThrow(
    'The golden graph is one of "payment", and no one of "door".',
  )
})

test('a golden graph that git has checked out with CRLF is the same', async () => {
  const none = { added: [], gone: [] }
  for (const form of ['edges', 'groups'] as const) {
    const text = goldenOf(payment, { ...options, form })
    const difference = compareGoldens(text.replaceAll('\n', '\r\n'), text)
    expect(difference).toEqual({ ...none, transitions: none, values: none })
  }
  const cover = coverMachine(payment, { ...options, golden: golden.replaceAll('\n', '\r\n') })
  expect((await cover.run()).missing).toEqual([])
})
