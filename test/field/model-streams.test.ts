/** What servers of models really send. The source of each case is a public thread, `repo#number`. */
import { createAgent, createTool, openai } from 'troupe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { event, startFaultServer, type Answer, type FaultServer } from '../support/fault-server.ts'

interface SentCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

interface Sent {
  readonly messages: readonly {
    readonly role: string
    readonly content?: unknown
    readonly tool_calls?: readonly SentCall[]
    readonly tool_call_id?: string
  }[]
}

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
})
/** A piece of a call; what is `undefined` is absent on the wire. */
const piece = (index: number, id?: string, name?: string, args?: unknown) =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] })
const text = (content: string) => chunk({ role: 'assistant', content })
const stop = chunk({}, 'stop')
const called = chunk({}, 'tool_calls')
const done = event('[DONE]')
const events = (...parts: readonly object[]) => parts.map((part) => event(part)).join('')

/** An item of the Responses API that calls the tool, without the id that the protocol leaves out. */
const item = (call_id: string, args: string) => ({
  type: 'function_call',
  call_id,
  name: 'weather',
  arguments: args,
})
const added = (output_index: number, call_id: string) => ({
  type: 'response.output_item.added',
  output_index,
  item: item(call_id, ''),
})
const ended = (output_index: number, call_id: string, city: string) => ({
  type: 'response.output_item.done',
  output_index,
  item: item(call_id, JSON.stringify({ city })),
})
const completed = (...output: readonly object[]) => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', error: null, output },
})
const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }

/** What each later request is answered with. */
const ends = { chat: events(text('Done.'), stop) + done, responses: events(completed(answer)) }

const sending =
  (body: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(body)
  }

/** A run whose first reply is `body`; each later reply is "Done.". */
async function runOn(body: string, prompt = 'Go', api: 'chat' | 'responses' = 'chat') {
  const cities: (string | undefined)[] = []
  const weather = createTool({
    id: 'weather',
    description: 'Tells the weather.',
    inputSchema: z.object({ city: z.string().optional() }),
    execute: async ({ city }) => {
      cities.push(city)
      return `It is sunny in ${city}.`
    },
  })
  server.answer = (response, request) =>
    sending(server.requests.length === 1 ? body : ends[api])(response, request)
  const model = openai('gpt-x', { baseURL: server.url, api })
  const agent = createAgent({ id: 'solo', instructions: 'Help.', model, tools: { weather } })
  const result = await agent.stream(prompt).result
  const sent = server.requests.map((request) => request.body as Sent)
  const second = sent[1]?.messages ?? []
  const calls = second.flatMap((message) => message.tool_calls ?? [])
  const answered = second.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
  return { result, cities, calls, answered, bodies: server.requests.map(({ body }) => body) }
}

test.each<[source: string, what: string, pieces: readonly object[], cities: readonly string[]]>([
  [
    'BerriAI/litellm#20480',
    'an id on every piece, and the arguments once more as a JSON text',
    [
      piece(0, 'a', 'weather', '{"city":'),
      piece(0, 'a', undefined, '"Bern"}'),
      piece(0, 'a', 'weather', JSON.stringify('{"city":"Bern"}')),
    ],
    ['Bern'],
  ],
  [
    'vllm-project/vllm#51697',
    'the whole arguments once more in the last piece',
    [
      piece(0, 'a', 'weather', ''),
      piece(0, undefined, undefined, '{"city":"Bern"}'),
      piece(0, undefined, undefined, '{"city":"Bern"}'),
    ],
    ['Bern'],
  ],
  [
    'Soju06/codex-lb#284',
    'three copies of the arguments in one piece',
    [piece(0, 'a', 'weather', '{"city":"Bern"}'.repeat(3))],
    ['Bern'],
  ],
  [
    'vllm-project/vllm#44098',
    'id and name again in the last piece',
    [piece(0, 'a', 'weather', '{"city":'), piece(0, 'a', 'weather', '"Bern"}')],
    ['Bern'],
  ],
  [
    'HKUDS/nanobot#3943',
    'one id for two calls',
    [piece(0, 'a', 'weather', '{"city":"Bern"}'), piece(1, 'a', 'weather', '{"city":"Rome"}')],
    ['Bern', 'Rome'],
  ],
  [
    'huggingface/smolagents#2684',
    'calls without ids',
    [piece(0, '', 'weather', '{"city":"Bern"}'), piece(1, '', 'weather', '{"city":"Rome"}')],
    ['Bern', 'Rome'],
  ],
  ['vercel/ai#2103', 'no arguments at all', [piece(0, 'a', 'weather', '')], ['nowhere']],
])('%s: %s: each call runs once, and has one result under its id', async (_source, _what, pieces, cities) => {
  const run = await runOn(events(...pieces, called) + done)
  expect(run.result.outcome).toBe('completed')
  expect(run.cities.map((city) => city ?? 'nowhere')).toEqual(cities)
  expect(run.answered).toEqual(run.calls.map(({ id }) => id))
  expect(new Set(run.answered).size).toBe(cities.length)
})

test.each<[source: string, what: string, name: string, args: string]>([
  ['mastra-ai/mastra#12895', 'a name with a prefix', 'default_api:weather', '{"city":"Bern"}'],
  ['NousResearch/hermes-agent#48109', 'an empty name', '', '{"city":"Bern"}'],
  ['vercel/ai#14280', 'arguments that are no JSON', 'weather', '{"city": Bern'],
])('%s: %s comes back to the model in a form that servers take', async (_source, _what, name, args) => {
  const run = await runOn(events(piece(0, 'a', name, args), called) + done)
  expect(run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(run.cities).toEqual([])
  expect(run.calls).toHaveLength(1)
  for (const { function: sent } of run.calls) {
    expect(sent.name).toMatch(/^[\w-]{1,64}$/)
    expect(JSON.parse(sent.arguments)).toBeTypeOf('object')
  }
  expect(run.answered).toEqual(['a'])
})

test.each<[source: string, what: string, body: string]>([
  ['earendil-works/pi#8997', 'the last line has no break', events(text('Hi.'), stop) + done.trimEnd()],
  ['earendil-works/pi#8997', 'the last event has no empty line', events(text('Hi.'), stop).trimEnd()],
  ['WHATWG 9.2.6', 'lines end with CR', (events(text('Hi.'), stop) + done).replaceAll('\n', '\r')],
  [
    'WHATWG 9.2.6',
    'comments and a byte order mark',
    `\u{FEFF}: PROCESSING\n\n${events(text('Hi.'), stop)}: ping\n\n${done}`,
  ],
])('%s: %s: the reply is whole', async (_source, _what, body) => {
  expect((await runOn(body)).result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
})

test.each<[source: string, what: string, body: string]>([
  [
    'openclaw/openclaw#108989',
    'the stream ends within a call',
    events(piece(0, 'a', 'weather', '{"city":"Be')),
  ],
  [
    'openclaw/openclaw#108989',
    'a limit cuts a call',
    events(piece(0, 'a', 'weather', '{"city":"Be'), chunk({}, 'length')) + done,
  ],
])('%s: %s: the tool is not called', async (_source, _what, body) => {
  const { result, cities } = await runOn(body)
  expect(cities).toEqual([])
  expect(result.text).toBe('Done.')
})

test('an error within a stream of status 200 is the error of the run (Kubedoll-Heavy-Industries/mistral.rs#57)', async () => {
  const { result } = await runOn(events(text('Hi'), { error: { message: 'Bad request', code: 400 } }) + done)
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_REQUEST' } })
})

test.each<[source: string, what: string, prompt: string, body: string]>([
  ['anomalyco/opencode#17758', 'a prompt', 'Half of it: \ud83d', events(text('Done.'), stop) + done],
  [
    'JohnnyZ93/oai-compatible-copilot#271',
    'arguments and a result',
    'Go',
    events(piece(0, 'a', 'weather', String.raw`{"city":"\ud83d"}`), called) + done,
  ],
])('%s: half a character in %s reaches no server', async (_source, _what, prompt, body) => {
  const { result, bodies } = await runOn(body, prompt)
  expect(result.outcome).toBe('completed')
  const text = JSON.stringify(bodies)
  expect(text).toContain('\u{FFFD}')
  expect(text).not.toMatch(/\\+ud[89a-f]/i)
})

test.each<[source: string, what: string, body: string, cities: readonly string[]]>([
  [
    'earendil-works/pi#9057',
    'calls without item ids stay two',
    events(
      added(0, 'a'),
      ended(0, 'a', 'Bern'),
      added(1, 'b'),
      ended(1, 'b', 'Rome'),
      completed(item('a', '{"city":"Bern"}'), item('b', '{"city":"Rome"}')),
    ),
    ['Bern', 'Rome'],
  ],
  [
    'vllm-project/vllm#44348',
    'arguments whose rest comes with the end of the item are whole',
    events(
      added(0, 'a'),
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"city":' },
      ended(0, 'a', 'Bern'),
      completed(),
    ),
    ['Bern'],
  ],
  [
    'openclaw/openclaw#108958',
    'a call in a reply that a limit cut is not made',
    events(
      added(0, 'a'),
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"city":"Be' },
      {
        type: 'response.incomplete',
        response: {
          object: 'response',
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          error: null,
          output: [item('a', '{"city":"Be')],
        },
      },
    ),
    [],
  ],
  [
    'openclaw/openclaw#108958',
    'a whole call in a stream that breaks off is not made',
    events(ended(0, 'a', 'Bern')),
    [],
  ],
])('%s: over Responses, %s', async (_source, _what, body, cities) => {
  const { result, cities: asked } = await runOn(body, 'Go', 'responses')
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(asked).toEqual(cities)
})
