/**
 * A team of agents of every pattern whose models, tools, hooks and people do what a seed says. What one does depends on
 * the seed and on what is asked of it alone, never on when: so two engines that do the same work come to the same.
 */
import { z } from 'zod'
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  RetryableError,
  TerminalError,
  type AgentDefinition,
  type ChatModel,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
  type RunSignal,
} from 'troupe'
import { unitInterval } from '../../src/actors/digest.ts'

export const patterns = [
  'react',
  'supervisor',
  'router',
  'planner',
  'fan-out',
  'meta-router',
  'reflexion',
  'debate',
  'dispatcher',
] as const

export type PatternName = (typeof patterns)[number]

export interface SeededTeam {
  readonly root: AgentDefinition
  /** What a person says to a call that waits for one. */
  answer(toolCallId: string, type: 'approval' | 'suspension'): RunSignal
  /** Of every performed tool call, by its idempotency key without the run's id: how often. */
  readonly performed: Map<string, number>
}

export interface TeamOptions {
  readonly pattern: PatternName
  /** Milliseconds that a model or a tool takes. Default: none. */
  readonly pace?: (key: string) => number
  /** Tame teams have no errors, approvals, suspensions or hooks. */
  readonly tame?: boolean
}

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }

export function seededTeam(seed: number, { pattern, pace, tame = false }: TeamOptions): SeededTeam {
  const performed = new Map<string, number>()
  const roll = (key: string, sides: number): number => Math.floor(unitInterval(`${seed} ${key}`) * sides)
  /** Of what goes wrong, or needs a person: one in so many. */
  const rarely = (key: string, sides: number): boolean => !tame && roll(key, sides) === 1
  const withoutRun = (key: string): string => key.slice(key.indexOf('/') + 1)
  const wait = async (key: string): Promise<void> => {
    const delay = pace?.(key) ?? 0
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
  }
  const name = (suffix: string): string => `${pattern}-${suffix}`

  const model = (modelId: string, said: Said): ChatModel => ({
    provider: 'seeded',
    modelId,
    async generate(request, { idempotencyKey }) {
      const key = withoutRun(idempotencyKey)
      await wait(key)
      if (rarely(`${key} error`, 40)) throw new RetryableError('busy', { retryAfterMs: 1 })
      if (rarely(`${key} broken`, 60)) throw new TerminalError('broken')
      return said(request, key)
    },
  })

  const work = async (id: string, idempotencyKey: string): Promise<string> => {
    const key = withoutRun(idempotencyKey)
    performed.set(key, (performed.get(key) ?? 0) + 1)
    await wait(key)
    if (rarely(`${key} fails`, 10)) throw new TerminalError('It does not work.')
    return `${id} ${roll(key, 1_000)}`
  }
  const inputSchema = z.object({ q: z.string() })
  const description = 'Does something.'
  const bails = rarely('bails', 3)
  /** With a bail, and in a debate, who comes first decides: then they come one after the other, and nobody is held. */
  const inTurn = bails || pattern === 'debate'
  const everyTool = {
    plain: createTool({
      id: 'plain',
      description,
      inputSchema,
      execute: (_input, { idempotencyKey }) => work('plain', idempotencyKey),
    }),
    guarded: createTool({
      id: 'guarded',
      description,
      inputSchema,
      requireApproval: !tame,
      execute: (_input, { idempotencyKey }) => work('guarded', idempotencyKey),
    }),
    patient: createTool({
      id: 'patient',
      description,
      inputSchema,
      execute: (_input, { resumeData, suspend, idempotencyKey }) =>
        resumeData === undefined && !tame ? suspend({ ask: 1 }) : work('patient', idempotencyKey),
    }),
  }

  const tools = inTurn ? { plain: everyTool.plain } : everyTool

  /** A loop: some calls, and then words. */
  const talks =
    (more: number): Said =>
    (request, key) => {
      const name = request.responseFormat?.name
      if (name === 'critique')
        return json({ satisfied: roll(key, 2) === 0, critique: `better ${roll(key, 9)}` })
      const names = request.tools.map((tool) => tool.name)
      if (names.length === 0 || request.toolChoice === 'none' || roll(`${key} calls`, 3) >= more) {
        return text(`answer ${roll(key, 1_000)}`)
      }
      return {
        ...text(''),
        finishReason: 'tool-calls',
        toolCalls: Array.from({ length: 1 + roll(`${key} many`, 3) }, (_, index) => {
          const called = names[roll(`${key} call ${index}`, names.length)] as string
          const args: JsonValue = called.startsWith('agent-') ? { prompt: `do ${index}` } : { q: `${index}` }
          return { id: '', name: called, args }
        }),
      }
    }

  const worker = (suffix: string): AgentDefinition =>
    createAgent({
      id: name(suffix),
      description: `Is ${suffix}.`,
      instructions: `You are ${suffix}.`,
      model: model(suffix, talks(2)),
      tools,
      maxSteps: 3,
    })
  const [first, second] = [worker('first'), worker('second')]
  const agents = { first, second }
  const hook = (key: string): number => (tame ? 9 : roll(key, 12))
  const serial = { id: name('root'), instructions: 'You lead.', maxSteps: 3, retries: 2 }
  const common = { ...serial, ...(inTurn ? { toolCallConcurrency: 1 } : {}) }
  const delegation = tame
    ? {}
    : {
        delegation: {
          onDelegationStart: ({ prompt }: { prompt: string }) => {
            const choice = hook(`start ${prompt}`)
            if (choice === 1) return { proceed: false, rejectionReason: 'no' }
            return choice === 2 ? { modifiedPrompt: `${prompt}, please` } : undefined
          },
          onDelegationComplete: ({ prompt, bail }: { prompt: string; bail(): void }) => {
            const choice = hook(`complete ${prompt}`)
            if (bails && choice < 3) bail()
            return choice === 5 ? { feedback: 'more' } : undefined
          },
        },
      }
  const middle = createSupervisor({
    id: name('middle'),
    description: 'Is in the middle.',
    instructions: 'You lead two.',
    model: model('middle', talks(2)),
    agents,
    tools,
    maxSteps: 2,
    ...(inTurn ? { toolCallConcurrency: 1 } : {}),
  })

  const chosen = ['first', 'second', 'middle']
  const route: Said = (request, key) => {
    const format = request.responseFormat?.name
    if (format === undefined) return talks(0)(request, key)
    const isTool = roll(`${key} tool`, 3) === 0
    const isDone = roll(`${key} done`, 3) === 0
    return json({
      primitiveType: isDone ? 'none' : isTool ? 'tool' : 'agent',
      primitiveId: isDone ? 'none' : isTool ? 'plain' : chosen[roll(`${key} who`, 3)],
      prompt: isDone ? `done ${roll(key, 99)}` : isTool ? '{"q":"1"}' : `do ${key.length}`,
      selectionReason: 'It fits.',
    })
  }
  const plan: Said = (request, key) => {
    const format = request.responseFormat?.name
    if (format === undefined) return text(`summary ${roll(key, 99)}`)
    if (format === 'plan') {
      const steps = Array.from({ length: 1 + roll(key, 3) }, (_, index) => ({
        id: `s${index}`,
        goal: `goal ${index}`,
        ...(roll(`${key} ${index}`, 2) === 0
          ? { toolHint: 'plain', args: { q: `${index}` } }
          : { toolHint: `agent-${chosen[roll(`${key} ${index} who`, 3)]}` }),
        dependsOn: index === 0 ? [] : [`s${index - 1}`],
      }))
      return json({ goal: 'it', steps })
    }
    return json({ answer: `step ${roll(key, 99)}` })
  }
  const divide: Said = (request, key) => {
    const goals = Array.from({ length: 1 + roll(`${key} goals`, 3) }, (_, index) => ({
      goal: `goal ${index}`,
      agent: chosen[roll(`${key} goal ${index}`, 3)],
    }))
    switch (request.responseFormat?.name) {
      case 'goals':
        return json({ goals })
      case 'assessment':
        return json(roll(key, 3) === 0 ? { complete: false, goals } : { complete: true, goals: null })
      default:
        return text(`synthesis ${roll(key, 99)}`)
    }
  }
  const select: Said = (request, key) =>
    request.responseFormat?.name === 'task_type'
      ? json({ taskType: ['general', 'research'][roll(key, 2)], rationale: 'so' })
      : json({ pattern: ['react', 'plan-then-execute'][roll(key, 2)], rationale: 'so' })
  const all = { ...agents, middle }

  const makers: Record<PatternName, () => AgentDefinition> = {
    react: () => createAgent({ ...common, model: model('root', talks(2)), tools }),
    supervisor: () =>
      createSupervisor({
        ...common,
        ...delegation,
        model: model('root', talks(2)),
        agents: all,
        tools,
        ...(tame
          ? {}
          : {
              completion: {
                scorers: [
                  createScorer({
                    id: 'fair',
                    score: ({ output }) => (hook(`score ${output}`) === 3 ? 0 : 1),
                  }),
                ],
                parallel: false,
              },
            }),
      }),
    router: () =>
      createRouter({
        ...serial,
        ...delegation,
        model: model('root', route),
        agents: all,
        tools,
        memory: true,
      }),
    planner: () => createPlanner({ ...common, model: model('root', plan), agents: all, tools }),
    'fan-out': () => {
      const { maxSteps: _, ...rest } = common
      return createFanOut({ ...rest, model: model('root', divide), agents: all, maxRounds: 2 })
    },
    'meta-router': () => {
      const { maxSteps: _, ...rest } = serial
      const routes = { react: first, 'plan-then-execute': middle, supervisor: second }
      return createMetaRouter({ ...rest, model: model('root', select), agents: routes })
    },
    reflexion: () => createReflexion({ ...common, model: model('root', talks(2)), tools }),
    debate: () => {
      const { maxSteps: _, ...rest } = common
      return createDebate({ ...rest, model: model('root', talks(0)), agents })
    },
    dispatcher: () => {
      const { maxSteps: _, ...rest } = serial
      return createDispatcher({ ...rest, model: model('root', route), agents: all, tools })
    },
  }
  return {
    root: makers[pattern](),
    performed,
    answer: (toolCallId, type) => {
      if (rarely(`${toolCallId} deny`, 4)) return { type: 'deny', toolCallId, reason: 'no' }
      return type === 'approval'
        ? { type: 'approve', toolCallId }
        : { type: 'resume', toolCallId, data: 'go on' }
    },
  }
}

type Said = (request: ModelRequest, key: string) => ModelReply

function text(said: string): ModelReply {
  return { text: said, toolCalls: [], finishReason: 'stop', usage }
}

function json(value: object): ModelReply {
  return text(JSON.stringify(value))
}
