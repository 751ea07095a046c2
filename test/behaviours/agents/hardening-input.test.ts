/** What users hand in is checked before it counts, and copied: prompts, options, ids, and the replies of their models. */
import {
  ConfigurationError,
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  type AnyAgent,
  type ChatModel,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { allEvents, calls, lead, shown, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'

/** Mistakes that the types would catch: users of JavaScript make them too. */
const wrong = (value: unknown) => value as never

const anything = z.record(z.string(), z.unknown())

function toolThat(id: string, execute: (input: Record<string, unknown>) => unknown) {
  return createTool({ id, description: `Does ${id}.`, inputSchema: anything, execute })
}

async function settled<Options extends object>(agent: AnyAgent<Options>) {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(await allEvents(run))
  return result
}

describe('a wrong option of one run', () => {
  test.each([
    { what: 'signal {}', options: { signal: {} }, message: 'signal must be an AbortSignal, not {}.' },
    {
      what: 'threadId 5',
      options: { threadId: 5 },
      message: 'threadId must be a text that is not empty, not 5.',
    },
    { what: "resourceId ''", options: { resourceId: '' }, message: 'resourceId must be a text' },
    { what: "stream 'yes'", options: { stream: 'yes' }, message: 'stream must be true or false, not "yes".' },
  ])('$what: no run begins, and the others of the troupe go on', async ({ options, message }) => {
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('solo', [{ text: 'Done.', until: gate.promise }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    const starting = troupe.start(agent, 'Go', wrong(options))
    await expect(starting).rejects.toThrow(ConfigurationError)
    await expect(starting).rejects.toThrow(`options of a run of "solo": ${message}`)
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([run.id])
  })
})

describe('options that are no booleans', () => {
  const base = { id: 'lead', instructions: '', model: scriptedModel([]) }
  const scorers = [createScorer({ id: 's', score: () => 1 })]

  test.each<[string, object]>([
    [
      'delegation.includeConversationHistory must be true or false, not "false"',
      { delegation: { includeConversationHistory: 'false' } },
    ],
    [
      'delegation.filterInternalMessages must be true or false, not 0',
      { delegation: { filterInternalMessages: 0 } },
    ],
    ['completion.parallel must be true or false, not "no"', { completion: { scorers, parallel: 'no' } }],
    [
      'completion.continueOnFail must be true or false, not null',
      { completion: { scorers, continueOnFail: null } },
    ],
    [
      'completion.feedbackToLLM must be true or false, not []',
      { completion: { scorers, feedbackToLLM: [] } },
    ],
  ])('%s: of a definition, and of a run', async (message, options) => {
    const create = () => createSupervisor({ ...base, ...options })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(`createSupervisor("lead"): ${message}`)
    const starting = createSupervisor(base).generate('Go', wrong(options))
    await expect(starting).rejects.toThrow(ConfigurationError)
    await expect(starting).rejects.toThrow(`options of a run of "lead": ${message}`)
  })
})

describe('a tool or scorer with a wrong option is none', () => {
  const base = { id: 'pay', description: 'Pays.', inputSchema: anything, execute: () => 'paid' }

  test.each(['true', 1, null])('requireApproval %j', (requireApproval) => {
    const create = () => createTool({ ...base, requireApproval: wrong(requireApproval) })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(
      `createTool("pay"): requireApproval must be true, false or a function of the input, not ${JSON.stringify(requireApproval)}.`,
    )
  })

  test('a misspelt requireApproval does not pass for its absence', () => {
    const create = () => createTool(wrong({ ...base, requiresApproval: true }))
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(
      'createTool("pay"): there is no option "requiresApproval": it is called "requireApproval" here.',
    )
  })

  test('an unknown key of a scorer', () => {
    const create = () => createScorer(wrong({ id: 's', score: () => 1, treshold: 0.5 }))
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(
      'createScorer("s"): there is no option "treshold"; did you mean "threshold"? Known: id, threshold, timeout, score.',
    )
  })
})

describe('a prompt', () => {
  const question = { role: 'user', content: 'Go' }

  test.each<[string, unknown]>([
    ['null', [null, question]],
    ['undefined', [undefined, question]],
    ['a hole', Object.assign([], { 1: question })],
    ['a system message', [{ role: 'system', content: 'Obey.' }, question]],
    ['a tool message', [{ role: 'tool', toolCallId: '1', toolName: 't', content: 'x' }, question]],
    ['an unknown role', [{ role: 'foo', content: 'x' }, question]],
    ['parts of an unknown type', [{ role: 'user', content: [{ type: 'image', text: 'x' }] }, question]],
    ['a BigInt', [{ role: 'user', content: 5n }, question]],
    ['a BigInt on the side', [{ role: 'user', content: 'x', at: 5n }, question]],
  ])('with %s is refused before a run begins', async (_what, prompt) => {
    const { agent, model } = worker('solo', [], { otherwise: 'Done.' })
    const troupe = createTroupe({ agents: [agent] })
    const starting = troupe.start(agent, wrong(prompt))
    await expect(starting).rejects.toThrow(ConfigurationError)
    await expect(starting).rejects.toThrow(
      "The prompt must be a text, or messages { role: 'user' | 'assistant', content }: 0",
    )
    expect(model.calls).toHaveLength(0)
    expect((await troupe.runs()).items).toEqual([])
  })

  test('is copied: what its owner does to it later changes nothing', async () => {
    const { agent, model } = worker('solo', ['Done.'])
    const troupe = createTroupe({ agents: [agent] })
    const prompt = [
      { role: 'user' as const, content: 'First.' },
      { role: 'assistant' as const, content: 'Second.' },
      { role: 'user' as const, content: 'Third.' },
    ]
    const starting = troupe.start(agent, prompt)
    for (const message of prompt) message.content = 'Edited.'
    prompt.reverse()
    const run = await starting
    await run.result
    for (const message of prompt) message.content = 'Edited again.'
    expect(shown(model, 1).slice(1)).toEqual([
      { role: 'user', content: 'First.' },
      { role: 'assistant', content: 'Second.' },
      { role: 'user', content: 'Third.' },
    ])
    expect((await troupe.journal(run.id))[0]).toMatchObject({
      task: 'Third.',
      history: [{ content: 'First.' }, { content: 'Second.' }],
    })
  })
})

test.each(['constructor', 'toString', 'valueOf'])(
  'an agent may be called %s, at the root or below: its usage is counted, and its run replays',
  async (id) => {
    const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }
    const helper = worker(id, [calls({ name: 'look' }), 'Help.'], {
      tools: { look: toolThat('look', () => 1) },
    })
    const boss = lead('boss', [calls(to(id, 'Help')), 'Done.'], { agents: { [id]: helper.agent } })
    const below = await settled(boss.agent)
    expect(Object.entries(below.usage.byAgent)).toEqual([
      ['boss', usage],
      [id, usage],
    ])
    expect(below.usage).toMatchObject({ inputTokens: 40, outputTokens: 20, totalTokens: 60 })
    expect(below.delegations).toMatchObject([{ agent: id, outcome: 'succeeded', text: 'Help.', usage }])

    const root = await settled(worker(id, ['', 'Done.']).agent)
    expect(Object.entries(root.usage.byAgent)).toEqual([[id, usage]])
    expect(root.usage).toMatchObject(usage)
  },
)

test('what is done to the objects of tools and agents after a definition changes nothing', async () => {
  const ran: string[] = []
  const named = (id: string) => toolThat(id, () => ran.push(id))
  const helper = worker('helper', ['Help.'])
  const impostor = worker('helper', ['Gotcha.'])
  const tools = { look: named('look') }
  const agents = { helper: helper.agent }
  const { agent, model } = lead(
    'lead',
    [calls({ name: 'look' }, { name: 'wipe' }, to('helper', 'Help')), 'Done.'],
    { tools, agents },
  )
  Object.assign(tools, { look: named('other'), wipe: named('wipe') })
  Object.assign(agents, { helper: impostor.agent, another: helper.agent })
  expect(await settled(agent)).toMatchObject({ outcome: 'completed', delegations: [{ text: 'Help.' }] })
  expect(ran).toEqual(['look'])
  expect(toldOfCalls(model, 2)).toEqual([
    '1',
    '{"error":"There is no tool \\"wipe\\". Available: look, agent-helper."}',
    'Help.',
  ])
  expect(impostor.model.calls).toHaveLength(0)
})

test('a workflow may be called constructor too', () => {
  const logic = fromPromise(async () => 'built')
  const build = createWorkflow({ id: 'build', description: 'Builds.', inputSchema: anything, logic })
  const { agent } = worker('solo', [], { workflows: { constructor: build } })
  expect(Object.keys(agent.tools)).toEqual(['constructor'])
  expect(() => worker('solo', [], { tools: { build }, workflows: { build } })).toThrow(
    'a tool and a workflow are both named "build"',
  )
})

describe('a model of the user', () => {
  /** Replies with these, of whatever shape. */
  function modelOf(...replies: readonly object[]): ChatModel {
    const left = [...replies]
    return { provider: 'own', modelId: 'own', generate: async () => wrong(left.shift()) }
  }

  async function argsThat(reply: object): Promise<unknown> {
    const inputs: unknown[] = []
    const look = toolThat('look', (input) => {
      inputs.push(input)
      return 'seen'
    })
    const model = modelOf({ text: '', finishReason: 'tool-calls', ...reply }, { text: 'Done.' })
    const result = await settled(createAgent({ id: 'solo', instructions: '', model, tools: { look } }))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'succeeded', value: 'seen' }])
    expect(inputs).toEqual([result.steps[0]?.toolCalls[0]?.args])
    return inputs[0]
  }

  test('may give arguments with dates and undefined fields: they become JSON', async () => {
    const args = { q: 'x', note: undefined, deep: { when: new Date(0), none: undefined } }
    expect(await argsThat({ toolCalls: [{ id: 'a', name: 'look', args }] })).toStrictEqual({
      q: 'x',
      deep: { when: '1970-01-01T00:00:00.000Z' },
    })
  })

  test('may give no arguments where a tool needs none', async () => {
    expect(await argsThat({ toolCalls: [{ id: 'a', name: 'look' }] })).toStrictEqual({})
    expect(await argsThat({ toolCalls: [{ id: 'a', name: 'look', args: undefined }] })).toStrictEqual({})
  })

  test.each([
    { what: 'toolCalls: null', more: { toolCalls: null }, total: 0 },
    { what: 'usage: null', more: { usage: null }, total: 0 },
    { what: 'usage that is a text', more: { usage: 'many' }, total: 0 },
    { what: 'no total', more: { usage: { inputTokens: 7, outputTokens: 3 } }, total: 10 },
  ])('may give $what', async ({ more, total }) => {
    const model = modelOf({ text: 'Done.', finishReason: 'stop', ...more })
    const result = await settled(createAgent({ id: 'solo', instructions: '', model }))
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', usage: { totalTokens: total } })
    expect(result.steps).toMatchObject([{ toolCalls: [], usage: { totalTokens: total } }])
  })
})
