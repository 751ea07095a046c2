/** Requests that the client makes of its own, methods that were replaced on its class, and signals that are not of the call. */
import { OpenAI, type APIPromise, type ClientOptions } from 'openai'
import { openai } from 'troupe'
import { describe, expect, test } from 'vitest'
import { plainFetch, readReply } from '../../../src/actors/openai/http/guarded-fetch.ts'
import { Secrets } from '../../../src/actors/openai/http/secrets.ts'
import { ask, rejection } from '../../support/agents/model-calls.ts'

const baseURL = 'http://localhost/v1'
const completion = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
}

const json = { headers: { 'content-type': 'application/json' } }

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
    expect(await readReply(new Response(body, { headers }))).toEqual(body ? JSON.parse(body) : undefined)
  },
)

test('a body of no stated type is a text, and an empty one is none', async () => {
  const plain = { headers: { 'content-type': 'text/plain' } }
  expect(await readReply(new Response('{}', plain))).toBe('{}')
  expect(await readReply(new Response('', plain))).toBeUndefined()
  expect(await readReply(new Response(null, { status: 204 }))).toBeUndefined()
})

type Post = (this: OpenAI, ...given: unknown[]) => APIPromise<unknown>

/** Calls while `post` is another on the class itself, as packages that trace calls replace it. */
async function whilePostIs<Result>(
  replace: (post: Post) => Post,
  call: () => Promise<Result>,
): Promise<Result> {
  const post = Reflect.get(OpenAI.prototype, 'post') as Post
  Reflect.set(OpenAI.prototype, 'post', replace(post))
  try {
    return await call()
  } finally {
    Reflect.set(OpenAI.prototype, 'post', post)
  }
}

describe.each<[string, (post: Post) => Post]>([
  [
    'gives a plain promise',
    (post) =>
      async function (this: OpenAI, ...given: unknown[]) {
        return Reflect.apply(post, this, given)
      } as unknown as Post,
  ],
  [
    'reads the reply first',
    (post) =>
      function (...given) {
        const sent = Reflect.apply(post, this, given)
        void sent.then(
          () => undefined,
          () => undefined,
        )
        return sent
      },
  ],
  [
    'reads a copy of the reply',
    (post) =>
      function (...given) {
        const sent = Reflect.apply(post, this, given)
        void sent.asResponse().then((response) => response.clone().text())
        return sent
      },
  ],
])('a method that was replaced on the class itself, and %s:', (_, replace) => {
  const model = (maxReplyBytes?: number) => {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(completion))
    const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch })
    return openai('m', { client, ...(maxReplyBytes === undefined ? {} : { maxReplyBytes }) })
  }

  test('the reply is read', async () => {
    expect(await whilePostIs(replace, () => ask(model()))).toMatchObject({ text: 'Hello.' })
  })

  test('a reply that is too large is refused', async () => {
    const error = await whilePostIs(replace, () => rejection(ask(model(10))))
    expect(error).toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' })
  })
})

test('the reply of a response whose methods are getters is read, as those that a server framework has put in its place', async () => {
  class Framework extends Response {}
  for (const name of ['text', 'json']) {
    const method = Reflect.get(Response.prototype, name) as unknown
    Object.defineProperty(Framework.prototype, name, { configurable: true, get: () => method })
  }
  const fetch = (): Promise<Response> => Promise.resolve(new Framework(JSON.stringify(completion), json))
  const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch })
  expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
  const error = await rejection(ask(openai('m', { client, maxReplyBytes: 10 })))
  expect(error).toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' })
})

test('a package that traces calls on the class sees each call and its body', async () => {
  const traced: object = OpenAI.Chat.Completions.prototype
  const create = Reflect.get(traced, 'create') as Post
  const seen: unknown[] = []
  Reflect.set(traced, 'create', function (this: OpenAI, ...given: unknown[]) {
    seen.push(given[0])
    return Reflect.apply(create, this, given)
  })
  try {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(completion))
    const client = new OpenAI({ apiKey: 'sk-test', baseURL, fetch })
    expect(await ask(openai('m', { client }))).toMatchObject({ text: 'Hello.' })
  } finally {
    Reflect.set(traced, 'create', create)
  }
  expect(seen).toMatchObject([{ model: 'm' }])
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
