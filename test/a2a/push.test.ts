/** Push notifications: requests to an address that a client gave, of each change of its task. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ClientFactory as FormerFactory,
  JsonRpcTransportFactory as FormerTransport,
  DefaultAgentCardResolver,
} from '@a2a-js/sdk-0.3/client'
import { TaskState, type Task, type TaskPushNotificationConfig } from '@a2a-js/sdk'
import { createTroupe, memoryStore, type Problem, type Store } from 'troupe'
import { a2aFetch, a2aHandler, agentCard, type A2aPushOptions } from 'troupe/a2a'
import { sqliteStore } from 'troupe/sqlite'
import { afterEach, expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, saying, send, serve, text } from './served.ts'

const secret = 'a secret of the two programs'

interface Told {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Receiver {
  readonly origin: string
  readonly told: readonly Told[]
}

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A program that is told of tasks; `answer`: the status for the request of a number, and where it redirects. */
async function receiver(answer: (nr: number, told: Told) => number | string = () => 204): Promise<Receiver> {
  const told: Told[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body }
      told.push(one)
      const status = answer(told.length, one)
      if (typeof status === 'string') response.writeHead(307, { location: status }).end()
      else response.writeHead(status).end('heard')
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told }
}

/** A company that sends to one receiver. */
function company(
  origin: string,
  { store = memoryStore(), ...push }: Partial<A2aPushOptions> & { readonly store?: Store } = {},
) {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], store })
  const card = agentCard(agent, { endpoints: [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }] })
  const problems: Problem[] = []
  const handler = a2aHandler(agent, {
    troupe,
    card,
    push: { origins: { [origin]: secret }, retryDelay: 1, ...push },
    onError: (problem) => problems.push(problem),
  })
  const close = async (): Promise<void> => {
    await handler.closePush()
    await troupe.close()
  }
  return { troupe, handler, problems, close, fetch: a2aFetch(handler, { authenticate: 'everybody' }) }
}

const config = (url: string, more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => ({
  tenant: '',
  taskId: '',
  id: '',
  url,
  token: '',
  authentication: undefined,
  ...more,
})

/** A message with a config. */
const telling = (given: TaskPushNotificationConfig, task?: Task) => ({
  ...saying([text(task === undefined ? 'Pay back.' : 'yes')], task),
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: given,
    historyLength: undefined,
    returnImmediately: false,
  },
})

interface Notice {
  readonly statusUpdate?: { readonly taskId: string; readonly status: { readonly state: string } }
  readonly artifactUpdate?: { readonly artifact: { readonly parts: readonly unknown[] } }
}

/** What a receiver was told, in short. */
const short = ({ told }: Receiver): string[] =>
  told.map(({ body }) => {
    const { statusUpdate, artifactUpdate } = JSON.parse(body) as Notice
    return artifactUpdate === undefined
      ? (statusUpdate?.status.state ?? '').replace('TASK_STATE_', '')
      : 'artifact'
  })

const whole = ['WORKING', 'INPUT_REQUIRED', 'WORKING', 'artifact', 'COMPLETED']

async function asked(given: Receiver): Promise<void> {
  await expect.poll(() => short(given)).toEqual(whole.slice(0, 2))
}

test('a client is told of each change of its task, in order and signed, and knows its agent by what it gave', async () => {
  const hook = await receiver()
  const served = company(hook.origin)
  const client = await clientOf(served)
  const authentication = { scheme: 'Bearer', credentials: 'of the client' }
  const task = (await client.sendMessage(
    telling(config(`${hook.origin}/told?by=cashier`, { token: 'known', authentication })),
  )) as Task
  await asked(hook)
  await send(client, [text('yes')], task)
  await expect.poll(() => short(hook)).toEqual(whole)
  expect(hook.told.map(({ path }) => path)).toEqual(whole.map(() => '/told?by=cashier'))
  for (const { headers, body } of hook.told) {
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer of the client',
      'x-a2a-notification-token': 'known',
      'a2a-notification-token': 'known',
    })
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers
    const expected = createHmac('sha256', secret)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest('base64')
    expect(signature).toBe(`v1,${expected}`)
  }
  expect(new Set(hook.told.map(({ headers }) => headers['webhook-id'])).size).toBe(whole.length)
  expect(served.problems).toEqual([])
  await served.close()
})

test('without the option the card says so, and nothing is kept', async () => {
  const served = serve(cashier())
  const client = await clientOf(served)
  expect((await client.getAgentCard()).capabilities?.pushNotifications).toBe(false)
  const task = await send(client, [text('Pay back.')])
  await expect(client.sendMessage(telling(config('https://example.com/told')))).rejects.toThrow(
    /not supported/i,
  )
  await expect(client.sendMessage(telling(config('https://example.com/told'), task))).rejects.toThrow(
    /not supported/i,
  )
  expect((await client.getTask({ id: task.id, tenant: '' })).status?.state).toBe(
    TaskState.TASK_STATE_INPUT_REQUIRED,
  )
  expect((await served.troupe.runs()).items).toHaveLength(1)
})

test('configs are kept, read, listed and deleted, and are those of the caller alone', async () => {
  const hook = await receiver()
  const served = company(hook.origin)
  const client = await clientOf(served)
  expect((await client.getAgentCard()).capabilities?.pushNotifications).toBe(true)
  const task = await send(client, [text('Pay back.')])
  const listed = async () => {
    const all = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId: task.id,
      pageSize: 0,
      pageToken: '',
    })
    return all.configs.map(({ id }) => id)
  }
  const place = (id: string) => ({ tenant: '', taskId: task.id, id })
  const made = await client.createTaskPushNotificationConfig(config(`${hook.origin}/a`, { taskId: task.id }))
  const named = await client.createTaskPushNotificationConfig(
    config(`${hook.origin}/b`, { taskId: task.id, id: 'mine', token: 'known' }),
  )
  expect(made.id).not.toBe('')
  expect(await client.getTaskPushNotificationConfig(place('mine'))).toEqual(named)
  expect(await listed()).toEqual([made.id, 'mine'])
  await client.createTaskPushNotificationConfig(config(`${hook.origin}/c`, { taskId: task.id, id: 'mine' }))
  expect((await client.getTaskPushNotificationConfig(place('mine'))).url).toBe(`${hook.origin}/c`)
  await client.deleteTaskPushNotificationConfig(place(made.id))
  await client.deleteTaskPushNotificationConfig(place(made.id))
  expect(await listed()).toEqual(['mine'])
  await expect(client.getTaskPushNotificationConfig(place(made.id))).rejects.toThrow(/no such/)
  await expect(
    client.createTaskPushNotificationConfig(config(hook.origin, { taskId: 'none' })),
  ).rejects.toThrow(/not found/)
  for (let nr = 0; nr < 9; nr++)
    await client.createTaskPushNotificationConfig(config(`${hook.origin}/${nr}`, { taskId: task.id }))
  await expect(
    client.createTaskPushNotificationConfig(config(hook.origin, { taskId: task.id })),
  ).rejects.toThrow(/at most 10/)
  await send(client, [text('yes')], task)
  await expect.poll(() => hook.told.filter(({ path }) => path === '/c').length).toBe(3)
  expect(hook.told.filter(({ path }) => path === '/a')).toEqual([])
  await served.close()
})

test.each([
  ['another host', 'http://169.254.169.254/latest/meta-data'],
  ['another port of the host', 'http://127.0.0.1:1/told'],
  ['a name of the host', 'http://localhost/told'],
  ['a host that begins so', 'http://hooks.example.com.evil.test/told'],
  ['a name and a password', 'http://hooks.example.com@evil.test/told'],
  ['a password for the host', 'http://user:word@hooks.example.com/told'],
  ['no scheme of the web', 'file:///etc/passwd'],
  ['no address', 'told'],
  ['nothing', ''],
  ['an address without end', `http://hooks.example.com/${'x'.repeat(5000)}`],
])('an address with %s is refused', async (_, url) => {
  const served = company('http://hooks.example.com')
  const client = await clientOf(served)
  await expect(client.sendMessage(telling(config(url)))).rejects.toThrow(/sends no push notifications/)
  const task = await send(client, [text('Pay back.')])
  await expect(client.createTaskPushNotificationConfig(config(url, { taskId: task.id }))).rejects.toThrow(
    /sends no push notifications/,
  )
  expect((await served.troupe.runs()).items).toHaveLength(1)
  await served.close()
})

test.each([
  ['a token with a line break', { token: 'a\r\nx-evil: 1' }],
  ['a scheme with a line break', { authentication: { scheme: 'Bearer\r\n', credentials: 'x' } }],
  ['credentials beyond Latin-1', { authentication: { scheme: 'Bearer', credentials: 'ключ' } }],
  ['an id without end', { id: 'x'.repeat(201) }],
])('a config with %s is refused', async (_, more) => {
  const served = company('http://hooks.example.com')
  const client = await clientOf(served)
  await expect(client.sendMessage(telling(config('http://hooks.example.com/', more)))).rejects.toThrow(
    /header|scheme|too long/,
  )
  await served.close()
})

test('a request that fails for the moment is repeated as it was, and nothing overtakes it', async () => {
  const hook = await receiver((nr) => [503, 429, 204, 500][nr - 1] ?? 204)
  const served = company(hook.origin)
  const client = await clientOf(served)
  const task = (await client.sendMessage(telling(config(hook.origin)))) as Task
  await expect.poll(() => hook.told.length).toBe(5)
  await send(client, [text('yes')], task)
  await expect.poll(() => hook.told.length).toBe(8)
  expect(short(hook)).toEqual(['WORKING', 'WORKING', ...whole.slice(0, 2), ...whole.slice(1)])
  const ids = hook.told.map(({ headers }) => headers['webhook-id'])
  expect([new Set(ids.slice(0, 3)).size, new Set(ids).size]).toEqual([1, whole.length])
  expect(served.problems).toEqual([])
  await served.close()
})

test('a redirect is not followed, and a refusal is not repeated: the developer is told', async () => {
  const target = await receiver()
  const hook = await receiver((nr) => (nr === 1 ? `${target.origin}/secret` : 404))
  const served = company(hook.origin)
  const client = await clientOf(served)
  await client.sendMessage(telling(config(hook.origin)))
  await expect.poll(() => served.problems.length).toBe(2)
  expect(served.problems.map(({ message, error }) => [message, String(error)])).toEqual([
    ['a push notification was given up', expect.stringContaining('redirects')],
    ['a push notification was given up', expect.stringContaining('404')],
  ])
  expect([hook.told.length, target.told.length]).toEqual([2, 0])
  await served.close()
})

test('a receiver that stays away is given up in time, and is told of the next change', async () => {
  let isAway = true
  const hook = await receiver(() => (isAway ? 503 : 204))
  const served = company(hook.origin, { giveUpAfter: 20 })
  const client = await clientOf(served)
  const task = (await client.sendMessage(telling(config(hook.origin)))) as Task
  await expect.poll(() => served.problems.length).toBe(2)
  const before = hook.told.length
  isAway = false
  await send(client, [text('yes')], task)
  await expect.poll(() => short(hook).slice(before)).toEqual(whole.slice(2))
  await served.close()
})

const folder = temporaryFolder()
let files = 0

const stores = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(folder.file(`push-${++files}.db`))],
] as const

test.each(stores)(
  'another process goes on where one has ended, and tells nothing twice: %s',
  async (_, made) => {
    const store = made()
    const hook = await receiver()
    const first = company(hook.origin, { store })
    const task = (await (await clientOf(first)).sendMessage(telling(config(hook.origin)))) as Task
    await asked(hook)
    await first.close()
    const second = company(hook.origin, { store })
    await second.handler.resumePush()
    await second.handler.resumePush()
    await send(await clientOf(second), [text('yes')], task)
    await expect.poll(() => short(hook)).toEqual(whole)
    await second.close()
    const third = company(hook.origin, { store })
    await third.handler.resumePush()
    await third.close()
    expect(short(hook)).toEqual(whole)
    await store.close?.()
  },
)

test('the work of a process that has died is taken up once its time has run out, and not before', async () => {
  const store = memoryStore()
  const hook = await receiver()
  const first = company(hook.origin, { store })
  const task = (await (await clientOf(first)).sendMessage(telling(config(hook.origin)))) as Task
  await asked(hook)
  const [sender] = await first.troupe.config.items('a2a-push-sender')
  const second = company(hook.origin, { store })
  await second.handler.resumePush()
  expect((await second.troupe.config.items('a2a-push'))[0]?.value).toEqual({ sender: sender?.key })
  await first.close()
  await second.troupe.config.set('a2a-push-sender', sender?.key ?? '', 1)
  await second.handler.resumePush()
  await send(await clientOf(second), [text('yes')], task)
  await expect.poll(() => short(hook)).toEqual(whole)
  await second.close()
})

test.each(stores)('configs are deleted with their run: %s', async (_, made) => {
  const store = made()
  const hook = await receiver()
  const served = company(hook.origin, { store })
  const client = await clientOf(served)
  const token = 'a token of the client'
  const task = (await client.sendMessage(telling(config(hook.origin, { token })))) as Task
  await send(client, [text('yes')], task)
  await expect.poll(() => short(hook)).toEqual(whole)
  await expect.poll(async () => served.troupe.config.items('a2a-push')).toEqual([])
  const kind = `notes-of-run:${task.id}`
  expect(JSON.stringify(await served.troupe.config.items(kind))).toContain(token)
  await served.troupe.delete(task.id)
  expect(await served.troupe.config.items(kind)).toEqual([])
  await served.close()
  await store.close?.()
})

test('configs of runs that a retention deletes are deleted too', async () => {
  const { agent } = worker('poet', [], { otherwise: 'Snow falls.' })
  const store = memoryStore()
  const first = createTroupe({ agents: [agent], store })
  const kind = 'notes-of-run:one'
  await (
    await first.start(agent, 'A haiku.', { runId: 'one' })
  ).result
  await (
    await first.start(agent, 'A haiku.', { runId: 'two' })
  ).result
  await first.config.set(kind, 'a2a-push x', 'kept')
  await first.close()
  const second = createTroupe({ agents: [agent], store, retention: { runs: { number: 1 } } })
  await expect.poll(async () => (await second.runs()).items.map(({ runId }) => runId)).toEqual(['two'])
  expect(await second.config.items(kind)).toEqual([])
  await second.close()
})

test('clients of 0.3 are told of whole tasks', async () => {
  const hook = await receiver()
  const served = company(hook.origin)
  const fetchImpl: typeof fetch = (target, init) => served.fetch(new Request(target, init))
  const client = await new FormerFactory({
    transports: [new FormerTransport({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl('http://localhost/a2a/')
  const message = {
    kind: 'message',
    messageId: 'm1',
    role: 'user',
    parts: [{ kind: 'text', text: 'Pay back.' }],
  } as const
  const pushNotificationConfig = {
    url: hook.origin,
    token: 'known',
    authentication: { schemes: ['Basic', 'Bearer'], credentials: 'of the client' },
  }
  const task = await client.sendMessage({
    message: { ...message, parts: [...message.parts] },
    configuration: { pushNotificationConfig },
  })
  if (task.kind !== 'task') throw new Error('It is no task.')
  const [kept] = await client.listTaskPushNotificationConfig({ id: task.id })
  expect(kept).toMatchObject({
    taskId: task.id,
    pushNotificationConfig: { url: hook.origin, token: 'known' },
  })
  const read = await client.getTaskPushNotificationConfig({ id: task.id })
  expect(read.pushNotificationConfig.id).toBe(kept?.pushNotificationConfig.id)
  await client.sendMessage({
    message: { ...message, messageId: 'm2', taskId: task.id, parts: [{ kind: 'text', text: 'yes' }] },
  })
  const last = () =>
    JSON.parse(hook.told.at(-1)?.body ?? '{}') as { readonly status?: { readonly state: string } }
  await expect.poll(() => last().status?.state).toBe('completed')
  expect(last()).toMatchObject({ kind: 'task', id: task.id, artifacts: [{ artifactId: 'answer' }] })
  expect(hook.told[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-a2a-notification-token': 'known',
    authorization: 'Bearer of the client',
  })
  await client.deleteTaskPushNotificationConfig({
    id: task.id,
    pushNotificationConfigId: kept?.pushNotificationConfig.id ?? '',
  })
  expect(await client.listTaskPushNotificationConfig({ id: task.id })).toEqual([])
  await served.close()
})

test('a request that never ends is given up after its time, and made again', async () => {
  let requests = 0
  const hanging: typeof fetch = async () => {
    if (++requests === 1) return new Promise<Response>(() => undefined)
    const body = new ReadableStream({ cancel: () => new Promise<void>(() => undefined) })
    return new Response(body, { status: 200 })
  }
  const served = company('https://client.example', { fetch: hanging, timeout: 20 })
  const client = await clientOf(served)
  const task = (await client.sendMessage(telling(config('https://client.example/told')))) as Task
  await expect.poll(() => requests).toBe(3)
  await send(client, [text('yes')], task)
  await expect.poll(() => requests).toBe(whole.length + 1)
  await served.close()
})

test('a config of a task that has ended is kept, and nothing is sent', async () => {
  const hook = await receiver()
  const served = company(hook.origin)
  const client = await clientOf(served)
  const task = await send(client, [text('Pay back.')])
  await send(client, [text('yes')], task)
  const { status } = await client.getTask({ id: task.id, tenant: '' })
  expect(status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
  await client.createTaskPushNotificationConfig(config(hook.origin, { taskId: task.id, id: 'late' }))
  expect((await client.getTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'late' })).id).toBe(
    'late',
  )
  expect(await served.troupe.config.items('a2a-push')).toEqual([])
  await served.close()
  expect(hook.told).toEqual([])
})

test.each([
  ['no origins', { origins: {} }],
  ['an address with a path', { origins: { 'https://example.com/told': secret } }],
  ['a short secret', { origins: { 'https://example.com': 'short' } }],
  ['another scheme', { origins: { 'ftp://example.com': secret } }],
])('the option is refused: %s', (_, push) => {
  const agent = cashier()
  const card = agentCard(agent, { endpoints: [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }] })
  const troupe = createTroupe({ agents: [agent] })
  expect(() => a2aHandler(agent, { troupe, card, push })).toThrow(/^a2aHandler: push: origins/)
})

test('a troupe that cannot keep configs sends none', () => {
  const agent = cashier()
  const card = agentCard(agent, { endpoints: [{ url: 'http://localhost/a2a', binding: 'JSONRPC' }] })
  const { config: _config, ...troupe } = createTroupe({ agents: [agent] })
  const push = { origins: { 'https://example.com': secret } }
  expect(() => a2aHandler(agent, { troupe, card, push })).toThrow('push needs a troupe with `config`')
})
