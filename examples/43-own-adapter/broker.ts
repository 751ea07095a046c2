/** An adapter of your own, on `troupe/kit` alone: an agent whose work is a chart, and the two effects of that chart. */
import { defineChartAgent, defineEffect, type ChartInput } from 'troupe/kit'
import { assign, setup } from 'xstate'

/** The service that the adapter reaches. */
export interface Exchange {
  /** Euros for one share. */
  priceOf(symbol: string): Promise<number>
  /** `key`: names the order. The exchange keeps one order for each key. */
  order(symbol: string, key: string): Promise<string>
}

interface Context {
  readonly symbol: string
  readonly price: number
  readonly answer: string
}

/** Buys a share where its price is at most `most` euros. */
export function createBroker(exchange: Exchange, most: number) {
  const price = defineEffect({
    name: 'price',
    perform: ({ symbol }: { readonly symbol: string }) => exchange.priceOf(symbol),
  })
  const order = defineEffect({
    name: 'order',
    perform: ({ symbol }: { readonly symbol: string }, { idempotencyKey }) =>
      exchange.order(symbol, idempotencyKey),
  })
  const chart = setup({
    types: { input: {} as ChartInput, context: {} as Context },
    actors: { price, order },
    guards: { isCheap: ({ context }) => context.price <= most },
  }).createMachine({
    id: 'broker',
    context: ({ input }) => ({ symbol: input.task, price: 0, answer: '' }),
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          id: 'price',
          src: 'price',
          input: ({ context: { symbol } }) => ({ symbol }),
          onDone: { target: 'deciding', actions: assign({ price: ({ event }) => event.output }) },
        },
      },
      deciding: {
        always: [
          { guard: 'isCheap', target: 'ordering' },
          {
            target: 'answered',
            actions: assign({ answer: ({ context }) => `${context.price} euros are too much.` }),
          },
        ],
      },
      ordering: {
        invoke: {
          id: 'order',
          src: 'order',
          input: ({ context: { symbol } }) => ({ symbol }),
          onDone: { target: 'answered', actions: assign({ answer: ({ event }) => event.output }) },
        },
      },
      answered: { type: 'final' },
    },
    output: ({ context }) => ({ text: context.answer }),
  })
  return defineChartAgent({ id: 'broker', description: 'Buys one share.', chart: () => chart })
}
