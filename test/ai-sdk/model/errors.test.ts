/** Errors of the AI SDK decide what the runtime does: it tries again, or it does not. */
import {
  APICallError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { ModelRequest } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { describe, expect, test } from 'vitest'
import { languageModel, type Said } from '../../support/providers/language-model.ts'

const request: ModelRequest = { messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto' }

function ask(said: Said, isStreaming = false, signal = new AbortController().signal) {
  return aiSdk(languageModel(said)).generate(request, {
    signal,
    idempotencyKey: 'key',
    ...(isStreaming ? { onDelta: () => undefined } : {}),
  })
}

function apiError(
  statusCode: number | undefined,
  more: Partial<ConstructorParameters<typeof APICallError>[0]> = {},
) {
  return new APICallError({
    message: 'It went wrong.',
    url: 'https://example.com',
    requestBodyValues: {},
    ...(statusCode === undefined ? {} : { statusCode }),
    ...more,
  })
}

describe.each([false, true])('streamed: %s', (isStreaming) => {
  test.each([
    [429, {}, 'RetryableError', 'RATE_LIMITED'],
    [500, {}, 'RetryableError', 'MODEL_UNAVAILABLE'],
    [529, {}, 'RetryableError', 'MODEL_UNAVAILABLE'],
    [408, {}, 'RetryableError', 'MODEL_UNAVAILABLE'],
    [400, {}, 'TerminalError', 'INVALID_REQUEST'],
    [401, {}, 'TerminalError', 'UNAUTHORISED'],
    [404, { message: 'The model does not exist.' }, 'TerminalError', 'MODEL_NOT_FOUND'],
    [400, { message: 'maximum context length is 8192' }, 'TerminalError', 'CONTEXT_LENGTH_EXCEEDED'],
    [429, { data: { error: { code: 'insufficient_quota' } } }, 'TerminalError', 'QUOTA_EXCEEDED'],
    [500, { isRetryable: false }, 'TerminalError', 'MODEL_UNAVAILABLE'],
    [400, { isRetryable: true }, 'RetryableError', 'MODEL_UNAVAILABLE'],
    [
      undefined,
      { isRetryable: true, cause: new Error('ECONNREFUSED') },
      'RetryableError',
      'MODEL_UNREACHABLE',
    ],
    [200, { cause: new InvalidResponseDataError({ data: {} }) }, 'RetryableError', 'MODEL_REPLY_INVALID'],
  ])('status %s %j: %s %s', async (status, more, name, code) => {
    await expect(ask({ error: apiError(status, more) }, isStreaming)).rejects.toMatchObject({ name, code })
  })

  test.each([
    [new LoadAPIKeyError({ message: 'The key is missing.' }), 'TerminalError', 'MISSING_API_KEY'],
    [new NoSuchModelError({ modelId: 'm', modelType: 'languageModel' }), 'TerminalError', 'MODEL_NOT_FOUND'],
    [new UnsupportedFunctionalityError({ functionality: 'tools' }), 'TerminalError', 'INVALID_REQUEST'],
  ])('%s: %s %s', async (error, name, code) => {
    await expect(ask({ error }, isStreaming)).rejects.toMatchObject({ name, code })
  })

  test('the wait that the server asks for is kept', async () => {
    const error = apiError(429, { responseHeaders: { 'retry-after': '7' } })
    await expect(ask({ error }, isStreaming)).rejects.toMatchObject({ retryAfterMs: 7000 })
  })

  test('a wait that nobody can keep is an error of its own', async () => {
    const error = apiError(503, { responseHeaders: { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' } })
    const ended = { name: 'TerminalError', code: 'RETRY_AFTER_TOO_LONG' }
    await expect(ask({ error }, isStreaming)).rejects.toMatchObject(ended)
  })

  test('an abort is a cancelled call', async () => {
    const signal = AbortSignal.abort(new Error('Enough.'))
    await expect(ask({}, isStreaming, signal)).rejects.toMatchObject({ name: 'CancelledError' })
  })
})

test.each([
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'RetryableError', 'MODEL_UNAVAILABLE'],
  [{ error: { type: 'rate_limit_error', message: 'Slow down' } }, 'RetryableError', 'RATE_LIMITED'],
  [{ type: 'invalid_request_error', message: 'No.' }, 'TerminalError', 'INVALID_REQUEST'],
  ['Something broke.', 'RetryableError', 'MODEL_UNAVAILABLE'],
  [new TypeError('terminated'), 'RetryableError', 'MODEL_STREAM_CUT'],
])('an error in a stream, %j: %s %s', async (error, name, code) => {
  await expect(ask({ error }, true)).rejects.toMatchObject({ name, code })
})

const words: LanguageModelV4StreamPart[] = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'The mo' },
]

test('a stream that ends before the reply does is tried again', async () => {
  const cut = { name: 'RetryableError', code: 'MODEL_STREAM_INCOMPLETE' }
  await expect(ask({ parts: words }, true)).rejects.toMatchObject(cut)
  const unstated: Said = {
    content: [{ type: 'text', text: 'The mo' }],
    finish: { unified: 'other', raw: undefined },
  }
  await expect(ask(unstated, true)).rejects.toMatchObject(cut)
})

test('a call that takes longer than its time is tried again', async () => {
  const never = { ...languageModel(), doGenerate: () => new Promise<never>(() => undefined) }
  const { signal } = new AbortController()
  await expect(
    aiSdk(never, { timeout: 1 }).generate(request, { signal, idempotencyKey: 'key' }),
  ).rejects.toMatchObject({ name: 'RetryableError', code: 'MODEL_TIMEOUT' })
})

test('a server that refuses the response format is asked without it, from then on for that shape', async () => {
  const refusal = apiError(400, {
    message: "Function calling with a response mime type: 'application/json' is unsupported",
  })
  const text: Said = { content: [{ type: 'text', text: '{}' }] }
  const model = languageModel({ error: refusal }, text, text, text)
  const asked = { ...request, responseFormat: { name: 'answer', schema: { type: 'object' } } }
  const sdk = aiSdk(model)
  const { signal } = new AbortController()
  expect((await sdk.generate(asked, { signal, idempotencyKey: 'a' })).text).toBe('{}')
  await sdk.generate(asked, { signal, idempotencyKey: 'b' })
  expect(model.calls.map(({ responseFormat }) => responseFormat?.type)).toEqual([
    'json',
    undefined,
    undefined,
  ])
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const another = { ...request, responseFormat: { name: 'answer', schema } }
  await sdk.generate(another, { signal, idempotencyKey: 'c' })
  expect(model.calls.at(-1)?.responseFormat?.type).toBe('json')
})
