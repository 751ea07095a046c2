import { expect, test } from 'vitest'
import type { ModelRequest } from '../../../../src/actors/chat-model.ts'
import { toParams } from '../../../../src/actors/openai/chat/request.ts'

const openAI = 'https://api.openai.com/v1'
const search = { name: 'search', description: 'Finds', parameters: { type: 'object' } }
const empty: ModelRequest = { messages: [], tools: [], toolChoice: 'auto' }

/** As it goes over the wire, without what is undefined. */
function body(request: Partial<ModelRequest>, settings = {}, baseURL = openAI): unknown {
  return JSON.parse(
    JSON.stringify(toParams('m', { ...empty, ...request }, settings, { baseURL, quirks: new Set() })),
  )
}

test('each message becomes one message, in order', () => {
  expect(
    body({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Find it' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'search', args: { q: 'it' } }] },
        { role: 'tool', toolCallId: 'a', toolName: 'search', content: '{"hits":0}', isError: true },
        { role: 'user', content: 'Answer in JSON.', internal: 'feedback' },
        { role: 'user', content: 'Go on', internal: 'notice' },
        { role: 'assistant', content: 'Nothing.' },
        { role: 'assistant', content: 'I look again.', toolCalls: [{ id: 'b', name: 'search', args: {} }] },
        { role: 'assistant', content: '', toolCalls: [] },
      ],
      tools: [search],
    }),
  ).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Find it' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'search', arguments: '{"q":"it"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"hits":0}' },
      { role: 'user', content: 'Answer in JSON.' },
      { role: 'user', content: 'Go on' },
      { role: 'assistant', content: 'Nothing.' },
      {
        role: 'assistant',
        content: 'I look again.',
        tool_calls: [{ id: 'b', type: 'function', function: { name: 'search', arguments: '{}' } }],
      },
      { role: 'assistant', content: '' },
    ],
    tools: [{ type: 'function', function: search }],
  })
})

test('malformed arguments are replayed as {}', () => {
  const toolCalls = [{ id: 'a', name: 'search', args: null, malformed: '{"q":' }]
  expect(body({ messages: [{ role: 'assistant', content: '', toolCalls }] })).toMatchObject({
    messages: [{ tool_calls: [{ function: { arguments: '{}' } }] }],
  })
})

test('a name that the model made up is replayed in a form that OpenAI accepts, a tool’s own name as it is', () => {
  const names = ['functions.search', '', 'fs.read', 'x'.repeat(70)]
  const toolCalls = names.map((name, i) => ({ id: `${i}`, name, args: {} }))
  const tools = [{ ...search, name: 'fs.read' }]
  const { messages } = toParams(
    'm',
    { ...empty, messages: [{ role: 'assistant', content: '', toolCalls }], tools },
    {},
    { baseURL: openAI, quirks: new Set() },
  )
  expect(messages[0]).toMatchObject({
    tool_calls: [
      { function: { name: 'functions_search' } },
      { function: { name: 'unknown' } },
      { function: { name: 'fs.read' } },
      { function: { name: 'x'.repeat(64) } },
    ],
  })
})

test('tool_choice and parallel_tool_calls go only with tools', () => {
  expect(body({ toolChoice: 'none' }, { parallelToolCalls: false })).toEqual({ model: 'm', messages: [] })
  expect(body({ toolChoice: 'none', tools: [search] }, { parallelToolCalls: false })).toEqual({
    model: 'm',
    messages: [],
    parallel_tool_calls: false,
    tools: [{ type: 'function', function: search }],
    tool_choice: 'none',
  })
  expect(body({ toolChoice: 'auto', tools: [search] })).not.toHaveProperty('tool_choice')
})

test('a required call, and a named one', () => {
  expect(body({ toolChoice: 'required', tools: [search] })).toMatchObject({ tool_choice: 'required' })
  expect(body({ toolChoice: { tool: 'search' }, tools: [search] })).toMatchObject({
    tool_choice: { type: 'function', function: { name: 'search' } },
  })
})

test('a strict tool is sent as such', () => {
  expect(body({ tools: [search, { ...search, name: 'save', strict: true }] })).toMatchObject({
    tools: [
      { type: 'function', function: search },
      { type: 'function', function: { ...search, name: 'save', strict: true } },
    ],
  })
})

test('the penalties', () => {
  expect(body({}, { presencePenalty: -1, frequencyPenalty: 0.5 })).toMatchObject({
    presence_penalty: -1,
    frequency_penalty: 0.5,
  })
})

test('settings have the names of the API', () => {
  const settings = {
    temperature: 0,
    topP: 0.5,
    maxOutputTokens: 100,
    seed: 7,
    stop: ['END'],
    reasoningEffort: 'low',
    user: 'u1',
  } as const
  expect(body({}, settings)).toEqual({
    model: 'm',
    messages: [],
    temperature: 0,
    top_p: 0.5,
    max_completion_tokens: 100,
    seed: 7,
    stop: ['END'],
    reasoning_effort: 'low',
    user: 'u1',
  })
})

test.each([
  ['https://eu.api.openai.com/v1', 'max_completion_tokens'],
  ['https://mine.openai.azure.com/openai', 'max_completion_tokens'],
  ['http://localhost:11434/v1', 'max_tokens'],
  ['https://notopenai.com/v1', 'max_tokens'],
  ['', 'max_tokens'],
])('the cap at %s is %s', (baseURL, field) => {
  expect(body({}, { maxOutputTokens: 5 }, baseURL)).toEqual({ model: 'm', messages: [], [field]: 5 })
})

test('extraBody wins over the settings, not over the conversation', () => {
  const extraBody = { temperature: 1, top_k: 40, model: 'other', messages: null }
  expect(body({}, { temperature: 0, extraBody })).toEqual({
    model: 'm',
    messages: [],
    temperature: 1,
    top_k: 40,
  })
})
