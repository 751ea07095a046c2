/** The agents of a process: what their models decide, and how their tools and hooks behave, is up to the seed. */
import {
  createAgent,
  createFanOut,
  createSupervisor,
  createTool,
  RetryableError,
  type AgentDefinition,
  type ChatModel,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
  type OnInterrupted,
  type ToolExecution,
} from 'troupe'
import { z } from 'zod'
import type { Outside } from './effects.ts'
import type { AgentName } from './plan.ts'
import type { Random } from './random.ts'

export type Company = Readonly<Record<AgentName, AgentDefinition>>

const inputSchema = z.object({ q: z.string() })
const description = 'Does something.'

export function createCompany(outside: Outside): Company {
  const stumble = (random: Random): void => {
    if (!random.chance(outside.errors)) return
    throw random.chance(0.5) ? new RetryableError('not now', { retryAfterMs: 100 }) : new Error('broken')
  }
  const work = ({ idempotencyKey, runId, signal }: ToolExecution): Promise<string> =>
    outside.call({ kind: 'tool', runId, key: idempotencyKey, signal }, (random) => {
      stumble(random)
      return 'done'
    })
  const tool = (id: string, onInterrupted: OnInterrupted) =>
    createTool({
      id,
      description,
      inputSchema,
      onInterrupted,
      execute: (_input, execution) => work(execution),
    })
  const tools = {
    plain: tool('plain', 'retry'),
    doubtful: tool('doubtful', 'ask'),
    fragile: tool('fragile', 'fail'),
    guarded: createTool({
      id: 'guarded',
      description,
      inputSchema,
      requireApproval: true,
      approvalTimeout: 3_000,
      execute: (_input, execution) => work(execution),
    }),
    patient: createTool({
      id: 'patient',
      description,
      inputSchema,
      requireApproval: true,
      execute: async (_input, execution) => {
        await work(execution)
        return execution.resumeData ?? execution.suspend({ which: 'one' })
      },
    }),
  }
  const toolNames = ['plain', 'plain', 'doubtful', 'fragile', 'guarded', 'patient'] as const

  const model = (modelId: string, callables: readonly [string, ...string[]]): ChatModel => ({
    provider: 'simulation',
    modelId,
    generate(request, { signal, idempotencyKey }) {
      const [runId = ''] = idempotencyKey.split('/')
      outside.shown(runId, JSON.stringify(request.messages))
      return outside.call({ kind: 'model', runId, key: idempotencyKey, signal }, (random) => {
        stumble(random)
        return decide(request, callables, random)
      })
    },
  })
  let hooks = 0
  const hook = (runId: string): Promise<number> =>
    outside.call({ kind: 'hook', runId, key: `${runId}/hook ${++hooks}` }, (random) => {
      if (random.chance(outside.errors / 2)) throw new Error('the hook broke')
      return random.below(10)
    })

  const worker: AgentDefinition = createAgent({
    id: 'worker',
    description,
    instructions: '',
    model: model('worker', toolNames),
    tools,
    maxSteps: 3,
  })
  const solo: AgentDefinition = createAgent({
    id: 'solo',
    description,
    instructions: '',
    model: model('solo', [...toolNames, 'transfer-to-worker']),
    tools,
    handoffs: [() => worker],
    memory: true,
    maxSteps: 3,
  })
  const manager: AgentDefinition = createSupervisor({
    id: 'manager',
    description,
    instructions: '',
    model: model('manager', ['agent-worker', 'plain']),
    agents: { worker },
    tools,
    maxSteps: 2,
    delegation: {
      onDelegationComplete: async ({ bail, runId }) => {
        if ((await hook(runId)) === 0) bail()
        return undefined
      },
    },
  })
  const lead: AgentDefinition = createSupervisor({
    id: 'lead',
    description,
    instructions: '',
    model: model('lead', ['agent-worker', 'agent-manager', 'plain', 'guarded']),
    agents: { worker, manager },
    tools,
    maxSteps: 3,
    backgroundTasks: { worker: { concurrency: 1 } },
    delegation: {
      timeout: 4_000,
      onDelegationStart: async ({ runId }) =>
        (await hook(runId)) === 0 ? { proceed: false, rejectionReason: 'no' } : undefined,
    },
  })
  const fan: AgentDefinition = createFanOut({
    id: 'fan',
    description,
    instructions: '',
    model: model('fan', ['plain']),
    agents: { worker },
    maxRounds: 2,
    goalTimeout: 4_000,
  })
  return { solo, lead, fan }
}

function decide(
  { responseFormat, toolChoice }: ModelRequest,
  callables: readonly [string, ...string[]],
  random: Random,
): ModelReply {
  const goals = () => Array.from({ length: random.between(1, 3) }, (_, index) => ({ goal: `goal ${index}` }))
  if (responseFormat?.name === 'goals') return reply(JSON.stringify({ goals: goals() }))
  if (responseFormat?.name === 'assessment') {
    const complete = random.chance(0.7)
    return reply(JSON.stringify({ complete, goals: complete ? null : goals() }))
  }
  if (toolChoice === 'none' || random.chance(0.4)) return reply('an answer')
  const toolCalls = Array.from({ length: random.between(1, 3) }, (_, index) => {
    const name = random.pick(callables)
    const args: JsonValue = name.startsWith('agent-') ? { prompt: 'go' } : { q: 'x', reason: 'why not' }
    return { id: String(index), name, args }
  })
  return { ...reply(''), toolCalls, finishReason: 'tool-calls' }
}

function reply(text: string): ModelReply {
  return {
    text,
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  }
}
