/**
 * The baselines: the same job as plain, idiomatic XState machines, with promises and nothing else: no checks of
 * replies or arguments, no events, no journal, no caps, no retries, no cancellation.
 */
import { assign, createActor, fromPromise, setup, toPromise } from 'xstate'
import type { Message, ModelReply, ToolCall } from 'troupe'
import { add, addTool, instructions, model, task } from './job.ts'

interface Context {
  messages: Message[]
  reply: ModelReply | undefined
}

const tools = [{ name: 'add', description: addTool.description, parameters: addTool.parameters }]

const modelSource = fromPromise<ModelReply, { messages: Message[] }>(({ input, signal }) =>
  model.generate({ messages: input.messages, tools, toolChoice: 'auto' }, { signal, idempotencyKey: '' }),
)

const toolSource = fromPromise<number, ToolCall>(async ({ input }) =>
  add(input.args as { a: number; b: number }),
)

const begin = (): Context => ({
  messages: [
    { role: 'system', content: instructions },
    { role: 'user', content: task },
  ],
  reply: undefined,
})

function withReply({ messages }: Context, reply: ModelReply): Context {
  const { text, toolCalls } = reply
  return { reply, messages: [...messages, { role: 'assistant', content: text, toolCalls }] }
}

function withResult({ messages, reply }: Context, result: number): Partial<Context> {
  const call = requested(reply)
  const { id, name } = call
  return {
    messages: [
      ...messages,
      { role: 'tool', toolCallId: id, toolName: name, content: JSON.stringify(result) },
    ],
  }
}

function requested(reply: ModelReply | undefined): ToolCall {
  return reply?.toolCalls[0] as ToolCall
}

/** A tool call as a machine of its own, the least that can be cancelled, retried or held by itself. */
const toolCallMachine = setup({
  types: { input: {} as ToolCall, context: {} as { call: ToolCall; result: number }, output: {} as number },
  actors: { tool: toolSource },
  actions: { recordResult: assign((_, params: number) => ({ result: params })) },
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

/** Think, act, repeat. `acting` invokes `tool`, whatever that is. */
function bareMachine(tool: typeof toolSource | typeof toolCallMachine) {
  return setup({
    types: { context: {} as Context, output: {} as string },
    actors: { model: modelSource, tool },
    guards: { hasToolCall: (_, params: ModelReply) => params.toolCalls.length > 0 },
    actions: {
      recordReply: assign(({ context }, params: ModelReply) => withReply(context, params)),
      recordResult: assign(({ context }, params: number) => withResult(context, params)),
    },
  }).createMachine({
    id: 'bare',
    context: begin,
    initial: 'thinking',
    output: ({ context }) => context.reply?.text ?? '',
    states: {
      thinking: {
        invoke: {
          src: 'model',
          input: ({ context }) => ({ messages: context.messages }),
          onDone: [
            {
              guard: { type: 'hasToolCall', params: ({ event }) => event.output },
              target: 'acting',
              actions: { type: 'recordReply', params: ({ event }) => event.output },
            },
            {
              target: 'answered',
              actions: { type: 'recordReply', params: ({ event }) => event.output },
            },
          ],
          onError: 'failed',
        },
      },
      acting: {
        invoke: {
          src: 'tool',
          input: ({ context }) => requested(context.reply),
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

/** Runs one machine to its answer. */
export type Contestant = () => Promise<string>

function contestant(machine: ReturnType<typeof bareMachine>): Contestant {
  return () => {
    const actor = createActor(machine)
    const output = toPromise(actor)
    actor.start()
    return output
  }
}

/** The tool is a promise of the agent's machine. */
export const bare = contestant(bareMachine(toolSource))

/** Each tool call is a child machine, as in Troupe. */
export const bareWithChildren = contestant(bareMachine(toolCallMachine))
