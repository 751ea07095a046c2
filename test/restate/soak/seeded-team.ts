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
  type AnyAgent,
  type BudgetOptions,
  type ChatModel,
  type RunSignal,
} from 'troupe'
import { unitInterval } from '../../../src/actors/values/digest.ts'
import { Moments } from './seeded-moments.ts'
import { traitsOf } from './seeded-traits.ts'
import { wordsOf, type Roll, type Said } from './seeded-words.ts'

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
  readonly root: AnyAgent
  /** Of a run. */
  readonly budget: BudgetOptions
  /** What a person says to a call that waits for one. */
  answer(toolCallId: string, type: 'approval' | 'suspension'): RunSignal
  /** When a person says what nobody asked for. */
  readonly moments: Moments
  /** Of every performed tool call, by its idempotency key without the run's id: how often. */
  readonly performed: Map<string, number>
}

export function seededTeam(seed: number, pattern: PatternName): SeededTeam {
  const performed = new Map<string, number>()
  const moments = new Moments()
  const roll: Roll = (key, sides) => Math.floor(unitInterval(`${seed} ${key}`) * sides)
  /** Of what goes wrong, or needs a person: one in so many. */
  const rarely = (key: string, sides: number): boolean => roll(key, sides) === 1
  const withoutRun = (key: string): string => key.slice(key.indexOf('/') + 1)
  const name = (suffix: string): string => `${pattern}-${suffix}`
  const { bails, handsOff, background, budget, inTurn, isSingle, taskOf, cancelOf } = traitsOf(roll, pattern)
  const { talks, route, plan, divide, select } = wordsOf(roll, isSingle)

  /** Where a person is to cancel. What comes after that may come late, or not at all. */
  const mayBeCancelled = async (key: string, signal: AbortSignal): Promise<void> => {
    const cancel = cancelOf(key)
    if (cancel === undefined) return
    await moments.cancel(cancel, signal)
    if (rarely(`${key} heeds`, 2)) signal.throwIfAborted()
  }

  const model = (modelId: string, said: Said): ChatModel => ({
    provider: 'seeded',
    modelId,
    async generate(request, { idempotencyKey, signal }) {
      const key = withoutRun(idempotencyKey)
      const task = taskOf(key)
      if (task !== undefined) await moments.workInBackground(task)
      await moments.speak(request.messages)
      await mayBeCancelled(key, signal)
      if (rarely(`${key} error`, 40)) throw new RetryableError('busy', { retryAfterMs: 1 })
      if (rarely(`${key} broken`, 60)) throw new TerminalError('broken')
      return said(request, key)
    },
  })

  const work = async (id: string, idempotencyKey: string, signal: AbortSignal): Promise<string> => {
    const key = withoutRun(idempotencyKey)
    performed.set(key, (performed.get(key) ?? 0) + 1)
    await mayBeCancelled(key, signal)
    if (rarely(`${key} fails`, 10)) throw new TerminalError('It does not work.')
    return `${id} ${roll(key, 1_000)}`
  }
  const inputSchema = z.object({ q: z.string() })
  const description = 'Does something.'
  const everyTool = {
    plain: createTool({
      id: 'plain',
      description,
      inputSchema,
      execute: (_input, { idempotencyKey, signal }) => work('plain', idempotencyKey, signal),
    }),
    guarded: createTool({
      id: 'guarded',
      description,
      inputSchema,
      requireApproval: true,
      execute: (_input, { idempotencyKey, signal }) => work('guarded', idempotencyKey, signal),
    }),
    patient: createTool({
      id: 'patient',
      description,
      inputSchema,
      execute: (_input, { resumeData, suspend, idempotencyKey, signal }) =>
        resumeData === undefined ? suspend({ ask: 1 }) : work('patient', idempotencyKey, signal),
    }),
  }
  const tools = inTurn ? { plain: everyTool.plain } : everyTool
  const oneByOne = inTurn ? { toolCallConcurrency: 1 } : {}

  const worker = (suffix: string, next: () => AgentDefinition): AgentDefinition =>
    createAgent({
      id: name(suffix),
      description: `Is ${suffix}.`,
      instructions: `You are ${suffix}.`,
      model: model(suffix, talks({ more: 2 })),
      tools,
      maxSteps: 3,
      ...oneByOne,
      ...(handsOff ? { handoffs: [() => next()] } : {}),
    })
  const first = worker('first', () => second)
  const second: AgentDefinition = worker('second', () => first)
  const agents = { first, second }
  const serial = { id: name('root'), instructions: 'You lead.', maxSteps: 3, retries: 2 }
  const common = { ...serial, ...oneByOne }
  /** Time to hear of all that is at work in the background, one after the other. */
  const unhurried = { maxSteps: 20 }
  const often = `agent-${background?.key}`
  const delegation = {
    delegation: {
      onDelegationStart: ({ prompt, agentName }: { prompt: string; agentName: string }) => {
        const choice = roll(`start ${prompt}`, 12)
        // In the background a rejection would come at any time.
        if (choice === 1 && background?.of !== 'root') return { proceed: false, rejectionReason: 'no' }
        return choice === 2 ? { modifiedPrompt: `${prompt}, please, ${agentName}` } : undefined
      },
      onDelegationComplete: ({ prompt, agentName, bail }: Completed) => {
        const choice = roll(`complete ${prompt}`, 12)
        const isAlone = background?.of !== 'root' || background.key === agentName
        if (bails && choice > 5 && isAlone) bail()
        return choice === 5 ? { feedback: 'more' } : undefined
      },
    },
  }
  const ofMiddle = background?.of === 'middle'
  const middle = createSupervisor({
    id: name('middle'),
    description: 'Is in the middle.',
    instructions: 'You lead two.',
    model: model('middle', talks({ more: 2, ...(ofMiddle ? { least: 1, most: 2, often } : {}) })),
    agents,
    tools,
    maxSteps: 2,
    ...oneByOne,
    ...(ofMiddle ? { ...unhurried, backgroundTasks: { [background.key]: {} } } : {}),
  })
  const all = { ...agents, middle }
  const passesOn = handsOff ? { handoffs: [middle] } : {}
  const fair = createScorer({
    id: 'fair',
    score: ({ output }) => (roll(`score ${output}`, 12) === 3 ? 0 : 1),
  })

  const makers: Record<PatternName, () => AnyAgent> = {
    react: () => createAgent({ ...common, ...passesOn, model: model('root', talks({ more: 2 })), tools }),
    supervisor: () =>
      createSupervisor({
        ...common,
        ...delegation,
        agents: all,
        tools,
        ...(background?.of === 'root'
          ? {
              ...unhurried,
              model: model('root', talks({ more: 2, least: 1, most: 3, often })),
              backgroundTasks: { [background.key]: {} },
            }
          : {
              ...passesOn,
              model: model('root', talks({ more: 2, least: 1 })),
              completion: { scorers: [fair], parallel: false },
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
    reflexion: () =>
      createReflexion({ ...common, ...passesOn, model: model('root', talks({ more: 2 })), tools }),
    debate: () => {
      const { maxSteps: _, ...rest } = common
      return createDebate({ ...rest, model: model('root', talks({ more: 0 })), agents })
    },
    dispatcher: () => {
      const { maxSteps: _, ...rest } = serial
      return createDispatcher({ ...rest, model: model('root', route), agents: all, tools })
    },
  }
  return {
    root: makers[pattern](),
    budget,
    performed,
    moments,
    answer: (toolCallId, type) => {
      const cancel = isSingle ? cancelOf(`${toolCallId}/asked`) : undefined
      if (cancel !== undefined) return cancel
      if (rarely(`${toolCallId} deny`, 4)) return { type: 'deny', toolCallId, reason: 'no' }
      return type === 'approval'
        ? { type: 'approve', toolCallId }
        : { type: 'resume', toolCallId, data: 'go on' }
    },
  }
}

interface Completed {
  readonly prompt: string
  readonly agentName: string
  bail(): void
}
