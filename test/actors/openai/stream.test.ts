import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelDelta } from '../../../src/actors/chat-model.ts'
import { openai } from '../../../src/actors/openai/openai.ts'
import { CancelledError, RetryableError } from '../../../src/errors.ts'
import { event, hang, raw, startFaultServer, stream, type FaultServer } from '../../support/fault-server.ts'
import { ask, askStreaming, question, rejection } from '../../support/model-calls.ts'

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

test('a server that sends no usage is counted as zeros', async () => {
  server.answer = stream([...hello, delta({}, 'stop'), done])
  expect(await askStreaming(model())).toEqual({
    reply: {
      text: 'Hello',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    },
    deltas: [
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ],
  })
})

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
  ['without a finish reason', [...hello, done], 'MODEL_STREAM_INCOMPLETE', 'ended without a finish reason.'],
  ['that just closes', hello, 'MODEL_STREAM_INCOMPLETE', 'ended without a finish reason.'],
  ['of nothing', [], 'MODEL_STREAM_INCOMPLETE', 'ended before its first event.'],
  ['that is only done', [done], 'MODEL_STREAM_INCOMPLETE', 'ended before its first event.'],
  ['without choices', [event({ id: 'x' }), done], 'MODEL_REPLY_INVALID', 'sent a stream without choices'],
  ['of no JSON', [...hello, 'data: {"choices":\n\n'], 'MODEL_REPLY_INVALID', 'sent no valid JSON: '],
])('a stream %s is retryable', async (_, pieces, code, message) => {
  server.answer = stream(pieces)
  const error = await rejection(askStreaming(model()))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test('an HTML page instead of a stream is retryable', async () => {
  server.answer = raw(200, 'text/html', '<p>Sign in</p>')
  expect(await rejection(askStreaming(model()))).toMatchObject({ code: 'MODEL_STREAM_INCOMPLETE' })
})

test('a stream that is cut in the middle is retryable', async () => {
  server.answer = stream(hello, 'destroy')
  const error = await rejection(askStreaming(model()))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({
    code: 'MODEL_STREAM_CUT',
    message: expect.stringContaining('Model "gpt-x" had its stream cut: '),
    cause: { message: 'terminated' },
  })
})

test('a stream that stops in the middle is timed out', async () => {
  server.answer = stream(hello, 'hang')
  expect(await rejection(askStreaming(model(100)))).toMatchObject({ code: 'MODEL_TIMEOUT' })
})

test('the caller’s abort in the middle of a stream cancels, and closes the connection', async () => {
  const closed = new Promise<void>((resolve) => {
    server.answer = async (response, request) => {
      response.on('close', resolve)
      await stream(hello, 'hang')(response, request)
    }
  })
  const controller = new AbortController()
  const deltas: ModelDelta[] = []
  const call = model().generate(question, {
    signal: controller.signal,
    idempotencyKey: 'k',
    onDelta: (piece) => {
      deltas.push(piece)
      controller.abort(new Error('enough'))
    },
  })
  const error = await rejection(call)
  expect(error).toBeInstanceOf(CancelledError)
  expect(error).toMatchObject({
    message: 'The call of model "gpt-x" was cancelled.',
    cause: { message: 'enough' },
  })
  await closed
  expect(deltas).toEqual([{ type: 'text', text: 'Hel' }])
})

test('the caller’s abort cancels a call that waits, and one that has not begun', async () => {
  server.requests.length = 0
  const controller = new AbortController()
  server.answer = (response, request) => {
    controller.abort()
    return hang(response, request)
  }
  const call = () => model().generate(question, { signal: controller.signal, idempotencyKey: 'k' })
  expect(await rejection(call())).toBeInstanceOf(CancelledError)
  expect(await rejection(call())).toBeInstanceOf(CancelledError)
  expect(server.requests).toHaveLength(1)
})

test('a listener that throws, or rejects, does not break the call', async () => {
  server.answer = stream([...hello, delta({}, 'stop'), done])
  const listeners = [
    () => {
      throw new Error('broken listener')
    },
    async () => {
      throw new Error('broken async listener')
    },
  ]
  for (const onDelta of listeners) {
    const signal = new AbortController().signal
    const reply = await model().generate(question, { signal, idempotencyKey: 'k', onDelta })
    expect(reply.text).toBe('Hello')
  }
})

test('without a listener nothing is streamed', async () => {
  server.requests.length = 0
  server.answer = raw(
    200,
    'application/json',
    '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}',
  )
  await ask(model())
  expect(server.requests[0]?.body).toEqual({
    model: 'gpt-x',
    messages: [{ role: 'user', content: 'hello' }],
    stream: false,
  })
})

test('extraBody can leave out what a server does not know', async () => {
  server.requests.length = 0
  server.answer = stream([...hello, delta({}, 'stop'), done])
  await askStreaming(
    openai('gpt-x', { baseURL: server.url, extraBody: { stream_options: null, stream: false } }),
  )
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: null })
})
