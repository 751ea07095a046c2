/** Requests that the client makes of its own, methods that were replaced on its class, and signals that are not of the call. */
import { OpenAI, type ClientOptions } from 'openai'
import { openai } from 'troupe'
import { expect, test } from 'vitest'
import { plainFetch } from '../../../src/actors/openai/http/guarded-fetch.ts'
import { readReply } from '../../../src/actors/openai/http/read-reply.ts'
import { Secrets } from '../../../src/actors/openai/http/secrets.ts'
import { ask, rejection } from '../../support/agents/model-calls.ts'

const baseURL = 'http://localhost/v1'
const completion = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
}

test('a reply that the client reads is limited, and is a response of the platform', async () => {
  class Own extends Response {}
  const fetch = (): Promise<Response> => Promise.resolve(new Own('x'.repeat(100)))
  const guard = { modelId: 'm', maxReplyBytes: 10, secrets: new Secrets() }
  const response = await plainFetch(fetch, guard)('http://localhost/token')
  expect(response).not.toBeInstanceOf(Own)
  await expect(response.text()).rejects.toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' })
})

test('calls that begin at once share the clients', async () => {
  let made = 0
  class Counted extends OpenAI {
    override withOptions(options: Partial<ClientOptions>): this {
      made++
      return super.withOptions(options)
    }
  }
  const client = new Counted({
    apiKey: 'sk-test',
    baseURL,
    fetch: () => Promise.resolve(Response.json(completion)),
  })
  const model = openai('m', { client })
  await Promise.all(Array.from({ length: 20 }, () => ask(model)))
  await ask(model)
  expect(made).toBe(2) // for whole replies and for streams
})

test.each([null, '', '{}', '[1]'])(
  'the body %j of a JSON reply is its value, and an empty one is none',
  async (body) => {
    const headers = { 'content-type': 'application/problem+json; charset=utf-8' }
    const limit = { modelId: 'm', maxReplyBytes: 10 }
    expect(await readReply(new Response(body, { headers }), limit)).toEqual(
      body ? JSON.parse(body) : undefined,
    )
  },
)

test('a body of no stated type is a text, and an empty one is none', async () => {
  const limit = { modelId: 'm', maxReplyBytes: 10 }
  const plain = { headers: { 'content-type': 'text/plain' } }
  expect(await readReply(new Response('{}', plain), limit)).toBe('{}')
  expect(await readReply(new Response('', plain), limit)).toBeUndefined()
  expect(await readReply(new Response(null, { status: 204 }), limit)).toBeUndefined()
})

test('a method that was replaced on the class itself may give a plain promise', async () => {
  const client = new OpenAI({
    apiKey: 'sk-test',
    baseURL,
    fetch: () => Promise.resolve(Response.json(completion)),
  })
  const post: unknown = Reflect.get(OpenAI.prototype, 'post')
  Reflect.set(OpenAI.prototype, 'post', async function (this: OpenAI, ...given: unknown[]) {
    return Reflect.apply(post as () => Promise<unknown>, this, given)
  })
  try {
    expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
  } finally {
    Reflect.set(OpenAI.prototype, 'post', post)
  }
})

test('a signal among the options of a client ends its calls', async () => {
  const controller = new AbortController()
  const begun = Promise.withResolvers<void>()
  const client = new OpenAI({
    apiKey: 'sk-test',
    baseURL,
    fetchOptions: { signal: controller.signal } as object,
    fetch: (_, init) => {
      begun.resolve()
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new TypeError('fetch failed')))
      })
    },
  })
  const failed = rejection(ask(openai('m', { client })))
  await begun.promise
  controller.abort()
  expect(await failed).toMatchObject({ code: 'MODEL_UNREACHABLE' })
})

test('a call that is cancelled while its key is looked up is not sent', async () => {
  const controller = new AbortController()
  const [asked, key] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  let sent = 0
  const client = new OpenAI({
    apiKey: () => {
      asked.resolve()
      return key.promise
    },
    baseURL,
    fetch: () => {
      sent++
      return Promise.reject(new TypeError('fetch failed'))
    },
  })
  const failed = rejection(
    openai('m', { client }).generate(
      { messages: [{ role: 'user', content: 'Hi' }], tools: [], toolChoice: 'auto' },
      { signal: controller.signal, idempotencyKey: 'key' },
    ),
  )
  await asked.promise
  controller.abort()
  expect(await failed).toMatchObject({ name: 'CancelledError' })
  key.resolve('sk-test')
  await new Promise((resolve) => setImmediate(resolve))
  expect(sent).toBe(0)
})
