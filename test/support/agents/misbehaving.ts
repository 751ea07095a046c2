/**
 * Agents with one function of the user's each, for every kind of function that there is, which may hang, be late, or block
 * the process.
 */
import {
  createMetaRouter,
  createScorer,
  createSupervisor,
  createTool,
  createWorkflow,
  file,
  memoryStore,
  type AnyAgent,
  type BlobStorage,
  type ChatModel,
  type Store,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { calls, lead, to, worker } from './agents.ts'
import { transfer } from './handoffs.ts'

export type Misbehaviour = 'hangs' | 'is late' | 'blocks'

/** What the function does in place of answering at once; `value` is its answer where it has one. */
export type Misbehave = <Value>(value: Value) => Promise<Value>

export interface Play {
  readonly agent: AnyAgent
  readonly store?: Store
  readonly options?: object
}

export interface Case {
  readonly make: (misbehave: Misbehave) => Play
  readonly code: 'TOOL_TIMEOUT' | 'HOOK_TIMEOUT' | 'MODEL_TIMEOUT'
  readonly outcome: 'completed' | 'failed'
  /** Its answer is part of an effect which ends with an error of its own: what comes later is nobody's. Default: `false`. */
  readonly isPart?: true
  /** When a late answer is recorded. Default: whenever there is one. */
  readonly late?: readonly Misbehaviour[]
  /** What it can do. Default: all. */
  readonly does?: readonly Misbehaviour[]
}

/** Milliseconds that everything has. */
export const limit = 1_000

const empty = z.object({})

/** Of a model that speaks in the plainest way, whatever it is asked. */
const answering = (steps: readonly ScriptedStep[]) => scriptedModel(steps, { otherwise: 'Done.' })

function caller(tool: ReturnType<typeof createTool>, more: object = {}): Play {
  const { agent } = worker('worker', [calls({ name: 'act', args: {} }), 'Done.'], {
    tools: { act: tool },
    hookTimeout: limit,
    ...more,
  })
  return { agent }
}

function delegating(more: object, subagent: readonly ScriptedStep[] = ['Found.']): Play {
  const { agent: helper } = worker('helper', subagent)
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
    agents: { helper },
    hookTimeout: limit,
    ...more,
  })
  return { agent }
}

const answer = (more: object): Play => ({
  agent: worker('worker', ['Done.'], { hookTimeout: limit, ...more }).agent,
})

const stepping = (more: object): Play => ({
  agent: lead('boss', [calls({ name: 'act', args: {} }), 'Done.'], {
    tools: { act: tool({}) },
    hookTimeout: limit,
    ...more,
  }).agent,
})

function tool(more: Partial<Parameters<typeof createTool>[0]>) {
  return createTool({ id: 'act', description: 'Acts.', inputSchema: empty, execute: () => 'acted', ...more })
}

/** An object whose check takes its time. */
const slowly = (misbehave: Misbehave) => z.object({}).refine(async () => misbehave(true))

/** A note is kept with its content. */
function partOf(name: string | symbol, [, content]: readonly unknown[]): string | symbol {
  return name === 'workingMemory' && content !== undefined ? 'keptNote' : name
}

function remembering(
  part: 'messages' | 'save' | 'workingMemory' | 'keptNote',
  misbehave: Misbehave,
  steps: readonly ScriptedStep[],
): Play {
  const store = memoryStore()
  const memory = new Proxy(store.memory, {
    get: (target, name) => {
      const given: unknown = Reflect.get(target, name)
      if (typeof given !== 'function') return given
      return (...args: readonly unknown[]): unknown =>
        partOf(name, args) === part
          ? misbehave(undefined).then(() => Reflect.apply(given, target, args) as unknown)
          : Reflect.apply(given, target, args)
    },
  })
  const { agent } = worker('worker', steps, { memory: { workingMemory: true }, hookTimeout: limit })
  return {
    agent,
    store: withParts(store, { memory }),
    options: { threadId: 'thread', resourceId: 'ada' },
  }
}

/** An agent that sees or makes files. */
function withFiles(part: keyof BlobStorage, misbehave: Misbehave, play: Play): Play {
  const store = memoryStore()
  const { put, get } = store.blobs ?? fail('The memory store has blobs.')
  const blobs: BlobStorage = {
    put: async (...args) => (part === 'put' ? misbehave(undefined).then(() => put(...args)) : put(...args)),
    get: async (ref) => (part === 'get' ? misbehave(undefined).then(() => get(ref)) : get(ref)),
  }
  return { ...play, store: withParts(store, { blobs }) }
}

function fail(message: string): never {
  throw new Error(message)
}

const picture = () => file(Uint8Array.of(1, 2, 3), 'image/png')

function withParts(store: Store, parts: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(parts, name)) return Reflect.get(parts, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function dynamic(parts: object): Play {
  const agent = createSupervisor({
    id: 'boss',
    instructions: 'Lead.',
    model: answering(['Done.']),
    hookTimeout: limit,
    ...parts,
  })
  return { agent }
}

export const cases: Readonly<Record<string, Case>> = {
  'a tool': {
    make: (misbehave) => caller(tool({ timeout: limit, execute: () => misbehave('acted') })),
    code: 'TOOL_TIMEOUT',
    outcome: 'completed',
  },
  'a workflow': {
    make: (misbehave) => {
      const act = createWorkflow({
        id: 'act',
        description: 'Acts.',
        inputSchema: empty,
        logic: fromPromise(() => misbehave('acted')),
        timeout: limit,
      })
      const { agent } = worker('worker', [calls({ name: 'act', args: {} }), 'Done.'], { workflows: { act } })
      return { agent }
    },
    code: 'TOOL_TIMEOUT',
    outcome: 'completed',
    late: ['blocks'], // its actor is stopped by the signal
  },
  'a model': {
    make: (misbehave) => {
      const model: ChatModel = {
        provider: 'own',
        modelId: 'own',
        generate: () =>
          misbehave({
            text: 'Done.',
            toolCalls: [],
            finishReason: 'stop',
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          }),
      }
      const agent = createSupervisor({
        id: 'boss',
        instructions: 'Lead.',
        model,
        modelTimeout: limit,
        retries: 0,
      })
      return { agent }
    },
    code: 'MODEL_TIMEOUT',
    outcome: 'failed',
  },
  onDelegationStart: {
    make: (misbehave) => delegating({ delegation: { onDelegationStart: () => misbehave(undefined) } }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  messageFilter: {
    make: (misbehave) => delegating({ delegation: { messageFilter: () => misbehave([]) } }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  onDelegationComplete: {
    make: (misbehave) => delegating({ delegation: { onDelegationComplete: () => misbehave(undefined) } }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  onIterationComplete: {
    make: (misbehave) => stepping({ onIterationComplete: () => misbehave(undefined) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  stopWhen: {
    make: (misbehave) => stepping({ stopWhen: () => misbehave(false) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  requireApproval: {
    make: (misbehave) => caller(tool({ requireApproval: () => misbehave(false) })),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  handoffFilter: {
    make: (misbehave) => {
      const { agent: other } = worker('other', ['Done.'])
      const { agent } = worker('worker', [calls(transfer('other'))], {
        handoffs: [other],
        handoffFilter: () => misbehave([]),
        hookTimeout: limit,
      })
      return { agent }
    },
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  onStepFinish: {
    make: (misbehave) => answer({ onStepFinish: () => misbehave(undefined) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  onFinish: {
    make: (misbehave) => answer({ onFinish: () => misbehave(undefined) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  onComplete: {
    make: (misbehave) =>
      stepping({
        completion: {
          scorers: [createScorer({ id: 'good', score: () => 1 })],
          onComplete: () => misbehave(undefined),
        },
      }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'a scorer': {
    make: (misbehave) =>
      delegating({
        maxSteps: 2,
        onExhausted: 'stop',
        hookErrors: 'fail',
        completion: {
          strategy: 'any',
          scorers: [
            createScorer({ id: 'slow', score: () => misbehave(1) }),
            createScorer({ id: 'good', score: () => 1 }),
          ],
          parallel: false,
        },
      }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'a scorer with a timeout of its own': {
    make: (misbehave) =>
      delegating({
        hookTimeout: 10 * limit,
        completion: {
          strategy: 'any',
          scorers: [
            createScorer({ id: 'slow', timeout: limit, score: () => misbehave(1) }),
            createScorer({ id: 'good', score: () => 1 }),
          ],
          parallel: false,
        },
      }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'an input processor': {
    make: (misbehave) =>
      answer({ inputProcessors: [{ id: 'in', processInput: () => misbehave(undefined) }] }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'an output processor': {
    make: (misbehave) =>
      answer({ outputProcessors: [{ id: 'out', processOutput: () => misbehave(undefined) }] }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a processor of a stream': {
    make: (misbehave) =>
      answer({ outputProcessors: [{ id: 'out', processOutputStream: () => void misbehave(undefined) }] }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
    isPart: true,
    does: ['blocks'],
  },
  'a function for instructions': {
    make: (misbehave) => dynamic({ instructions: () => misbehave('Lead.') }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a function for the model': {
    make: (misbehave) => {
      const model = answering(['Done.'])
      return dynamic({ model: () => misbehave(model) })
    },
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a function for tools': {
    make: (misbehave) => dynamic({ tools: () => misbehave({ act: tool({}) }) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a function for workflows': {
    make: (misbehave) => dynamic({ workflows: () => misbehave({}) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a function for agents': {
    make: (misbehave) => dynamic({ agents: () => misbehave({}) }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'the schema of arguments': {
    make: (misbehave) => caller(tool({ inputSchema: slowly(misbehave) })),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'the schema of a result': {
    make: (misbehave) => caller(tool({ outputSchema: z.string().refine(async () => misbehave(true)) })),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
    isPart: true,
  },
  'the schema of a context': {
    make: (misbehave) => ({
      ...caller(tool({ contextSchema: slowly(misbehave) })),
      options: { context: {} },
    }),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
    isPart: true,
  },
  'the schema of an answer': {
    make: (misbehave) => ({
      agent: worker('worker', ['{}'], {
        structuredOutput: { schema: slowly(misbehave) },
        hookTimeout: limit,
      }).agent,
    }),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a store that reads messages': {
    make: (misbehave) => remembering('messages', misbehave, ['Done.']),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a store that reads a note': {
    make: (misbehave) => remembering('workingMemory', misbehave, ['Done.']),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
  },
  'a store that saves messages': {
    make: (misbehave) => remembering('save', misbehave, ['Done.']),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'a store that keeps a note': {
    make: (misbehave) =>
      remembering('keptNote', misbehave, [
        calls({ name: 'update-working-memory', args: { content: 'Likes tea.' } }),
        'Done.',
      ]),
    code: 'TOOL_TIMEOUT',
    outcome: 'completed',
  },
  'a store that reads a file': {
    make: (misbehave) => withFiles('get', misbehave, caller(tool({ execute: picture }))),
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
    isPart: true,
  },
  'a store that keeps the file of a result': {
    make: (misbehave) => withFiles('put', misbehave, caller(tool({ execute: picture }))),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
    isPart: true,
  },
  'a store that keeps the file of a question': {
    make: (misbehave) =>
      withFiles('put', misbehave, caller(tool({ execute: (_, { suspend }) => suspend({ see: picture() }) }))),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
    isPart: true,
  },
  'a store that keeps the file of a reply': {
    make: (misbehave) => {
      const { agent } = worker('worker', [{ text: 'Drawn.', files: [picture()] }], { hookTimeout: limit })
      return withFiles('put', misbehave, { agent })
    },
    code: 'HOOK_TIMEOUT',
    outcome: 'failed',
    isPart: true,
  },
  'a store that keeps the file of a filter': {
    make: (misbehave) =>
      withFiles(
        'put',
        misbehave,
        delegating({
          delegation: { messageFilter: () => [{ role: 'user', content: [picture()] }] },
        }),
      ),
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
  'a store of configuration': {
    make: (misbehave) => {
      const store = memoryStore()
      const config = new Proxy(store.config, {
        get: (target, name) =>
          name === 'items' ? () => misbehave([]) : (Reflect.get(target, name) as unknown),
      })
      const { agent: helper } = worker('helper', ['Done.'])
      const agent = createMetaRouter({
        id: 'desk',
        instructions: 'Route.',
        model: answering([]),
        agents: { react: helper },
        hookTimeout: limit,
      })
      return { agent, store: withParts(store, { config }) }
    },
    code: 'HOOK_TIMEOUT',
    outcome: 'completed',
  },
}
