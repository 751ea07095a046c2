/** Budgets fail closed: with tokens or cost limited, a reply that does not report its usage is the last one. */
import {
  createAgent,
  createDispatcher,
  createFanOut,
  createPlanner,
  createReflexion,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  type AgentDefinition,
  type BudgetOptions,
  type ChatModel,
  type ModelReply,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

const prices = { quiet: { input: 1, output: 1 } }

/** What a driver of the user's may hand over as usage, whatever its type says. */
const unreadable: readonly unknown[] = [
  undefined,
  null,
  {},
  { inputTokens: 3 },
  { outputTokens: 3 },
  { inputTokens: Number.NaN, outputTokens: 3 },
  { inputTokens: 3, outputTokens: -1 },
  { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1 },
  { inputTokens: '3', outputTokens: 1 },
  { inputTokens: 3, outputTokens: 1, totalTokens: Number.NaN },
  { inputTokens: 3, outputTokens: 1, totalTokens: -4 },
  'none',
  7,
]

/** A model that looks around without end, and reports `usage`. Without tools it says "Last.". */
function quiet(usage: unknown) {
  const made = { calls: 0, finalTurns: 0 }
  const model: ChatModel = {
    provider: 'test',
    modelId: 'quiet',
    generate: async ({ toolChoice }) => {
      if (toolChoice === 'none') made.finalTurns++
      else made.calls++
      const toolCalls = toolChoice === 'none' ? [] : [{ id: '', name: 'look', args: {} }]
      const text = toolChoice === 'none' ? 'Last.' : `Look ${made.calls}.`
      return { text, toolCalls, finishReason: 'stop', usage } as ModelReply
    },
  }
  const agent = createAgent({
    id: 'quiet',
    description: 'Looks.',
    instructions: 'Look.',
    model,
    tools: { look },
    maxSteps: 4,
  })
  return { agent, made }
}

async function play<Options extends object>(agent: AgentDefinition<Options>, options: Options) {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', options)
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

const unknown = { outcome: 'exhausted', reason: 'budget', error: { code: 'USAGE_UNKNOWN' } } as const

describe('a reply without usage', () => {
  test.each([
    { tokens: 1_000_000 },
    { cost: 1_000, prices },
    { tokens: 9, modelCalls: 3 },
  ] as BudgetOptions[])('is the last one under %j', async (budget) => {
    const { agent, made } = quiet(undefined)
    const { result, events } = await play(agent, { budget })
    expect(result).toMatchObject({ ...unknown, text: 'Look 1.', usage: { incomplete: true } })
    expect(made).toEqual({ calls: 1, finalTurns: 0 })
    expect(only(events, 'error').map(({ payload }) => payload.error.code)).toEqual(['USAGE_UNKNOWN'])
  })

  test.each(unreadable.map((usage) => ({ usage })))('is also one with $usage', async ({ usage }) => {
    const { agent, made } = quiet(usage)
    const { result } = await play(agent, { budget: { tokens: 1_000 } })
    expect(result).toMatchObject({ ...unknown, text: 'Look 1.' })
    expect(made).toEqual({ calls: 1, finalTurns: 0 })
  })

  test('is none whose usage is zero', async () => {
    const { agent, made } = quiet({ inputTokens: 0, outputTokens: 0 })
    const { result } = await play(agent, { budget: { tokens: 1 } })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'Last.' })
    expect(result.usage).not.toHaveProperty('incomplete')
    expect(made).toEqual({ calls: 4, finalTurns: 1 })
  })

  test.each([{ modelCalls: 9 }, { wallClock: 1e9 }, { prices }] as BudgetOptions[])(
    'changes nothing under %j, which limits neither tokens nor cost',
    async (budget) => {
      const { agent, made } = quiet(undefined)
      const { result } = await play(agent, { budget })
      expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'Last.' })
      expect(result).not.toHaveProperty('error')
      expect(made).toEqual({ calls: 4, finalTurns: 1 })
    },
  )

  test('which is the answer completes the run', async () => {
    const model = scriptedModel([{ text: 'Answer.', usage: { incomplete: true } }])
    const agent = createAgent({ id: 'solo', description: 'x', instructions: 'x', model })
    const { result } = await play(agent, { budget: { tokens: 5 } })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Answer.' })
    expect(result).not.toHaveProperty('error')
  })

  test('refuses even a final turn that another cap would have had', async () => {
    const { agent, made } = quiet(undefined)
    const { result } = await play(agent, { budget: { tokens: 1_000 }, maxSteps: 1 })
    expect(result).toMatchObject({ ...unknown, text: 'Look 1.' })
    expect(made).toEqual({ calls: 1, finalTurns: 0 })
  })

  test('of a subagent ends the whole tree, each with what it has', async () => {
    const one = quiet(undefined)
    const model = scriptedModel([
      { text: 'I ask.', toolCalls: [{ name: 'agent-quiet', args: { prompt: 'a' } }] },
    ])
    const agent = createSupervisor({
      id: 'lead',
      description: 'x',
      instructions: 'x',
      model,
      agents: { quiet: one.agent },
    })
    const { result } = await play(agent, { budget: { tokens: 1_000 } })
    expect(result).toMatchObject({
      ...unknown,
      text: 'I ask.',
      delegations: [{ outcome: 'exhausted', text: 'Look 1.', error: { code: 'USAGE_UNKNOWN' } }],
    })
    expect([model.calls.length, one.made]).toEqual([1, { calls: 1, finalTurns: 0 }])
  })

  test('is no attempt that failed', async () => {
    const clock = virtualClock()
    const model = scriptedModel([{ error: new RetryableError('busy') }, 'Answer.'])
    const agent = createAgent({ id: 'solo', description: 'x', instructions: 'x', model })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { budget: { tokens: 1_000 } })
    await clock.armed()
    clock.advance(60_000)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Answer.' })
  })

  test('is known again after a restart', async () => {
    const { agent, made } = quiet(undefined)
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go', { budget: { tokens: 1_000 } })
    await run.result
    const entries = (await store.read(run.id)) ?? []
    const [reply] = entries.flatMap((entry) =>
      entry.type === 'effect.settled' && entry.kind === 'model' ? [entry.settlement.value] : [],
    )
    expect(reply).toMatchObject({ usage: { inputTokens: 0, incomplete: true } })
    const fork = await troupe.fork(run.id, { at: entries.findIndex(({ type }) => type === 'effect.started') })
    expect(await fork.result).toMatchObject({ ...unknown, text: 'Look 1.' })
    expect(made).toEqual({ calls: 1, finalTurns: 0 })
  })
})

describe('in every pattern the next model call is refused', () => {
  const incomplete = { usage: { incomplete: true } } as const
  const worker = (id = 'w') => {
    const model = scriptedModel([], { modelId: id, otherwise: 'Done.' })
    return createAgent({ id, description: 'Works.', instructions: 'x', model })
  }
  const route = { primitiveType: 'agent', primitiveId: 'w', prompt: 'a', selectionReason: 'only' }
  const patterns = {
    router: (model: ChatModel) =>
      createRouter({
        id: 'root',
        memory: true,
        description: 'x',
        instructions: 'x',
        model,
        agents: { w: worker() },
        tools: { look },
      }),
    dispatcher: (model: ChatModel) =>
      createDispatcher({
        id: 'root',
        description: 'x',
        instructions: 'x',
        model,
        agents: { w: worker(), v: worker('v') },
      }),
    planner: (model: ChatModel) =>
      createPlanner({ id: 'root', description: 'x', instructions: 'x', model, tools: { look } }),
    fanOut: (model: ChatModel) =>
      createFanOut({ id: 'root', description: 'x', instructions: 'x', model, agents: { w: worker() } }),
    reflexion: (model: ChatModel) =>
      createReflexion({ id: 'root', description: 'x', instructions: 'x', model }),
  }
  const first: Record<keyof typeof patterns, string> = {
    router: JSON.stringify(route),
    dispatcher: 'no decision',
    planner: JSON.stringify({ steps: [{ id: 'a', goal: 'g', toolHint: 'look', args: {} }] }),
    fanOut: JSON.stringify({ goals: [{ goal: 'g', agent: 'w' }] }),
    reflexion: '',
  }

  test.each(Object.keys(patterns) as (keyof typeof patterns)[])('%s', async (name) => {
    const toolCalls = name === 'reflexion' ? [{ name: 'look' }] : []
    const model = scriptedModel([{ text: first[name], toolCalls, ...incomplete }], { modelId: 'root' })
    const { result } = await play<object>(patterns[name](model) as AgentDefinition, {
      budget: { tokens: 1_000_000 },
    })
    expect(result).toMatchObject(unknown)
    expect(model.calls).toHaveLength(1)
  })
})

describe('budget.onUnknownUsage', () => {
  test("'ignore' counts what is reported", async () => {
    const { agent, made } = quiet({ inputTokens: 7 })
    const { result } = await play(agent, { budget: { tokens: 14, onUnknownUsage: 'ignore' } })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'Last.' })
    expect(result).not.toHaveProperty('error')
    expect(made).toEqual({ calls: 2, finalTurns: 1 })
  })

  test("'estimate' counts four characters of prompt and reply as a token", async () => {
    const prompts: number[] = []
    const model: ChatModel = {
      provider: 'test',
      modelId: 'quiet',
      generate: async ({ messages, toolChoice }) => {
        prompts.push(messages.reduce((sum, { content }) => sum + content.length, 0))
        const isLast = toolChoice === 'none'
        const toolCalls = isLast ? [] : [{ id: '', name: 'look', args: {} }]
        return { text: 'x'.repeat(40), toolCalls, finishReason: 'stop' } as object as ModelReply
      },
    }
    const agent = createAgent({
      id: 'quiet',
      description: 'x',
      instructions: 'x'.repeat(400),
      model,
      tools: { look },
    })
    const { result, events } = await play(agent, { budget: { tokens: 200, onUnknownUsage: 'estimate' } })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    // "x" * 400 and "Go" are 101 tokens, the reply with its call "look{}" 12; then the prompt has grown.
    const used = 101 + 12 + Math.ceil(((prompts[1] ?? 0) + 'look{}'.length) / 4) + 12
    expect(only(events, 'error')[0]?.payload.error.message).toContain(`tokens ${used} of 200`)
    expect(prompts).toHaveLength(3)
    expect(result.usage).toMatchObject({ totalTokens: 0, incomplete: true })
  })

  test("'estimate' prices what it estimates", async () => {
    const { agent, made } = quiet(undefined)
    const { result } = await play(agent, { budget: { cost: 0.000_001, prices, onUnknownUsage: 'estimate' } })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'Last.' })
    expect(made).toEqual({ calls: 1, finalTurns: 1 })
  })

  test('of a run stands over that of its agent', async () => {
    const one = quiet(undefined)
    const { agent } = one
    const { result } = await play(agent, { budget: { tokens: 1_000, onUnknownUsage: 'ignore' } })
    expect(result).toMatchObject({ reason: 'maxSteps' })
  })

  test('of another name is refused', async () => {
    const { agent } = quiet(undefined)
    const budget = { tokens: 1, onUnknownUsage: 'stop' } as object as BudgetOptions
    await expect(agent.generate('Go', { budget })).rejects.toThrow('budget.onUnknownUsage')
  })
})
