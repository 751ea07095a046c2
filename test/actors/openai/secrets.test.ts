/** Secrets of a model are in no field of any error, event, journal, graph or inspector's message, whatever a server says. */
import fc from 'fast-check'
import { OpenAI } from 'openai'
import {
  createAgent,
  createTool,
  createTroupe,
  openai,
  TerminalError,
  type OpenAIOptions,
  type Problem,
} from 'troupe'
import { statelyInspector } from 'troupe/inspect-stately'
import { provenanceOf } from 'troupe/provenance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toErrorData } from '../../../src/errors.ts'
import { Secrets } from '../../../src/actors/openai/http/secrets.ts'
import { allEvents, calls, worker } from '../../support/agents/agents.ts'
import {
  event,
  json,
  raw,
  startFaultServer,
  stream,
  type Answer,
  type FaultServer,
} from '../../support/fault-server.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

/** All that may be read of a run which asks a model once. */
async function everything(options: OpenAIOptions, isStreaming: boolean): Promise<string> {
  const frames: unknown[] = []
  const inspector = statelyInspector({ adapter: { send: (frame) => void frames.push(frame) } })
  const problems: Problem[] = []
  const agent = createAgent({ id: 'solo', instructions: '', model: openai('gpt-x', options), retries: 0 })
  const troupe = createTroupe({
    agents: [agent],
    inspect: inspector.inspect,
    onError: (one) => problems.push(one),
  })
  const run = await troupe.start(agent, 'Go', { stream: isStreaming })
  const result = await run.result
  expect(result.outcome).toBe('failed')
  const journal = await troupe.journal(run.id)
  const graph = (await provenanceOf(troupe, run.id)).toNQuads()
  await inspector.stop()
  const told = problems.map(({ error, ...problem }) => [
    problem,
    String((error as Error).stack),
    toErrorData(error),
  ])
  const parts = [result, await allEvents(run), journal, await troupe.history(run.id), graph, frames, told]
  return parts.map((part) => JSON.stringify(part)).join('\n')
}

/** Every place of an answer in which a server can say it. */
const places: Readonly<Record<string, (secret: string) => Answer>> = {
  message: (secret) => json(401, { error: { message: `Wrong key ${secret}.` } }),
  'code and type': (secret) => json(400, { error: { message: 'No.', code: secret, type: `t-${secret}` } }),
  'an error of status 200': (secret) =>
    json(200, { error: { message: secret, code: secret, param: secret } }),
  'an error in a list': (secret) => json(403, [{ error: { message: secret, status: secret } }]),
  'a page': (secret) => raw(502, 'text/html', `<p>${secret}</p>`),
  'no JSON': (secret) => raw(200, 'text/plain', secret),
  'broken JSON': (secret) => raw(200, 'application/json', `{"${secret}`),
  'another shape': (secret) => json(200, { [secret]: secret }),
  'an event': (secret) => stream([event({ error: { message: secret, code: secret, type: secret } })]),
  'the reason phrase': (secret) => (response) => {
    response.writeHead(400, `Bad ${secret}`, { 'x-request-id': secret, 'content-type': 'text/plain' }).end()
  },
  'a redirect': (secret) => (response) => {
    response.writeHead(302, { location: `http://127.0.0.1:1/?q=${secret}` }).end()
  },
}

const secretText = fc.stringMatching(/^[A-Za-z0-9_/+=-]{12,40}$/).map((text) => `sk-${text}`)

describe('a secret', () => {
  test.each(Object.keys(places))('that a server says in %s is told nowhere', async (place) => {
    const ways = fc.constantFrom('chat' as const, 'responses' as const)
    await fc.assert(
      fc.asyncProperty(secretText, ways, fc.boolean(), async (secret, api, isStreaming) => {
        server.answer = places[place]?.(secret) ?? server.answer
        const told = await everything({ apiKey: secret, baseURL: server.url, api }, isStreaming)
        expect(told).not.toContain(secret)
      }),
      { numRuns: 15 },
    )
  })

  const said = (text: string): Answer => json(400, { error: { message: `No: ${text}`, code: text } })
  const key = 'sk-0123456789abcdef'

  test.each<[what: string, secret: string, options: () => OpenAIOptions]>([
    [
      'of a key that is given by a function',
      key,
      () => ({ client: new OpenAI({ baseURL: server.url, apiKey: () => Promise.resolve(key) }) }),
    ],
    [
      'of a header of a client',
      key,
      () => ({
        client: new OpenAI({
          baseURL: server.url,
          apiKey: 'other-key-123',
          defaultHeaders: { 'x-api-key': key },
        }),
      }),
    ],
    [
      'of a parameter of the address',
      key,
      () => ({ baseURL: `${server.url}?key=${key}`, apiKey: 'other-key-123' }),
    ],
    [
      'of a client whose methods were replaced',
      key,
      () => {
        const client = new OpenAI({ baseURL: server.url, apiKey: key })
        const { completions } = client.chat
        completions.create = completions.create.bind(completions)
        return { client }
      },
    ],
  ])('%s is told nowhere', async (_, secret, options) => {
    server.answer = said(secret)
    expect(await everything(options(), false)).not.toContain(secret)
    expect(server.requests.length).toBeGreaterThan(0)
  })

  test.each(['hunter2', 'a-long-password'])(
    'in an address, the password %j, is told nowhere',
    async (password) => {
      const address = new URL(server.url)
      const baseURL = `http://user:${password}@${address.host}/v1`
      expect(await everything({ baseURL, apiKey: key }, false)).not.toContain(password)
      // A `fetch` that takes such addresses, and a server that says what it was sent.
      server.answer = said(`${password} ${btoa(`user:${password}`)}`)
      const client = new OpenAI({
        baseURL,
        apiKey: key,
        fetch: (input, init) => fetch((input as string).replace(`user:${password}@`, ''), init),
      })
      const told = await everything({ client }, false)
      expect(told).not.toContain(password)
      expect(told).not.toContain(btoa(`user:${password}`))
    },
  )

  test('of the environment is told nowhere', async () => {
    const before = process.env['OPENAI_API_KEY']
    process.env['OPENAI_API_KEY'] = key
    try {
      server.answer = said(key)
      expect(await everything({ baseURL: server.url }, false)).not.toContain(key)
    } finally {
      if (before === undefined) delete process.env['OPENAI_API_KEY']
      else process.env['OPENAI_API_KEY'] = before
    }
  })

  test('that is too short to be one leaves messages as they are', async () => {
    server.answer = json(400, { error: { message: 'ollama is x-cellent, not-needed' } })
    for (const apiKey of ['x', 'ollama']) {
      expect(await everything({ baseURL: server.url, apiKey }, false)).toContain(
        'ollama is x-cellent, not-needed',
      )
    }
  })
})

describe('an error of a tool', () => {
  test.each<[string, string]>([
    ['GET https://me:pa55word@host/x failed', 'GET https://[secret]@host/x failed'],
    ['https://host/x?key=abc123&q=1', 'https://host/x?key=[secret]&q=1'],
    ['https://host/x?access_token=abc', 'https://host/x?access_token=[secret]'],
    ['headers: {"authorization":"Bearer abc.def"}', 'headers: {"authorization":"[secret]"}'],
    ['x-api-key: abc123, other: 1', 'x-api-key: [secret], other: 1'],
    ['sent Bearer abcdefghijklmnop1234', 'sent Bearer [secret]'],
    ['the bearer of bad news, see me@example.com', 'the bearer of bad news, see me@example.com'],
    ['keys: a=1; the token was missing', 'keys: a=1; the token was missing'],
  ])('%j has no credentials', async (message, clean) => {
    const { agent } = worker('solo', [calls({ name: 'get' }), 'Done.'], {
      tools: {
        get: createTool({
          id: 'get',
          description: 'Gets.',
          inputSchema: z.object({}),
          execute: () => {
            throw new TerminalError(message, { code: message, cause: new Error(message) })
          },
        }),
      },
    })
    const { errors } = await agent.generate('Go', { onError: () => undefined })
    expect(errors).toEqual([
      expect.objectContaining({
        error: expect.objectContaining({
          message: clean,
          code: clean,
          cause: expect.objectContaining({ message: clean }),
        }),
      }),
    ])
    expect(toErrorData(errors[0]?.error).message).toBe(clean)
  })
})

test('keys that change from call to call are remembered up to a number, and the newest always', () => {
  const secrets = new Secrets()
  const keyOf = (index: number) => `sk-rotated-key-${index}-of-many`
  for (let index = 0; index < 1_000; index++) secrets.addKey(keyOf(index))
  expect(secrets.redact(`a ${keyOf(999)} b ${keyOf(998)}`)).toBe('a [API key] b [API key]')
})
