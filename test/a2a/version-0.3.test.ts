/** Clients of version 0.3 of the protocol: the SDK of that version is the client, and the server is the one of 1.0. */
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from '@a2a-js/sdk-0.3/client'
import type { Message, Part, Task } from '@a2a-js/sdk-0.3'
import { createAgent, createTool, memoryStore } from 'troupe'
import { agentCard } from 'troupe/a2a'
import { scriptedModel } from 'troupe/testing'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, saying as sayingToday, send, serve, text as textOfToday, type Served } from './served.ts'

const base = 'http://localhost/a2a/'

/** A client of 0.3 that has read the card from the place where it looks. */
async function formerClient({ fetch }: Pick<Served, 'fetch'>, token?: string): Promise<Client> {
  const fetchImpl: typeof globalThis.fetch = (target, init) => {
    const request = new Request(target, init)
    if (token !== undefined) request.headers.set('authorization', token)
    return fetch(request)
  }
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  return factory.createFromUrl(base)
}

const text = (value: string): Part => ({ kind: 'text', text: value })

function saying(parts: Part[], task?: Pick<Task, 'id' | 'contextId'>): { message: Message } {
  const of = task === undefined ? {} : { taskId: task.id, contextId: task.contextId }
  return { message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, ...of } }
}

async function sent(client: Client, parts: Part[], task?: Task): Promise<Task> {
  const result = await client.sendMessage(saying(parts, task))
  if (result.kind !== 'task') throw new Error('It is no task.')
  return result
}

const poet = () => worker('poet', [], { otherwise: 'Snow falls.' }).agent
const answerOf = ({ artifacts = [] }: Task) => artifacts.flatMap(({ parts }) => parts)

async function all<One>(stream: AsyncIterable<One>): Promise<One[]> {
  const events: One[] = []
  for await (const event of stream) events.push(event)
  return events
}

type Event = ReturnType<Client['sendMessageStream']> extends AsyncIterable<infer One> ? One : never

const kinds = (events: readonly Event[]) =>
  events.map((event) =>
    event.kind === 'status-update' ? `${event.status.state}${event.final ? ', final' : ''}` : event.kind,
  )

test('a message is answered, and its task is read again', async () => {
  const client = await formerClient(serve(poet()))
  const task = await sent(client, [text('A haiku.')])
  expect(task.status.state).toBe('completed')
  expect(answerOf(task)).toMatchObject([{ kind: 'text', text: 'Snow falls.' }])
  const read = await client.getTask({ id: task.id })
  expect(read).toMatchObject({ id: task.id, contextId: task.contextId, status: { state: 'completed' } })
  expect((await client.getTask({ id: task.id, historyLength: 1 })).history).toHaveLength(1)
})

test('a stream ends with the event that is marked as the last: an end, and a question', async () => {
  const served = serve(cashier())
  const client = await formerClient(served)
  const first = await all(client.sendMessageStream(saying([text('Pay back.')])))
  expect(kinds(first).at(0)).toBe('task')
  expect(kinds(first).at(-1)).toBe('input-required, final')
  expect(kinds(first).filter((kind) => kind.endsWith('final'))).toHaveLength(1)
  const task = first.find((event) => event.kind === 'task')
  const rest = await all(client.sendMessageStream(saying([text('yes')], task)))
  expect(kinds(rest).slice(-2)).toEqual(['artifact-update', 'completed, final'])
})

test.each([
  ['a text', () => [text('yes')]],
  ['data', (): Part[] => [{ kind: 'data', data: { approve: true, note: 'Fine.' } }]],
])('a question is answered with %s', async (_, answer) => {
  const paid = vi.fn<() => void>()
  const served = serve(cashier(paid))
  const client = await formerClient(served)
  const asked = await sent(client, [text('Pay back.')])
  expect(asked.status.state).toBe('input-required')
  expect(asked.status.message?.parts).toMatchObject([
    { kind: 'text' },
    { kind: 'data', data: { questions: [{ type: 'approval', toolName: 'refund' }] } },
  ])
  const done = await sent(client, answer(), asked)
  expect([done.status.state, paid.mock.calls.length]).toEqual(['completed', 1])
})

test('a no keeps the call from being made', async () => {
  const paid = vi.fn<() => void>()
  const client = await formerClient(serve(cashier(paid)))
  const asked = await sent(client, [text('Pay back.')])
  expect((await sent(client, [text('no')], asked)).status.state).toBe('completed')
  expect(paid).not.toHaveBeenCalled()
})

test('a task is cancelled, once', async () => {
  const client = await formerClient(serve(cashier()))
  const { id } = await sent(client, [text('Pay back.')])
  expect((await client.cancelTask({ id })).status.state).toBe('canceled')
  const other = await sent(client, [text('Pay back.')])
  await sent(client, [text('yes')], other)
  await expect(client.cancelTask({ id: other.id })).rejects.toThrow(/cannot be canceled/i)
})

test('a subscription lasts over a question to the end, and to no task that has ended', async () => {
  const served = serve(cashier())
  const client = await formerClient(served)
  const asked = await sent(client, [text('Pay back.')])
  const reader = all(client.resubscribeTask({ id: asked.id }))
  await sent(client, [text('yes')], asked)
  const events = kinds(await reader)
  expect(events[0]).toBe('task')
  expect(events.at(-1)).toBe('completed, final')
  await expect(all(client.resubscribeTask({ id: asked.id }))).rejects.toThrow(/has ended/)
})

test('a stream that is refused is a stream with an error, as clients of 0.3 read it', async () => {
  const client = await formerClient(serve(poet()))
  const none = { id: 'none', contextId: 'none' }
  await expect(all(client.sendMessageStream(saying([text('Go.')], none)))).rejects.toThrow(/not found/i)
  await expect(all(client.resubscribeTask({ id: 'none' }))).rejects.toThrow(/not found/i)
})

test('a question outlives its process, and is answered in another', async () => {
  const store = memoryStore()
  const paid = vi.fn<() => void>()
  const first = serve(cashier(paid), { store })
  const asked = await sent(await formerClient(first), [text('Pay back.')])
  await first.troupe.close()
  const client = await formerClient(serve(cashier(paid), { store }))
  expect((await client.getTask({ id: asked.id })).status.state).toBe('input-required')
  const [last] = (await all(client.sendMessageStream(saying([text('yes')], asked)))).slice(-1)
  expect(last).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } })
  expect(paid).toHaveBeenCalledOnce()
})

test('files go both ways, and a reply that is a file is no text', async () => {
  const bytes = Buffer.from('png').toString('base64')
  const picture = { type: 'file', mediaType: 'image/png', data: bytes, name: 'sky.png' } as const
  const model = scriptedModel([{ text: '', files: [picture] }])
  const painter = createAgent({ id: 'painter', description: 'Paints.', model })
  const client = await formerClient(serve(painter, { inputModes: ['text/plain', 'image/*'] }))
  const task = await sent(client, [
    text('Like this.'),
    { kind: 'file', file: { bytes, mimeType: 'image/png', name: 'sketch.png' } },
  ])
  expect(answerOf(task)).toEqual([{ kind: 'file', file: { bytes, mimeType: 'image/png', name: 'sky.png' } }])
  expect(model.calls[0]?.request.messages.at(-1)?.content).toMatchObject([
    { type: 'text', text: 'Like this.' },
    { type: 'file', mediaType: 'image/png', name: 'sketch.png' },
  ])
})

test('data of the answer are those of the model, whatever the schema makes of them', async () => {
  const list = { schema: z.object({ n: z.number() }).transform(({ n }) => [BigInt(n)]) }
  const agent = createAgent({
    id: 'counter',
    description: 'Counts.',
    model: scriptedModel([{ text: '{"n":1}' }]),
    structuredOutput: list,
  })
  const task = await sent(await formerClient(serve(agent)), [text('Go.')])
  expect(answerOf(task)).toMatchObject([{ kind: 'text' }, { kind: 'data', data: { n: 1 } }])
})

test('clients of both versions see the same task', async () => {
  const served = serve(cashier())
  const former = await formerClient(served)
  const asked = await sent(former, [text('Pay back.')])
  const present = await clientOf(served)
  expect((await present.getTask({ id: asked.id, tenant: '' })).contextId).toBe(asked.contextId)
  const begun = await send(present, [textOfToday('Pay back.')])
  expect((await former.getTask({ id: begun.id })).status.state).toBe('input-required')
})

test('a caller of 0.3 is named as one of 1.0, and sees its own tasks', async () => {
  const served = serve(poet(), {
    authenticate: ({ headers }) => {
      const userName = headers.get('authorization')
      return userName === null ? undefined : { userName }
    },
  })
  const { id } = await sent(await formerClient(served, 'ada'), [text('A haiku.')])
  await expect((await formerClient(served, 'eve')).getTask({ id })).rejects.toThrow(/not found/i)
  await expect((await formerClient(served)).getTask({ id })).rejects.toThrow(/401/)
})

test.each([
  ['a task that is not there', 'tasks/get', { id: 'none' }, -32_001],
  ['a cancel of none', 'tasks/cancel', { id: 'none' }, -32_001],
  ['no message', 'message/send', {}, -32_602],
  ['a message without parts', 'message/send', { message: { messageId: 'm', role: 'user' } }, -32_602],
  ['no object', 'message/send', [], -32_602],
  ['an unknown method', 'tasks/sing', {}, -32_601],
  ['the extended card', 'agent/getAuthenticatedExtendedCard', {}, -32_004],
  ['push', 'tasks/pushNotificationConfig/list', { id: 'none' }, -32_003],
])('%s is an error of 0.3', async (_, method, params, code) => {
  const { fetch } = serve(poet())
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'r1', method, params })
  const headers = { 'content-type': 'application/json' }
  const answer: unknown = await (await fetch(new Request(base, { method: 'POST', body, headers }))).json()
  expect(answer).toMatchObject({ jsonrpc: '2.0', id: 'r1', error: { code } })
  expect(JSON.stringify(answer)).not.toMatch(/node_modules|undefined/)
})

test.each([
  ['0.3', 'message/send', undefined],
  ['0.3.0', 'message/send', undefined],
  ['', 'message/send', undefined],
  ['0.3', 'SendMessage', -32_601],
  ['1.0', 'message/send', -32_601],
  ['1.0', 'SendMessage', undefined],
  ['', 'SendMessage', undefined],
  ['0.2', 'message/send', -32_009],
  ['99.0', 'SendMessage', -32_009],
])('version %j and %s', async (version, method, code) => {
  const { fetch } = serve(poet())
  const former = method === 'message/send'
  const message = former
    ? saying([text('Go.')]).message
    : { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Go.' }] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } })
  const headers = { 'content-type': 'application/json', 'a2a-version': version }
  const response = await fetch(new Request(base, { method: 'POST', body, headers }))
  const { error } = (await response.json()) as { readonly error?: { readonly code: number } }
  expect(error?.code).toBe(code)
})

test.each(['.well-known/agent-card.json', '.well-known/agent.json'])(
  'the card at %s has what clients of both versions read, and of 1.0 alone where they say so',
  async (path) => {
    const agent = poet()
    const scheme = {
      scheme: {
        $case: 'httpAuthSecurityScheme' as const,
        value: { description: '', scheme: 'Bearer', bearerFormat: 'JWT' },
      },
    }
    const card = agentCard(agent, {
      endpoints: [
        { url: 'http://localhost/a2a', binding: 'JSONRPC' },
        { url: 'http://localhost/grpc', binding: 'GRPC' },
      ],
      more: {
        securitySchemes: { bearer: scheme },
        securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      },
    })
    const { fetch } = serve(agent, { card })
    const ask = async (headers: Record<string, string> = {}) => fetch(new Request(base + path, { headers }))
    const both = await ask()
    expect(both.headers.get('vary')).toBe('A2A-Version')
    expect(await both.json()).toMatchObject({
      protocolVersion: '0.3.0',
      url: 'http://localhost/a2a',
      preferredTransport: 'JSONRPC',
      securitySchemes: {
        bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } },
      },
      security: [{ bearer: [] }],
      securityRequirements: [{ schemes: { bearer: {} } }],
      supportedInterfaces: [
        { url: 'http://localhost/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'http://localhost/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
        { url: 'http://localhost/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
    })
    const present = await ask({ 'a2a-version': '1.0' })
    expect(await present.json()).not.toHaveProperty('url')
    expect(present.headers.get('etag')).not.toBe(both.headers.get('etag'))
    const { etag = '' } = Object.fromEntries(both.headers)
    expect((await ask({ 'if-none-match': etag })).status).toBe(304)
  },
)

test('an agent that names no interface of 0.3 refuses its clients', async () => {
  const agent = poet()
  const endpoints = [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }]
  const whole = agentCard(agent, { endpoints })
  const card = {
    ...whole,
    supportedInterfaces: whole.supportedInterfaces.filter(({ protocolVersion }) => protocolVersion === '1.0'),
  }
  const { fetch } = serve(agent, { card })
  expect(await (await fetch(new Request(`${base}.well-known/agent-card.json`))).json()).not.toHaveProperty(
    'url',
  )
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'none' } })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(new Request(base, { method: 'POST', body, headers }))
  expect(await response.json()).toMatchObject({ error: { code: -32_009 } })
})

test('no request writes to the console', async () => {
  const spies = (['log', 'info', 'warn', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  )
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => 'There.',
  })
  const served = serve(
    worker('clerk', [calls({ name: 'look', args: {} }), 'Done.'], { tools: { look } }).agent,
  )
  const former = await formerClient(served)
  await all(former.sendMessageStream(saying([text('Go.')])))
  const present = await clientOf(served)
  await all(present.sendMessageStream(sayingToday([textOfToday('Go.')])))
  expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([])
  for (const spy of spies) spy.mockRestore()
})
