import { expect, test } from 'vitest'
import type { ModelRequest } from '../../../../src/actors/chat-model.ts'
import { toParams } from '../../../../src/actors/openai/responses/request.ts'

const search = { name: 'search', description: 'Finds', parameters: { type: 'object' } }
const tool = { type: 'function', ...search, strict: false }
const empty: ModelRequest = { messages: [], tools: [], toolChoice: 'auto' }
const nothing = { model: 'm', store: false, include: ['reasoning.encrypted_content'], input: [] }

/** As it goes over the wire, without what is undefined. */
function body(request: Partial<ModelRequest>, settings = {}): unknown {
  return JSON.parse(
    JSON.stringify(
      toParams('m', { ...empty, ...request }, settings, {
        baseURL: 'https://api.openai.com/v1',
        quirks: new Set(),
      }),
    ),
  )
}

test('the conversation becomes items, in order and without ids of the server', () => {
  expect(
    body({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Find it' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [
            { id: 'a', name: 'search', args: { q: 'it' } },
            { id: 'b', name: 'search', args: {} },
          ],
        },
        { role: 'tool', toolCallId: 'a', toolName: 'search', content: '{"hits":0}', isError: true },
        { role: 'tool', toolCallId: 'b', toolName: 'search', content: 'none' },
        { role: 'user', content: 'Go on', internal: 'notice' },
        { role: 'assistant', content: 'I look again.', toolCalls: [{ id: 'c', name: 'search', args: {} }] },
        { role: 'assistant', content: '', toolCalls: [] },
        { role: 'system', content: 'Be shorter.' },
        { role: 'assistant', content: 'Nothing.' },
      ],
      tools: [search],
    }),
  ).toEqual({
    model: 'm',
    store: false,
    include: ['reasoning.encrypted_content'],
    instructions: 'Be short.',
    input: [
      { type: 'message', role: 'user', content: 'Find it' },
      { type: 'function_call', call_id: 'a', name: 'search', arguments: '{"q":"it"}' },
      { type: 'function_call', call_id: 'b', name: 'search', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '{"hits":0}' },
      { type: 'function_call_output', call_id: 'b', output: 'none' },
      { type: 'message', role: 'user', content: 'Go on' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look again.' }] },
      { type: 'function_call', call_id: 'c', name: 'search', arguments: '{}' },
      { type: 'message', role: 'system', content: 'Be shorter.' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nothing.' }] },
    ],
    tools: [tool],
  })
})

test('malformed arguments are replayed as {}, a name that the model made up in an acceptable form', () => {
  const toolCalls = [{ id: 'a', name: 'functions.search', args: null, malformed: '{"q":' }]
  expect(body({ messages: [{ role: 'assistant', content: '', toolCalls }] })).toEqual({
    ...nothing,
    input: [{ type: 'function_call', call_id: 'a', name: 'functions_search', arguments: '{}' }],
  })
})

test('tool_choice and parallel_tool_calls go only with tools', () => {
  expect(body({ toolChoice: 'none' }, { parallelToolCalls: false })).toEqual(nothing)
  expect(body({ toolChoice: 'none', tools: [search] }, { parallelToolCalls: false })).toEqual({
    ...nothing,
    parallel_tool_calls: false,
    tools: [tool],
    tool_choice: 'none',
  })
  expect(body({ toolChoice: 'auto', tools: [search] })).not.toHaveProperty('tool_choice')
})

test('a required call, and a named one', () => {
  expect(body({ toolChoice: 'required', tools: [search] })).toMatchObject({ tool_choice: 'required' })
  expect(body({ toolChoice: { tool: 'search' }, tools: [search] })).toMatchObject({
    tool_choice: { type: 'function', name: 'search' },
  })
})

test('a strict tool is sent as such', () => {
  expect(body({ tools: [search, { ...search, strict: true }] })).toMatchObject({
    tools: [tool, { ...tool, strict: true }],
  })
})

test('settings have the names of the API', () => {
  const settings = {
    temperature: 0,
    topP: 0.5,
    maxOutputTokens: 100,
    reasoningEffort: 'low',
    reasoningSummary: 'auto',
    user: 'u1',
  } as const
  expect(body({}, settings)).toEqual({
    ...nothing,
    temperature: 0,
    top_p: 0.5,
    max_output_tokens: 100,
    reasoning: { effort: 'low', summary: 'auto' },
    user: 'u1',
  })
  expect(body({}, { reasoningSummary: 'concise' })).toEqual({ ...nothing, reasoning: { summary: 'concise' } })
})

test('extraBody wins over the settings, not over the conversation', () => {
  const extraBody = { temperature: 1, top_k: 40, model: 'other', input: 'no', store: true }
  expect(body({}, { temperature: 0, extraBody })).toEqual({ ...nothing, temperature: 1, top_k: 40 })
})
