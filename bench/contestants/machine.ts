/**
 * The plainest XState machine that does a job of one call at a time: the model and the tool are promises that it invokes.
 * No checks of replies or arguments, no events, no journal, no caps, no retries, no cancellation.
 */
import { assign, createActor, fromPromise, setup, toPromise } from 'xstate'
import type { Call, Chat, Turn, Value } from '../chats/chat.ts'
import { performAdd, type Job } from '../jobs/job.ts'
import type { Contestant } from './contestant.ts'

export function machine<Message>(chat: Chat<Message>, job: Job): Contestant {
  const logic = machineOf(chat, job)
  return {
    name: 'XState machine',
    prepare: () => () => {
      const actor = createActor(logic)
      const output = toPromise(actor)
      actor.start()
      return output
    },
  }
}

function machineOf<Message>(chat: Chat<Message>, { script, instructions, task }: Job) {
  interface Context {
    readonly messages: readonly Message[]
    readonly turn: Turn<Message> | undefined
  }
  const requested = ({ turn }: Context): Call => turn?.calls[0] as Call

  return setup({
    types: { context: {} as Context, output: {} as string },
    actors: {
      model: fromPromise<Turn<Message>, readonly Message[]>(({ input, signal }) =>
        chat.ask(script, input, signal),
      ),
      tool: fromPromise<Value, Call>(({ input }) => performAdd(input.args)),
    },
    guards: { hasCalls: (_, params: Turn<Message>) => params.calls.length > 0 },
    actions: {
      recordTurn: assign(({ context }, turn: Turn<Message>) => ({
        turn,
        messages: [...context.messages, turn.message],
      })),
      recordResult: assign(({ context }, value: Value) => ({
        messages: [...context.messages, chat.result(requested(context), value)],
      })),
    },
  }).createMachine({
    id: 'bare',
    context: () => ({ messages: chat.open(instructions, task), turn: undefined }),
    initial: 'thinking',
    output: ({ context }) => context.turn?.text ?? '',
    states: {
      thinking: {
        invoke: {
          src: 'model',
          input: ({ context }) => context.messages,
          onDone: [
            {
              guard: { type: 'hasCalls', params: ({ event }) => event.output },
              target: 'acting',
              actions: { type: 'recordTurn', params: ({ event }) => event.output },
            },
            { target: 'answered', actions: { type: 'recordTurn', params: ({ event }) => event.output } },
          ],
          onError: 'failed',
        },
      },
      acting: {
        invoke: {
          src: 'tool',
          input: ({ context }) => requested(context),
          onDone: {
            target: 'thinking',
            actions: { type: 'recordResult', params: ({ event }) => event.output },
          },
          onError: 'failed',
        },
      },
      answered: { type: 'final' },
      failed: { type: 'final' },
    },
  })
}
