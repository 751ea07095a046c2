/** A request of ours as the options of a call of a language model. */
import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { ConfigurationError, type Message, type ModelRequest } from 'troupe'
import { aiSdk, type AiSdkModel, type AiSdkOptions } from 'troupe/ai-sdk'
import { expect, test } from 'vitest'
import { asVersion3, languageModel } from '../../support/providers/language-model.ts'

const base: ModelRequest = { messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto' }
const look = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }

async function sent(
  request: Partial<ModelRequest>,
  options: AiSdkOptions = {},
): Promise<LanguageModelV4CallOptions> {
  const model = languageModel({ content: [{ type: 'text', text: 'Ok.' }] })
  const { signal } = new AbortController()
  await aiSdk(model, options).generate({ ...base, ...request }, { signal, idempotencyKey: 'key-1' })
  const [call] = model.calls
  if (call === undefined) throw new Error('The model was not called.')
  return call
}

const conversation: readonly Message[] = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'Why tides?' },
  { role: 'assistant', content: '' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [
      { id: 'a', name: 'look', args: { topic: 'tides' } },
      { id: 'b', name: 'no such tool!', args: null, malformed: '{"to' },
    ],
  },
  { role: 'tool', toolCallId: 'a', toolName: 'look', content: '{"found":1}' },
  { role: 'tool', toolCallId: 'b', toolName: 'no such tool!', content: 'Unknown.', isError: true },
  { role: 'user', content: 'Go on.', internal: 'notice' },
]

test('a conversation, its tools and its format', async () => {
  const responseFormat = { name: 'answer', schema: { type: 'object' } }
  const call = await sent({ messages: conversation, tools: [look], responseFormat })
  expect(call).toMatchObject({
    prompt: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'Why tides?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { topic: 'tides' } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'no_such_tool_', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            output: { type: 'text', value: '{"found":1}' },
          },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'no_such_tool_',
            output: { type: 'error-text', value: 'Unknown.' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ],
    tools: [{ type: 'function', name: 'look', description: 'Looks.', inputSchema: look.parameters }],
    toolChoice: { type: 'auto' },
    responseFormat: { type: 'json', name: 'answer', schema: { type: 'object' } },
    headers: { 'idempotency-key': 'key-1' },
  })
})

test('settings in the words of the specification, and those that are absent not at all', async () => {
  const providerOptions = { fake: { thinking: true } }
  const settings = {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    presencePenalty: 0.1,
    frequencyPenalty: -0.1,
    maxOutputTokens: 100,
    seed: 7,
  }
  const call = await sent(
    {},
    { ...settings, stop: 'END', reasoningEffort: 'low', providerOptions, headers: { 'x-team': 'tides' } },
  )
  expect(call).toMatchObject({
    ...settings,
    stopSequences: ['END'],
    reasoning: 'low',
    providerOptions,
    headers: { 'x-team': 'tides' },
  })
  const plain = await sent({})
  expect(Object.keys(plain).toSorted()).toEqual(['abortSignal', 'headers', 'prompt'])
})

test('tools of the provider are offered, except in a final turn', async () => {
  const providerTools = {
    web_search: createAnthropic({ apiKey: 'k' }).tools.webSearch_20250305({ maxUses: 3 }),
  }
  const offered = {
    type: 'provider',
    id: 'anthropic.web_search_20250305',
    name: 'web_search',
    args: { maxUses: 3 },
  }
  expect((await sent({ tools: [look] }, { providerTools })).tools).toMatchObject([{ name: 'look' }, offered])
  expect((await sent({}, { providerTools })).tools).toEqual([offered])
  expect(await sent({ toolChoice: 'none' }, { providerTools })).not.toHaveProperty('tools')
})

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } }

test.each([
  [undefined, []],
  ['system', [0]],
  ['history', [0, 4]],
] as const)('cache: %s marks the messages %j', async (cache, marked) => {
  const { prompt } = await sent({ messages: conversation }, cache === undefined ? {} : { cache })
  const found = prompt.flatMap(({ providerOptions }, index) => (providerOptions === undefined ? [] : [index]))
  expect(found).toEqual(marked)
  for (const index of found) expect(prompt[index]?.providerOptions).toMatchObject(mark)
})

test('a request without instructions has no mark of the system', async () => {
  expect((await sent({}, { cache: 'system' })).prompt[0]).not.toHaveProperty('providerOptions')
})

test.each([
  ['gpt-5', /model of a provider/],
  [{ provider: 'p', modelId: 'm' }, /must be a language model/],
  [{ ...languageModel(), specificationVersion: 'v2' }, /"fake.chat\/fake-1" has version "v2"/],
  [undefined, /must be a language model/],
])('%j is refused', (model, words) => {
  expect(() => aiSdk(model as AiSdkModel)).toThrow(words)
  expect(() => aiSdk(model as AiSdkModel)).toThrow(ConfigurationError)
})

test.each([
  [{ temprature: 1 }, /temperature/],
  [{ cache: 'all' }, /'system' or 'history'/],
  [{ reasoningEffort: 'much' }, /'minimal'/],
  [
    { providerTools: { look: { type: 'function' } } },
    /providerTools\.look must be a tool that the provider executes/,
  ],
  [{ timeout: 0 }, /timeout/],
  [{ headers: { authorization: 7 } }, /headers\.authorization must be a text/],
])('options %j are refused', (options, words) => {
  expect(() => aiSdk(languageModel(), options as AiSdkOptions)).toThrow(words)
})

test('a model of version 3 has no reasoning effort', () => {
  expect(() => aiSdk(asVersion3(languageModel()), { reasoningEffort: 'low' })).toThrow(/providerOptions/)
})

test('a required call, a named one, and a strict tool', async () => {
  const tools = [look, { ...look, name: 'save', strict: true as const }]
  expect(await sent({ tools, toolChoice: 'required' })).toMatchObject({
    toolChoice: { type: 'required' },
    tools: [{ name: 'look' }, { name: 'save', strict: true }],
  })
  const { toolChoice, tools: [first] = [] } = await sent({ tools, toolChoice: { tool: 'look' } })
  expect(toolChoice).toEqual({ type: 'tool', toolName: 'look' })
  expect(first).not.toHaveProperty('strict')
})
