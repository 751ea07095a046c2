/** A server that has no such address, or no such model: the error has the address that was asked. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TerminalError } from '../../../src/errors.ts'
import { json, raw, startFaultServer, type Answer, type FaultServer } from '../../support/fault-server.ts'
import { ask, askStreaming, rejection } from '../../support/agents/model-calls.ts'
import { wires } from '../../support/wires.ts'

let server: FaultServer

beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const said = (message: string, more: object = {}) => ({ error: { message, ...more } })
const hint = ' (the baseURL of most servers ends in /v1)'

describe.each(wires)('$api:', (wire) => {
  const path = wire.api === 'responses' ? '/responses' : '/chat/completions'

  test.each<[name: string, answer: Answer, words: string]>([
    ['Ollama', raw(404, 'text/plain', '404 page not found'), '404: 404 page not found'],
    ['vLLM', json(404, { detail: 'Not Found' }), '404: {"detail":"Not Found"}'],
    [
      'OpenAI',
      json(404, said('Invalid URL (POST /completions)', { type: 'invalid_request_error' })),
      '404: Invalid URL (POST /completions)',
    ],
  ])('the address that %s does not have', async (_, answer, words) => {
    server.answer = answer
    const { origin } = new URL(server.url)
    for (const call of [ask, askStreaming]) {
      const error = await rejection(
        call(wire.model({ baseURL: `${origin}/`, apiKey: 'sk-secret-0123456789' })),
      )
      expect(error).toBeInstanceOf(TerminalError)
      const [status, ...rest] = words.split(': ')
      expect(error).toMatchObject({
        code: 'ENDPOINT_NOT_FOUND',
        message: `Model "gpt-x" answered ${status} at ${origin}${path}${hint}: ${rest.join(': ')}`,
      })
    }
  })

  test('an address with a version gets no hint', async () => {
    server.answer = raw(404, 'text/plain', 'nothing here')
    const baseURL = `${new URL(server.url).origin}/api/v2`
    const error = await rejection(ask(wire.model({ baseURL, apiKey: 'sk-secret-0123456789' })))
    expect(error).toMatchObject({
      code: 'ENDPOINT_NOT_FOUND',
      message: `Model "gpt-x" answered 404 at ${baseURL}${path}: nothing here`,
    })
  })

  test('LM Studio, which answers 200', async () => {
    server.answer = json(200, { error: `Unexpected endpoint or method. (POST ${path})` })
    const error = await rejection(ask(wire.model({ baseURL: server.url, apiKey: 'sk-secret-0123456789' })))
    expect(error).toBeInstanceOf(TerminalError)
    expect(error).toMatchObject({ code: 'ENDPOINT_NOT_FOUND' })
  })

  test.each<[name: string, answer: Answer, words: string]>([
    [
      'OpenAI',
      json(404, said('The model `x` does not exist', { code: 'model_not_found' })),
      'The model `x` does not exist',
    ],
    ['Ollama', json(404, said("model 'x' not found", { type: 'api_error' })), "model 'x' not found"],
    ['a code alone', json(404, said('No.', { code: 'model_not_found' })), 'No.'],
  ])('the model that %s does not have', async (_, answer, words) => {
    server.answer = answer
    const error = await rejection(ask(wire.model({ baseURL: server.url, apiKey: 'sk-secret-0123456789' })))
    expect(error).toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: `Model "gpt-x" answered 404 at ${server.url.replace(/\/$/, '')}${path}: ${words}`,
    })
  })
})
