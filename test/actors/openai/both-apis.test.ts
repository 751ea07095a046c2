/** One agent, one task, both APIs, streaming and not: the run is the same. */
import { LLMock } from '@copilotkit/aimock'
import { createAgent, createTool, createTroupe, openai, type FinalResult } from 'troupe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../../support/agents/agents.ts'
import { json, startFaultServer } from '../../support/fault-server.ts'

const mock = new LLMock({ port: 0 })
beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => {
  mock.reset()
  mock.on(
    { hasToolResult: false },
    {
      toolCalls: [
        { id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' },
        { id: 'call_b', name: 'weather', arguments: '{"city":"Rome"}' },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
    },
  )
  mock.on(
    { hasToolResult: true },
    {
      content: 'Rain in Oslo, sun in Rome.',
      reasoning: 'Two cities.',
      usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 },
    },
  )
})

const sky: Readonly<Record<string, string>> = { Oslo: 'rain', Rome: 'sun' }
const weather = createTool({
  id: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: sky[city] ?? 'unknown' }),
})

function guide(api: 'chat' | 'responses') {
  return createAgent({
    id: 'guide',
    instructions: 'Be short.',
    model: openai('gpt-5.4', { baseURL: `${mock.url}/v1`, apiKey: 'sk-test-of-aimock', api }),
    tools: { weather },
  })
}

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses' }
const prompt = 'What is the weather in Oslo and in Rome?'
const comparable = (result: FinalResult) => ({ ...result, runId: 'any' })

test.each([false, true])('with stream: %s', async (stream) => {
  const seen = []
  for (const api of ['chat', 'responses'] as const) {
    mock.clearRequests()
    const agent = guide(api)
    const run = await createTroupe({ agents: [agent] }).start(agent, prompt, { stream })
    const events = await allEvents(run)
    const result = await run.result
    expect(mock.getRequests().map((request) => request.path)).toEqual([paths[api], paths[api]])
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Rain in Oslo, sun in Rome.',
      usage: { inputTokens: 60, outputTokens: 17, totalTokens: 77 },
      steps: [
        {
          finishReason: 'tool-calls',
          toolResults: [{ value: { city: 'Oslo', sky: 'rain' } }, { value: { city: 'Rome', sky: 'sun' } }],
        },
        { finishReason: 'stop', text: 'Rain in Oslo, sun in Rome.' },
      ],
    })
    const told = (type: 'text-delta' | 'reasoning-delta') =>
      only(events, type)
        .map((event) => event.payload.text)
        .join('')
    seen.push({
      result: comparable(result),
      text: told('text-delta'),
      reasoning: told('reasoning-delta'),
      types: [...new Set(events.map((event) => event.type))],
    })
  }
  const [chat, responses] = seen
  expect(responses).toEqual(chat)
  expect(responses).toMatchObject({ text: 'Rain in Oslo, sun in Rome.', reasoning: 'Two cities.' })
})

test('over the Responses API the run sends its whole history and refers to nothing at the server', async () => {
  const server = await startFaultServer()
  const calls = ['Oslo', 'Rome'].map((city) => ({
    type: 'function_call',
    id: `fc_${city}`,
    call_id: `call_${city}`,
    name: 'weather',
    arguments: JSON.stringify({ city }),
  }))
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
  const answer = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Rain and sun.' }] }
  const outputs = [[reasoning, ...calls], [answer]]
  server.answer = (response, request) =>
    json(200, { id: 'resp_1', object: 'response', status: 'completed', output: outputs.shift() })(
      response,
      request,
    )
  const model = openai('gpt-5.4', { baseURL: server.url, api: 'responses' })
  const agent = createAgent({ id: 'guide', instructions: 'Be short.', model, tools: { weather } })
  expect((await agent.generate(prompt)).text).toBe('Rain and sun.')
  await server.close()
  const bodies = server.requests.map((request) => request.body)
  const question = { type: 'message', role: 'user', content: prompt }
  expect(bodies).toMatchObject([
    { store: false, instructions: 'Be short.', input: [question] },
    {
      store: false,
      instructions: 'Be short.',
      input: [
        question,
        { type: 'function_call', call_id: 'call_Oslo', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call', call_id: 'call_Rome', name: 'weather', arguments: '{"city":"Rome"}' },
        { type: 'function_call_output', call_id: 'call_Oslo', output: '{"city":"Oslo","sky":"rain"}' },
        { type: 'function_call_output', call_id: 'call_Rome', output: '{"city":"Rome","sky":"sun"}' },
      ],
    },
  ])
  expect(JSON.stringify(bodies)).not.toMatch(/previous_response_id|conversation|item_reference|fc_|rs_|resp_/)
})
