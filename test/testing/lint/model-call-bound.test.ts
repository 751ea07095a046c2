/** The bound of model calls holds in runs, and is reached. */
import {
  createDebate,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  RetryableError,
  type AgentDefinition,
  type AnyAgent,
  type ChatModel,
} from 'troupe'
import { modelCallBound, scriptedModel, type ScriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { agent, lead, tool } from './configurations.ts'

/** Fails each call `failures` times, and then gives the next reply. */
function failing(failures: number, replies: readonly Parameters<typeof scriptedModel>[0][number][]) {
  const error = new RetryableError('Busy.', { retryAfterMs: 1 })
  return scriptedModel(
    replies.flatMap((reply) => [...Array.from({ length: failures }, () => ({ error })), reply]),
  )
}

const callsTool = { toolCalls: [{ name: 'pay' }] }

test('an agent that needs every attempt of every step reaches its bound', async () => {
  const model = failing(1, [callsTool, callsTool])
  const worker = agent({ model, tools: { pay: tool() }, maxSteps: 2, retries: 1, onExhausted: 'stop' })
  const { calls, formula, unbounded } = modelCallBound(worker)
  expect({ calls, formula, unbounded }).toEqual({ calls: 4, formula: '2 steps × 2 attempts', unbounded: [] })
  const result = await worker.generate('Go')
  expect(result.outcome).toBe('exhausted')
  expect(model.calls).toHaveLength(4)
})

test('an answer of the wrong shape is sent back once', async () => {
  const model = failing(1, ['no JSON', 'no JSON either'])
  const worker = agent({ model, maxSteps: 1, retries: 1, structuredOutput: { schema: z.object({}) } })
  expect(modelCallBound(worker)).toMatchObject({ calls: 4, formula: '1 steps × 2 replies × 2 attempts' })
  await worker.generate('Go')
  expect(model.calls).toHaveLength(4)
})

test('a processor that refuses every reply reaches its bound', async () => {
  const model = failing(0, ['One.', 'Two.', 'Three.'])
  const worker = agent({
    model,
    maxSteps: 1,
    retries: 0,
    maxProcessorRetries: 2,
    outputProcessors: [{ id: 'no', processOutput: ({ abort }) => abort('No.', { retry: true }) }],
  })
  expect(modelCallBound(worker).calls).toBe(3)
  await worker.generate('Go')
  expect(model.calls).toHaveLength(3)
})

test('a supervisor delegates in each step, as often as a reply may call', async () => {
  const worker = scriptedModel([], { otherwise: 'Done.' })
  const delegates = { toolCalls: [1, 2].map(() => ({ name: 'agent-worker', args: { prompt: 'Go' } })) }
  const model = scriptedModel([delegates, delegates])
  const supervisor = lead({
    model,
    agents: { worker: agent({ model: worker, maxSteps: 1, retries: 0 }) },
    maxSteps: 2,
    maxToolCallsPerStep: 2,
    retries: 0,
    onExhausted: 'stop',
  })
  expect(modelCallBound(supervisor).calls).toBe(6)
  await supervisor.generate('Go')
  expect(model.calls.length + worker.calls.length).toBe(6)
})

/** Decides for as much work as each pattern allows, by the name of the decision. */
const greedy: Readonly<Record<string, object>> = {
  goals: { goals: [1, 2].map((goal) => ({ goal: `Goal ${goal}`, agent: 'one', context: null })) },
  assessment: {
    complete: false,
    goals: [3, 4].map((goal) => ({ goal: `Goal ${goal}`, agent: 'one', context: null })),
  },
  plan: { steps: ['a', 'b'].map((id) => ({ id, goal: `Step ${id}`, toolHint: 'agent-one' })) },
  'routing-decision': {
    primitiveId: 'one',
    primitiveType: 'agent',
    prompt: 'Go',
    selectionReason: 'Why not.',
  },
  critique: { satisfied: false, critique: 'Not good enough.' },
}

const boss = (): ScriptedModel =>
  scriptedModel([], {
    otherwise: ({ responseFormat }) =>
      responseFormat === undefined ? 'Answer.' : JSON.stringify(greedy[responseFormat.name]),
  })

const common = { instructions: '', retries: 0 } as const

/** Each makes as many delegations as it may; `delegations` is their number. */
test.for<[string, number, (model: ChatModel, agents: Readonly<Record<string, AgentDefinition>>) => AnyAgent]>(
  [
    ['a debate', 4, (model, agents) => createDebate({ ...common, id: 'd', model, agents, rounds: 1 })],
    [
      'a fan-out',
      4,
      (model, agents) => createFanOut({ ...common, id: 'f', model, agents, maxRounds: 2, maxGoals: 2 }),
    ],
    [
      'a planner',
      6,
      (model, agents) => createPlanner({ ...common, id: 'p', model, agents, maxPlanSteps: 2 }),
    ],
    [
      'a router',
      3,
      (model, agents) => createRouter({ ...common, id: 'w', model, agents, memory: true, maxIterations: 3 }),
    ],
    ['reflexion', 0, (model) => createReflexion({ ...common, id: 'r', model, maxSteps: 3 })],
  ],
)('a run of %s stays within its bound', async ([, delegations, made]) => {
  const model = boss()
  const workers = scriptedModel([], { otherwise: { ...callsTool, text: 'Perhaps.' } })
  const options = {
    model: workers,
    tools: { pay: tool() },
    maxSteps: 2,
    retries: 0,
    onExhausted: 'stop',
  } as const
  const built = made(model, { one: agent({ ...options, id: 'one' }), two: agent({ ...options, id: 'two' }) })
  const { calls = 0 } = modelCallBound(built)
  await built.generate('Go')
  expect(workers.calls).toHaveLength(delegations * 2)
  expect(model.calls.length + workers.calls.length).toBeLessThanOrEqual(calls)
})

test('a budget is the bound where it is lower', () => {
  expect(modelCallBound(lead({ budget: { modelCalls: 7 } }))).toMatchObject({
    calls: 7,
    formula: 'budget.modelCalls = 7',
  })
  expect(modelCallBound(agent({ maxSteps: 1, retries: 0, budget: { modelCalls: 7 } })).calls).toBe(1)
  expect(modelCallBound(agent(), { maxSteps: 2, retries: 0 }).calls).toBe(2)
})

test('a hook that may raise the cap of a subagent, and agents of the run, leave no bound', () => {
  const raised = modelCallBound(lead({ delegation: { onDelegationStart: () => undefined } }))
  expect(raised).toMatchObject({
    calls: undefined,
    unbounded: ['lead: onDelegationStart may raise the maxSteps of a subagent.'],
  })
  const dynamic = modelCallBound(lead({ agents: () => ({}) }))
  expect(dynamic.unbounded).toEqual([
    'lead: a function of the run makes its agents, which the definition does not show.',
  ])
  const limited = lead({ delegation: { onDelegationStart: () => undefined }, budget: { modelCalls: 9 } })
  expect(modelCallBound(limited)).toMatchObject({ calls: 9, unbounded: [] })
})

test('the settings of a pattern are the caps of its agent below a meta-router', async () => {
  const worker = agent({
    tools: { pay: tool() },
    model: failing(0, [callsTool, callsTool]),
    retries: 0,
    onExhausted: 'stop',
  })
  const bound = (settings: object) =>
    modelCallBound(
      createMetaRouter({
        id: 'desk',
        instructions: '',
        model: scriptedModel([]),
        retries: 0,
        agents: { react: worker },
        patterns: [{ name: 'react', description: 'Acts.', settings }],
      }),
    ).calls
  expect((bound({}) ?? 0) - (bound({ maxSteps: 2 }) ?? 0)).toBe(5 - 2)
})
