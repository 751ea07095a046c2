/** The app: a statechart of yours. To it the buyer is an actor like any other. */
import { assign, setup, type SnapshotFrom } from 'xstate'
import type { FinalResult, Troupe } from 'troupe'
import type { Buyer } from '../agents.ts'

export interface Purchase {
  readonly need: string
  readonly answer: string
}

export function createShopping(troupe: Troupe, buyer: Buyer) {
  return setup({
    types: {
      context: {} as { need: string; purchases: readonly Purchase[] },
      events: {} as { type: 'ask'; need: string } | { type: 'stop' } | { type: 'again' },
      children: {} as { buyer: 'buyer' },
    },
    actors: { buyer: troupe.logic(buyer) },
    guards: { isAnswer: (_, { outcome }: FinalResult) => outcome === 'completed' },
  }).createMachine({
    id: 'shopping',
    context: { need: '', purchases: [] },
    initial: 'waiting',
    states: {
      waiting: {
        on: { ask: { target: 'buying', actions: assign({ need: ({ event }) => event.need }) } },
      },
      buying: {
        invoke: {
          src: 'buyer',
          id: 'buyer',
          input: ({ context }) => ({ prompt: context.need }),
          onDone: [
            {
              guard: { type: 'isAnswer', params: ({ event }) => event.output },
              target: 'waiting',
              actions: assign({
                purchases: ({ context: { need, purchases }, event }) => [
                  ...purchases,
                  { need, answer: event.output.text },
                ],
              }),
            },
            { target: 'stuck' },
          ],
          onError: 'stuck',
        },
        on: { stop: { target: 'waiting', description: 'To leave the state is to cancel the run.' } },
      },
      stuck: { on: { again: 'buying', stop: 'waiting' } },
    },
  })
}

export type Shopping = ReturnType<typeof createShopping>
export type ShoppingSnapshot = SnapshotFrom<Shopping>
/** The buyer at work, as the app sees it. */
export type BuyerRef = NonNullable<ShoppingSnapshot['children']['buyer']>
