/** The reply of a language model becomes the same reply of ours, streamed or not. */
import type { LanguageModelV4Content } from '@ai-sdk/provider'
import type { AssistantMessage, ModelDelta, ModelReply, ModelRequest } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { describe, expect, test } from 'vitest'
import { asVersion3, languageModel, someUsage, type Said } from '../../support/providers/language-model.ts'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [{ name: 'look', description: 'Looks.', parameters: { type: 'object' } }],
  toolChoice: 'auto',
}

async function replied(said: Said, isStreaming: boolean, given: Partial<ModelRequest> = {}) {
  const deltas: ModelDelta[] = []
  const reply = await aiSdk(languageModel(said)).generate(
    { ...request, ...given },
    {
      signal: new AbortController().signal,
      idempotencyKey: 'key',
      ...(isStreaming ? { onDelta: (delta) => deltas.push(delta) } : {}),
    },
  )
  return { reply, deltas }
}

/** The message of a reply, as it comes back. */
function messageOf({ text, toolCalls, providerData }: ModelReply): AssistantMessage {
  return {
    role: 'assistant',
    content: text,
    toolCalls,
    ...(providerData === undefined ? {} : { providerData }),
  }
}

/** The parts that the model is given back for this message. */
async function givenBack(message: AssistantMessage) {
  const model = languageModel({ content: [{ type: 'text', text: 'Ok.' }] })
  const signal = new AbortController().signal
  const messages = [...request.messages, message]
  await aiSdk(model).generate({ ...request, messages }, { signal, idempotencyKey: 'key' })
  return model.calls[0]?.prompt.filter(({ role }) => role === 'assistant').map(({ content }) => content)
}

const signed = (signature: string) => ({ providerMetadata: { fake: { signature } } })
const options = (signature: string) => ({ providerOptions: { fake: { signature } } })
const call = (more: object = {}): LanguageModelV4Content => ({
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'look',
  input: '{"topic":"tides"}',
  ...more,
})

describe.each([false, true])('streamed: %s', (isStreaming) => {
  test('text, reasoning, calls and usage', async () => {
    const content: LanguageModelV4Content[] = [
      { type: 'reasoning', text: 'Well then.' },
      { type: 'text', text: 'I look.' },
      call(),
    ]
    const { reply, deltas } = await replied({ content }, isStreaming)
    expect(reply).toMatchObject({
      text: 'I look.',
      reasoning: 'Well then.',
      toolCalls: [{ id: 'c1', name: 'look', args: { topic: 'tides' } }],
      finishReason: 'tool-calls',
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cachedInputTokens: 3,
        cacheWriteTokens: 3,
        reasoningTokens: 2,
      },
    })
    const told = (type: ModelDelta['type']) =>
      deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')
    expect(told('text')).toBe(isStreaming ? 'I look.' : '')
    expect(told('reasoning')).toBe(isStreaming ? 'Well then.' : '')
  })

  test('a reply of text and calls alone has no data of the provider', async () => {
    const { reply } = await replied({ content: [{ type: 'text', text: 'Hm.' }, call()] }, isStreaming)
    expect(reply).not.toHaveProperty('providerData')
    expect(await givenBack(messageOf(reply))).toEqual([
      [
        { type: 'text', text: 'Hm.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { topic: 'tides' } },
      ],
    ])
  })

  test('every part comes back in its place, with its metadata', async () => {
    const content: LanguageModelV4Content[] = [
      { type: 'reasoning', text: 'First.', ...signed('a') },
      { type: 'text', text: 'Before.' },
      call(signed('b')),
      { type: 'text', text: 'After.', ...signed('c') },
      call({ toolCallId: 'c2', input: '' }),
      { type: 'custom', kind: 'fake.compaction', ...signed('d') },
    ]
    const { reply } = await replied({ content }, isStreaming)
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
    expect(await givenBack(messageOf(reply))).toEqual([
      [
        { type: 'reasoning', text: 'First.', ...options('a') },
        { type: 'text', text: 'Before.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { topic: 'tides' }, ...options('b') },
        { type: 'text', text: 'After.', ...options('c') },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: {} },
        { type: 'custom', kind: 'fake.compaction', ...options('d') },
      ],
    ])
  })

  test('a call that the provider has executed is no call to run, and comes back with its result', async () => {
    const executed = { providerExecuted: true, toolName: 'web_search', input: '{"query":"tides"}' }
    const content: LanguageModelV4Content[] = [
      call({ ...executed, ...signed('a') }),
      { type: 'tool-result', toolCallId: 'c1', toolName: 'web_search', result: [], preliminary: true },
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'web_search',
        result: [{ url: 'x' }],
        ...signed('b'),
      },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
      { type: 'text', text: 'The moon.' },
    ]
    const { reply } = await replied({ content }, isStreaming)
    expect(reply).toMatchObject({
      text: 'The moon.',
      toolCalls: [],
      providerCalls: [{ name: 'web_search', args: { query: 'tides' } }],
      finishReason: 'stop',
    })
    const back = { toolCallId: 'c1', toolName: 'web_search' }
    expect(await givenBack(messageOf(reply))).toEqual([
      [
        { type: 'tool-call', ...back, input: { query: 'tides' }, providerExecuted: true, ...options('a') },
        { type: 'tool-result', ...back, output: { type: 'json', value: [{ url: 'x' }] }, ...options('b') },
        { type: 'text', text: 'The moon.' },
      ],
    ])
  })

  test('a failed call of the provider says so', async () => {
    const content: LanguageModelV4Content[] = [
      call({ providerExecuted: true, toolName: 'fetch' }),
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'fetch',
        result: { code: 'too-long' },
        isError: true,
      },
    ]
    const { reply } = await replied({ content }, isStreaming)
    expect(reply.providerCalls).toEqual([{ name: 'fetch', args: { topic: 'tides' }, isError: true }])
  })

  test('arguments that are no JSON are malformed, and so are none where the reply was cut off', async () => {
    const cut = { unified: 'length', raw: 'max' } as const
    const { reply } = await replied({ content: [call({ input: '{"to' })] }, isStreaming)
    expect(reply.toolCalls).toEqual([{ id: 'c1', name: 'look', args: null, malformed: '{"to' }])
    const { reply: short } = await replied({ content: [call({ input: '' })], finish: cut }, isStreaming)
    expect(short).toMatchObject({ finishReason: 'length', toolCalls: [{ args: null, malformed: '' }] })
  })

  test.each([
    [{ unified: 'stop', raw: 'end_turn' }, 'stop'],
    [{ unified: 'length', raw: 'max_tokens' }, 'length'],
    [{ unified: 'content-filter', raw: 'SAFETY' }, 'content-filter'],
    [{ unified: 'content-filter', raw: 'refusal' }, 'refusal'],
    [{ unified: 'other', raw: 'new-reason' }, 'unknown'],
  ] as const)('it ends with %j', async (finish, expected) => {
    const { reply } = await replied({ content: [{ type: 'text', text: 'A.' }], finish }, isStreaming)
    expect(reply.finishReason).toBe(expected)
  })

  test.each(['error', 'interrupted'] as const)(
    'a reply that ends with "%s" is tried again',
    async (unified) => {
      await expect(replied({ finish: { unified, raw: 'MALFORMED' } }, isStreaming)).rejects.toMatchObject({
        name: 'RetryableError',
        code: 'MODEL_REPLY_INCOMPLETE',
        message: expect.stringContaining('MALFORMED'),
      })
    },
  )

  test('a request to approve a call of the provider is refused', async () => {
    const part = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' } as const
    await expect(replied({ content: [part] }, isStreaming)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'MODEL_REPLY_UNSUPPORTED',
      message: expect.stringContaining('a request to approve a call'),
    })
  })

  test('counts that the provider does not report leave the usage incomplete', async () => {
    const usage = { ...someUsage, outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
    const { reply } = await replied({ content: [{ type: 'text', text: 'A.' }], usage }, isStreaming)
    expect(reply.usage).toMatchObject({ inputTokens: 10, outputTokens: 0, incomplete: true })
  })

  test('a reply without a usage counts, and the usage is incomplete', async () => {
    const usage = null as unknown as typeof someUsage
    const { reply } = await replied({ content: [{ type: 'text', text: 'A.' }], usage }, isStreaming)
    expect(reply).toMatchObject({ text: 'A.', usage: { totalTokens: 0, incomplete: true } })
  })
})

test('text that a processor has changed goes back as it is now, and the rest as it was', async () => {
  const content: LanguageModelV4Content[] = [
    { type: 'reasoning', text: 'Hm.', ...signed('a') },
    { type: 'text', text: 'My number is 12.', ...signed('b') },
    { type: 'text', text: 'Really.' },
    call(),
  ]
  const { reply } = await replied({ content }, false)
  expect(await givenBack({ ...messageOf(reply), content: 'My number is [number].' })).toEqual([
    [
      { type: 'reasoning', text: 'Hm.', ...options('a') },
      { type: 'text', text: 'My number is [number].' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { topic: 'tides' } },
    ],
  ])
})

test('reasoning that led to nothing is not given back', async () => {
  const content: LanguageModelV4Content[] = [
    { type: 'text', text: 'Hm.' },
    { type: 'reasoning', text: 'And now', ...signed('a') },
  ]
  const cut = { unified: 'length', raw: 'max' } as const
  const { reply } = await replied({ content, finish: cut }, false)
  expect(reply).toMatchObject({ reasoning: 'And now', finishReason: 'length' })
  expect(await givenBack(messageOf(reply))).toEqual([[{ type: 'text', text: 'Hm.' }]])
  const { reply: silent } = await replied({ content: content.slice(1), finish: cut }, false)
  expect(await givenBack(messageOf(silent))).toEqual([])
})

test('data that is not of this adapter, or of other calls, is left out', async () => {
  const message: AssistantMessage = { role: 'assistant', content: 'Hm.', providerData: { blocks: [] } }
  expect(await givenBack(message)).toEqual([[{ type: 'text', text: 'Hm.' }]])
  const { reply } = await replied({ content: [{ type: 'text', text: 'Hm.' }, call(signed('a'))] }, false)
  expect(await givenBack({ ...messageOf(reply), toolCalls: [] })).toEqual([[{ type: 'text', text: 'Hm.' }]])
})

test('of several texts the provider may name the one that is the requested JSON', async () => {
  const said: Said = { content: [{ type: 'text', text: 'Draft {"a":1}' }], structuredOutputText: '{"a":1}' }
  const responseFormat = { name: 'answer', schema: { type: 'object' } }
  expect((await replied(said, false, { responseFormat })).reply.text).toBe('{"a":1}')
  expect((await replied(said, false)).reply.text).toBe('Draft {"a":1}')
})

test('a model of version 3 replies alike', async () => {
  const said: Said = { content: [{ type: 'reasoning', text: 'Hm.', ...signed('a') }, call()] }
  const { signal } = new AbortController()
  const reply = await aiSdk(asVersion3(languageModel(said))).generate(request, {
    signal,
    idempotencyKey: 'key',
  })
  expect(reply).toEqual((await replied(said, false)).reply)
})
