/** Requests as JSON-RPC: what is none, what is too large, and what is refused. */
import { scriptedModel } from 'troupe/testing'
import { createAgent } from 'troupe'
import { expect, test } from 'vitest'
import { serve } from './served.ts'

const agent = createAgent({
  id: 'poet',
  description: 'Writes poems.',
  instructions: '',
  model: scriptedModel([], { otherwise: 'Snow falls.' }),
})

const { fetch } = serve(agent, { maxBodyBytes: 2000 })

function post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  const sent = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers }
  const request = new Request('http://localhost/a2a', { method: 'POST', body, headers: sent })
  return fetch(request)
}

async function rpc(request: object, headers: Record<string, string> = {}): Promise<unknown> {
  return (await post(JSON.stringify({ jsonrpc: '2.0', id: 'r1', ...request }), headers)).json()
}

test('requests that are no JSON-RPC are refused by their codes, with the id where it can be read', async () => {
  expect((await fetch(new Request('http://localhost/a2a'))).status).toBe(405)
  expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  expect(await (await post('{')).json()).toMatchObject({ id: null, error: { code: -32_700 } })
  for (const body of ['[]', 'null', '"x"', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]']) {
    expect(await (await post(body)).json()).toMatchObject({ id: null, error: { code: -32_600 } })
  }
  expect(await rpc({ jsonrpc: '1.0', method: 'GetTask' })).toMatchObject({
    id: 'r1',
    error: { code: -32_600 },
  })
  expect(await rpc({ method: 7 })).toMatchObject({ id: 'r1', error: { code: -32_600 } })
  expect(await rpc({ id: { a: 1 }, method: 'GetTask' })).toMatchObject({ id: null, error: { code: -32_600 } })
  expect(await rpc({ method: 'Sing', params: {} })).toMatchObject({ id: 'r1', error: { code: -32_601 } })
  expect(await rpc({ method: 'GetTask', params: [] })).toMatchObject({ id: 'r1', error: { code: -32_602 } })
  const old = { 'a2a-version': '0.2' }
  expect(await rpc({ method: 'GetTask', params: {} }, old)).toMatchObject({
    id: 'r1',
    error: { code: -32_009 },
  })
})

test('a request to a name that is not of the agent is refused, also for its card', async () => {
  const served = serve(agent, { hosts: ['agents.example.com', 'localhost:8080'] })
  const statuses = async (origin: string) => {
    const card = await served.fetch(new Request(`${origin}/.well-known/agent-card.json`))
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} })
    const list = await served.fetch(new Request(`${origin}/a2a`, { method: 'POST', body, headers }))
    return [card.status, list.status]
  }
  for (const origin of ['https://agents.example.com', 'http://AGENTS.example.com', 'http://localhost:8080'])
    expect([origin, ...(await statuses(origin))]).toEqual([origin, 200, 200])
  for (const origin of ['http://evil.test', 'http://localhost', 'http://agents.example.com.evil.test'])
    expect([origin, ...(await statuses(origin))]).toEqual([origin, 403, 403])
})

test('a message of more bytes than allowed is refused, and one that is no text', async () => {
  expect((await post('"'.padEnd(2001, 'x'))).status).toBe(413)
  expect((await post(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400)
})

test.each(['SendStreamingMessage', 'SubscribeToTask'])(
  'a stream of a task that is not there is no stream, but an error: %s',
  async (method) => {
    const message = { messageId: 'm1', role: 'ROLE_USER', taskId: 'none', parts: [{ text: 'Go.' }] }
    const params = method === 'SubscribeToTask' ? { id: 'none' } : { message }
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 4, method, params }))
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ id: 4, error: { code: -32_001 } })
  },
)

const text = [{ text: 'Go.' }]
const user = { messageId: 'm1', role: 'ROLE_USER' }

test.each([
  ['no message', 'SendMessage', {}],
  ['no id', 'SendMessage', { message: { role: 'ROLE_USER', parts: text } }],
  ['no role', 'SendMessage', { message: { messageId: 'm1', parts: text } }],
  ['the role of an agent', 'SendStreamingMessage', { message: { ...user, role: 'ROLE_AGENT', parts: text } }],
  ['no parts', 'SendMessage', { message: { ...user, parts: [] } }],
  ['no parts, for a stream', 'SendStreamingMessage', { message: user }],
  [
    'a negative length of history',
    'SendMessage',
    { message: { ...user, parts: text }, configuration: { historyLength: -1 } },
  ],
  ['a negative length of history, of a task', 'GetTask', { id: 'none', historyLength: -1 }],
  ['a negative length of history, of a list', 'ListTasks', { historyLength: -1 }],
  ['a date of no standard', 'ListTasks', { statusTimestampAfter: '-1' }],
])('a request with %s is malformed', async (_, method, params) => {
  expect(await rpc({ method, params })).toMatchObject({ id: 'r1', error: { code: -32_602 } })
})

test.each([
  ['a list as parts', { message: { ...user, parts: 'Go.' } }],
  ['a part of no kind', { message: { ...user, parts: [{ sound: 1 }] } }],
  ['a number as text', { message: { ...user, parts: [{ text: 7 }] } }],
  ['a part that is none', { message: { ...user, parts: [null] } }],
  ['data without end', { message: { ...user, parts: [{ data: nested(40) }] } }],
])('a message with %s gets an error or a task that has ended', async (_, params) => {
  const answer = await rpc({ method: 'SendMessage', params })
  expect(answer).toMatchObject({ jsonrpc: '2.0', id: 'r1' })
  const text = JSON.stringify(answer)
  expect(text).toMatch(/"code":-32\d{3}|TASK_STATE_(REJECTED|COMPLETED)/)
  expect(text).not.toMatch(/node_modules|\.ts:/)
})

function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}
