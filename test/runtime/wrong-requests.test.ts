/** Wrong requests to each server: one table of statuses and codes, for HTTP, the inspector and Agent2Agent. */
import { createTroupe, memoryStore, RunNotFoundError, TroupeError, type Troupe } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { createHandler } from 'troupe/http'
import { inspector } from 'troupe/inspector'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cashier } from '../support/agents/cashier.ts'

const servers = ['http', 'inspector', 'a2a'] as const
type Server = (typeof servers)[number]

/** A request that answers a question, and what is wrong with it. */
interface Wrong {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  readonly runId?: string
  readonly isUnknownCaller?: boolean
}

interface Answered {
  readonly status: number
  /** Of the error: a code of ours, or of JSON-RPC. `undefined`: there is no error. */
  readonly code: string | number | undefined
  readonly text: string
  readonly headers: Headers
}

const agent = cashier()
const store = memoryStore()
/** What a signal fails with. */
let failure: Error | undefined
let runId = ''
let toolCallId = ''
let address = ''
let http: (request: Request) => Promise<Response>
let a2a: (request: Request) => Promise<Response>
let close: () => Promise<void>

beforeAll(async () => {
  const onError = (): undefined => undefined
  const troupe = createTroupe({ agents: [agent], store })
  const signal: Troupe['signal'] = (...args) =>
    failure === undefined ? troupe.signal(...args) : Promise.reject(failure)
  const failing = { ...troupe, signal }
  http = createHandler(failing, {
    authorize: ({ headers }) =>
      headers.has('x-unknown') ? new Response(null, { status: 401 }) : { resource: null },
    agents: [agent],
    onError,
  })
  const view = inspector(failing)
  address = await view.url
  const card = agentCard(agent, { endpoints: [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }] })
  a2a = a2aFetch(a2aHandler(agent, { troupe: failing, card, onError }), {
    authenticate: ({ headers }) => (headers.has('x-unknown') ? undefined : { userName: 'ann' }),
    onError,
  })
  close = async () => {
    await view.stop()
    await troupe.close()
  }
  const begun = await ask('a2a', {
    body: rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Pay.' }] } }),
  })
  const { result } = JSON.parse(begun.text) as { readonly result: { readonly task: { readonly id: string } } }
  runId = result.task.id
  toolCallId = (await troupe.awaiting({ runId })).items[0]?.toolCallId ?? ''
})

afterAll(() => close())

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** The body of the right request. */
function right(server: Server, id: string): string {
  if (server !== 'a2a') return JSON.stringify({ type: 'approve', toolCallId })
  const parts = [{ data: { toolCallId, approve: true } }]
  return rpc('SendMessage', { message: { messageId: 'n', role: 'ROLE_USER', taskId: id, parts } })
}

async function ask(server: Server, wrong: Wrong): Promise<Answered> {
  const { method = 'POST', headers, runId: id = runId, isUnknownCaller = false } = wrong
  const { origin, hash } = new URL(address)
  const token = isUnknownCaller ? 'none' : (new URLSearchParams(hash.slice(1)).get('t') ?? '')
  const url = {
    http: `http://test.example/runs/${id}/answers`,
    inspector: `${origin}/api/runs/${id}/signal`,
    a2a: 'http://localhost/a2a',
  }[server]
  const request = new Request(url, {
    method,
    body: wrong.body ?? right(server, id),
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...(isUnknownCaller ? { 'x-unknown': 'yes' } : {}),
      ...(server === 'inspector' ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
  })
  const response = await { http, inspector: fetch, a2a }[server](request)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const read = isJson ? (JSON.parse(text) as { readonly error?: { readonly code: string | number } }) : {}
  return { status: response.status, code: read.error?.code, text, headers: response.headers }
}

type Expected = readonly [status: number, code?: string | number]

const json = (value: unknown): string => JSON.stringify(value)
const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
const everywhere = (expected: Expected): Readonly<Record<Server, Expected>> => ({
  http: expected,
  inspector: expected,
  a2a: expected,
})
/** JSON-RPC answers with an error of its own where the request is JSON. */
const with200 = (expected: Expected, code: number): Readonly<Record<Server, Expected>> => ({
  ...everywhere(expected),
  a2a: [200, code],
})

const table: readonly (readonly [
  what: string,
  wrong: Wrong,
  expected: Readonly<Record<Server, Expected>>,
])[] = [
  ['too many bytes', { body: json('x'.repeat(4 * 2 ** 20)) }, everywhere([413, 'REQUEST_TOO_LARGE'])],
  ['a text', { headers: { 'content-type': 'text/plain' } }, everywhere([415, 'INVALID_REQUEST'])],
  [
    'a form of a foreign page',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    everywhere([415, 'INVALID_REQUEST']),
  ],
  [
    'a type that begins as JSON',
    { headers: { 'content-type': 'application/json-seq' } },
    everywhere([415, 'INVALID_REQUEST']),
  ],
  ['no UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, everywhere([400, 'INVALID_REQUEST'])],
  ['no JSON', { body: '{' }, with200([400, 'INVALID_REQUEST'], -32_700)],
  ['a list', { body: '[]' }, with200([400, 'INVALID_REQUEST'], -32_600)],
  ['deep JSON', { body: nested(600) }, with200([400, 'INVALID_REQUEST'], -32_600)],
  ['another method', { method: 'PUT' }, everywhere([405, 'METHOD_NOT_ALLOWED'])],
  ['an unknown run', { runId: 'none' }, with200([404, 'RUN_NOT_FOUND'], -32_001)],
  [
    'an unknown caller',
    { isUnknownCaller: true },
    { ...everywhere([401, 'UNAUTHORISED']), http: [401] }, // the answer of `authorize`
  ],
]

describe.each(table)('%s', (_, wrong, expected) => {
  test.each(servers)('to %s', async (server) => {
    const { status, code, headers } = await ask(server, wrong)
    expect([status, code]).toEqual([expected[server][0], expected[server][1]])
    if (status === 405) expect(headers.get('allow')).toContain('POST')
  })
})

test('a page of another origin is refused where the server trusts the machine, and else by its credentials', async () => {
  failure = new TroupeError('SIGNAL_TOO_LATE', 'It is late.')
  const headers = { origin: 'http://evil.example' }
  expect((await ask('inspector', { headers })).status).toBe(403)
  expect((await ask('http', { headers })).status).toBe(409)
  expect((await ask('a2a', { headers })).status).toBe(200)
  failure = undefined
})

const codes = {
  RUN_OWNED: 409,
  LEASE_LOST: 409,
  RUN_EXISTS: 409,
  RUN_NOT_ENDED: 409,
  UNKNOWN_SIGNAL: 409,
  SIGNAL_ALREADY_ANSWERED: 409,
  SIGNAL_TOO_LATE: 409,
  SIGNAL_TYPE_MISMATCH: 409,
  SIGNAL_ARGS_INVALID: 409,
  SIGNAL_NOT_SUPPORTED: 409,
  SIGNAL_TOO_MANY: 409,
  SIGNAL_TRIPPED: 409,
  JOURNAL_MISMATCH: 409,
  PROGRAM_CHANGED: 409,
  AGENT_NOT_HERE: 409,
  RUN_LEFT: 409,
  TROUPE_CLOSED: 503,
  STORE_BUSY: 503,
  STORE_UNREACHABLE: 503,
  RESTATE_UNREACHABLE: 503,
  STORE_FAILED: 500,
  ENGINE_FAILED: 500,
} as const

describe.each(Object.entries(codes))('an action that fails with %s', (code, status) => {
  test.each(['http', 'inspector'] as const)(`is ${status} on %s`, async (server) => {
    failure = new TroupeError(code, 'It cannot be.')
    const answered = await ask(server, {})
    failure = undefined
    expect(answered.status).toBe(status)
    expect(answered.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
    // The inspector shows errors of the server to its own machine.
    const isHidden = status >= 500 && server === 'http'
    expect(answered.code).toBe(isHidden ? 'SERVER_FAILED' : code)
  })

  test('is the state of a task on a2a, which stays open', async () => {
    failure = new TroupeError(code, 'It cannot be.')
    const { status: answered, text } = await ask('a2a', {})
    failure = undefined
    expect(answered).toBe(200)
    expect(text).toContain('TASK_STATE_INPUT_REQUIRED')
    expect(text).toContain(`The message could not be delivered: ${code}.`)
  })
})

test('a run that is gone is 404, and no task', async () => {
  failure = new RunNotFoundError(runId)
  const answers = await Promise.all(servers.map((server) => ask(server, {})))
  failure = undefined
  expect(answers.map(({ status, code }) => [status, code])).toEqual([
    [404, 'RUN_NOT_FOUND'],
    [404, 'RUN_NOT_FOUND'],
    [200, -32_001],
  ])
})
