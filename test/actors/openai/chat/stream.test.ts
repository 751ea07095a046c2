import { afterAll, beforeAll, expect, test } from 'vitest'
import { openai } from '../../../../src/actors/openai/openai.ts'
import { RetryableError } from '../../../../src/errors.ts'
import { event, startFaultServer, stream, type FaultServer } from '../../../support/fault-server.ts'
import { askStreaming, rejection } from '../../../support/agents/model-calls.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const model = (timeout = 20_000) => openai('gpt-x', { baseURL: server.url, timeout })
const delta = (content: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: content, finish_reason }] })
const done = event('[DONE]')
const hello = [delta({ role: 'assistant', content: '' }), delta({ content: 'Hel' }), delta({ content: 'lo' })]

test('usage comes in a chunk of its own, or with every chunk', async () => {
  const usage = (prompt_tokens: number, completion_tokens: number) => ({
    usage: { prompt_tokens, completion_tokens },
  })
  server.answer = stream([...hello, delta({}, 'stop'), event({ choices: [], ...usage(4, 2) }), done])
  expect((await askStreaming(model())).reply.usage).toEqual({
    inputTokens: 4,
    outputTokens: 2,
    totalTokens: 6,
  })
  const chunk = { choices: [{ delta: { content: 'x' }, finish_reason: '' }] }
  const last = { choices: [{ delta: {}, finish_reason: 'stop' }] }
  server.answer = stream([
    event({ ...chunk, ...usage(4, 1) }),
    event({ ...last, ...usage(4, 2) }),
    event({ choices: [], usage: null }),
  ])
  expect((await askStreaming(model())).reply.usage).toEqual({
    inputTokens: 4,
    outputTokens: 2,
    totalTokens: 6,
  })
})

test('both names of reasoning become reasoning deltas', async () => {
  const pieces = [
    delta({ reasoning_content: 'Let me' }),
    delta({ reasoning: ' see' }),
    delta({ content: 'Yes' }, 'stop'),
  ]
  server.answer = stream([...pieces, done])
  const { reply, deltas } = await askStreaming(model())
  expect(deltas).toEqual([
    { type: 'reasoning', text: 'Let me' },
    { type: 'reasoning', text: ' see' },
    { type: 'text', text: 'Yes' },
  ])
  expect(reply).toMatchObject({ text: 'Yes', reasoning: 'Let me see' })
})

test('a refusal streams as text', async () => {
  server.answer = stream([delta({ refusal: 'I will ' }), delta({ refusal: 'not.' }), delta({}, 'stop'), done])
  const { reply, deltas } = await askStreaming(model())
  expect(reply).toMatchObject({ text: 'I will not.', finishReason: 'refusal' })
  expect(deltas).toEqual([
    { type: 'text', text: 'I will ' },
    { type: 'text', text: 'not.' },
  ])
})

test('malformed arguments keep their text', async () => {
  const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"q":' } }
  server.answer = stream([delta({ tool_calls: [call] }), delta({}, 'tool_calls'), done])
  expect((await askStreaming(model())).reply).toMatchObject({
    toolCalls: [{ id: 'a', name: 'f', args: null, malformed: '{"q":' }],
    finishReason: 'tool-calls',
  })
})

test('other choices, comments, and chunks of no use are passed over', async () => {
  const other = event({ choices: [{ index: 1, delta: { content: 'NO' }, finish_reason: 'length' }] })
  server.answer = stream([
    ': processing\n\n',
    event(null),
    event({}),
    other,
    ...hello,
    other,
    delta({}, 'stop'),
    other,
  ])
  expect((await askStreaming(model())).reply).toMatchObject({ text: 'Hello', finishReason: 'stop' })
})

test.each([
  [
    'without a finish reason and without its end',
    hello,
    'MODEL_STREAM_INCOMPLETE',
    'ended without a finish reason.',
  ],
  [
    'with nothing but its end',
    [delta({}), done],
    'MODEL_STREAM_INCOMPLETE',
    'ended without a finish reason.',
  ],
  ['without choices', [event({ id: 'x' }), done], 'MODEL_REPLY_INVALID', 'sent a stream without choices'],
])('a stream %s is retryable', async (_, pieces, code, message) => {
  server.answer = stream(pieces)
  const error = await rejection(askStreaming(model()))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test.each([
  ['text', hello, { text: 'Hello', finishReason: 'stop' }],
  [
    'calls',
    [delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] })],
    { toolCalls: [{ id: 'a', name: 'f', args: {} }], finishReason: 'tool-calls' },
  ],
])('a stream of %s that has said its end needs no finish reason', async (_, pieces, whole) => {
  for (const end of [done, 'data:[DONE]\r\n\r\n']) {
    server.answer = stream([...pieces, end])
    expect((await askStreaming(model())).reply).toMatchObject(whole)
  }
})

test('the end of a stream is known in whatever pieces it comes', async () => {
  server.answer = stream([...hello, ...done.split('')])
  expect((await askStreaming(model())).reply).toMatchObject({ text: 'Hello' })
  server.answer = stream([delta({ content: '\ndata: [DONE]' })])
  expect(await rejection(askStreaming(model()))).toMatchObject({ code: 'MODEL_STREAM_INCOMPLETE' })
})

test('extraBody can leave out what a server does not know', async () => {
  server.requests.length = 0
  server.answer = stream([...hello, delta({}, 'stop'), done])
  await askStreaming(
    openai('gpt-x', { baseURL: server.url, extraBody: { stream_options: null, stream: false } }),
  )
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: null })
})

test('usage is asked for with a stream', async () => {
  server.requests.length = 0
  server.answer = stream([...hello, delta({}, 'stop'), done])
  await askStreaming(model())
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
})
