/** What a server or a connection does wrong, over either API: it is told alike. */
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RetryableError, TerminalError, toErrorData } from '../../../src/errors.ts'
import {
  event,
  hang,
  hangUp,
  json,
  raw,
  startFaultServer,
  stream,
  type Answer,
  type FaultServer,
} from '../../support/fault-server.ts'
import { ask, askStreaming, rejection } from '../../support/agents/model-calls.ts'
import { wires } from '../../support/wires.ts'

const apiKey = 'sk-secret-0123456789'
let server: FaultServer

beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

const said = (message: string, more: object = {}) => ({ error: { message, ...more } })

/** The words of the platform, and those of `node:http`. */
function closedBy({ name }: typeof globalThis.fetch): string {
  return name === 'fetch' ? 'other side closed' : 'socket hang up'
}

const contextMessage =
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."

describe.each(wires)('$api:', (wire) => {
  const model = (timeout = 20_000) => wire.model({ baseURL: server.url, apiKey, timeout })

  test.each<[name: string, answer: Answer, code: string, message: string]>([
    ['408', json(408, said('Slow')), 'MODEL_UNAVAILABLE', 'answered 408: Slow'],
    ['409', json(409, said('Conflict')), 'MODEL_UNAVAILABLE', 'answered 409: Conflict'],
    [
      '429',
      json(429, said('Too fast', { code: 'rate_limit_exceeded' })),
      'RATE_LIMITED',
      'answered 429: Too fast',
    ],
    ['500', json(500, said('Boom')), 'MODEL_UNAVAILABLE', 'answered 500: Boom'],
    [
      '502, HTML',
      raw(502, 'text/html', '<h1>Bad gateway</h1>'),
      'MODEL_UNAVAILABLE',
      'answered 502: <h1>Bad gateway</h1>',
    ],
    ['503, no body', raw(503, 'text/plain', ''), 'MODEL_UNAVAILABLE', 'answered 503: status code (no body)'],
    ['a hang-up', hangUp, 'MODEL_UNREACHABLE', `could not be reached: ${closedBy(globalThis.fetch)}`],
  ])('%s is retryable', async (_, answer, code, message) => {
    server.answer = answer
    for (const call of [ask, askStreaming]) {
      const error = await rejection(call(model()))
      expect(error).toBeInstanceOf(RetryableError)
      expect(error).toMatchObject({ code, message: `Model "gpt-x" ${message}`, retryAfterMs: undefined })
      expect(error).toHaveProperty('cause', expect.any(Error))
    }
    expect(server.requests).toHaveLength(2)
  })

  test.each<[name: string, answer: Answer, code: string, message: string]>([
    ['401', json(401, said('Incorrect API key')), 'UNAUTHORISED', 'answered 401: Incorrect API key'],
    ['403', json(403, said('Not in your region')), 'UNAUTHORISED', 'answered 403: Not in your region'],
    [
      '429 for want of money',
      json(429, said('Check your plan', { type: 'insufficient_quota', code: 'insufficient_quota' })),
      'QUOTA_EXCEEDED',
      'answered 429: Check your plan',
    ],
    ['402', json(402, said('Insufficient balance')), 'QUOTA_EXCEEDED', 'answered 402: Insufficient balance'],
    [
      'a context length by its code',
      json(400, said('Too long', { code: 'context_length_exceeded' })),
      'CONTEXT_LENGTH_EXCEEDED',
      'answered 400: Too long',
    ],
    [
      'a context length by its message (vLLM)',
      json(400, { object: 'error', message: contextMessage, type: 'BadRequestError', code: 400 }),
      'CONTEXT_LENGTH_EXCEEDED',
      `answered 400: ${contextMessage}`,
    ],
    [
      'a content filter (Azure)',
      json(400, said('The response was filtered', { code: 'content_filter' })),
      'CONTENT_FILTERED',
      'answered 400: The response was filtered',
    ],
    ['400', json(400, said('Bad field')), 'INVALID_REQUEST', 'answered 400: Bad field'],
    [
      '422 (FastAPI)',
      json(422, { detail: 'missing' }),
      'INVALID_REQUEST',
      'answered 422: {"detail":"missing"}',
    ],
    [
      'a list of errors (Gemini)',
      json(400, [{ error: { code: 400, message: 'Bad schema', status: 'INVALID_ARGUMENT' } }]),
      'INVALID_REQUEST',
      'answered 400: Bad schema',
    ],
  ])('%s is terminal', async (_, answer, code, message) => {
    server.answer = answer
    const error = await rejection(ask(model()))
    expect(error).toBeInstanceOf(TerminalError)
    expect(error).toMatchObject({
      code,
      message: `Model "gpt-x" ${message}`,
      cause: { status: expect.any(Number) },
    })
    expect(server.requests).toHaveLength(1)
  })

  test('retry-after is passed on', async () => {
    server.answer = json(503, said('Later'), { 'retry-after-ms': '250' })
    expect(await rejection(ask(model()))).toMatchObject({ retryAfterMs: 250 })
  })

  test.each<[name: string, error: unknown, code: string, message: string]>([
    ['a status', { code: 502, message: 'Upstream' }, 'MODEL_UNAVAILABLE', 'Upstream'],
    ['a rate limit', { type: 'rate_limit_error', message: 'Slow' }, 'RATE_LIMITED', 'Slow'],
    ['an overload', { type: 'overloaded_error', message: 'Busy' }, 'MODEL_UNAVAILABLE', 'Busy'],
    ['a quota', { code: 'insufficient_quota', message: 'Pay' }, 'QUOTA_EXCEEDED', 'Pay'],
    ['a bad request', { type: 'invalid_request_error', message: 'Bad' }, 'INVALID_REQUEST', 'Bad'],
    ['a context length', { code: 400, message: contextMessage }, 'CONTEXT_LENGTH_EXCEEDED', contextMessage],
    ['a text', 'model runner stopped', 'MODEL_UNAVAILABLE', 'model runner stopped'],
    ['nothing that is known', { oops: 1 }, 'MODEL_UNAVAILABLE', '{"oops":1}'],
  ])('an error inside a response of status 200 that tells %s', async (_, error, code, message) => {
    const expected = { code, message: `Model "gpt-x" reported an error: ${message}` }
    server.answer = json(200, { error })
    expect(await rejection(ask(model()))).toMatchObject(expected)
    server.answer = stream([...wire.hello, event({ error })])
    expect(await rejection(askStreaming(model()))).toMatchObject(expected)
  })

  test.each<[name: string, answer: Answer, code: string, message: string]>([
    ['HTML', raw(200, 'text/html', '<p>Sign in</p>'), 'MODEL_REPLY_INVALID', 'sent no JSON: <p>Sign in</p>'],
    [
      'half of a JSON',
      raw(200, 'application/json', '{"choices":['),
      'MODEL_REPLY_INVALID',
      'sent no valid JSON: ',
    ],
    [
      'an empty body',
      raw(200, 'application/json', ''),
      'MODEL_REPLY_INVALID',
      'sent something else than a JSON object',
    ],
    ['a list', json(200, []), 'MODEL_REPLY_INVALID', 'sent something else than a JSON object'],
    [
      'a body that ends too soon',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        response.write('{"choices":', () => response.destroy())
      },
      'MODEL_REPLY_INCOMPLETE',
      'had its reply cut: ',
    ],
  ])('a reply that is %s is retryable', async (_, answer, code, message) => {
    server.answer = answer
    const error = await rejection(ask(model()))
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({ code, message: expect.stringContaining(`Model "gpt-x" ${message}`) })
  })

  test('a server that is not there is retryable, and the message says why', async () => {
    const gone = await startFaultServer()
    await gone.close()
    const error = await rejection(ask(wire.model({ baseURL: gone.url })))
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({
      code: 'MODEL_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test.each(['whole', 'streamed'])('a server that never answers is timed out, %s', async (way) => {
    server.answer = hang
    const error = await rejection(way === 'whole' ? ask(model(60)) : askStreaming(model(60)))
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({ code: 'MODEL_TIMEOUT', message: 'Model "gpt-x" was not done after 60 ms.' })
  })

  test('a client that does not heed the signal is timed out all the same', async () => {
    const client = new OpenAI({ apiKey, baseURL: server.url, fetch: () => new Promise(() => undefined) })
    const error = await rejection(ask(wire.model({ client, timeout: 60 })))
    expect(error).toMatchObject({ code: 'MODEL_TIMEOUT' })
  })

  test('the API key is in no message, whatever the server or the client says', async () => {
    const echo = `Key ${apiKey} is wrong`
    const broken = 'sk-broken\nby-a-line-break'
    const errors: unknown[] = []
    server.answer = json(401, said(echo))
    errors.push(await rejection(ask(model())))
    server.answer = raw(200, 'text/plain', echo)
    errors.push(await rejection(ask(model())))
    server.answer = json(200, said(echo))
    errors.push(await rejection(ask(model())))
    errors.push(await rejection(ask(wire.model({ baseURL: server.url, apiKey: broken }))))
    expect(errors).toMatchObject([
      { code: 'UNAUTHORISED', message: 'Model "gpt-x" answered 401: Key [API key] is wrong' },
      { code: 'MODEL_REPLY_INVALID', message: 'Model "gpt-x" sent no JSON: Key [API key] is wrong' },
      { code: 'MODEL_UNAVAILABLE', message: 'Model "gpt-x" reported an error: Key [API key] is wrong' },
      { code: 'INVALID_REQUEST', message: expect.stringContaining('"Bearer [API key]"') },
    ])
    const journal = JSON.stringify(errors.map((error) => toErrorData(error)))
    expect(journal).not.toContain(apiKey)
    expect(journal).not.toContain('line-break')
  })

  test('a long error page is cut', async () => {
    server.answer = raw(500, 'text/html', 'x'.repeat(5000))
    expect(await rejection(ask(model()))).toMatchObject({
      message: `Model "gpt-x" answered 500: ${'x'.repeat(600)}…`,
    })
  })
})
