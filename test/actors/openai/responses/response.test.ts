import { expect, test } from 'vitest'
import type { FinishReason } from '../../../../src/actors/chat-model.ts'
import { readResponse } from '../../../../src/actors/openai/responses/responses.ts'
import { RetryableError, TerminalError } from '../../../../src/errors.ts'
import { thrown } from '../../../support/agents/model-calls.ts'

const context = { modelId: 'm', redact: (text: string) => text }
const message = (...content: readonly object[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content,
})
const said = (text: string) => message({ type: 'output_text', text, annotations: [] })
const called = (args: unknown, more: object = { call_id: 'a', name: 'f' }) => ({
  type: 'function_call',
  id: 'fc_1',
  arguments: args,
  ...more,
})
const read = (output: unknown, more: object = {}) =>
  readResponse({ object: 'response', status: 'completed', error: null, output, ...more }, context)

test('a whole response needs no status', () => {
  expect(read([said('Hi')], { status: undefined })).toMatchObject({ text: 'Hi', finishReason: 'stop' })
})

test('text, reasoning and parallel calls are read in the order of the items', () => {
  expect(
    read([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: '**Plan**' },
          { type: 'summary_text', text: '**Check**' },
        ],
      },
      said('I look. '),
      called('{"q":1}', { call_id: 'a', name: 'f' }),
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      called('{"q":2}', { call_id: 'b', name: 'f' }),
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Well.' }] },
      said('Done.'),
    ]),
  ).toEqual({
    text: 'I look. Done.',
    reasoning: '**Plan**\n\n**Check**\n\nWell.',
    toolCalls: [
      { id: 'a', name: 'f', args: { q: 1 } },
      { id: 'b', name: 'f', args: { q: 2 } },
    ],
    finishReason: 'tool-calls',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true },
  })
})

test('reasoning that is told as summary and as text counts once; no reasoning is none', () => {
  const both = { type: 'reasoning', summary: [{ text: 'Hm' }], content: [{ text: 'Hm' }] }
  expect(read([both, said('x')]).reasoning).toBe('Hm')
  expect(read([{ type: 'reasoning', summary: [], encrypted_content: 'b64' }, said('x')])).not.toHaveProperty(
    'reasoning',
  )
})

test('a refusal is the text', () => {
  expect(read([message({ type: 'refusal', refusal: 'I will not.' })])).toMatchObject({
    text: 'I will not.',
    finishReason: 'refusal',
  })
})

test.each<[name: string, response: object, ours: FinishReason]>([
  ['completed', { status: 'completed' }, 'stop'],
  ['cut by the cap', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  ['cut by the filter', { incomplete_details: { reason: 'content_filter' } }, 'content-filter'],
  ['cut for another reason', { incomplete_details: { reason: 'max_messages' } }, 'length'],
  ['cut for no reason', { incomplete_details: null }, 'length'],
])('a response that is %s', (_, response, ours) => {
  const reply = read([said('Half a')], { status: 'incomplete', ...response })
  expect(reply).toMatchObject({ text: 'Half a', finishReason: ours })
})

test('a call that was cut is malformed and ends with length', () => {
  const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  expect(read([called('{"q":')], details)).toMatchObject({
    toolCalls: [{ id: 'a', name: 'f', args: null, malformed: '{"q":' }],
    finishReason: 'length',
  })
})

test.each<[name: string, item: object, expected: object]>([
  ['nothing', called(''), { id: 'a', name: 'f', args: {} }],
  ['absent', called(undefined), { id: 'a', name: 'f', args: {} }],
  ['an object instead of its text', called({ q: 1 }), { id: 'a', name: 'f', args: { q: 1 } }],
  ['prose', called('search'), { id: 'a', name: 'f', args: null, malformed: 'search' }],
  ['of a call without call_id', called('{}', { name: 'f' }), { id: 'fc_1', name: 'f', args: {} }],
  ['of a call without name', called('{}', { call_id: 3 }), { id: 'fc_1', name: '', args: {} }],
])('arguments: %s', (_, item, expected) => {
  expect(read([item]).toolCalls).toEqual([expected])
})

test.each<[usage: unknown, expected: object]>([
  [
    {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 1 },
      output_tokens_details: { reasoning_tokens: 2 },
    },
    {
      inputTokens: 10,
      outputTokens: 5,
      totalTokens: 15,
      cachedInputTokens: 8,
      cacheWriteTokens: 1,
      reasoningTokens: 2,
    },
  ],
  [
    { input_tokens: 3, output_tokens: 4 },
    { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
  ],
  [null, { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true }],
  [{ input_tokens: 3 }, { inputTokens: 3, outputTokens: 0, totalTokens: 3, incomplete: true }],
  [
    { input_tokens: 0, output_tokens: 0 },
    { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  ],
  [
    { input_tokens: 'many', output_tokens: -1 },
    { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true },
  ],
])('usage %j', (usage, expected) => {
  expect(read([said('x')], { usage }).usage).toEqual(expected)
})

test.each<[name: string, response: object, code: string, message: string]>([
  [
    'failed at the server',
    { status: 'failed', error: { code: 'server_error', message: 'Oops' } },
    'MODEL_UNAVAILABLE',
    'Model "m" reported an error: Oops',
  ],
  [
    'failed by a rate limit',
    { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow' } },
    'RATE_LIMITED',
    'Model "m" reported an error: Slow',
  ],
  [
    'failed for no reason',
    { status: 'failed' },
    'MODEL_UNAVAILABLE',
    'Model "m" reported an error: the response is failed',
  ],
  [
    'cancelled',
    { status: 'cancelled' },
    'MODEL_UNAVAILABLE',
    'Model "m" reported an error: the response is cancelled',
  ],
  [
    'still in progress',
    { status: 'in_progress' },
    'MODEL_REPLY_INCOMPLETE',
    'Model "m" sent a reply without a final status.',
  ],
  ['without output', { output: undefined }, 'MODEL_REPLY_INVALID', 'Model "m" sent a reply without output'],
])('a response that is %s is retryable', (_, response, code, message) => {
  const error = thrown(() => read([], response))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code, message })
})

test.each([
  ['invalid_prompt', 'Bad prompt', 'INVALID_REQUEST'],
  ['invalid_prompt', 'Your prompt was flagged as potentially violating our policy', 'CONTENT_FILTERED'],
  ['bio_policy', 'No', 'CONTENT_FILTERED'],
  ['misalignment_policy_violation', 'No', 'CONTENT_FILTERED'],
  ['context_length_exceeded', 'Too long', 'CONTEXT_LENGTH_EXCEEDED'],
  ['insufficient_quota', 'Pay', 'QUOTA_EXCEEDED'],
])('a response that failed by %s: %s, is terminal', (code, words, ours) => {
  const error = thrown(() => read([], { status: 'failed', error: { code, message: words } }))
  expect(error).toBeInstanceOf(TerminalError)
  expect(error).toMatchObject({ code: ours, message: `Model "m" reported an error: ${words}` })
})

test('a body that the server does not call JSON is read all the same', () => {
  expect(readResponse(JSON.stringify({ status: 'completed', output: [said('Hi')] }), context).text).toBe('Hi')
})
