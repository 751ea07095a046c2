/** An agent as a language model: the real `ai` package calls it. */
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, jsonSchema, Output, streamText } from 'ai'
import {
  ConfigurationError,
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  TroupeError,
} from 'troupe'
import { toLanguageModel, type LanguageModelOptions } from 'troupe/ai-sdk'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const look = createTool({
  id: 'look',
  description: 'Looks a topic up.',
  inputSchema: z.object({ topic: z.string() }),
  execute: ({ topic }) => `All about ${topic}.`,
})

function team(...more: readonly ScriptedStep[]) {
  const helper = createAgent({
    id: 'helper',
    description: 'Knows the moon.',
    instructions: 'I am helper.',
    model: scriptedModel([{ toolCalls: [{ name: 'look', args: { topic: 'moon' } }] }, 'It pulls.']),
    tools: { look },
  })
  const model = scriptedModel([
    {
      text: 'I ask.',
      reasoning: 'Who knows?',
      toolCalls: [
        { name: 'agent-helper', args: { prompt: 'Why?' } },
        { name: 'look', args: { topic: 'tides' } },
        { name: 'no-tool', args: {} },
      ],
    },
    {
      text: 'The moon does it.',
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 2 },
    },
    ...more,
  ])
  const agent = createSupervisor({
    id: 'lead',
    instructions: 'I am lead.',
    model,
    agents: { helper },
    tools: { look },
  })
  return { agent, model }
}

function solo(steps: readonly ScriptedStep[], requireApproval = false) {
  const model = scriptedModel(steps)
  const agent = createAgent({
    id: 'solo',
    instructions: 'I am solo.',
    model,
    tools: { look: { ...look, requireApproval } },
  })
  return { agent, model }
}

const prompt: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Why are there tides?' }] },
]

async function streamed(
  call: LanguageModelV4CallOptions,
  agent = team().agent,
  options: LanguageModelOptions = {},
) {
  const { stream } = await toLanguageModel(agent, options).doStream(call)
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

describe('with the package ai', () => {
  test('generateText runs the agent', async () => {
    const { agent } = team()
    const result = await generateText({ model: toLanguageModel(agent), prompt: 'Why are there tides?' })
    expect(result.text).toBe('The moon does it.')
    expect(result.finishReason).toBe('stop')
    expect(result.usage).toMatchObject({ inputTokens: 40, outputTokens: 20, totalTokens: 60 })
    expect(result.finalStep.providerMetadata).toMatchObject({ troupe: { outcome: 'completed' } })
  })

  test('streamText shows text, reasoning, and the calls as those of the provider', async () => {
    const { agent } = team()
    const result = streamText({ model: toLanguageModel(agent), prompt: 'Why are there tides?' })
    const seen: Record<string, unknown[]> = { text: [], reasoning: [], call: [], result: [], error: [] }
    for await (const part of result.stream) {
      if (part.type === 'text-delta') seen['text']?.push(part.text)
      if (part.type === 'reasoning-delta') seen['reasoning']?.push(part.text)
      if (part.type === 'tool-call') seen['call']?.push([part.toolName, part.input, part.providerExecuted])
      if (part.type === 'tool-result') seen['result']?.push([part.toolName, part.output])
      if (part.type === 'tool-error') seen['error']?.push(part.toolName)
    }
    expect(seen['text']?.join('')).toBe('I ask.The moon does it.')
    expect(seen['reasoning']?.join('')).toBe('Who knows?')
    expect(seen['call']).toEqual([
      ['agent-helper', { prompt: 'Why?' }, true],
      ['look', { topic: 'tides' }, true],
      ['no-tool', {}, true],
    ])
    expect(seen['result']?.toSorted()).toEqual([
      ['agent-helper', 'It pulls.'],
      ['look', 'All about tides.'],
    ])
    expect(seen['error']).toEqual(['no-tool'])
    expect(await result.finishReason).toBe('stop')
  })

  test('a conversation goes on', async () => {
    const { agent, model } = team('Yes.')
    const languageModel = toLanguageModel(agent)
    const first = await generateText({ model: languageModel, prompt: 'Why are there tides?' })
    const messages = [
      { role: 'user' as const, content: 'Why are there tides?' },
      ...first.finalStep.response.messages,
      { role: 'user' as const, content: 'Sure?' },
    ]
    expect((await generateText({ model: languageModel, messages })).text).toBe('Yes.')
    expect(model.calls[2]?.request.messages.slice(1)).toEqual([
      { role: 'user', content: 'Why are there tides?' },
      { role: 'assistant', content: 'The moon does it.' },
      { role: 'user', content: 'Sure?' },
    ])
  })

  test('an object of a schema', async () => {
    const { agent } = solo(['{"city":"Oslo"}'])
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    })
    const { output } = await generateText({
      model: toLanguageModel(agent),
      output: Output.object({ schema }),
      prompt: 'Where?',
    })
    expect(output).toEqual({ city: 'Oslo' })
  })
})

test('the parts of a stream: blocks one after the other, the usage of the whole tree, the run', async () => {
  const parts = await streamed({ prompt })
  const types = parts.map(({ type }) => type).filter((type) => !type.startsWith('tool'))
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'stream-start',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'text-start',
    'text-delta',
    'text-end',
    'text-start',
    'text-delta',
    'text-end',
    'finish',
  ])
  expect(parts.at(-1)).toMatchObject({
    finishReason: { unified: 'stop', raw: 'completed' },
    usage: {
      inputTokens: { total: 40, noCache: 34, cacheRead: 4, cacheWrite: 2 },
      outputTokens: { total: 20, text: 20, reasoning: 0 },
    },
    providerMetadata: { troupe: { runId: expect.any(String), outcome: 'completed' } },
  })
})

test('a server that counts reasoning or cached tokens beside the whole: no part of the usage is negative', async () => {
  const counts = { inputTokens: 3, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 30 }
  const { agent } = solo([{ text: 'Hm.', usage: counts }])
  const { usage } = await toLanguageModel(agent).doGenerate({ prompt })
  expect(usage).toMatchObject({
    inputTokens: { total: 3, noCache: 0, cacheRead: 4 },
    outputTokens: { total: 5, text: 0, reasoning: 30 },
  })
})

test('what a call gives beyond its prompt is warned of, and not used', async () => {
  const { agent, model } = solo(['Hm.'])
  const { warnings } = await toLanguageModel(agent).doGenerate({
    prompt: [{ role: 'system', content: 'Be rude.' }, ...prompt],
    temperature: 1,
    tools: [{ type: 'function', name: 'other', inputSchema: { type: 'object' } }],
    responseFormat: { type: 'json' },
  })
  expect(warnings.map((warning) => ('feature' in warning ? warning.feature : ''))).toEqual([
    'temperature',
    'tools',
    'system messages',
    'responseFormat without a schema',
  ])
  expect(JSON.stringify(model.calls[0]?.request)).not.toMatch(/rude|other/)
})

test('a file whose type is not known is refused', async () => {
  const file = { type: 'file', mediaType: 'image', data: { type: 'data', data: 'AA==' } } as const
  await expect(
    toLanguageModel(solo(['Hm.']).agent).doGenerate({ prompt: [{ role: 'user', content: [file] }] }),
  ).rejects.toMatchObject({
    code: 'FILE_NOT_ACCEPTED',
    message: expect.stringContaining('of the type "image"'),
  })
})

test.each([
  ['exhausted', 'length', { maxSteps: 1 }],
  ['stopped', 'stop', { stopWhen: () => true }],
] as const)('a run that is %s ends with "%s"', async (raw, unified, more) => {
  const model = scriptedModel([{ toolCalls: [{ name: 'look', args: { topic: 'tides' } }] }], {
    otherwise: 'So far.',
  })
  const agent = createAgent({ id: 'solo', instructions: '', model, tools: { look }, ...more })
  const { finishReason } = await toLanguageModel(agent).doGenerate({ prompt })
  expect(finishReason).toEqual({ unified, raw })
})

test('the error of a failed run is thrown, with its code', async () => {
  const broken = () => solo([{ error: new Error('No.') }]).agent
  await expect(toLanguageModel(broken()).doGenerate({ prompt })).rejects.toMatchObject({
    code: 'MODEL_FAILED',
  })
  await expect(streamed({ prompt }, broken())).rejects.toMatchObject({ code: 'MODEL_FAILED' })
})

describe('a run that waits for a person', () => {
  const asks = () =>
    solo([{ toolCalls: [{ name: 'look', args: { topic: 'tides' } }] }, 'The moon.'], true).agent

  test.each([false, true])('ends with an error; streamed: %s', async (isStreaming) => {
    const model = toLanguageModel(asks())
    const call = isStreaming ? streamed({ prompt }, asks()) : model.doGenerate({ prompt })
    await expect(call).rejects.toMatchObject({ code: 'ANSWER_NEEDED' })
  })

  test('waits on in a troupe of the caller, and goes on with the answer', async () => {
    const agent = asks()
    const troupe = createTroupe({ agents: [agent], store: memoryStore() })
    const waiting: unknown = await toLanguageModel(agent, { troupe })
      .doGenerate({ prompt })
      .then(undefined, (error: unknown) => error)
    const runId = waiting instanceof TroupeError ? waiting.runId : undefined
    const resumed = await troupe.resume(runId ?? 'none')
    for await (const event of resumed.events) {
      if (event.type === 'tool-call-approval') await resumed.approve(event.payload.toolCallId)
    }
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'The moon.' })
  })
})

describe('an end on command', () => {
  const hangs = () => solo([{ hang: true }]).agent

  test.each([false, true])('by the signal of the call; streamed: %s', async (isStreaming) => {
    const controller = new AbortController()
    const call = { prompt, abortSignal: controller.signal }
    const ended = isStreaming ? streamed(call, hangs()) : toLanguageModel(hangs()).doGenerate(call)
    setTimeout(() => controller.abort(), 10)
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('by a reader that leaves', async () => {
    const agent = hangs()
    const troupe = createTroupe({ agents: [agent] })
    const { stream } = await toLanguageModel(agent, { troupe }).doStream({ prompt })
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
    const [run] = (await troupe.runs()).items
    expect(run?.outcome).toBe('cancelled')
  })
})

test('options of the run: of the model, and of a call', async () => {
  const { agent } = solo(['Hm.', 'Hm.'])
  const troupe = createTroupe({ agents: [agent] })
  const model = toLanguageModel(agent, { troupe, run: { conversationId: 'c1' } })
  await model.doGenerate({ prompt })
  await model.doGenerate({ prompt, providerOptions: { troupe: { conversationId: 'c2' } } })
  const conversations = (await troupe.runs()).items.map(({ conversationId }) => conversationId)
  expect(new Set(conversations)).toEqual(new Set(['c1', 'c2']))
  await expect(
    model.doGenerate({ prompt, providerOptions: { troupe: { conversation: 'c3' } } }),
  ).rejects.toThrow(/conversationId/)
  expect(() => toLanguageModel(agent, { trupe: troupe } as LanguageModelOptions)).toThrow(ConfigurationError)
})
