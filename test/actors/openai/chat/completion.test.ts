import { expect, test } from 'vitest'
import type { FinishReason } from '../../../../src/actors/chat-model.ts'
import { RetryableError } from '../../../../src/errors.ts'
import { thrown } from '../../../support/agents/model-calls.ts'
import { readCompletion } from '../../../../src/actors/openai/chat/completion.ts'

const call = { modelId: 'm', redact: (text: string) => text }
const read = (message: unknown, finish_reason: unknown = 'stop', usage?: unknown) =>
  readCompletion({ choices: [{ index: 0, message, finish_reason }], usage }, call)
const called = (args: unknown) => ({
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }],
})

test.each<[server: string, ours: FinishReason]>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
  ['eos', 'unknown'],
])('finish reason %s is %s', (server, ours) => {
  expect(read({ content: 'x' }, server).finishReason).toBe(ours)
})

test('tool calls that end with stop are tool calls, those that end with length are not', () => {
  expect(read(called('{}'), 'stop').finishReason).toBe('tool-calls')
  expect(read(called('{"q"'), 'length').finishReason).toBe('length')
})

test('of a reply that was cut off, the last call has arguments only where they are whole', () => {
  const cut = (...args: readonly string[]) =>
    read({ tool_calls: args.map((one) => called(one).tool_calls[0]) }, 'length').toolCalls
  expect(cut('', '')).toMatchObject([{ args: {} }, { args: null, malformed: '' }])
  expect(cut('{"q":1}', '{"q":2}')).toMatchObject([{ args: { q: 1 } }, { args: { q: 2 } }])
})

test('a refusal is the text', () => {
  expect(read({ content: null, refusal: 'I will not.' })).toMatchObject({
    text: 'I will not.',
    finishReason: 'refusal',
  })
  expect(read({ content: 'Yes', refusal: null })).toMatchObject({ text: 'Yes', finishReason: 'stop' })
})

test.each<[name: string, args: unknown, expected: object]>([
  ['JSON', '{"q":[1,{"x":null}]}', { args: { q: [1, { x: null }] } }],
  ['nothing', '', { args: {} }],
  ['white space', ' \n', { args: {} }],
  ['absent', undefined, { args: {} }],
  ['an object instead of its text', { q: 1 }, { args: { q: 1 } }],
  ['cut JSON', '{"q":', { args: null, malformed: '{"q":' }],
  ['prose', 'search for it', { args: null, malformed: 'search for it' }],
  ['a list', '[1]', { args: null, malformed: '[1]' }],
  ['null', 'null', { args: null, malformed: 'null' }],
  ['two objects', '{}{"x":1}', { args: null, malformed: '{}{"x":1}' }],
  ['two copies of an object', '{"x":1}{"x":1}', { args: { x: 1 } }],
  ['three copies of an object', '{"x":1}{"x":1}{"x":1}', { args: { x: 1 } }],
])('arguments: %s', (_, args, expected) => {
  expect(read(called(args), 'tool_calls').toolCalls).toEqual([{ id: 'a', name: 'f', ...expected }])
})

test('what a tool call lacks is empty', () => {
  expect(read({ tool_calls: [{}, null, { id: 3, function: 'f' }] }).toolCalls).toEqual([
    { id: '', name: '', args: {} },
    { id: '', name: '', args: {} },
  ])
})

test.each<[usage: unknown, expected: object]>([
  [undefined, { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true }],
  [null, { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true }],
  [
    { prompt_tokens: 3, completion_tokens: 4 },
    { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
  ],
  [
    { prompt_tokens: 'many', completion_tokens: -1 },
    { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true },
  ],
  [
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
    { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 8, reasoningTokens: 2 },
  ],
  [
    {
      prompt_tokens: 1,
      completion_tokens: 1,
      prompt_tokens_details: null,
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  ],
])('usage %j', (usage, expected) => {
  expect(read({ content: 'x' }, 'stop', usage).usage).toEqual(expected)
})

test('the names of reasoning, and content in parts', () => {
  expect(read({ content: 'x', reasoning_content: 'hm' }).reasoning).toBe('hm')
  expect(read({ content: 'x', reasoning: 'hm' }).reasoning).toBe('hm')
  expect(read({ content: 'x', reasoning: 'hm', reasoning_content: 'hm' }).reasoning).toBe('hm')
  expect(read({ content: 'x' })).not.toHaveProperty('reasoning')
  expect(
    read({ content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] }).text,
  ).toBe('ab')
})

test('a body that the server does not call JSON is read all the same', () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })
  expect(readCompletion(body, call).text).toBe('Hi')
})

test('a whole body needs no finish reason', () => {
  const message = { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] }
  expect(readCompletion({ choices: [{ message }] }, call)).toMatchObject({
    text: 'Hi',
    finishReason: 'tool-calls',
  })
  const body = { choices: [{ message: { content: 'Hi' }, finish_reason: null }] }
  expect(readCompletion(body, call)).toMatchObject({ text: 'Hi', finishReason: 'stop' })
})

test.each([
  ['no choices', { choices: [] }, 'MODEL_REPLY_INVALID', 'Model "m" sent a reply without choices'],
  ['no choices field', { id: 'x' }, 'MODEL_REPLY_INVALID', 'Model "m" sent a reply without choices'],
  [
    'no finish reason and no answer',
    { choices: [{ message: { content: '' } }] },
    'MODEL_REPLY_INCOMPLETE',
    'Model "m" sent a reply without a finish reason.',
  ],
])('a reply that has %s is retryable', (_, body, code, message) => {
  const error = thrown(() => readCompletion(body, call))
  expect(error).toBeInstanceOf(RetryableError)
  expect(error).toMatchObject({ code, message })
})
