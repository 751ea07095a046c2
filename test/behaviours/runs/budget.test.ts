/** Budgets over the whole tree: checked before each model call, shared by all, told, and the same in a replay. */
import {
  ConfigurationError,
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  type AgentDefinition,
  type AnyAgent,
  type BudgetOptions,
  type FinalResult,
  type Run,
  type RunEvent,
  type Troupe,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedReply, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  allEvents,
  calls,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { thrown } from '../../support/agents/model-calls.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const look = (execute: () => unknown = () => 'seen') =>
  createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute })

const looks: ScriptedReply = calls({ name: 'look' })

/** An agent that looks around without end; without tools it says "Enough.". */
function restless(step: ScriptedReply = looks, execute?: () => unknown) {
  return worker('solo', [], {
    tools: { look: look(execute) },
    maxSteps: 50,
    otherwise: ({ toolChoice }) =>
      toolChoice === 'none' ? { ...step, text: 'Enough.', toolCalls: [] } : step,
  })
}

/** How many calls of these models a budget counts. */
const counted = (...models: readonly ScriptedModel[]): number =>
  models.flatMap((model) => model.calls).filter(({ request }) => request.toolChoice === 'auto').length

const finalTurns = (...models: readonly ScriptedModel[]): number =>
  models.flatMap((model) => model.calls).filter(({ request }) => request.toolChoice === 'none').length

async function ending(troupe: Troupe, run: Run): Promise<{ result: FinalResult; events: RunEvent[] }> {
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

async function play<Options extends object>(
  agent: AnyAgent<Options>,
  options: Options,
  clock = virtualClock(),
) {
  const troupe = createTroupe({ agents: [agent], clock })
  return ending(troupe, await troupe.start(agent, 'Go', options))
}

const spent = { outcome: 'exhausted', reason: 'budget' } as const

describe('a limit', () => {
  test('of model calls', async () => {
    const { agent, model } = restless()
    const { result, events } = await play(agent, { budget: { modelCalls: 2 } })
    expect(result).toMatchObject({ ...spent, text: 'Enough.' })
    expect([counted(model), finalTurns(model)]).toEqual([2, 1])
    expect(only(events, 'error').map(({ payload }) => payload)).toEqual([
      {
        error: {
          name: 'BudgetExceededError',
          code: 'BUDGET_EXCEEDED',
          message: 'The budget of the run is used up: modelCalls 2 of 2.',
        },
        willRetry: false,
      },
    ])
    expect(result.steps).toHaveLength(2)
  })

  test('that is reached before a step has its reply: that step has one end', async () => {
    const { agent } = restless()
    const { events } = await play(agent, { budget: { modelCalls: 2 } })
    const steps = only(events, 'step-start', 'step-finish')
    expect(steps.map(({ type, payload }) => `${type} ${payload.step}`)).toEqual([
      'step-start 1',
      'step-finish 1',
      'step-start 2',
      'step-finish 2',
      'step-start 3',
      'step-finish 3',
    ])
    expect(only(events, 'step-finish')[2]?.payload).toMatchObject({ finishReason: 'aborted', toolCalls: 0 })
  })

  test('of tokens', async () => {
    const { agent, model } = restless()
    const { result, events } = await play(agent, { budget: { tokens: 31 } })
    expect(result).toMatchObject({ ...spent, text: 'Enough.', usage: { totalTokens: 60 } })
    expect([counted(model), finalTurns(model)]).toEqual([3, 1])
    expect(only(events, 'error')[0]?.payload.error.message).toContain('tokens 45 of 31')
  })

  test('of cost', async () => {
    const { agent, model } = restless()
    // A call is 10 tokens in and 5 out: 0.00002.
    const budget = { cost: 0.00004, prices: { solo: { input: 1, output: 2 } } }
    const { result, events } = await play(agent, { budget })
    expect(result).toMatchObject({ ...spent, text: 'Enough.' })
    expect([counted(model), finalTurns(model)]).toEqual([2, 1])
    expect(only(events, 'error')[0]?.payload.error.message).toContain('cost 0.00004 of 0.00004')
    expect(result.usage.cost).toBeCloseTo(0.00006, 12)
  })

  test('of time', async () => {
    const clock = virtualClock()
    const { agent, model } = restless(looks, () => clock.advance(400))
    const { result, events } = await play(agent, { budget: { wallClock: 1_000 } }, clock)
    expect(result).toMatchObject(spent)
    expect([counted(model), finalTurns(model)]).toEqual([3, 1])
    expect(only(events, 'error')[0]?.payload.error.message).toContain('wallClock 1000 of 1000')
  })

  test('that is reached by an answer does not spoil it', async () => {
    const { agent } = worker('solo', ['Answer.'])
    const { result } = await play(agent, { budget: { modelCalls: 1, tokens: 15 } })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Answer.' })
  })

  test("under onExhausted 'stop' leaves no last turn", async () => {
    const { agent, model } = restless()
    const { result } = await play(agent, { budget: { modelCalls: 2 }, onExhausted: 'stop' })
    expect(result).toMatchObject({ ...spent, text: 'The agent stopped before it reached an answer.' })
    expect([counted(model), finalTurns(model)]).toEqual([2, 0])
  })

  test('stands beside others: the first that is reached', async () => {
    const { agent, model } = restless()
    const { result, events } = await play(agent, { budget: { modelCalls: 10, tokens: 15 } })
    expect(result).toMatchObject(spent)
    expect(counted(model)).toBe(1)
    expect(only(events, 'error')[0]?.payload.error.message).toContain('tokens')
  })

  test('ends a call that is to be repaired, or asked again', async () => {
    const schema = z.object({ city: z.string() })
    const repaired = worker('solo', ['no JSON'], { otherwise: 'Last.' })
    const first = await play(repaired.agent, { structuredOutput: { schema }, budget: { modelCalls: 1 } })
    expect(first.result).toMatchObject({ ...spent, text: 'Last.' })
    const screened = worker('solo', ['I guarantee it.'], { otherwise: 'Perhaps.' })
    const second = await play(screened.agent, {
      outputProcessors: [
        {
          id: 'promises',
          processOutput: ({ text, abort }) =>
            text.includes('guarantee') ? abort('no', { retry: true }) : undefined,
        },
      ],
      budget: { modelCalls: 1 },
    })
    expect(second.result).toMatchObject({ ...spent, text: 'Perhaps.' })
  })
})

describe('what counts as a model call', () => {
  test('attempts that failed', async () => {
    const busy: ScriptedStep = { error: new RetryableError('busy') }
    const clock = virtualClock()
    const { agent, model } = worker('solo', [busy, busy], { otherwise: 'Last.' })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { budget: { modelCalls: 2 } })
    for (let attempt = 1; attempt <= 2; attempt++) {
      await clock.armed()
      clock.advance(60_000)
    }
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ ...spent, text: 'Last.' })
    expect([counted(model), finalTurns(model)]).toEqual([2, 1])
  })

  test('calls that were aborted', async () => {
    const clock = virtualClock()
    const slow = worker('slow', [{ hang: true }])
    const { agent, model } = lead('lead', [calls(to('slow', 'a'))], {
      agents: { slow: slow.agent },
      delegation: { timeout: 100 },
      otherwise: 'Last.',
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { budget: { modelCalls: 2, warnAt: 1 } })
    await clock.armed()
    clock.advance(100)
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({ ...spent, delegations: [{ outcome: 'timedOut' }] })
    expect([counted(model, slow.model), finalTurns(model, slow.model)]).toEqual([2, 1])
    expect(only(events, 'budget-warning').map(({ payload }) => payload)).toEqual([
      { limit: 'modelCalls', used: 2, max: 2 },
    ])
  })

  test('no final turn, though it costs what it costs', async () => {
    const { agent, model } = restless({ ...looks, usage: { inputTokens: 50, outputTokens: 0 } })
    const { result } = await play(agent, { budget: { tokens: 60, modelCalls: 2 } })
    expect([counted(model), finalTurns(model)]).toEqual([2, 1])
    expect(result.usage.totalTokens).toBe(150)
  })
})

describe('what does not', () => {
  test('a final turn of somebody else', async () => {
    const one = restless()
    const { agent, model } = lead('lead', [calls(to('solo', 'a')), 'Done.'], { agents: { solo: one.agent } })
    const { result } = await play(agent, {
      budget: { modelCalls: 3 },
      delegation: { onDelegationStart: () => ({ modifiedMaxSteps: 1 }) },
    })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect([counted(model, one.model), finalTurns(model, one.model)]).toEqual([3, 1])
  })

  test('a call that was refused', async () => {
    const { agent } = restless()
    const { result, events } = await play(agent, { budget: { tokens: 15, modelCalls: 2, warnAt: 1 } })
    expect(result).toMatchObject(spent)
    expect(only(events, 'budget-warning').map(({ payload }) => payload.limit)).toEqual(['tokens'])
  })
})

describe('shared by all descendants', () => {
  /** `count` subagents side by side, each of which answers when `gate` opens. */
  function side(count: number, gate: Promise<unknown> = Promise.resolve()) {
    const keys = Array.from({ length: count }, (_, index) => `w${index + 1}`)
    const workers = keys.map((key) =>
      worker(key, [{ text: `${key}.`, until: gate }], { otherwise: `${key}!` }),
    )
    const { agent, model } = lead('lead', [calls(...keys.map((key) => to(key, 'Go')))], {
      agents: Object.fromEntries(keys.map((key, index) => [key, workers[index]?.agent as AgentDefinition])),
      otherwise: 'Sum.',
    })
    return { agent, model, workers: workers.map((cast) => cast.model) }
  }

  test('children side by side take exactly the calls that are left', async () => {
    const { agent, model, workers } = side(5)
    const { result } = await play(agent, { budget: { modelCalls: 4 } })
    expect(counted(model, ...workers)).toBe(4)
    // Two children without means, and then their supervisor.
    expect(finalTurns(...workers)).toBe(2)
    expect(finalTurns(model)).toBe(1)
    expect(result).toMatchObject({ ...spent, text: 'Sum.' })
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'exhausted',
      'exhausted',
    ])
    expect(toldOfCalls(model, 2).slice(3)).toEqual(
      ['w4', 'w5'].map((key) =>
        JSON.stringify({
          text: `${key}.`,
          incomplete: `The agent "${key}" reached a limit (budget) before it was done.`,
        }),
      ),
    )
  })

  test('a call under way is not cut, and its place is taken while it lasts', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model, workers } = side(3, gate.promise)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', {
      budget: { modelCalls: 3, tokens: 16 },
      onExhausted: 'stop',
    })
    await until(run, 'step-start', ({ agent: who }) => who === 'w3')
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(workers.map((each) => counted(each))).toEqual([1, 1, 0])
    expect(finalTurns(...workers)).toBe(1)
    expect(counted(model)).toBe(1)
    expect(result).toMatchObject({ ...spent, usage: { totalTokens: 60 } }) // beyond 16: nothing was cut
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'exhausted'])
  })

  test('three levels down, and in the background', async () => {
    const scout = restless()
    const middle = lead('middle', [calls(to('solo', 'a'))], {
      agents: { solo: scout.agent },
      otherwise: 'Middle.',
    })
    const root = lead('lead', [calls(to('middle', 'a')), 'Meanwhile.'], {
      agents: { middle: middle.agent },
      backgroundTasks: { middle: {} },
      otherwise: 'Root.',
    })
    const { result } = await play(root.agent, { budget: { modelCalls: 6 } })
    expect(counted(scout.model, middle.model, root.model)).toBe(6)
    expect(result).toMatchObject({ ...spent, text: 'Root.', delegations: [{ outcome: 'exhausted' }] })
    const sum = Object.values(result.usage.byAgent).reduce((total, { totalTokens }) => total + totalTokens, 0)
    expect(sum).toBe(result.usage.totalTokens)
    expect(sum).toBe(15 * [scout, middle, root].reduce((count, { model }) => count + model.calls.length, 0))
  })
})

describe('time', () => {
  test('in which the run is suspended does not count', async () => {
    const clock = virtualClock()
    const sign = createTool({
      id: 'sign',
      description: 'Signs.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => clock.advance(300),
    })
    const { agent, model } = worker('solo', [], {
      tools: { sign },
      otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : calls({ name: 'sign' })),
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { budget: { wallClock: 500 } })
    for (const toolCallId of ['solo/call:1.1', 'solo/call:2.1']) {
      expect(await run.whenIdle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId }] })
      clock.advance(86_400_000)
      await run.approve(toolCallId)
    }
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject(spent)
    expect(counted(model)).toBe(2)
    expect(only(events, 'error')[0]?.payload.error.message).toContain('wallClock 500 of 500')
  })

  test('in which nobody works on it does', async () => {
    const clock = virtualClock()
    const store = memoryStore()
    const before = restless({ hang: true })
    const troupe = createTroupe({ agents: [before.agent], store, clock })
    const run = await troupe.start(before.agent, 'Go', { budget: { wallClock: 1_000 } })
    await until(run, 'step-start')
    await troupe.close()
    clock.advance(5_000)
    const after = restless()
    const again = createTroupe({ agents: [after.agent], store, clock })
    const { result, events } = await ending(again, await again.resume(run.id))
    expect(result).toMatchObject({ ...spent, text: 'Enough.' })
    expect([counted(after.model), finalTurns(after.model)]).toEqual([0, 1])
    expect(only(events, 'error')[0]?.payload.error.message).toContain('wallClock 5000 of 1000')
  })
})

describe('cost', () => {
  const cached = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 }

  test.for<{
    readonly name: string
    readonly prices: NonNullable<BudgetOptions['prices']>
    readonly written?: number
    readonly cost: number
  }>([
    { name: 'by model id', prices: { solo: { input: 2, output: 10 } }, cost: 3 },
    { name: 'by provider and model id', prices: { 'scripted/solo': { input: 2, output: 10 } }, cost: 3 },
    {
      name: 'the longer name stands over the shorter',
      prices: { solo: { input: 99, output: 99 }, 'scripted/solo': { input: 2, output: 10 } },
      cost: 3,
    },
    {
      name: 'with a price for what was cached',
      prices: { solo: { input: 2, output: 10, cachedInput: 0.5 } },
      cost: 2.4,
    },
    {
      name: 'without a price for what was written to the cache',
      prices: { solo: { input: 2, output: 10 } },
      written: 200_000,
      cost: 3,
    },
    {
      name: 'with a price for what was written to the cache',
      prices: { solo: { input: 2, output: 10, cachedInput: 0.5, cacheWrite: 2.5 } },
      written: 200_000,
      cost: 2.5,
    },
    { name: 'of a model that costs nothing', prices: { solo: { input: 0, output: 0 } }, cost: 0 },
  ])('$name', async ({ prices, cost, written }) => {
    const usage = written === undefined ? cached : { ...cached, cacheWriteTokens: written }
    const { agent } = worker('solo', [{ text: 'Answer.', usage }])
    const { result, events } = await play(agent, { budget: { prices } })
    expect(result.usage.cost).toBeCloseTo(cost, 9)
    expect(result.usage.byAgent['solo']?.cost).toBeCloseTo(cost, 9)
    expect(result.steps[0]?.usage.cost).toBeCloseTo(cost, 9)
    expect(only(events, 'run-finish')[0]?.payload.usage.cost).toBeCloseTo(cost, 9)
    expect(only(events, 'step-finish')[0]?.payload.usage.cost).toBeCloseTo(cost, 9)
  })

  test('is told for the models whose price is known, and nothing is made up for the others', async () => {
    const { agent } = worker('solo', ['Answer.'])
    const { result } = await play(agent, { budget: { prices: { other: { input: 1, output: 1 } } } })
    expect('cost' in result.usage).toBe(false)
  })

  test('by agent and by delegation', async () => {
    const one = worker('one', [{ text: '1', usage: { inputTokens: 1_000_000, outputTokens: 0 } }])
    const two = worker('two', [{ text: '2', usage: { inputTokens: 0, outputTokens: 1_000_000 } }])
    const { agent } = lead('lead', [calls(to('one', 'a'), to('two', 'b')), 'Sum.'], {
      agents: { one: one.agent, two: two.agent },
    })
    const prices = {
      one: { input: 1, output: 9 },
      two: { input: 9, output: 2 },
      lead: { input: 50_000, output: 0 },
    }
    const { result } = await play(agent, { budget: { prices } })
    expect(result.usage.cost).toBeCloseTo(4, 9)
    expect(result.usage.byAgent).toMatchObject({ one: { cost: 1 }, two: { cost: 2 }, lead: { cost: 1 } })
    expect(result.delegations.map(({ agent: id, usage }) => [id, usage.cost])).toEqual([
      ['one', 1],
      ['two', 2],
    ])
  })

  test('cannot be limited where nobody knows it: told where it is written', () => {
    const error = thrown(() => worker('solo', [], { budget: { cost: 1, prices: {} } }))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toBe(
      'createAgent("solo"): budget.prices must name every model while cost is limited, and does not name "scripted/solo".',
    )
    expect((thrown(() => worker('solo', [], { budget: { cost: 1 } })) as Error).message).toBe(
      'createAgent("solo"): budget.cost: a limit of cost needs prices.',
    )
  })

  test('of subagents too, and of a run', async () => {
    const one = worker('one', [])
    const { agent } = lead('lead', [], { agents: { one: one.agent } })
    await expect(
      agent.generate('Go', { budget: { cost: 1, prices: { lead: { input: 1, output: 1 } } } }),
    ).rejects.toThrow('does not name "scripted/one"')
  })

  test('of a model that a function gives: it is not called', async () => {
    const model = scriptedModel(['Answer.'], { modelId: 'secret' })
    const agent = createAgent({ id: 'solo', instructions: '', model: () => model })
    const { result } = await play(agent, {
      budget: { cost: 1, prices: { other: { input: 1, output: 1 } }, modelCalls: 1, warnAt: 1 },
    })
    expect(result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'MODEL_NOT_PRICED',
        message: 'The budget limits the cost, and its prices do not name the model "scripted/secret".',
      },
    })
    expect(model.calls).toEqual([])
  })
})

describe('budget-warning', () => {
  const warnings = (events: readonly RunEvent[]) =>
    only(events, 'budget-warning').map(({ payload }) => payload)
  const bySeven: ScriptedReply = { ...looks, usage: { inputTokens: 7, outputTokens: 0 } }

  test('is told once, at 80 percent', async () => {
    const { agent } = restless(bySeven)
    const { events } = await play(agent, { budget: { tokens: 35 } })
    expect(warnings(events)).toEqual([{ limit: 'tokens', used: 28, max: 35 }])
    const [warning] = only(events, 'budget-warning')
    expect(warning).toMatchObject({ agent: 'solo', path: 'solo' })
  })

  test('at another share', async () => {
    const { agent } = restless(bySeven)
    const { events } = await play(agent, { budget: { tokens: 35, warnAt: 0.3 } })
    expect(warnings(events)).toEqual([{ limit: 'tokens', used: 14, max: 35 }])
  })

  test('at 1: when the limit is reached', async () => {
    const { agent } = restless(bySeven)
    const { events } = await play(agent, { budget: { tokens: 35, warnAt: 1 } })
    expect(warnings(events)).toEqual([{ limit: 'tokens', used: 35, max: 35 }])
  })

  test('at 0: with the beginning of the run', async () => {
    const { agent } = restless(bySeven)
    const { events } = await play(agent, { budget: { tokens: 35, modelCalls: 9, warnAt: 0 } })
    expect(warnings(events)).toEqual([
      { limit: 'tokens', used: 0, max: 35 },
      { limit: 'modelCalls', used: 0, max: 9 },
    ])
    expect(events.findIndex(({ type }) => type === 'run-start')).toBe(0)
  })

  test('for each limit', async () => {
    const clock = virtualClock()
    const { agent } = restless(bySeven, () => clock.advance(100))
    const budget = { tokens: 70, modelCalls: 5, wallClock: 250, warnAt: 0.6 }
    const { events } = await play(agent, { budget }, clock)
    expect(warnings(events)).toEqual([
      { limit: 'wallClock', used: 200, max: 250 },
      { limit: 'modelCalls', used: 3, max: 5 },
    ])
  })

  test('comes before what it warns of', async () => {
    const { agent } = restless(bySeven)
    const { events } = await play(agent, { budget: { tokens: 28 } })
    const types = events.map(({ type }) => type)
    expect(types.indexOf('budget-warning')).toBeGreaterThan(-1)
    expect(types.indexOf('budget-warning')).toBeLessThan(types.indexOf('error'))
    expect(types.at(-1)).toBe('run-finish')
  })

  test('is not told after the end, when a tool that the run has let go of comes back late', async () => {
    const clock = virtualClock()
    const gate = Promise.withResolvers<string>()
    const patient = worker('patient', [looks], { tools: { look: look(() => gate.promise) } })
    const quick = worker('quick', ['Quick.'])
    const { agent } = lead('lead', [calls(to('patient', 'a'), to('quick', 'b'))], {
      agents: { patient: patient.agent, quick: quick.agent },
      delegation: { onDelegationComplete: ({ agentId, bail }) => void (agentId === 'quick' && bail()) },
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go', { budget: { wallClock: 1_000 } })
    await until(run, 'run-finish')
    clock.advance(900)
    gate.resolve('late')
    const isLate = async () => (await troupe.history(run.id)).some(({ late }) => late === true)
    while (!(await isLate())) await new Promise((resolve) => setImmediate(resolve))
    const { events } = await ending(troupe, run)
    expect(events.at(-1)?.type).toBe('run-finish')
    expect(warnings(events)).toEqual([])
  })
})

describe('where a budget stands', () => {
  test('on the definition', async () => {
    const { agent, model } = worker('solo', [], {
      tools: { look: look() },
      budget: { modelCalls: 1 },
      otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : looks),
    })
    expect((await play(agent, {})).result).toMatchObject(spent)
    expect(counted(model)).toBe(1)
  })

  test('that of a run lies over it, limit by limit', async () => {
    const { agent, model } = worker('solo', [], {
      tools: { look: look() },
      maxSteps: 20,
      budget: { modelCalls: 1, tokens: 1_000, prices: { solo: { input: 1_000_000, output: 0 } } },
      otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : looks),
    })
    const { result, events } = await play(agent, { budget: { modelCalls: 50, cost: 25 } })
    expect(result).toMatchObject({ ...spent, usage: { cost: 40 } })
    expect(counted(model)).toBe(3)
    expect(only(events, 'error')[0]?.payload.error.message).toContain('cost 30 of 25')
  })

  test('one of a subagent is for its own runs alone', async () => {
    const one = worker('one', [], {
      tools: { look: look() },
      budget: { modelCalls: 1 },
      otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : looks),
      maxSteps: 3,
    })
    const { agent } = lead('lead', [calls(to('one', 'a')), 'Done.'], { agents: { one: one.agent } })
    const { result, events } = await play(agent, {})
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'exhausted' }] })
    expect(counted(one.model)).toBe(3)
    expect(only(events, 'budget-warning')).toEqual([])
  })
})

test('after a restart what was used before counts', async () => {
  const store = memoryStore()
  const make = (stuckAt: number) => {
    let asked = 0
    const wait = new Promise<string>(() => undefined)
    return restless(looks, () => (++asked === stuckAt ? wait : 'seen'))
  }
  const before = make(2)
  const troupe = createTroupe({ agents: [before.agent], store })
  const run = await troupe.start(before.agent, 'Go', { budget: { modelCalls: 3 } })
  await until(run, 'tool-call', ({ payload }) => payload.toolCallId === 'solo/call:2.1')
  await troupe.close()
  const after = make(99)
  const again = createTroupe({ agents: [after.agent], store })
  const { result, events } = await ending(again, await again.resume(run.id))
  expect(result).toMatchObject({ ...spent, text: 'Enough.' })
  expect([counted(before.model), counted(after.model), finalTurns(after.model)]).toEqual([2, 1, 1])
  expect(only(events, 'budget-warning').map(({ payload }) => payload)).toEqual([
    { limit: 'modelCalls', used: 3, max: 3 },
  ])
})

describe('a wrong budget is refused', () => {
  test.for([
    [{ tokens: 0 }, 'budget.tokens'],
    [{ tokens: 1.5 }, 'budget.tokens'],
    [{ tokens: '100' }, 'budget.tokens'],
    [{ cost: -1, prices: {} }, 'budget.cost'],
    [{ cost: 1 }, 'budget.cost: a limit of cost needs prices'],
    [{ wallClock: 0 }, 'budget.wallClock'],
    [{ wallClock: Number.NaN }, 'budget.wallClock'],
    [{ wallClock: Number.POSITIVE_INFINITY }, 'budget.wallClock'],
    [{ modelCalls: 2.5 }, 'budget.modelCalls'],
    [{ warnAt: 1.1 }, 'budget.warnAt'],
    [{ warnAt: -0.1 }, 'budget.warnAt'],
    [{ prices: { solo: { input: 1 } } }, 'budget.prices.solo.output'],
    [{ prices: { solo: { input: -1, output: 1 } } }, 'budget.prices.solo.input'],
    [{ prices: { solo: { input: 1, output: 1, cached: 1 } } }, 'budget.prices.solo'],
    [{ token: 100 }, 'token'],
    [{ depth: 3 }, 'depth'],
    [100, 'budget'],
    [null, 'budget'],
  ] as const)('%j', async ([budget, message]) => {
    const given = { budget: budget as BudgetOptions }
    const error = thrown(() => worker('solo', [], given))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toContain('createAgent("solo")')
    expect((error as Error).message).toContain(message)
    const { agent } = worker('solo', [])
    await expect(agent.generate('Go', given)).rejects.toThrow('options of a run of "solo"')
  })
})

describe('maxRepeatedCalls', () => {
  const a = { name: 'look', args: { at: 'a', from: { x: 1, y: 2 } } }
  const sameAsA = { name: 'look', args: { from: { y: 2, x: 1 }, at: 'a' } }
  const b = { name: 'look', args: { at: 'b' } }
  const loop = { outcome: 'exhausted', reason: 'loop', text: 'Enough.' } as const

  function looking(steps: readonly ScriptedReply[], maxRepeatedCalls?: number) {
    let ran = 0
    const tool = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({ at: z.string() }).loose(),
      execute: () => `seen ${++ran}`,
    })
    const cast = worker('solo', steps, {
      tools: { look: tool },
      maxSteps: 20,
      otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Enough.' : 'Done.'),
      ...(maxRepeatedCalls === undefined ? {} : { maxRepeatedCalls }),
    })
    return { ...cast, ran: () => ran }
  }

  test('over steps: the third is carried out, and is the last', async () => {
    const { agent, model, ran } = looking([calls(a), calls(sameAsA), calls(a)], 3)
    const { result } = await play(agent, {})
    expect(result).toMatchObject(loop)
    expect(ran()).toBe(3)
    expect([counted(model), finalTurns(model)]).toEqual([3, 1])
  })

  test('within a step', async () => {
    const { agent, ran } = looking([calls(a, a, a)], 3)
    expect((await play(agent, {})).result).toMatchObject(loop)
    expect(ran()).toBe(3)
  })

  test('within a step, also where another call follows', async () => {
    const { agent, ran } = looking([calls(a, a, a, b)], 3)
    expect((await play(agent, {})).result).toMatchObject(loop)
    expect(ran()).toBe(4)
  })

  test('over the border of steps', async () => {
    const { agent } = looking([calls(b, a), calls(a, a, b)], 3)
    expect((await play(agent, {})).result).toMatchObject(loop)
  })

  test('another call in between begins the count anew', async () => {
    const { agent, ran } = looking([calls(a, a), calls(b), calls(a, a, b), calls(a, a)], 3)
    expect((await play(agent, {})).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(ran()).toBe(8)
  })

  test('of a run it takes the place of that of the definition', async () => {
    const { agent } = looking([calls(a, a), calls(b)], 2)
    const { result } = await play(agent, { maxRepeatedCalls: 3 })
    expect(result).toMatchObject({ outcome: 'completed' })
  })

  test('1: no call twice, and so not even once', async () => {
    const { agent, ran } = looking([calls(a)], 1)
    expect((await play(agent, {})).result).toMatchObject(loop)
    expect(ran()).toBe(1)
  })

  test('by default any number of times', async () => {
    const { agent, ran } = looking(Array.from({ length: 12 }, () => calls(a)))
    expect((await play(agent, {})).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(ran()).toBe(12)
  })

  test('malformed arguments are the same when their text is', async () => {
    const broken = { name: 'look', malformed: '{"at":' }
    const { agent, ran } = looking([calls(broken), calls(broken)], 2)
    expect((await play(agent, {})).result).toMatchObject(loop)
    expect(ran()).toBe(0)
    const other = looking([calls(broken), calls({ name: 'look', malformed: '{"at' })], 2)
    expect((await play(other.agent, {})).result).toMatchObject({ outcome: 'completed' })
  })

  test('delegations count as other calls do, and a subagent counts its own', async () => {
    const one = looking([calls(a), calls(a)], 2)
    const { agent } = lead('lead', [calls(to('one', 'x')), calls(to('one', 'x'))], {
      agents: { one: one.agent },
      maxRepeatedCalls: 2,
      otherwise: 'Enough.',
    })
    const { result } = await play(agent, {})
    expect(result).toMatchObject({
      ...loop,
      delegations: [{ outcome: 'exhausted' }, { outcome: 'succeeded' }],
    })
  })

  test('the last turn sees a whole transcript: each call has its result', async () => {
    const { agent, model } = looking([calls(a, b, b)], 2)
    await play(agent, {})
    const messages = shown(model, 2)
    const asked = messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    )
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    expect(asked).toHaveLength(3)
    expect(answered).toEqual(asked)
    expect(messages.at(-1)).toMatchObject({ role: 'user', internal: 'notice' })
  })

  test("under onExhausted 'stop' there is no last turn", async () => {
    const { agent, model } = looking([calls(a, a)], 2)
    const { result } = await play(agent, { onExhausted: 'stop' })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'loop' })
    expect(finalTurns(model)).toBe(0)
  })

  test.for([0, -1, 1.5, '3', Number.NaN])('%j is refused', (value) => {
    const error = thrown(() => worker('solo', [], { maxRepeatedCalls: value as number }))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toContain('maxRepeatedCalls must be a positive integer')
  })
})
