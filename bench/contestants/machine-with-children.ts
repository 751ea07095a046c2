/**
 * A plain XState machine that gives each call of a step to a child machine and collects what they end with: a helper's
 * machine for a delegation, a tool call's for a tool. It is the least with which calls run side by side and can be
 * cancelled, retried or held one by one; otherwise as plain as machine.ts.
 */
import {
  assign,
  createActor,
  enqueueActions,
  fromPromise,
  setup,
  stopChild,
  toPromise,
  type AnyActorLogic,
  type DoneActorEvent,
  type ErrorActorEvent,
} from 'xstate'
import type { Call, Chat, Turn, Value } from '../chats/chat.ts'
import { delegatedTask, performAdd, type Job } from '../jobs/job.ts'
import type { Contestant } from './contestant.ts'

export function machineWithChildren<Message>(chat: Chat<Message>, job: Job, name: string): Contestant {
  const logic = agentMachine(chat, job)
  return {
    name,
    prepare: () => () => {
      const actor = createActor(logic, { input: undefined })
      const output = toPromise(actor)
      actor.start()
      return output
    },
  }
}

const toolCallMachine = setup({
  types: { input: {} as Call, context: {} as { call: Call; result: Value } },
  actors: { tool: fromPromise<Value, Call>(({ input }) => performAdd(input.args)) },
  actions: { recordResult: assign((_, result: Value) => ({ result })) },
}).createMachine({
  id: 'bareToolCall',
  context: ({ input }) => ({ call: input, result: 0 }),
  initial: 'executing',
  output: ({ context }) => context.result,
  states: {
    executing: {
      invoke: {
        src: 'tool',
        input: ({ context }) => context.call,
        onDone: {
          target: 'succeeded',
          actions: { type: 'recordResult', params: ({ event }) => event.output },
        },
        onError: 'failed',
      },
    },
    succeeded: { type: 'final' },
    failed: { type: 'final' },
  },
})

/** An agent's machine. Its input is the call that delegated to it, `undefined` at the root. */
function agentMachine<Message>(chat: Chat<Message>, job: Job) {
  interface Context {
    readonly messages: readonly Message[]
    readonly turn: Turn<Message> | undefined
    readonly results: Readonly<Record<string, Value>>
  }
  const callsOf = ({ turn }: Context): readonly Call[] => turn?.calls ?? []
  const call: AnyActorLogic = job.helper === undefined ? toolCallMachine : agentMachine(chat, job.helper)

  return setup({
    types: {
      input: {} as Call | undefined,
      context: {} as Context,
      events: {} as DoneActorEvent<Value> | ErrorActorEvent,
      output: {} as string,
    },
    actors: {
      model: fromPromise<Turn<Message>, readonly Message[]>(({ input, signal }) =>
        chat.ask(job.script, input, signal),
      ),
      call,
    },
    guards: {
      hasCalls: (_, params: Turn<Message>) => params.calls.length > 0,
      isLast: ({ context }) => Object.keys(context.results).length === callsOf(context).length - 1,
    },
    actions: {
      recordTurn: assign(({ context }, turn: Turn<Message>) => ({
        turn,
        messages: [...context.messages, turn.message],
        results: {},
      })),
      startCalls: enqueueActions(({ context, enqueue }) => {
        for (const call of callsOf(context)) enqueue.spawnChild('call', { id: call.id, input: call })
      }),
      recordResult: assign(({ context }, { actorId, output }: DoneActorEvent<Value>) => ({
        results: { ...context.results, [actorId]: output },
      })),
      reap: stopChild((_, { actorId }: DoneActorEvent<Value>) => actorId),
      recordStep: assign(({ context }) => ({
        messages: [
          ...context.messages,
          ...callsOf(context).map((call) => chat.result(call, context.results[call.id] as Value)),
        ],
      })),
    },
  }).createMachine({
    id: 'bareAgent',
    context: ({ input }) => ({
      messages: chat.open(job.instructions, input === undefined ? job.task : delegatedTask(input.args)),
      turn: undefined,
      results: {},
    }),
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
        entry: 'startCalls',
        on: {
          'xstate.done.actor.*': [
            {
              guard: 'isLast',
              target: 'thinking',
              actions: [
                { type: 'recordResult', params: ({ event }) => event },
                { type: 'reap', params: ({ event }) => event },
                'recordStep',
              ],
            },
            {
              actions: [
                { type: 'recordResult', params: ({ event }) => event },
                { type: 'reap', params: ({ event }) => event },
              ],
            },
          ],
          'xstate.error.actor.*': 'failed',
        },
      },
      answered: { type: 'final' },
      failed: { type: 'final' },
    },
  })
}
