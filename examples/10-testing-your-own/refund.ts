/** The machine under test, as you might write it: a refund, which a person approves when it is large. */
import { assign, fromPromise, setup } from 'xstate'

type Verdict = 'allowed' | 'forbidden'

export interface Order {
  readonly order: string
  readonly euros: number
}

interface RefundOutput {
  readonly outcome: 'refunded' | 'refused' | 'handed over'
}

export const refund = setup({
  types: {
    input: {} as Order,
    context: {} as Order & { readonly payments: number },
    events: {} as { type: 'approve' } | { type: 'deny' },
    output: {} as RefundOutput,
  },
  actors: {
    policy: fromPromise<Verdict, Order>(async () => 'allowed'),
    bank: fromPromise<{ readonly receipt: string }, Order>(async ({ input }) => ({ receipt: input.order })),
  },
  guards: {
    isForbidden: (_, params: { readonly verdict: Verdict }) => params.verdict === 'forbidden',
    isLarge: ({ context }) => context.euros > 100,
    mayTryAgain: ({ context }) => context.payments < 2,
  },
  actions: { countPayment: assign({ payments: ({ context }) => context.payments + 1 }) },
}).createMachine({
  id: 'refund',
  context: ({ input }) => ({ ...input, payments: 0 }),
  output: ({ event }) => event.output as RefundOutput,
  initial: 'checking',
  states: {
    checking: {
      invoke: {
        src: 'policy',
        id: 'policy',
        input: ({ context }) => context,
        onDone: [
          {
            guard: { type: 'isForbidden', params: ({ event }) => ({ verdict: event.output }) },
            target: 'refused',
          },
          { guard: 'isLarge', target: 'awaitingApproval' },
          { target: 'paying' },
        ],
        onError: 'handedOver',
      },
    },
    awaitingApproval: { on: { approve: 'paying', deny: 'refused' } },
    paying: {
      entry: 'countPayment',
      invoke: {
        src: 'bank',
        id: 'bank',
        input: ({ context }) => context,
        onDone: 'refunded',
        onError: [{ guard: 'mayTryAgain', target: 'paying', reenter: true }, { target: 'handedOver' }],
      },
    },
    refunded: { type: 'final', output: { outcome: 'refunded' } },
    refused: { type: 'final', output: { outcome: 'refused' } },
    handedOver: {
      description: 'A person takes over.',
      type: 'final',
      output: { outcome: 'handed over' },
    },
  },
})
