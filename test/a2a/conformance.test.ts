/** What the protocol demands of a server (sections 3, 5, 8.6 and 9), beside the forms of requests in protocol.test.ts. */
import { createAgent, createTool } from 'troupe'
import { agentCard, a2aHandler, a2aFetch } from 'troupe/a2a'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { serve, type Served } from './served.ts'

const url = 'http://localhost/a2a'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly data?: readonly { readonly reason?: string }[] }
}

interface Told {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: string; readonly timestamp: string }
  readonly history?: readonly { readonly messageId: string }[]
  readonly artifacts?: readonly unknown[]
}

type Listed = { readonly tasks: readonly Told[]; readonly nextPageToken: string; readonly totalSize: number }

async function rpc(served: Pick<Served, 'fetch'>, method: string, params: object = {}): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const response = await served.fetch(new Request(url, { method: 'POST', body, headers }))
  return (await response.json()) as Answer
}

const message = (more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Go.' }], ...more },
})

async function sent(served: Pick<Served, 'fetch'>, params: object = message()): Promise<Told> {
  const { result } = await rpc(served, 'SendMessage', params)
  return (result as { readonly task: Told }).task
}

const poet = () => worker('poet', [], { otherwise: 'Snow falls.' }).agent

const reasonOf = ({ error }: Answer) => [error?.code, error?.data?.[0]?.reason]

test.each([
  ['a cancel', 'CancelTask', {}, -32_002, 'TASK_NOT_CANCELABLE'],
  ['a message', 'SendMessage', message(), -32_004, 'UNSUPPORTED_OPERATION'],
  ['a message with a stream', 'SendStreamingMessage', message(), -32_004, 'UNSUPPORTED_OPERATION'],
  ['a subscription', 'SubscribeToTask', {}, -32_004, 'UNSUPPORTED_OPERATION'],
])('%s to a task that has ended is refused', async (_, method, params, code, reason) => {
  const served = serve(poet())
  const { id } = await sent(served)
  const named = 'message' in params ? { message: { ...params.message, taskId: id } } : { id }
  expect(reasonOf(await rpc(served, method, named))).toEqual([code, reason])
})

test.each(['GetTask', 'CancelTask', 'SubscribeToTask', 'SendMessage'])(
  'a task that is not there is not found: %s',
  async (method) => {
    const params = method === 'SendMessage' ? message({ taskId: 'none' }) : { id: 'none' }
    expect(reasonOf(await rpc(serve(poet()), method, params))).toEqual([-32_001, 'TASK_NOT_FOUND'])
  },
)

test.each(['Create', 'Get', 'Delete', 'List'])('push notifications are not supported: %s', async (verb) => {
  const method = `${verb}TaskPushNotificationConfig${verb === 'List' ? 's' : ''}`
  const params = { taskId: 'any', id: 'any', url: 'http://localhost/hook' }
  expect(reasonOf(await rpc(serve(poet()), method, params))).toEqual([
    -32_003,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ])
})

test('what the card does not name is not supported', async () => {
  const agent = poet()
  const { troupe } = serve(agent)
  const endpoints = [{ url, binding: 'JSONRPC' }]
  const card = agentCard(agent, { endpoints, streaming: false })
  const served = { fetch: a2aFetch(a2aHandler(agent, { troupe, card }), { authenticate: 'everybody' }) }
  for (const [method, params] of [
    ['SendStreamingMessage', message()],
    ['SubscribeToTask', { id: (await sent(served)).id }],
    ['GetExtendedAgentCard', {}],
  ] as const)
    expect([method, (await rpc(served, method, params)).error?.code]).toEqual([method, -32_004])
})

test('a conversation is kept, made, or refused, but never changed', async () => {
  const served = serve(cashier())
  const given = await sent(served, message({ contextId: 'mine' }))
  expect(given.contextId).toBe('mine')
  const made = await sent(served)
  expect(made.contextId).not.toBe('')
  const wrong = message({ taskId: made.id, contextId: 'mine' })
  expect((await rpc(served, 'SendMessage', wrong)).error?.code).toBe(-32_602)
  const inferred = await sent(served, message({ taskId: made.id, parts: [{ text: 'yes' }] }))
  expect(inferred).toMatchObject({ id: made.id, contextId: made.contextId })
})

test('the history is as long as the client asks', async () => {
  const served = serve(cashier())
  const { id } = await sent(served)
  const asks = async (more: object) =>
    ((await rpc(served, 'GetTask', { id, ...more })).result as Told).history
  const whole = (await asks({})) ?? []
  expect(whole.length).toBeGreaterThan(1)
  expect(await asks({ historyLength: 0 })).toBeUndefined()
  expect(await asks({ historyLength: 1 })).toEqual(whole.slice(-1))
  expect(await asks({ historyLength: 100 })).toEqual(whole)
  const short = { ...message(), configuration: { historyLength: 0 } }
  expect((await sent(served, short)).history).toBeUndefined()
})

test('tasks are listed by pages, the latest first, without artifacts unless they are asked for', async () => {
  const served = serve(poet())
  const ids: string[] = []
  for (let nr = 0; nr < 5; nr++) ids.push((await sent(served, message({ contextId: `c${nr % 2}` }))).id)
  const list = async (params: object) => (await rpc(served, 'ListTasks', params)).result as Listed
  const found: Told[] = []
  let pageToken = ''
  do {
    const page = await list({ pageSize: 2, pageToken })
    expect(page.totalSize).toBe(5)
    found.push(...page.tasks)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids))
  const times = found.map(({ status }) => status.timestamp)
  expect(times).toEqual(times.toSorted().toReversed())
  expect(times.every((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/.test(time))).toBe(true)
  expect(found.every((task) => !('artifacts' in task))).toBe(true)
  expect(
    (await list({ includeArtifacts: true, contextId: 'c1' })).tasks.map(({ artifacts }) => artifacts),
  ).toHaveLength(2)
  expect((await list({ status: 'TASK_STATE_WORKING' })).tasks).toEqual([])
  for (const wrong of [{ pageSize: 0 }, { pageSize: 101 }, { pageToken: 'no token' }])
    expect([wrong, (await rpc(served, 'ListTasks', wrong)).error?.code]).toEqual([wrong, -32_602])
})

test.each([
  ['no version, and a method of 1.0', {}, '', undefined],
  ['0.3, and a method of 1.0', { 'a2a-version': '0.3' }, '', -32_601],
  ['an unknown version', { 'a2a-version': '7.0' }, '', -32_009],
  ['a patch', { 'a2a-version': '1.0.4' }, '', undefined],
  ['a parameter of the address', {}, '?A2A-Version=1.0', undefined],
])('versions: %s', async (_, version, query, code) => {
  const { fetch } = serve(poet())
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} })
  const headers = { 'content-type': 'application/json', ...version } as Record<string, string>
  const response = await fetch(new Request(url + query, { method: 'POST', body, headers }))
  expect(((await response.json()) as Answer).error?.code).toBe(code)
})

test('the card may be kept, and is asked for again by its tag', async () => {
  const { fetch } = serve(poet())
  const ask = (headers: Record<string, string> = {}) =>
    fetch(new Request(`${url}/.well-known/agent-card.json`, { headers }))
  const first = await ask()
  expect(first.headers.get('cache-control')).toMatch(/max-age=\d+/)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[^"]+"$/)
  const again = await ask({ 'if-none-match': `"other", W/${etag}` })
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200)
})

test('a message that does not wait is answered at once, and one that waits has the whole answer', async () => {
  const gate = Promise.withResolvers<string>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => gate.promise,
  })
  const { agent } = worker('clerk', [calls({ name: 'look', args: {} }), 'Done.'], { tools: { look } })
  const served = serve(agent)
  const task = await sent(served, { ...message(), configuration: { returnImmediately: true } })
  expect(task.status.state).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/)
  gate.resolve('There it is.')
  await expect
    .poll(async () => ((await rpc(served, 'GetTask', { id: task.id })).result as Told).status.state)
    .toBe('TASK_STATE_COMPLETED')
  expect(await sent(serve(poet()))).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ artifactId: 'answer', parts: [{ text: 'Snow falls.' }] }],
  })
})

test('a file alone is the one part of the artifact', async () => {
  const picture = {
    type: 'file' as const,
    mediaType: 'image/png',
    data: Buffer.from('png').toString('base64'),
    name: 'sky.png',
  }
  const painter = createAgent({
    id: 'painter',
    description: 'Paints.',
    model: scriptedModel([{ text: '', files: [picture] }]),
  })
  const [artifact] = (await sent(serve(painter))).artifacts ?? []
  expect(artifact).toMatchObject({
    parts: [{ filename: 'sky.png', mediaType: 'image/png', raw: picture.data }],
  })
})

test.each([
  ['a map', () => new Map([['n', 1n]])],
  ['a big number', ({ n }: { readonly n: string }) => ({ n: BigInt(n) })],
  ['an object with a method', (given: object) => ({ ...given, half: () => 6 })],
  ['a list', (): unknown => [1]],
  ['a number that JSON has not', () => Number.NaN],
])('a schema that makes %s of an answer leaves its data as the journal has them', async (_, transform) => {
  const counter = createAgent({
    id: 'counter',
    description: 'Counts.',
    model: scriptedModel([{ text: '{"n":"12"}' }]),
    structuredOutput: { schema: z.object({ n: z.string() }).transform(transform) },
  })
  expect(await sent(serve(counter))).toMatchObject({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ parts: [{ text: '{"n":"12"}' }, { data: { n: '12' } }] }],
  })
})

test('files that the card does not name are refused, and texts and data never', async () => {
  const served = serve(poet(), { inputModes: ['image/*'] })
  const code = async (...parts: readonly object[]) =>
    (await rpc(served, 'SendMessage', message({ parts }))).error?.code
  const raw = Buffer.from('x').toString('base64')
  expect(await code({ raw, mediaType: 'application/pdf' })).toBe(-32_005)
  expect(
    await code({ text: 'Look.' }, { url: 'https://example.com/a.pdf', mediaType: 'application/pdf' }),
  ).toBe(-32_005)
  expect(await code({ raw })).toBe(-32_005)
  expect(await code({ raw, mediaType: 'IMAGE/png; q=1' })).toBeUndefined()
  expect(await code({ text: 'Look.', mediaType: 'text/markdown' }, { data: { a: 1 } })).toBeUndefined()
})

test('an extension that the card demands is demanded', async () => {
  const agent = poet()
  const uri = 'https://example.com/extension'
  const extensions = [{ uri, description: '', required: true, params: undefined }]
  const capabilities = { streaming: true, pushNotifications: false, extensions, extendedAgentCard: false }
  const endpoints = [{ url, binding: 'JSONRPC' }]
  const served = serve(agent, { card: agentCard(agent, { endpoints, more: { capabilities } }) })
  const body = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 'none' } })
  const code = async (method: string, headers: Record<string, string>) => {
    const sending = { 'content-type': 'application/json', ...headers }
    const response = await served.fetch(
      new Request(url, { method: 'POST', body: body(method), headers: sending }),
    )
    return ((await response.json()) as Answer).error?.code
  }
  expect(await code('GetTask', {})).toBe(-32_008)
  expect(await code('GetTask', { 'a2a-extensions': 'https://example.com/other' })).toBe(-32_008)
  expect(await code('GetTask', { 'a2a-extensions': `https://example.com/other, ${uri}` })).toBe(-32_001)
  expect(await code('tasks/get', {})).toBe(-32_008)
  expect(await code('tasks/get', { 'x-a2a-extensions': uri })).toBe(-32_001)
})
