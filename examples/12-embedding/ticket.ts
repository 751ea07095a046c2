/** The app: one ticket from the question to the reply, as you might write it. To it the desk is an actor like any other. */
import { assign, fromPromise, setup } from 'xstate'
import type { FinalResult, Troupe } from 'troupe'
import type { Desk } from './agents.ts'

export function createTicket(troupe: Troupe, desk: Desk) {
  return setup({
    types: {
      input: {} as { question: string },
      context: {} as { question: string; note: string; reply: string },
      events: {} as { type: 'approve' } | { type: 'sendBack'; note: string },
      children: {} as { desk: 'desk'; post: 'post' },
    },
    actors: {
      desk: troupe.logic(desk),
      post: fromPromise<void, { reply: string }>(async () => undefined),
    },
    guards: { isReply: (_, { outcome }: FinalResult) => outcome === 'completed' },
    delays: { patience: 24 * 60 * 60 * 1000 },
  }).createMachine({
    id: 'ticket',
    context: ({ input }) => ({ ...input, note: '', reply: '' }),
    initial: 'drafting',
    states: {
      drafting: {
        invoke: {
          src: 'desk',
          id: 'desk',
          input: ({ context }) => ({ prompt: `${context.question}\n${context.note}`.trim(), maxSteps: 6 }),
          onDone: [
            {
              guard: { type: 'isReply', params: ({ event }) => event.output },
              target: 'awaitingApproval',
              actions: assign({ reply: ({ event }) => event.output.text }),
            },
            { target: 'handedOver' },
          ],
          onError: 'handedOver',
        },
      },
      awaitingApproval: {
        on: {
          approve: 'sending',
          sendBack: { target: 'drafting', actions: assign({ note: ({ event }) => event.note }) },
        },
        after: { patience: 'handedOver' },
      },
      sending: {
        invoke: {
          src: 'post',
          id: 'post',
          input: ({ context }) => ({ reply: context.reply }),
          onDone: 'sent',
          onError: 'handedOver',
        },
      },
      sent: { type: 'final' },
      handedOver: { description: 'A person takes over.', type: 'final' },
    },
  })
}

export type Ticket = ReturnType<typeof createTicket>
