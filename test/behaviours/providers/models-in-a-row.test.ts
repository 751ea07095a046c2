/** Models in a row: the next one is called where one has failed for good. Behaviours 91 to 93. */
import {
  CancelledError,
  createAgent,
  createPlanner,
  createRouter,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  TerminalError,
  withCircuit,
  type AgentOptions,
  type AnyAgent,
  type ChatModel,
  type Clock,
  type JournalEntry,
  type RunEvent,
} from 'troupe'
import {
  answers,
  calls,
  explore,
  fails,
  scriptedModel,
  virtualClock,
  type ScriptedStep,
} from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { only, worker } from '../../support/agents/agents.ts'

const busy = { error: new RetryableError('busy', { code: 'MODEL_UNAVAILABLE' }) }
const down = { error: new TerminalError('no such model', { code: 'MODEL_NOT_FOUND' }) }
const refusal = { text: 'I will not.', finishReason: 'refusal' } as const

const model = (modelId: string, ...steps: readonly ScriptedStep[]) => scriptedModel(steps, { modelId })

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

function row(models: readonly ChatModel[], options: AgentOptions = {}) {
  return createAgent({ id: 'agent', instructions: '', model: models, tools: { look }, ...options })
}

/** Every delay is over at once. */
function hasty(): Clock {
  let now = 0
  return {
    now: () => now,
    after(delay, callback) {
      const handle = setImmediate(() => {
        now += delay
        callback()
      })
      return () => clearImmediate(handle)
    },
  }
}

async function runOf(agent: AnyAgent, options: object = {}) {
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store, clock: hasty() })
  const run = await troupe.start(agent, 'Go', options)
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  const result = await run.result
  const replay = await troupe.replay(run.id)
  expect(JSON.parse(JSON.stringify(replay.result))).toEqual(JSON.parse(JSON.stringify(result)))
  return { result, events, entries: (await store.read(run.id)) ?? [] }
}

/** The models that were called, in order. */
function called(entries: readonly JournalEntry[]) {
  return entries.flatMap((entry) =>
    entry.type === 'effect.settled' && entry.kind === 'model'
      ? [entry.settlement.error?.code ?? 'answered']
      : [],
  )
}

describe('the next model is called', () => {
  test('after an error, with its retries before: each attempt is an entry of the journal', async () => {
    const first = model('first', busy, busy)
    const second = model('second', busy, 'Done.')
    const { result, events, entries } = await runOf(row([first, second], { retries: 1 }))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(called(entries)).toEqual([
      'MODEL_UNAVAILABLE',
      'MODEL_UNAVAILABLE',
      'MODEL_UNAVAILABLE',
      'answered',
    ])
    expect(only(events, 'model-fallback').map(({ payload }) => payload)).toEqual([
      {
        from: 'scripted/first',
        to: 'scripted/second',
        error: expect.objectContaining({ code: 'MODEL_UNAVAILABLE' }),
      },
    ])
    expect(only(events, 'error').map(({ payload }) => payload.willRetry)).toEqual([true, true])
  })

  test('after each model of the row, and the error of the last one is the outcome', async () => {
    const last = { error: new TerminalError('no', { code: 'UNAUTHORISED' }) }
    const { result, events } = await runOf(row([model('a', down), model('b', down), model('c', last)]))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'UNAUTHORISED' } })
    expect(only(events, 'model-fallback').map(({ payload: { from, to } }) => [from, to])).toEqual([
      ['scripted/a', 'scripted/b'],
      ['scripted/b', 'scripted/c'],
    ])
  })

  test('after a call that takes too long', async () => {
    const slow = model('slow', { hang: true })
    const options = { modelTimeout: 1_000, retries: 0, fallbackOn: ['deadline'] } as const
    const { result } = await runOf(row([slow, model('fast', 'Done.')], options))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('after an error whose code is named, and after no other', async () => {
    const named = { fallbackOn: ['MODEL_NOT_FOUND'] } as const
    expect((await runOf(row([model('a', down), model('b', 'Done.')], named))).result.outcome).toBe(
      'completed',
    )
    const other = { error: new TerminalError('no', { code: 'UNAUTHORISED' }) }
    const { result } = await runOf(row([model('a', other), model('b')], named))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'UNAUTHORISED' } })
  })

  test('in the step that fails; the next step begins with the first model again', async () => {
    const first = model('first', down, 'Done.')
    const second = model('second', { toolCalls: [{ name: 'look' }] })
    const { result, events } = await runOf(row([first, second]))
    expect(result.steps.map(({ model: answered }) => answered)).toEqual(['scripted/second', 'scripted/first'])
    expect(only(events, 'step-finish').map(({ payload }) => payload.model)).toEqual([
      'scripted/second',
      'scripted/first',
    ])
  })

  test('in the final turn too, which begins with the model that has answered last', async () => {
    const first = model('first', down)
    const second = model('second', { toolCalls: [{ name: 'look' }] }, down)
    const third = model('third', 'In short.')
    const { result } = await runOf(row([first, second, third], { maxSteps: 1 }))
    expect(result).toMatchObject({ outcome: 'exhausted', text: 'In short.' })
    expect(first.calls).toHaveLength(1)
  })

  test('with the options of a run', async () => {
    const agent = row([model('a', refusal), model('b', 'Done.')])
    expect((await runOf(agent, { fallbackOn: ['refusal'] })).result).toMatchObject({ text: 'Done.' })
  })
})

describe('a refusal', () => {
  test('leads on where it is asked for: it is paid, and no other model sees it', async () => {
    const second = model('second', 'Gladly.')
    const { result, events } = await runOf(
      row([model('first', refusal), second], { fallbackOn: ['refusal'] }),
    )
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Gladly.',
      usage: { totalTokens: 30 },
    })
    expect(JSON.stringify(second.calls[0]?.request.messages)).not.toContain('I will not')
    expect(only(events, 'text-end').map(({ payload }) => [payload.text, payload.status])).toEqual([
      ['I will not.', 'rejected'],
      ['Gladly.', 'complete'],
    ])
    expect(only(events, 'model-fallback')[0]?.payload.error).toMatchObject({ code: 'MODEL_REFUSED' })
  })

  test('so does a provider that filters, as a reply or as an error', async () => {
    const filtered = { finishReason: 'content-filter' } as const
    const thrown = { error: new TerminalError('filtered', { code: 'CONTENT_FILTERED' }) }
    for (const step of [filtered, thrown]) {
      const { result } = await runOf(
        row([model('a', step), model('b', 'Done.')], { fallbackOn: ['refusal'] }),
      )
      expect(result.outcome).toBe('completed')
    }
  })

  test('does not by default: it is an answer', async () => {
    const { result } = await runOf(row([model('first', refusal), model('second')]))
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'MODEL_REFUSED', message: 'I will not.' },
    })
  })

  test('of the last model is the outcome', async () => {
    const { result } = await runOf(
      row([model('a', refusal), model('b', refusal)], { fallbackOn: ['refusal'] }),
    )
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_REFUSED' } })
  })
})

describe('text that was streamed', () => {
  test('of an attempt that failed ends as cut, and the next model speaks in a message of its own', async () => {
    const cut: ChatModel = {
      provider: 'test',
      modelId: 'cut',
      generate: async (_request, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'Half an ' })
        throw new TerminalError('gone', { code: 'MODEL_NOT_FOUND' })
      },
    }
    const { events } = await runOf(row([cut, model('b', 'Whole.')]))
    const ends = only(events, 'text-end')
    expect(ends.map(({ payload }) => [payload.text, payload.status])).toEqual([
      ['Half an ', 'cut'],
      ['Whole.', 'complete'],
    ])
    expect(new Set(ends.map(({ messageId }) => messageId)).size).toBe(2)
    const types = events.map(({ type }) => type)
    expect(types.indexOf('model-fallback')).toBeGreaterThan(types.indexOf('text-end'))
  })
})

describe('prices and budgets', () => {
  const prices = { 'scripted/first': { input: 100, output: 100 }, 'scripted/second': { input: 1, output: 1 } }

  test('each reply is priced as its own model', async () => {
    const agent = row([model('first', refusal), model('second', 'Done.')], { fallbackOn: ['refusal'] })
    const { result } = await runOf(agent, { budget: { prices } })
    expect(result.usage.cost).toBeCloseTo((15 * 101) / 1_000_000, 12)
  })

  test('a limit of cost needs the price of every model', () => {
    const unpriced = () => row([model('first'), model('third')], { budget: { cost: 1, prices } })
    expect(unpriced).toThrow('does not name "scripted/third"')
  })

  test('a budget that is used up never leads on', async () => {
    const second = model('second', 'Done.')
    const first = model('first', { toolCalls: [{ name: 'look' }] }, 'In short.')
    const { result } = await runOf(row([first, second], { budget: { modelCalls: 1 } }))
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    expect(second.calls).toHaveLength(0)
  })
})

describe('decisions', () => {
  const decision = JSON.stringify({
    primitiveId: 'none',
    primitiveType: 'none',
    prompt: 'Done.',
    selectionReason: 'It is.',
  })

  test('of a router fall to the next model', async () => {
    const agents = { one: worker('one', []).agent, two: worker('two', []).agent }
    const models = [model('first', down), model('second', decision)]
    const agent = createRouter({ id: 'desk', instructions: '', model: models, agents, memory: true })
    const { result, events } = await runOf(agent, { threadId: 't', resourceId: 'r' })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(only(events, 'model-fallback')).toHaveLength(1)
  })

  test('of a planner too, after a refusal', async () => {
    const plan = JSON.stringify({ steps: [{ id: 'a', goal: 'Look.', toolHint: 'look', args: {} }] })
    const first = scriptedModel([refusal, 'All seen.'], { modelId: 'first' })
    const models = [first, model('second', plan)]
    const fallbackOn = ['refusal'] as const
    const agent = createPlanner({ id: 'desk', instructions: '', model: models, tools: { look }, fallbackOn })
    const { result } = await runOf(agent)
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'All seen.',
      usage: { totalTokens: 45 },
    })
  })
})

test('so does a summary of the conversation', async () => {
  const page = createTool({
    id: 'look',
    description: 'Reads.',
    inputSchema: z.object({}),
    execute: () => 'A long page. '.repeat(100),
  })
  const reading = { toolCalls: [{ name: 'look' }] }
  const first = model('first', reading, reading, down, 'Read.')
  const second = model('second', 'Pages were read.')
  const agent = createAgent({
    id: 'agent',
    instructions: '',
    model: [first, second],
    tools: { look: page },
    compaction: { window: 20, at: 0.5 },
  })
  const { result, events } = await runOf(agent)
  expect(result).toMatchObject({ outcome: 'completed', text: 'Read.' })
  expect(only(events, 'compaction-end')[0]?.payload).toMatchObject({ outcome: 'compacted' })
  expect(only(events, 'model-fallback')).toHaveLength(1)
})

describe('the models may be made for the run', () => {
  test('in a row too, where the definition has fallbackOn', async () => {
    const models = [model('a', down), model('b', 'Done.')]
    const agent = createAgent({ id: 'agent', instructions: '', model: () => models, fallbackOn: ['error'] })
    const { result, events } = await runOf(agent)
    expect(result.text).toBe('Done.')
    expect(only(events, 'model-fallback')[0]?.payload).toMatchObject({ from: 'scripted/a', to: 'scripted/b' })
  })

  test('several of them are refused where it has not', async () => {
    const agent = createAgent({ id: 'agent', instructions: '', model: () => [model('a'), model('b')] })
    const { result } = await runOf(agent)
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
  })
})

test('a circuit that is open leads on at once, in every agent that shares it', async () => {
  const first = scriptedModel([], { modelId: 'first', otherwise: busy })
  const shared = withCircuit(first, { failures: 2 })
  const agents = ['one', 'two'].map((id) =>
    createAgent({
      id,
      instructions: '',
      model: [shared, scriptedModel([], { otherwise: 'Done.' })],
      retries: 1,
    }),
  )
  for (const agent of agents) {
    const { result, entries } = await runOf(agent)
    expect(result.outcome).toBe('completed')
    if (agent.id === 'two') expect(called(entries)).toEqual(['CIRCUIT_OPEN', 'answered'])
  }
  expect(first.calls).toHaveLength(2)
})

test('a call that an open circuit refuses counts as none of the budget', async () => {
  const shared = withCircuit(model('first', down), { failures: 1 })
  await runOf(row([shared, model('second', 'Done.')]))
  const agent = row([shared, model('second', 'Done.')], { budget: { modelCalls: 1 } })
  expect((await runOf(agent)).result.outcome).toBe('completed')
})

test('a cancel leads on to nobody', async () => {
  const second = model('second')
  const agent = row([model('first', { hang: true }), second])
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  for await (const { type } of run.events) if (type === 'step-start') await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  expect(second.calls).toHaveLength(0)
  const cancelling: ChatModel = {
    provider: 'p',
    modelId: 'm',
    generate: () => Promise.reject(new CancelledError('no')),
  }
  expect((await runOf(row([cancelling, second]))).result.outcome).toBe('failed')
  expect(second.calls).toHaveLength(0)
})

test('a run goes on with the row that it began with, and with the models of today', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const ask = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'seen',
  })
  const agentOf = (models: readonly ChatModel[]) =>
    createAgent({ id: 'agent', instructions: '', model: models, tools: { look: ask } })
  const before = agentOf([model('a', down), model('b', { toolCalls: [{ name: 'look' }] }), model('c')])
  const first = createTroupe({ agents: [before], store, clock })
  const run = await first.start(before, 'Go')
  await run.whenIdle
  await first.close()
  const after = agentOf([model('x', down), model('y', down, 'Done.')])
  const resumed = await createTroupe({ agents: [after], store, clock }).resume(run.id)
  await resumed.whenIdle
  const [question] = ((await resumed.whenIdle) as { awaiting: readonly { toolCallId: string }[] }).awaiting
  await resumed.approve(question?.toolCallId ?? '')
  // The row of today is shorter: its last model stands for those that are gone.
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('an exploration finds the answer of the second model, and the failure of both', async () => {
  const agent = createAgent({ id: 'agent', instructions: '', model: [model('a'), model('b')] })
  const report = await explore(agent, {
    say: { agent: [answers('Done.'), calls({}), fails()] },
    adversary: { cancel: false, failures: false },
    limits: { steps: 1 },
  })
  report.assert()
  expect(report.isComplete).toBe(true)
  const names = report.paths().map(({ name }) => name)
  expect(names).toContain('agent: fails (MODEL_FAILED) → agent: answers “Done.”')
  expect(names).toContain('agent: fails (MODEL_FAILED) → agent: fails (MODEL_FAILED)')
})

describe('refused', () => {
  test.each([
    ['an empty row', { model: [] }, 'model must hold at least one model'],
    ['what is no model', { model: [model('a'), 'gpt'] }, 'model[1] must be a ChatModel'],
    ['null', { model: null }, 'model must be a ChatModel'],
    ['a long row', { model: Array.from({ length: 17 }, () => model('a')) }, 'at most 16 models, not 17'],
    ['rules without another model', { model: model('a'), fallbackOn: ['error'] }, 'has one model alone'],
    ['a row of one with rules', { model: [model('a')], fallbackOn: ['error'] }, 'has one model alone'],
    [
      'a misspelt rule',
      { model: [model('a'), model('b')], fallbackOn: ['refusals'] },
      "'refusal' or the code",
    ],
    ['a rule by itself', { model: [model('a'), model('b')], fallbackOn: 'error' }, 'a list of rules'],
  ])('%s', (_what, config, message) => {
    expect(() => createAgent({ id: 'agent', instructions: '', ...config } as never)).toThrow(message)
  })

  test('a run of an agent with one model that is given rules', async () => {
    const agent = createAgent({ id: 'agent', instructions: '', model: model('a') })
    await expect(
      createTroupe({ agents: [agent] }).start(agent, 'Go', { fallbackOn: ['error'] }),
    ).rejects.toThrow('has one model alone')
  })
})
