/** The driver against a well-behaved server, over either API. */
import { LLMock } from '@copilotkit/aimock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openai } from '../../../src/actors/openai/openai.ts'
import { RetryableError, TerminalError } from '../../../src/errors.ts'
import { ask, askStreaming, rejection } from '../../support/agents/model-calls.ts'

const mock = new LLMock({ port: 0 })
const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

beforeAll(() => mock.start())
afterAll(() => mock.stop())
afterEach(() => mock.reset())

const parallel = {
  toolCalls: [
    { id: 'call_a', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    { id: 'call_b', name: 'get_weather', arguments: '{"city":"Rome"}' },
  ],
}

describe.each(['chat', 'responses'] as const)('%s:', (api) => {
  const model = () => openai('gpt-5.4', { baseURL: `${mock.url}/v1`, apiKey: 'sk-test-of-aimock', api })

  test('a model tells its provider and its id', () => {
    expect(model()).toMatchObject({ provider: 'openai', modelId: 'gpt-5.4' })
  })

  test('answers with text, finish reason and usage', async () => {
    mock.onMessage('hello', {
      content: 'Hi there!',
      usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    })
    expect(await ask(model())).toEqual({
      text: 'Hi there!',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 },
      response: { id: expect.stringMatching(/^(?:chatcmpl|resp)-/), modelId: 'gpt-5.4' },
    })
  })

  test('streams where the caller listens, and the deltas are the reply', async () => {
    mock.onMessage(
      'hello',
      {
        content: 'Once upon a time there was a statechart.',
        reasoning: 'A story is wanted.',
        usage: { prompt_tokens: 7, completion_tokens: 12, total_tokens: 19 },
      },
      { chunkSize: 5 },
    )
    const { reply, deltas } = await askStreaming(model())
    expect(reply).toEqual({
      text: 'Once upon a time there was a statechart.',
      reasoning: 'A story is wanted.',
      ...(api === 'chat' && {
        keepReasoning: true,
        providerData: {
          api,
          model: 'gpt-5.4',
          server: new URL(mock.url).host,
          reasoningField: 'reasoning_content',
        },
      }),
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 7, outputTokens: 12, totalTokens: 19 },
      response: { id: expect.stringMatching(/^(?:chatcmpl|resp)-/), modelId: 'gpt-5.4' },
    })
    const told = (type: 'text' | 'reasoning') =>
      deltas.filter((delta) => delta.type === type).map(({ text }) => text)
    expect(told('text').join('')).toBe(reply.text)
    expect(told('reasoning').join('')).toBe(reply.reasoning)
    expect(told('text')).toHaveLength(8)
    expect(deltas.filter(({ text }) => text === '')).toEqual([])
  })

  test.each(['whole', 'streamed'])('reads parallel tool calls, %s', async (way) => {
    mock.onMessage('hello', parallel, { chunkSize: 4 })
    const request = { tools: [weather] }
    const reply = way === 'whole' ? await ask(model(), request) : (await askStreaming(model(), request)).reply
    expect(reply.toolCalls).toEqual([
      { id: 'call_a', name: 'get_weather', args: { city: 'Oslo' } },
      { id: 'call_b', name: 'get_weather', args: { city: 'Rome' } },
    ])
    expect(reply.finishReason).toBe('tool-calls')
    expect(reply.text).toBe('')
  })

  test('a conversation with tool results goes on', async () => {
    mock.onToolResult('call_a', { content: 'Rain in Oslo.' })
    const reply = await ask(model(), {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'weather?' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'call_a', name: 'get_weather', args: { city: 'Oslo' } }],
        },
        { role: 'tool', toolCallId: 'call_a', toolName: 'get_weather', content: 'rain' },
      ],
      tools: [weather],
    })
    expect(reply.text).toBe('Rain in Oslo.')
  })

  test.each(['whole', 'streamed'])(
    'a rate limit is retryable after the time that the server asks for, %s',
    async (way) => {
      mock.on({}, { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 })
      const error = await rejection(way === 'whole' ? ask(model()) : askStreaming(model()))
      expect(error).toBeInstanceOf(RetryableError)
      expect(error).toMatchObject({
        code: 'RATE_LIMITED',
        retryAfterMs: 7000,
        message: 'Model "gpt-5.4" answered 429: Slow down',
      })
      expect(mock.getRequests()).toHaveLength(1)
    },
  )

  test('a server that asks for a year is not waited for: the call fails, and its error says so', async () => {
    mock.on(
      {},
      { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 31_536_000 },
    )
    const error = await rejection(ask(model()))
    expect(error).toBeInstanceOf(TerminalError)
    expect(error).toMatchObject({ code: 'RETRY_AFTER_TOO_LONG', cause: { code: 'RATE_LIMITED' } })
    expect((error as Error).message).toContain('It asks for 31536000 s')
    expect(mock.getRequests()).toHaveLength(1)
  })
})
