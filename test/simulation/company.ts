/** The agents of a process: what their models decide, and how their tools and hooks behave, is up to the seed. */
import {
  createAgent,
  createFanOut,
  createSupervisor,
  type AgentDefinition,
  type ChatModel,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
} from 'troupe'
import { createErrands, createTools, description, stumble } from './company-tools.ts'
import type { EditName, Program } from './edits.ts'
import type { Outside } from './effects.ts'
import type { AgentName } from './plan.ts'
import type { Random } from './random.ts'

export type Company = Readonly<Record<AgentName | 'clerk', AgentDefinition>>

const workingMemoryTool = 'update-working-memory'

export function createCompany(outside: Outside, program: Program): Company {
  const has = (edit: EditName): boolean => program.has(edit)
  const plainTools = createTools(outside, program)
  const toolNames = ['plain', 'plain', 'doubtful', 'fragile', 'guarded', 'patient'] as const

  const model = (modelId: string, callables: readonly [string, ...string[]]): ChatModel => ({
    provider: 'simulation',
    modelId: has('another model') ? `${modelId}-2` : modelId,
    generate(request, { signal, idempotencyKey }) {
      const [runId = ''] = idempotencyKey.split('/')
      outside.shown(runId, JSON.stringify(request.messages))
      return outside.call({ kind: 'model', runId, key: idempotencyKey, signal }, (random) => {
        stumble(outside, random)
        return decide(request, callables, random, runId)
      })
    },
  })
  let hooks = 0
  const hook = (runId: string): Promise<number> =>
    outside.call({ kind: 'hook', runId, key: `${runId}/hook ${++hooks}` }, (random) => {
      if (random.chance(outside.errors / 2)) throw new Error('the hook broke')
      return random.below(has('the body of a hook') ? 3 : 10)
    })

  const instructions = has('words of everybody') ? 'Do it well.' : ''
  const about = has('the description of an agent') ? 'Does something else.' : description
  const common = {
    description,
    instructions,
    ...(has('a first version') && { version: '1' }),
    ...(has('fewer retries') && { retries: 1 }),
    ...(has('a new observer') && { onStepFinish: () => undefined }),
  }
  const maxSteps = has('more steps') ? 5 : 3
  const clerk: AgentDefinition = createAgent({
    ...common,
    id: 'clerk',
    model: model('clerk', ['plain', 'guarded', 'doubtful']),
    tools: plainTools,
    maxSteps: 2,
  })
  const tools = { ...plainTools, ...createErrands(outside, clerk) }
  const worker: AgentDefinition = createAgent({
    ...common,
    id: 'worker',
    description: about,
    instructions: has('words of the worker') ? `${instructions} Work.` : instructions,
    model: model('worker', [...toolNames, 'errand', 'extra']),
    tools,
    maxSteps,
    ...(has('memory') && { memory: true }),
  })
  const solo: AgentDefinition = createAgent({
    ...common,
    id: 'solo',
    model: model('solo', [...toolNames, 'transfer-to-worker', 'errand', 'errands', workingMemoryTool]),
    tools,
    handoffs: [() => worker],
    memory: has('no working memory') ? true : { workingMemory: true },
    maxSteps,
  })
  const manager: AgentDefinition = createSupervisor({
    ...common,
    id: 'manager',
    model: model('manager', ['agent-worker', 'plain', 'errands']),
    agents: { worker },
    tools,
    maxSteps: 2,
    delegation: {
      ...(has('a new hook') && { onDelegationStart: async ({ runId }) => void (await hook(runId)) }),
      ...(!has('no gate any more') && {
        onDelegationComplete: async ({ bail, runId }) => {
          if ((await hook(runId)) === 0) bail()
          return undefined
        },
      }),
    },
  })
  const helper: AgentDefinition = createAgent({
    ...common,
    id: 'helper',
    model: model('helper', ['plain']),
    tools,
  })
  const timeout = has('other timeouts') ? 8_000 : 4_000
  const lead: AgentDefinition = createSupervisor({
    ...common,
    id: 'lead',
    model: model('lead', ['agent-worker', 'agent-manager', 'agent-helper', 'plain', 'guarded', 'errand']),
    agents: {
      worker,
      ...(!has('an agent less') && { manager }),
      ...(has('a new agent') && { helper }),
    },
    tools,
    maxSteps,
    ...(!has('no background') && { backgroundTasks: { worker: { concurrency: 1 } } }),
    ...(has('a lower budget') && { budget: { modelCalls: 6 } }),
    delegation: {
      timeout,
      requireApproval: has('an approval of delegations'),
      ...(!has('no gate any more') && {
        onDelegationStart: async ({ runId }) =>
          (await hook(runId)) === 0 ? { proceed: false, rejectionReason: 'no' } : undefined,
      }),
    },
  })
  const fan: AgentDefinition = createFanOut({
    ...common,
    id: 'fan',
    model: model('fan', ['plain']),
    agents: { worker },
    maxRounds: 2,
    goalTimeout: timeout,
  })
  return { solo, lead, fan, clerk }
}

function decide(
  { responseFormat, toolChoice }: ModelRequest,
  callables: readonly [string, ...string[]],
  random: Random,
  runId: string,
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
    const args = argsOf(name, runId)
    return { id: String(index), name, args }
  })
  return { ...reply(''), toolCalls, finishReason: 'tool-calls' }
}

function argsOf(name: string, runId: string): JsonValue {
  if (name.startsWith('agent-')) return { prompt: 'go' }
  return name === workingMemoryTool ? { content: `the note of ${runId}` } : { q: 'x', reason: 'why not' }
}

function reply(text: string): ModelReply {
  return {
    text,
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
  }
}
