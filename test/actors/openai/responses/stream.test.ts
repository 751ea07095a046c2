import { afterAll, beforeAll, expect, test } from 'vitest'
import { openai } from '../../../../src/actors/openai/openai.ts'
import { RetryableError, TerminalError } from '../../../../src/errors.ts'
import { event, startFaultServer, stream, type FaultServer } from '../../../support/fault-server.ts'
import { askStreaming, rejection } from '../../../support/agents/model-calls.ts'
import { named } from '../../../support/wires.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const model = () => openai('gpt-x', { baseURL: server.url, api: 'responses' })

const delta = (kind: string, piece: string, place: object = { output_index: 0, content_index: 0 }) =>
  named({ type: `response.${kind}.delta`, delta: piece, ...place })
const text = (piece: string, output_index = 0) =>
  delta('output_text', piece, { output_index, content_index: 0 })
const args = (piece: string, output_index = 0) =>
  delta('function_call_arguments', piece, { output_index, item_id: 'fc_1' })
const call = (id: string, argumentsText: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'f',
  arguments: argumentsText,
})
const added = (item: object, output_index = 0) =>
  named({ type: 'response.output_item.added', output_index, item })
const itemDone = (item: object, output_index = 0) =>
  named({ type: 'response.output_item.done', output_index, item })
const ended = (how: string, response: object = {}) =>
  named({ type: `response.${how}`, response: { object: 'response', status: how, output: [], ...response } })

async function streamed(...pieces: readonly string[]) {
  server.answer = stream(pieces)
  return askStreaming(model())
}

async function failed(...pieces: readonly string[]) {
  return rejection(streamed(...pieces))
}

test('interleaved calls without an index of their item are told apart by its id', async () => {
  const unplaced = (id: string, piece: string) =>
    named({ type: 'response.function_call_arguments.delta', delta: piece, item_id: `fc_${id}` })
  const begun = (id: string) =>
    named({ type: 'response.output_item.added', item: { ...call(id, ''), name: `look_${id}` } })
  const { reply, deltas } = await streamed(
    begun('a'),
    begun('b'),
    unplaced('a', '{"q":'),
    unplaced('b', '{"q":'),
    unplaced('a', '1}'),
    unplaced('b', '2}'),
    ended('completed', { output: undefined }),
  )
  expect(reply.toolCalls).toEqual([
    { id: 'a', name: 'look_a', args: { q: 1 } },
    { id: 'b', name: 'look_b', args: { q: 2 } },
  ])
  const told = ['a', 'b'].map((id) =>
    deltas.map((one) => (one.type === 'tool-args' && one.id === id ? one.text : '')).join(''),
  )
  expect(told).toEqual(['{"q":1}', '{"q":2}'])
})

test('a stream that has said its end needs no last event', async () => {
  expect((await streamed(text('Hi'), 'data: [DONE]\n\n')).reply).toMatchObject({
    text: 'Hi',
    finishReason: 'stop',
  })
  expect(await failed(text('Hi'))).toMatchObject({ code: 'MODEL_STREAM_INCOMPLETE' })
})

test('usage is that of the last event', async () => {
  const usage = {
    input_tokens: 4,
    output_tokens: 2,
    input_tokens_details: { cached_tokens: 3 },
    output_tokens_details: { reasoning_tokens: 1 },
  }
  const { reply } = await streamed(text('Hi'), ended('completed', { usage }))
  expect(reply).toEqual({
    text: 'Hi',
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6, cachedInputTokens: 3, reasoningTokens: 1 },
  })
})

test('a summary becomes reasoning deltas, each part a paragraph', async () => {
  const summary = (piece: string, output_index: number, summary_index: number) =>
    delta('reasoning_summary_text', piece, { output_index, summary_index })
  const { reply, deltas } = await streamed(
    summary('**Pl', 0, 0),
    summary('an**', 0, 0),
    summary('**Check**', 0, 1),
    summary('Again.', 1, 0),
    text('Yes', 2),
    ended('completed'),
  )
  expect(deltas).toEqual([
    { type: 'reasoning', text: '**Pl' },
    { type: 'reasoning', text: 'an**' },
    { type: 'reasoning', text: '\n\n**Check**' },
    { type: 'reasoning', text: '\n\nAgain.' },
    { type: 'text', text: 'Yes' },
  ])
  expect(reply).toMatchObject({ text: 'Yes', reasoning: '**Plan**\n\n**Check**\n\nAgain.' })
})

test('reasoning that comes as text and as summary is told once', async () => {
  const { reply, deltas } = await streamed(
    delta('reasoning_text', 'Let me'),
    delta('reasoning_summary_text', 'Let me', { output_index: 0, summary_index: 0 }),
    delta('reasoning_text', ' see'),
    text('Yes', 1),
    ended('completed'),
  )
  expect(deltas.map((piece) => piece.text)).toEqual(['Let me', ' see', 'Yes'])
  expect(reply.reasoning).toBe('Let me see')
})

test('a refusal streams as text', async () => {
  const { reply, deltas } = await streamed(
    delta('refusal', 'I will '),
    delta('refusal', 'not.'),
    ended('completed'),
  )
  expect(reply).toMatchObject({ text: 'I will not.', finishReason: 'refusal' })
  expect(deltas).toEqual([
    { type: 'text', text: 'I will ' },
    { type: 'text', text: 'not.' },
  ])
})

test('parallel calls are put together, also interleaved', async () => {
  const { reply, deltas } = await streamed(
    added(call('a', ''), 1),
    added(call('b', ''), 2),
    args('{"x"', 2),
    args('{"x":', 1),
    args('1}', 1),
    args(':2}', 2),
    ended('completed'),
  )
  expect(reply).toMatchObject({
    text: '',
    toolCalls: [
      { id: 'a', name: 'f', args: { x: 1 } },
      { id: 'b', name: 'f', args: { x: 2 } },
    ],
    finishReason: 'tool-calls',
  })
  expect(deltas).toEqual([
    { type: 'tool-args', index: 1, id: 'b', name: 'f', text: '{"x"' },
    { type: 'tool-args', index: 0, id: 'a', name: 'f', text: '{"x":' },
    { type: 'tool-args', index: 0, id: 'a', name: 'f', text: '1}' },
    { type: 'tool-args', index: 1, id: 'b', name: 'f', text: ':2}' },
  ])
})

test('whole items count where the pieces or the last output are missing, in the order of their places', async () => {
  const { reply } = await streamed(
    added(call('a', '')),
    itemDone(call('b', '{"x":2}'), 1),
    itemDone(call('a', '{"x":1}'), 0),
    ended('completed'),
  )
  expect(reply.toolCalls).toEqual([
    { id: 'a', name: 'f', args: { x: 1 } },
    { id: 'b', name: 'f', args: { x: 2 } },
  ])
})

test('arguments that come whole count once, with their pieces or without', async () => {
  const whole = (argumentsText: string, output_index: number) =>
    named({ type: 'response.function_call_arguments.done', output_index, arguments: argumentsText })
  const { reply, deltas } = await streamed(
    added(call('a', ''), 0),
    whole('{"x":1}', 0),
    added(call('b', ''), 1),
    args('{"y"', 1),
    args(':2}', 1),
    whole('{"y":2}', 1),
    added(call('c', '{"z":3}'), 2),
    whole('{"z":3}', 2),
    ended('completed'),
  )
  expect(reply.toolCalls).toEqual([
    { id: 'a', name: 'f', args: { x: 1 } },
    { id: 'b', name: 'f', args: { y: 2 } },
    { id: 'c', name: 'f', args: { z: 3 } },
  ])
  expect(deltas.map((told) => told.text).join(' ')).toBe('{"x":1} {"y" :2} {"z":3}')
})

test('malformed arguments keep their text', async () => {
  const { reply } = await streamed(added(call('a', '')), args('{"q":'), ended('completed'))
  expect(reply).toMatchObject({
    toolCalls: [{ id: 'a', name: 'f', args: null, malformed: '{"q":' }],
    finishReason: 'tool-calls',
  })
})

test.each([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content-filter'],
])('a response that is incomplete by %s ends with %s', async (reason, finishReason) => {
  const { reply } = await streamed(text('Hal'), ended('incomplete', { incomplete_details: { reason } }))
  expect(reply).toMatchObject({ text: 'Hal', finishReason })
})

test('an event without a status of its response tells it by its type', async () => {
  const last = (type: string) => event({ type, response: null })
  expect((await streamed(text('Hi'), last('response.completed'))).reply).toMatchObject({
    text: 'Hi',
    finishReason: 'stop',
  })
  expect((await streamed(text('Hi'), last('response.incomplete'))).reply.finishReason).toBe('length')
})

test('comments, unknown events and events of no use are passed over', async () => {
  const { reply, deltas } = await streamed(
    ': processing\n\n',
    event(null),
    event({}),
    ended('created', { status: 'in_progress' }),
    named({ type: 'response.web_search_call.searching', output_index: 0 }),
    event({ type: 'response.output_text.delta', delta: 7 }),
    named({ type: 'response.output_item.added' }),
    text('Hi'),
    named({ type: 'response.output_text.done', text: 'Hi' }),
    ended('completed'),
  )
  expect(reply).toMatchObject({ text: 'Hi', toolCalls: [], finishReason: 'stop' })
  expect(deltas).toEqual([{ type: 'text', text: 'Hi' }])
})

test.each<[name: string, last: string, code: string, message: string]>([
  [
    'failed',
    ended('failed', { error: { code: 'server_error', message: 'Oops' } }),
    'MODEL_UNAVAILABLE',
    'Oops',
  ],
  [
    'failed by a rate limit',
    ended('failed', { error: { code: 'rate_limit_exceeded', message: 'Slow' } }),
    'RATE_LIMITED',
    'Slow',
  ],
  ['failed for no reason', ended('failed'), 'MODEL_UNAVAILABLE', 'the response is failed'],
  [
    'had an error event',
    named({ type: 'error', code: 'rate_limit_exceeded', message: 'Slow', param: null }),
    'RATE_LIMITED',
    'Slow',
  ],
  [
    'had an error event without a name',
    event({ type: 'error', code: 'server_error', message: 'Oops', param: null }),
    'MODEL_UNAVAILABLE',
    'Oops',
  ],
  [
    'had an error event of no code',
    named({ type: 'error', code: null, message: 'Oops', param: null }),
    'MODEL_UNAVAILABLE',
    'Oops',
  ],
])('a response that %s is retryable', async (_, last, code, message) => {
  const error = await failed(text('He'), last)
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code, message: `Model "gpt-x" reported an error: ${message}` })
})

test('a response that failed by its prompt is terminal', async () => {
  const error = { code: 'context_length_exceeded', message: 'Too long' }
  for (const last of [ended('failed', { error }), named({ type: 'error', ...error })]) {
    const thrown = await failed(last)
    expect(thrown).toBeInstanceOf(TerminalError)
    expect(thrown).toMatchObject({ code: 'CONTEXT_LENGTH_EXCEEDED' })
  }
})

test('a stream that ends with items but without its last event is incomplete', async () => {
  const item = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }
  const error = await failed(text('Hello'), itemDone(item))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({
    code: 'MODEL_STREAM_INCOMPLETE',
    message: 'The stream of model "gpt-x" ended without the end of its response.',
  })
})
