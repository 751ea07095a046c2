/** What spans and metrics say of calls of models: the server, the settings, the first piece, and who has answered. */
import { createOpenAI } from '@ai-sdk/openai'
import {
  createAgent,
  createTroupe,
  memoryStore,
  openai,
  throttled,
  type ChatModel,
  type ObservedCall,
  type ObservedEffect,
} from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { otel } from 'troupe/otel'
import { recordModel, virtualClock } from 'troupe/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { event, json, startFaultServer, stream, type FaultServer } from '../support/fault-server.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
beforeEach(() => telemetry.forget())
afterAll(async () => {
  await telemetry.close()
  await server.close()
})

const settings = {
  temperature: 0.2,
  topP: 0.9,
  maxOutputTokens: 50,
  presencePenalty: 0.1,
  frequencyPenalty: 0.3,
  seed: 7,
  stop: 'END',
} as const

const asked = {
  'gen_ai.request.temperature': 0.2,
  'gen_ai.request.top_p': 0.9,
  'gen_ai.request.max_tokens': 50,
  'gen_ai.request.presence_penalty': 0.1,
  'gen_ai.request.frequency_penalty': 0.3,
  'gen_ai.request.seed': 7,
  'gen_ai.request.stop_sequences': ['END'],
}

const answered = { 'gen_ai.response.id': 'chatcmpl-1', 'gen_ai.response.model': 'm-2026-11-01' }

const choice = { index: 0, finish_reason: 'stop' }
const about = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm-2026-11-01' }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const words = { role: 'assistant', content: 'Snow.' }

/** Answers as its request asks: whole, or as a stream. */
function answers(): void {
  server.answer = (response, request) => {
    const body = server.requests.at(-1)?.body as { readonly stream?: boolean }
    const chunks = [
      { ...about, choices: [{ index: 0, delta: words, finish_reason: null }] },
      { ...about, choices: [{ ...choice, delta: {} }], usage },
    ]
    const answer =
      body.stream === true
        ? stream([...chunks.map(event), 'data: [DONE]\n\n'])
        : json(200, { ...about, choices: [{ ...choice, message: words }], usage })
    return answer(response, request)
  }
}

async function spanOf(model: ChatModel, streams: boolean, store = memoryStore()) {
  const agent = createAgent({ id: 'poet', instructions: '', model })
  const troupe = createTroupe({ agents: [agent], store, around: otel(), onError: () => undefined })
  const run = await troupe.start(agent, 'Go', { stream: streams })
  await run.result
  await troupe.close()
  const span = telemetry.spans.find(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')
  return { attributes: span?.attributes ?? {}, runId: run.id, agent, store }
}

const options = () => ({ baseURL: server.url, apiKey: 'sk-test', ...settings })
const here = () => ({ 'server.address': '127.0.0.1', 'server.port': Number(new URL(server.url).port) })

describe.each([
  ['openai', () => openai('m', options()), true],
  ['a throttled model', () => throttled(openai('m', options()), { concurrency: 1 }), true],
  ['a recorded model', () => recordModel(openai('m', options())), true],
  ['aiSdk', () => aiSdk(createOpenAI({ baseURL: server.url, apiKey: 'sk-test' }).chat('m'), settings), false],
])('%s', (_, model, hasServer) => {
  test.each([true, false])('a call that streams: %s', async (streams) => {
    answers()
    const { attributes } = await spanOf(model(), streams)
    expect(attributes).toMatchObject({ ...asked, ...answered, ...(hasServer ? here() : {}) })
    expect('server.address' in attributes).toBe(hasServer)
    expect(attributes['gen_ai.request.stream']).toBe(streams ? true : undefined)
    expect(typeof attributes['gen_ai.response.time_to_first_chunk']).toBe(streams ? 'number' : 'undefined')
  })
})

test('a call that fails has its server and settings too, and so has its metric', async () => {
  server.answer = json(401, { error: { message: 'no' } })
  const { attributes } = await spanOf(openai('m', options()), false)
  expect(attributes).toMatchObject({ ...asked, ...here(), 'error.type': 'UNAUTHORISED' })
  const measured = await telemetry.measured()
  const durations = measured.find(({ name }) => name === 'gen_ai.client.inference.duration')
  expect(durations?.points.map((point) => point.attributes)).toContainEqual(
    expect.objectContaining({ ...here(), 'error.type': 'UNAUTHORISED' }),
  )
})

test('the id and the model of a reply are in the journal, and a replay has them', async () => {
  answers()
  const { runId, agent, store } = await spanOf(openai('m', options()), false)
  const kept = await store.read(runId)
  const response = { id: 'chatcmpl-1', modelId: 'm-2026-11-01' }
  expect(JSON.stringify(kept)).toContain(JSON.stringify(response))
  expect(JSON.stringify(kept)).not.toContain('temperature')
  const troupe = createTroupe({ agents: [agent], store })
  expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'completed', text: 'Snow.' })
  await troupe.close()
})

test.each([
  ['too long', { id: 'i'.repeat(257), modelId: 'm'.repeat(256) }, { modelId: 'm'.repeat(256) }],
  ['blank, and no text', { id: ' ', modelId: 7 }, undefined],
  ['no object', 'gpt', undefined],
])('what a model says about its reply is left out where it is %s', async (_, response, kept) => {
  const model = {
    provider: 'own',
    modelId: 'm',
    generate: async () =>
      ({ text: 'Snow.', response }) as unknown as Awaited<ReturnType<ChatModel['generate']>>,
  }
  const { attributes, runId, store } = await spanOf(model, false)
  expect(attributes['gen_ai.response.id']).toBeUndefined()
  expect(attributes['gen_ai.response.model']).toBe(kept?.modelId)
  expect(JSON.stringify(await store.read(runId)).includes('"response":')).toBe(kept !== undefined)
})

test('the time to the first piece is that of the clock, from the call of the model to its first piece', async () => {
  const clock = virtualClock({ start: 1_000 })
  const seen: (ObservedCall | undefined)[] = []
  const model: ChatModel = {
    provider: 'own',
    modelId: 'm',
    settings: { temperature: 1 },
    server: { address: 'models.example', port: 8443 },
    async generate(_, { onDelta }) {
      await clock.advance(250)
      onDelta?.({ type: 'text', text: 'Sn' })
      await clock.advance(4_000)
      onDelta?.({ type: 'text', text: 'ow.' })
      return {
        text: 'Snow.',
        toolCalls: [],
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      }
    },
  }
  const agent = createAgent({ id: 'poet', instructions: '', model })
  const watch = async (effect: ObservedEffect, perform: () => Promise<unknown>): Promise<void> => {
    seen.push(effect.call)
    await perform()
    seen.push(effect.call)
  }
  const troupe = createTroupe({ agents: [agent], clock, around: [watch, otel()] })
  const run = await troupe.start(agent, 'Go')
  await run.result
  await troupe.close()
  const { settings: told, server: toldServer } = model
  expect(seen).toEqual([
    undefined,
    { settings: told, server: toldServer, streams: true, firstPieceAfter: 250 },
  ])
  const span = telemetry.spans.find(({ name }) => name === 'chat m')
  expect(span?.attributes).toMatchObject({
    'gen_ai.response.time_to_first_chunk': 0.25,
    'server.address': 'models.example',
    'server.port': 8443,
  })
  const measured = await telemetry.measured()
  const first = measured.find(({ name }) => name === 'gen_ai.client.inference.time_to_first_chunk')
  expect(first?.unit).toBe('s')
  expect(first?.points.find(({ attributes }) => attributes['server.port'] === 8443)?.value).toMatchObject({
    count: 1,
    sum: 0.25,
  })
})
