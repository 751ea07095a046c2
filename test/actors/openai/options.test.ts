import OpenAI from 'openai'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openai } from '../../../src/actors/openai/openai.ts'
import { ConfigurationError, TerminalError } from '../../../src/errors.ts'
import { json, startFaultServer, type FaultServer } from '../../support/fault-server.ts'
import { ask, rejection } from '../../support/agents/model-calls.ts'

let server: FaultServer

beforeEach(async () => {
  server = await startFaultServer()
  server.answer = json(200, { choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }] })
  vi.stubEnv('OPENAI_API_KEY', undefined)
  vi.stubEnv('OPENAI_BASE_URL', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

test.each([
  [
    'an empty model id',
    () => openai(' '),
    'openai(): the model id must be a text that is not empty, as in openai(\'gpt-5-mini\', options), not " ".',
  ],
  ['a timeout of 0', () => openai('m', { timeout: 0 }), 'timeout must be a whole number'],
  ['an endless timeout', () => openai('m', { timeout: Infinity }), 'not Infinity'],
  [
    'a cap that is no cap',
    () => openai('m', { maxOutputTokens: 0 }),
    'maxOutputTokens must be a positive integer, not 0',
  ],
  [
    'a base URL that is none',
    () => openai('m', { baseURL: 'localhost:11434' }),
    'baseURL must be an http or https URL',
  ],
  [
    'an api that is none',
    () => openai('m', { api: 'completions' as 'chat' }),
    'openai("m"): api must be \'chat\' or \'responses\', not "completions".',
  ],
  [
    'an api that is a property of every object',
    () => openai('m', { api: 'constructor' as 'chat' }),
    'not "constructor"',
  ],
  [
    'a seed in the Responses API',
    () => openai('m', { api: 'responses', seed: 0 }),
    "api 'responses' has no seed. Leave it out, or use the other api.",
  ],
  ['a stop in the Responses API', () => openai('m', { api: 'responses', stop: 'END' }), 'has no stop'],
  [
    'a summary of reasoning in Chat Completions',
    () => openai('m', { reasoningSummary: 'auto' }),
    "api 'chat' has no reasoningSummary",
  ],
  [
    'a history at the server',
    () => openai('m', { api: 'responses', extraBody: { previous_response_id: 'resp_1' } }),
    'extraBody must not have previous_response_id: the run owns its history',
  ],
  [
    'a store at the server',
    () => openai('m', { api: 'responses', extraBody: { store: true } }),
    'extraBody must not have store',
  ],
  [
    'a client and a key',
    () => openai('m', { apiKey: 'k', client: new OpenAI({ apiKey: 'k' }) }),
    'give either a client, or apiKey, baseURL and fetch',
  ],
])('%s is a mistake that is told at once', (_, create, message) => {
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})

test('without a key the first call says how to set it, and the next one sees that it was', async () => {
  const model = openai('gpt-5.4')
  const error = await rejection(ask(model))
  expect(error).toBeInstanceOf(TerminalError)
  expect(error).toMatchObject({ code: 'MISSING_API_KEY', message: expect.stringContaining('OPENAI_API_KEY') })
  vi.stubEnv('OPENAI_API_KEY', 'sk-from-environment')
  vi.stubEnv('OPENAI_BASE_URL', server.url)
  expect((await ask(model)).text).toBe('yes')
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-from-environment')
})

test('a server of one’s own needs no key', async () => {
  expect((await ask(openai('qwen3', { baseURL: server.url }))).text).toBe('yes')
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer not-needed' },
  })
})

test('the options win over the environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-from-environment')
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
  await ask(openai('m', { baseURL: server.url, apiKey: 'sk-from-options' }))
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-from-options')
})

test('a given client is used, but not its retries', async () => {
  server.answer = json(500, { error: { message: 'down' } })
  const client = new OpenAI({ apiKey: 'sk-of-the-client', baseURL: server.url, maxRetries: 5 })
  expect(await rejection(ask(openai('m', { client })))).toMatchObject({ code: 'MODEL_UNAVAILABLE' })
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-of-the-client')
})
