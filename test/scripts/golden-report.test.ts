/** The report of a golden graph that is not current says what differs, also where all edges are the same. */
import { goldenOf, type CoverOptions } from 'troupe/testing'
import { expect, test } from 'vitest'
import { fromPromise, setup } from 'xstate'
import { goldenReport } from '../../scripts/golden-report.ts'

interface Difference {
  readonly guard?: 'isSmall' | 'isAllowed'
  readonly currency?: string
  readonly limit?: number
}

function payment({ guard = 'isSmall', currency = 'EUR', limit = 100 }: Difference = {}) {
  return setup({
    types: { input: {} as { sum: number }, context: {} as { sum: number } },
    actors: { bank: fromPromise<string, { sum: number; currency: string }>(async () => 'r-1') },
    guards: {
      isSmall: ({ context }) => context.sum <= limit,
      isAllowed: ({ context }) => context.sum <= limit,
    },
  }).createMachine({
    id: 'payment',
    context: ({ input }) => input,
    initial: 'checking',
    states: {
      checking: { always: [{ guard, target: 'paying' }, { target: 'refused' }] },
      paying: {
        invoke: {
          src: 'bank',
          id: 'bank',
          input: ({ context: { sum } }) => ({ sum, currency }),
          onDone: 'paid',
          onError: 'refused',
        },
      },
      paid: { type: 'final' },
      refused: { type: 'final' },
    },
  })
}

const options: CoverOptions<ReturnType<typeof payment>> = {
  inputs: { small: { sum: 20 }, large: { sum: 101 } },
  outcomes: { bank: [{ name: 'pays', value: 'r-1' }] },
}

const golden = (difference?: Difference) => goldenOf(payment(difference), { ...options, form: 'groups' })

const report = (difference: Difference) => goldenReport('payment', golden(), golden(difference))

test('another guard: the transition', () => {
  expect(report({ guard: 'isAllowed' }))
    .toBe(`payment: edges: 0 new, 0 gone; transitions: 1 new, 1 gone; values: 0 new, 0 gone
  transitions
  - payment.checking: always [isSmall] → payment.paying
  + payment.checking: always [isAllowed] → payment.paying`)
})

test('another input of a child: the field with both values, beside the edges that start the child', () => {
  expect(report({ currency: 'USD' }))
    .toBe(`payment: edges: 1 new, 1 gone; transitions: 0 new, 0 gone; values: 1 new, 1 gone
  edges
  - start → paying, starts bank
  + start → paying, starts bank
  values
  - starts bank · input.currency: "EUR"
  + starts bank · input.currency: "USD"`)
})

test('another way: the edges', () => {
  expect(report({ limit: 200 })).toContain('+ start → paying, starts bank')
  expect(report({ limit: 200 })).toContain('- start → refused, ends done')
})
