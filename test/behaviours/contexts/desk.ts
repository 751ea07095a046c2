/** An agent with every kind of function that a user may give, each of which notes the async context that it is called in. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createWorkflow,
  type ChatModel,
  type MemoryStorage,
  type ModelReply,
  type Observer,
  type WholeStore,
} from 'troupe'
import { fromPromise } from 'xstate'
import { z } from 'zod'

/** The user of a request, as a server keeps it. */
export const user = new AsyncLocalStorage<string>()

export function reply(text: string, ...toolCalls: ModelReply['toolCalls']): ModelReply {
  const finishReason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
  return { text, toolCalls, finishReason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
}

/** A model that answers a task with these calls, and their results with a text, a moment later. */
export function modelOf(modelId: string, toolCalls: ModelReply['toolCalls'], noted = (): void => undefined) {
  const model: ChatModel = {
    provider: 'test',
    modelId,
    async generate({ messages }, { onDelta }) {
      noted()
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (messages.at(-1)?.role !== 'tool' && toolCalls.length > 0) return reply('', ...toolCalls)
      onDelta?.({ type: 'text', text: 'Done.' })
      return reply('Done.')
    },
  }
  return model
}

/** All kinds of functions of the desk, its observers and its store. */
export const kinds = [
  'instructions',
  'model as a function',
  'tools as a function',
  'model',
  'input schema',
  'requireApproval',
  'tool',
  'workflow',
  'model of a subagent',
  'onDelegationStart',
  'onDelegationComplete',
  'messageFilter',
  'approval of a delegation',
  'scorer',
  'completion.onComplete',
  'onIterationComplete',
  'onStepFinish',
  'onFinish',
  'stopWhen',
  'input processor',
  'output processor',
  'output processor, streamed',
  'around',
  'observer',
  'end of the observer',
  'traceparent',
  'store, memory',
  'onError',
] as const

export class Desk {
  readonly seen = new Set<string>()
  readonly note = (what: (typeof kinds)[number] | 'actor' | 'inspect' | 'abort listener'): void => {
    this.seen.add(`${what}: ${user.getStore() ?? 'nobody'}`)
  }

  readonly pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ sum: z.number().refine(() => (this.note('input schema'), true)) }),
    requireApproval: async () => {
      this.note('requireApproval')
      return true
    },
    execute: async () => this.note('tool'),
  })

  readonly agent = createSupervisor({
    id: 'desk',
    instructions: async () => {
      this.note('instructions')
      return 'Serve.'
    },
    model: () => {
      this.note('model as a function')
      return modelOf(
        'desk',
        [
          { id: 'c1', name: 'pay', args: { sum: 1 } },
          { id: 'c2', name: 'file', args: {} },
          { id: 'c3', name: 'agent-clerk', args: { prompt: 'Look.' } },
        ],
        () => this.note('model'),
      )
    },
    tools: () => {
      this.note('tools as a function')
      return { pay: this.pay }
    },
    workflows: {
      file: createWorkflow({
        id: 'file',
        description: 'Files.',
        inputSchema: z.object({}),
        logic: fromPromise(async () => this.note('workflow')),
      }),
    },
    agents: {
      clerk: createAgent({
        id: 'clerk',
        description: 'Looks.',
        model: modelOf('clerk', [], () => this.note('model of a subagent')),
      }),
    },
    delegation: {
      onDelegationStart: () => this.note('onDelegationStart'),
      onDelegationComplete: async () => this.note('onDelegationComplete'),
      messageFilter: ({ messages }) => {
        this.note('messageFilter')
        return messages
      },
      requireApproval: () => {
        this.note('approval of a delegation')
        return false
      },
    },
    completion: {
      scorers: [
        createScorer({
          id: 'good',
          score: () => {
            this.note('scorer')
            return 1
          },
        }),
      ],
      onComplete: () => this.note('completion.onComplete'),
    },
    onIterationComplete: () => this.note('onIterationComplete'),
    onStepFinish: () => this.note('onStepFinish'),
    onFinish: () => {
      this.note('onFinish')
      throw new Error('told to onError')
    },
    hookErrors: 'ignore',
    stopWhen: () => {
      this.note('stopWhen')
      return false
    },
    inputProcessors: [{ id: 'in', processInput: () => this.note('input processor') }],
    outputProcessors: [
      {
        id: 'out',
        processOutput: () => this.note('output processor'),
        processOutputStream: ({ part }) => {
          this.note('output processor, streamed')
          return part.text
        },
      },
    ],
    memory: true,
  })

  readonly observer: Observer = {
    around: async (_, perform) => {
      this.note('around')
      await perform()
    },
    agent: () => {
      this.note('observer')
      return () => this.note('end of the observer')
    },
    traceparent: () => {
      this.note('traceparent')
      return undefined
    },
  }

  readonly onError = (): void => this.note('onError')

  /** The store, whose memory notes who asks. */
  noting(store: WholeStore): WholeStore {
    const note = (): void => this.note('store, memory')
    const memory: MemoryStorage = {
      ...store.memory,
      messages: (...given) => (note(), store.memory.messages(...given)),
      save: (...given) => (note(), store.memory.save(...given)),
    }
    return { ...store, memory }
  }
}

/** Each kind, as `who` has seen it. */
export function allBy(who: string, ...more: readonly string[]): Set<string> {
  return new Set([...kinds, ...more].map((kind) => `${kind}: ${who}`))
}
