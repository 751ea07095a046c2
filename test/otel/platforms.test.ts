/**
 * What Langfuse and Phoenix show of spans. Each reader below is written from the facts of a public converter, of its
 * commit: `OtelIngestionProcessor.ts` and `ObservationTypeMapper.ts` of langfuse/langfuse at 0030ed8f and 005da4e5, and
 * `trace/gen_ai/conversion.py` of Arize-ai/phoenix at 10c483a0.
 */
import { SpanStatusCode, type Attributes } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { createAgent, createTool, createTroupe, TerminalError, type ChatModel, type ModelReply } from 'troupe'
import { otel } from 'troupe/otel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
afterAll(() => telemetry.close())

type Shown = Readonly<Record<string, unknown>>
type Reader = (span: ReadableSpan) => Shown

/** Without what a platform leaves empty. */
const filled = (shown: Shown): Shown =>
  Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))

const startingWith = (attributes: Attributes, prefix: string): [string, unknown][] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
  )

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const langfuse: Reader = ({ name, status, attributes: given }) => {
  const types: Shown = { chat: 'GENERATION', invoke_agent: 'AGENT', execute_tool: 'TOOL' }
  const usage: Readonly<Record<string, string>> = { input_tokens: 'input', output_tokens: 'output' }
  const parameters = startingWith(given, 'gen_ai.request.').filter(([key]) => key !== 'model')
  const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'
  return filled({
    name: given['gen_ai.tool.name'] ?? name,
    type: types[String(given['gen_ai.operation.name'])] ?? 'SPAN',
    session: given['gen_ai.conversation.id'],
    model: given['gen_ai.response.model'] ?? given['gen_ai.request.model'],
    parameters: Object.fromEntries(
      parameters.map(([key, value]) => [key, isPlain(value) ? value : JSON.stringify(value)]),
    ),
    usage: Object.fromEntries(
      startingWith(given, 'gen_ai.usage.').map(([key, value]) => [usage[key] ?? key, value]),
    ),
    input: given['gen_ai.input.messages'] ?? given['gen_ai.tool.call.arguments'],
    output: given['gen_ai.output.messages'] ?? given['gen_ai.tool.call.result'],
    level: status.code === SpanStatusCode.ERROR ? 'ERROR' : 'DEFAULT',
    statusMessage: status.message,
  })
}

const phoenix: Reader = ({ attributes: given }) => {
  const kinds: Shown = { chat: 'LLM', invoke_agent: 'AGENT', execute_tool: 'TOOL' }
  const taken = 'temperature top_p top_k max_tokens frequency_penalty presence_penalty seed stream'.split(' ')
  const parameters = startingWith(given, 'gen_ai.request.').filter(([key]) => taken.includes(key))
  const stop = given['gen_ai.request.stop_sequences']
  const [input, output] = [given['gen_ai.usage.input_tokens'], given['gen_ai.usage.output_tokens']]
  const response = filled({ id: given['gen_ai.response.id'], model: given['gen_ai.response.model'] })
  return filled({
    'openinference.span.kind': kinds[String(given['gen_ai.operation.name'])],
    'session.id': given['gen_ai.conversation.id'],
    'llm.model_name': given['gen_ai.request.model'],
    'llm.invocation_parameters': filled({ ...Object.fromEntries(parameters), stop }),
    'llm.token_count.total': input === undefined ? undefined : Number(input) + Number(output),
    'llm.token_count.prompt_details.cache_read': given['gen_ai.usage.cache_read.input_tokens'],
    'tool.name': given['gen_ai.tool.name'],
    'tool.parameters': given['gen_ai.tool.call.arguments'],
    'output.value':
      given['gen_ai.tool.call.result'] ??
      (Object.keys(response).length === 0 ? undefined : JSON.stringify(response)),
    messages: [
      ...(given['gen_ai.system_instructions'] === undefined ? [] : ['system']),
      ...['gen_ai.input.messages', 'gen_ai.output.messages'].flatMap((key) =>
        z
          .array(z.object({ role: z.string(), parts: z.array(z.object({ type: z.string() })) }))
          .parse(JSON.parse(textOf(given[key]) ?? '[]'))
          .map(({ role }) => role),
      ),
    ],
  })
}

const usage = { inputTokens: 9, outputTokens: 4, totalTokens: 13, cachedInputTokens: 3 }
const response = { id: 'r-1', modelId: 'm-2026' }
const replies: readonly ModelReply[] = [
  {
    text: '',
    toolCalls: [
      { id: 'a', name: 'look', args: { at: 'snow' } },
      { id: 'b', name: 'look', args: { at: 'rock' } },
    ],
    finishReason: 'tool-calls',
    usage,
    response,
  },
  { text: 'White.', toolCalls: [], finishReason: 'stop', usage, response },
]

beforeAll(async () => {
  let asked = 0
  const model: ChatModel = {
    provider: 'openai',
    modelId: 'm',
    settings: { temperature: 0.5, maxOutputTokens: 9, stop: ['END'] },
    async generate(_, { onDelta }) {
      const reply = replies[asked++] ?? Promise.reject(new TerminalError('No more.'))
      onDelta?.({ type: 'text', text: 'W' })
      return reply
    },
  }
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ at: z.string() }),
    execute: ({ at }) => {
      if (at === 'rock') throw new TerminalError('Too dark.')
      return { colour: 'white' }
    },
  })
  const agent = createAgent({ id: 'poet', instructions: 'Be short.', model, tools: { look } })
  const troupe = createTroupe({ agents: [agent], around: otel({ content: true }), onError: () => undefined })
  const run = await troupe.start(agent, 'Go', { conversationId: 'c-1' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'White.' })
  await troupe.close()
})

const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
const message = (...parts: readonly string[]) => expect.stringMatching(new RegExp(parts.join('.*')))
const asked = { temperature: 0.5, max_tokens: 9 }
const tokens = { input: 9, output: 4, 'cache_read.input_tokens': 3 }

const shown: readonly (readonly [platform: string, read: Reader, spans: readonly Shown[]])[] = [
  [
    'Langfuse',
    langfuse,
    [
      { name: 'start_run poet', type: 'SPAN', level: 'DEFAULT', parameters: {}, usage: {} },
      {
        name: 'invoke_agent poet',
        type: 'AGENT',
        level: 'DEFAULT',
        session: 'c-1',
        parameters: {},
        usage: {},
        input: JSON.stringify([text('user', 'Go')]),
        output: message('White'),
      },
      {
        name: 'chat m',
        type: 'GENERATION',
        level: 'DEFAULT',
        session: 'c-1',
        model: 'm-2026',
        parameters: { ...asked, stream: 'true', stop_sequences: '["END"]' },
        usage: tokens,
        input: message('user', 'Go'),
        output: message('tool_call', 'look'),
      },
      {
        name: 'look',
        type: 'TOOL',
        level: 'DEFAULT',
        session: 'c-1',
        parameters: {},
        usage: {},
        input: '{"at":"snow"}',
        output: '{"colour":"white"}',
      },
      {
        name: 'look',
        type: 'TOOL',
        level: 'ERROR',
        statusMessage: 'Too dark.',
        session: 'c-1',
        parameters: {},
        usage: {},
        input: '{"at":"rock"}',
      },
    ],
  ],
  [
    'Phoenix',
    phoenix,
    [
      { messages: [], 'llm.invocation_parameters': {} },
      {
        'openinference.span.kind': 'AGENT',
        'session.id': 'c-1',
        'llm.invocation_parameters': {},
        messages: ['user', 'assistant'],
      },
      {
        'openinference.span.kind': 'LLM',
        'session.id': 'c-1',
        'llm.model_name': 'm',
        'llm.invocation_parameters': { ...asked, stream: true, stop: ['END'] },
        'llm.token_count.total': 13,
        'llm.token_count.prompt_details.cache_read': 3,
        'output.value': '{"id":"r-1","model":"m-2026"}',
        messages: ['system', 'user', 'assistant'],
      },
      {
        'openinference.span.kind': 'TOOL',
        'session.id': 'c-1',
        'llm.invocation_parameters': {},
        'tool.name': 'look',
        'tool.parameters': '{"at":"snow"}',
        'output.value': '{"colour":"white"}',
        messages: [],
      },
      {
        'openinference.span.kind': 'TOOL',
        'session.id': 'c-1',
        'llm.invocation_parameters': {},
        'tool.name': 'look',
        'tool.parameters': '{"at":"rock"}',
        messages: [],
      },
    ],
  ],
]

test.each(shown)('what %s shows of each span', (_, read, expected) => {
  expect(telemetry.spans.slice(0, expected.length).map(read)).toEqual(expected)
})
