import { joinPaths, getSimplePaths } from '@xstate/graph'
import { expect, test } from 'vitest'
import { edgeCover, testModel, testPaths, type PathOptions } from 'troupe/testing'
import { assign, fromPromise, setup } from 'xstate'

/** Tries twice to pay, and gives up after the second failure. */
const payment = setup({
  types: {
    context: {} as { readonly tries: number },
    input: {} as { readonly euros: number },
    events: {} as { type: 'approve' },
  },
  actors: { bank: fromPromise<string, number>(async () => '') },
  actions: { count: assign(({ context }) => ({ tries: context.tries + 1 })) },
  guards: { mayTryAgain: ({ context }) => context.tries < 2 },
}).createMachine({
  id: 'payment',
  context: { tries: 0 },
  initial: 'asking',
  states: {
    asking: { on: { approve: 'paying' } },
    paying: {
      entry: 'count',
      invoke: {
        src: 'bank',
        id: 'bank',
        input: 1,
        onDone: 'paid',
        onError: [{ guard: 'mayTryAgain', target: 'paying', reenter: true }, { target: 'failed' }],
      },
    },
    paid: { type: 'final' },
    failed: { type: 'final' },
  },
})

const options: PathOptions<typeof payment> = {
  inputs: { small: { euros: 1 } },
  outcomes: {
    bank: [
      { name: 'pays', value: 'r-1' },
      { name: 'is down', error: { name: 'Error', code: 'DOWN', message: 'no answer' } },
    ],
  },
  events: (snapshot) => (snapshot.matches('asking') ? [{ name: 'approve', event: { type: 'approve' } }] : []),
}

const names = (more: Partial<PathOptions<typeof payment>>): string[] =>
  testPaths(payment, { ...options, ...more }).map(({ name }) => name)

test('the shortest way to a state is a path that runs on the engine', async () => {
  const seen: string[] = []
  const [path, ...others] = testPaths(payment, {
    ...options,
    toState: (snapshot) => snapshot.matches('failed'),
    invariant: (snapshot) => seen.push(JSON.stringify(snapshot.value)),
  })
  expect(others).toEqual([])
  expect(path?.name).toBe('small → approve → bank: is down → bank: is down')
  await path?.run()
  expect(seen).toEqual(['"asking"', '"paying"', '"paying"', '"failed"'])
})

test('a path that breaks the invariant fails where it does', async () => {
  const [path] = testPaths(payment, {
    ...options,
    toState: (snapshot) => snapshot.matches('failed'),
    invariant: ({ context }) => {
      if (context.tries > 1) throw new Error('The bank was asked twice.')
    },
  })
  await expect(path?.run()).rejects.toThrow('The bank was asked twice.\nat small → approve → bank: is down')
})

test('every generator of @xstate/graph gives paths, and so does the edge cover', () => {
  const toState: PathOptions<typeof payment>['toState'] = (snapshot) => snapshot.matches('paid')
  const both = ['small → approve → bank: pays', 'small → approve → bank: is down → bank: pays']
  expect(names({ toState })).toEqual(both)
  expect(names({ toState, pathGenerator: getSimplePaths })).toEqual(both)
  expect(names({ pathGenerator: edgeCover })).toEqual([
    ...both,
    'small → approve → bank: is down → bank: is down',
  ])
  expect(names({ stopWhen: (snapshot) => snapshot.matches('paying') })).toEqual(['small', 'small → approve'])
  expect(() => names({ toState: () => false })).toThrow('testPaths("payment"): there is no such path.')
})

test('a test model gives the whole of @xstate/graph: from events, from a state on, joined', () => {
  const { outcomes, events } = options
  const model = testModel(payment, { input: { euros: 1 }, outcomes, events: events ?? [] })
  const [approved] = model.getShortestPaths({ toState: ({ snapshot }) => snapshot.matches('paying') })
  if (approved === undefined) throw new Error('There is a way to pay.')
  const [paid] = model.getShortestPaths({
    fromState: approved.state,
    toState: ({ snapshot }) => snapshot.matches('paid') && snapshot.context.tries === 1,
  })
  if (paid === undefined) throw new Error('There is a way to be paid.')
  const whole = joinPaths(approved, paid)
  const [again] = model.getPathsFromEvents(
    whole.steps.slice(1).map(({ event }) => event),
    model.options,
  )
  expect(again?.steps.map(({ event }) => (event.type === 'outcome' ? event.name : event.type))).toEqual([
    'xstate.init',
    'event',
    'bank: pays',
  ])
  expect(again?.state.snapshot.value).toBe('paid')
})

test.each<[string, object]>([
  ['toState', { toState: async () => true }],
  ['stopWhen', { stopWhen: async () => true }],
  ['pathGenerator', { pathGenerator: async () => [] }],
])('%s must answer at once: a promise would count as true', (name, ends) => {
  expect(() => testPaths(payment, { ...options, ...ends })).toThrow(`${name} of testPaths`)
})
