/**
 * The requirements of the Technology Compatibility Kit of Agent2Agent for the JSON-RPC binding (`tck/requirements` and
 * `tests/compatibility` of a2aproject/a2a-tck, version 1.0, read in November 2026), written as cases. The kit is a program in
 * Python over a real server; each case here is a request of the web to the server of this library.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent, createTool, createTroupe, textOf, type AgentDefinition, type ChatModel } from 'troupe'
import { a2aFetch, a2aHandler, agentCard, type AgentCardOptions } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { leftOut } from './support/left-out.ts'

const url = 'http://localhost/a2a'

type Json = Readonly<Record<string, unknown>>

interface Task extends Json {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: string; readonly timestamp: string; readonly message?: Json }
  readonly artifacts?: readonly { readonly artifactId: string; readonly parts: readonly Json[] }[]
  readonly history?: readonly {
    readonly role: string
    readonly messageId: string
    readonly parts: readonly Json[]
  }[]
}

interface Answer {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string; readonly data?: readonly Json[] }
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const said = (text: string) => ({ text, toolCalls: [], finishReason: 'stop' as const, usage })

/** The agent of the kit: the text of a message chooses what it does. */
const model: ChatModel = {
  provider: 'test',
  modelId: 'kit',
  async generate({ messages }) {
    const last = messages.at(-1)
    if (last?.role === 'tool') return said('Completed.')
    const text = last === undefined ? '' : textOf(last.content)
    switch (text) {
      case 'file':
        return {
          ...said(''),
          files: [{ type: 'file', mediaType: 'text/plain', name: 'output.txt', data: btoa('Generated.') }],
        }
      case 'file url':
        return {
          ...said(''),
          files: [
            {
              type: 'file',
              mediaType: 'text/plain',
              name: 'output.txt',
              url: 'https://example.com/output.txt',
            },
          ],
        }
      case 'ask':
      case 'slow':
        return { ...said(''), toolCalls: [{ id: 'c1', name: text, args: {} }], finishReason: 'tool-calls' }
      case 'data':
        return said('{"key":"value","count":42}')
      default:
        return said('Generated text content')
    }
  },
}

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  execute: (_, { resumeData, suspend }) => resumeData ?? suspend('More, please.'),
})
const gates: (() => void)[] = []
const slow = createTool({
  id: 'slow',
  description: 'Waits.',
  inputSchema: z.object({}),
  execute: () => new Promise<string>((resolve) => gates.push(() => resolve('There.'))),
})
const agent = createAgent({ id: 'kit', description: 'Does what the kit asks.', model, tools: { ask, slow } })
const counter = createAgent({
  id: 'counter',
  description: 'Counts.',
  model,
  structuredOutput: { schema: z.object({ key: z.string(), count: z.number() }) },
})

function serve(options: Partial<AgentCardOptions> = {}, of: AgentDefinition = agent, origin?: string) {
  const troupe = createTroupe({ agents: [of] })
  const card = agentCard(of, {
    endpoints: [{ url, binding: 'JSONRPC' }],
    inputModes: ['text/plain'],
    ...options,
  })
  const push = origin === undefined ? {} : { push: { origins: { [origin]: 'a secret of two programs' } } }
  const handler = a2aHandler(of, { troupe, card, ...push })
  return a2aFetch(handler, { authenticate: 'everybody' })
}

type Fetch = ReturnType<typeof serve>

const fetchKit = serve()

function post(method: string, params: object, headers: Record<string, string> = {}, to: Fetch = fetchKit) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const sending = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers }
  return to(new Request(url, { method: 'POST', body, headers: sending }))
}

const rpc = async (method: string, params: object, to?: Fetch, headers: Record<string, string> = {}) =>
  (await (await post(method, params, headers, to)).json()) as Answer

const message = (text: string, more: object = {}) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
})

async function sent(text: string, more: object = {}, to?: Fetch, configuration?: object): Promise<Task> {
  const params = { ...message(text, more), ...(configuration === undefined ? {} : { configuration }) }
  const { result, error } = await rpc('SendMessage', params, to)
  if (error !== undefined) throw new Error(error.message)
  return result?.['task'] as Task
}

const completed = () => sent('complete')
const waiting = () => sent('ask')

async function got(id: string, more: object = {}): Promise<Task> {
  return (await rpc('GetTask', { id, ...more })).result as Task
}

async function* streamed(method: string, params: object, to?: Fetch): AsyncGenerator<Answer, void> {
  const response = await post(method, params, {}, to)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  let rest = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + piece).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events)
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as Answer
  }
}

async function all(stream: AsyncIterable<Answer>): Promise<readonly Json[]> {
  const results: Json[] = []
  for await (const { result = {} } of stream) results.push(result)
  return results
}

/** The state that an event of a stream tells. */
function stateIn(event: Json | undefined): string | undefined {
  const { task, statusUpdate } = (event ?? {}) as {
    readonly task?: Task
    readonly statusUpdate?: Pick<Task, 'status'>
  }
  return (task ?? statusUpdate)?.status.state
}

function refused({ error }: Answer, code: number, reason: string): void {
  expect(error).toMatchObject({ code, data: [{ '@type': expect.stringContaining('ErrorInfo'), reason }] })
}

const notFound = (answer: Answer) => refused(answer, -32_001, 'TASK_NOT_FOUND')
const unsupported = (answer: Answer) => refused(answer, -32_004, 'UNSUPPORTED_OPERATION')

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, below]) => [name, ...namesIn(below)])
}

const cardOf = async (to: Fetch = fetchKit) =>
  to(new Request(`${url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } }))

async function parts(text: string, of: AgentDefinition = agent): Promise<readonly Json[]> {
  const { status, artifacts = [] } = await sent(text, {}, of === agent ? undefined : serve({}, of))
  expect([status.state, artifacts.length]).toEqual(['TASK_STATE_COMPLETED', 1])
  expect(artifacts[0]?.artifactId).not.toBe('')
  return artifacts[0]?.parts ?? []
}

const listed = async (params: object, to?: Fetch) =>
  (await rpc('ListTasks', params, to)).result as {
    readonly tasks: readonly Task[]
    readonly nextPageToken?: string
  }

/** Two readers of a task that somebody completes. */
async function twoReaders(): Promise<readonly [readonly Json[], readonly Json[]]> {
  const { id } = await waiting()
  const streams = [streamed('SubscribeToTask', { id }), streamed('SubscribeToTask', { id })] as const
  const firsts = await Promise.all(streams.map((stream) => stream.next()))
  await sent('complete', { taskId: id })
  const [one, other] = await Promise.all(streams.map(all))
  const before = firsts.map(({ value }) => (value as Answer).result ?? {})
  return [
    [before[0] ?? {}, ...(one ?? [])],
    [before[1] ?? {}, ...(other ?? [])],
  ]
}

/** Sends with a config, and completes the task; resolves with what the receiver was told. */
async function delivered(): Promise<readonly { readonly authorization?: string; readonly body: Json }[]> {
  const told: { authorization?: string; body: Json }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      const { authorization } = request.headers
      told.push({ ...(authorization === undefined ? {} : { authorization }), body: JSON.parse(body) as Json })
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const to = serve({}, agent, origin)
  const authentication = { scheme: 'Bearer', credentials: 'kit' }
  const { id } = await sent('ask', {}, to, {
    taskPushNotificationConfig: { id: 'p', url: `${origin}/hook`, authentication },
  })
  await sent('complete', { taskId: id }, to)
  await expect.poll(() => stateIn(told.at(-1)?.body)).toBe('TASK_STATE_COMPLETED')
  server.closeAllConnections()
  server.close()
  return told
}

const hooks = 'https://hooks.example.com'
const pushing = serve({}, agent, hooks)

/** A task that has ended, and a config of it. */
async function kept() {
  const { id: taskId } = await sent('complete', {}, pushing)
  const config = { taskId, id: 'p', url: `${hooks}/told` }
  const created = await rpc('CreateTaskPushNotificationConfig', config, pushing)
  const act = (verb: string, id = 'p') => rpc(`${verb}TaskPushNotificationConfig`, { taskId, id }, pushing)
  return { taskId, created, act }
}

const cases: Readonly<Record<string, () => unknown>> = {
  // Operations (3.1)
  'CORE-SEND-001': async () =>
    expect((await rpc('SendMessage', message('complete'))).result).toHaveProperty('task'),
  'CORE-SEND-002': async () =>
    unsupported(await rpc('SendMessage', message('more', { taskId: (await completed()).id }))),
  'CORE-SEND-003': async () => {
    const raw = { raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }
    refused(await rpc('SendMessage', message('', { parts: [raw] })), -32_005, 'CONTENT_TYPE_NOT_SUPPORTED')
  },
  'CORE-STREAM-001': async () =>
    expect((await all(streamed('SendStreamingMessage', message('complete')))).length).toBeGreaterThan(0),
  'CORE-STREAM-003': async () => {
    const events = await all(streamed('SendStreamingMessage', message('complete')))
    expect(events[0]).toHaveProperty('task')
    expect(stateIn(events.at(-1))).toBe('TASK_STATE_COMPLETED')
  },
  'CORE-GET-001': async () => {
    const { id } = await completed()
    expect(await got(id)).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } })
  },
  'CORE-GET-002': async () => notFound(await rpc('GetTask', { id: 'tck-nonexistent' })),
  'CORE-LIST-001': async () => expect((await listed({ contextId: 'tck-none' })).tasks).toEqual([]),
  'CORE-LIST-002': async () => {
    for (let nr = 0; nr < 3; nr++) await sent('complete', { contextId: 'tck-pages' })
    const first = await listed({ contextId: 'tck-pages', pageSize: 2 })
    const second = await listed({ contextId: 'tck-pages', pageSize: 2, pageToken: first.nextPageToken })
    expect(new Set([...first.tasks, ...second.tasks].map(({ id }) => id)).size).toBe(3)
  },
  'CORE-LIST-003': async () => {
    for (let nr = 0; nr < 3; nr++) await sent('complete', { contextId: 'tck-order' })
    const times = (await listed({ contextId: 'tck-order' })).tasks.map(({ status }) => status.timestamp)
    expect(times).toEqual(times.toSorted().toReversed())
  },
  'CORE-LIST-004': async () => expect((await listed({ pageSize: 100 })).nextPageToken).toBe(''),
  'CORE-LIST-005': async () => {
    await sent('complete', { contextId: 'tck-artifacts' })
    const { tasks } = await listed({ contextId: 'tck-artifacts' })
    expect([tasks.length, tasks.some((task) => 'artifacts' in task)]).toEqual([1, false])
  },
  'CORE-CANCEL-001': async () => {
    const { id } = await waiting()
    expect((await rpc('CancelTask', { id })).result).toMatchObject({
      id,
      status: { state: 'TASK_STATE_CANCELED' },
    })
  },
  'CORE-CANCEL-002': async () =>
    refused(await rpc('CancelTask', { id: (await completed()).id }), -32_002, 'TASK_NOT_CANCELABLE'),
  'CORE-CANCEL-003': async () => notFound(await rpc('CancelTask', { id: 'tck-nonexistent' })),
  'CORE-EXECUTION-MODE-001': async () => {
    expect((await completed()).status.state).toBe('TASK_STATE_COMPLETED')
    expect((await waiting()).status.state).toBe('TASK_STATE_INPUT_REQUIRED')
  },
  'CORE-EXECUTION-MODE-002': async () => {
    const { id, status } = await sent('slow', {}, undefined, { returnImmediately: true })
    expect(status.state).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/)
    await expect.poll(() => gates.length).toBe(1)
    gates.splice(0).forEach((open) => open())
    await expect.poll(async () => (await got(id)).status.state).toBe('TASK_STATE_COMPLETED')
  },
  'CORE-ERR-001': async () =>
    expect((await rpc('NonExistentMethod', {})).error).toMatchObject({
      code: -32_601,
      message: expect.any(String),
    }),
  'CORE-ERR-002': async () => expect((await rpc('SendMessage', {})).error?.code).toBe(-32_602),
  'CORE-CAP-001': async () =>
    refused(
      await rpc('CreateTaskPushNotificationConfig', { taskId: 't', url: 'https://example.com' }),
      -32_003,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ),
  'CORE-CAP-002': async () => {
    const to = serve({ streaming: false })
    unsupported(await rpc('SendStreamingMessage', message('complete'), to))
    unsupported(await rpc('SubscribeToTask', { id: 'any' }, to))
  },
  'CORE-CAP-003': async () => unsupported(await rpc('GetExtendedAgentCard', {})),
  'CORE-CAP-004': async () => {
    const extension = {
      uri: 'urn:a2a:tck:required-extension',
      description: '',
      required: true,
      params: undefined,
    }
    const capabilities = { streaming: true, extensions: [extension] }
    const to = serve({ more: { capabilities } })
    refused(await rpc('SendMessage', message('complete'), to), -32_008, 'EXTENSION_SUPPORT_REQUIRED')
    const answer = await rpc('SendMessage', message('complete'), to, { 'a2a-extensions': extension.uri })
    expect(answer.result).toHaveProperty('task')
  },
  'CORE-MULTI-001': async () => expect((await completed()).contextId).not.toBe(''),
  'CORE-MULTI-001a': async () => expect((await completed()).contextId).toMatch(/\S/),
  'CORE-MULTI-002': async () =>
    expect((await sent('complete', { contextId: 'tck-client-context' })).contextId).toBe(
      'tck-client-context',
    ),
  'CORE-MULTI-003': async () => expect((await completed()).id).not.toBe((await completed()).id),
  'CORE-MULTI-004': async () =>
    notFound(await rpc('SendMessage', message('complete', { taskId: 'tck-nonexistent' }))),
  'CORE-MULTI-005': async () => {
    const { id, contextId } = await waiting()
    expect(await sent('more', { taskId: id })).toMatchObject({ id, contextId })
  },
  'CORE-MULTI-006': async () => {
    const { id } = await waiting()
    const answer = await rpc('SendMessage', message('more', { taskId: id, contextId: 'tck-wrong-context' }))
    expect(answer.error?.code).toBe(-32_602)
  },
  'CORE-HIST-001': async () =>
    expect(await got((await completed()).id, { historyLength: 0 })).not.toHaveProperty('history'),
  'CORE-HIST-002': async () =>
    expect((await got((await completed()).id, { historyLength: 1 })).history).toHaveLength(1),
  'CORE-HIST-003': async () =>
    expect(await sent('complete', {}, undefined, { historyLength: 0 })).not.toHaveProperty('history'),
  'CORE-HIST-004': async () => expect((await got((await completed()).id)).history?.length).toBeGreaterThan(0),
  'CORE-HIST-005': async () => {
    const { id } = await waiting()
    await sent('more', { taskId: id })
    expect((await got(id)).history?.flatMap(({ role }) => (role === 'ROLE_USER' ? 'user' : []))).toEqual([
      'user',
      'user',
    ])
  },
  'CORE-HIST-006': async () => {
    const { history = [] } = await got((await sent('Say this.')).id)
    expect(history[0]).toMatchObject({ role: 'ROLE_USER', parts: [{ text: 'Say this.' }] })
  },
  // Streams (3.1.6, 3.5)
  'STREAM-SUB-001': async () => {
    const stream = streamed('SubscribeToTask', { id: (await waiting()).id })
    expect(((await stream.next()).value as Answer).result).toHaveProperty('task')
    await stream.return()
  },
  'STREAM-SUB-002': async () => expect(stateIn((await twoReaders())[0].at(-1))).toBe('TASK_STATE_COMPLETED'),
  'STREAM-SUB-003': async () => unsupported(await rpc('SubscribeToTask', { id: (await completed()).id })),
  'STREAM-SUB-004': async () => notFound(await rpc('SubscribeToTask', { id: 'tck-nonexistent' })),
  'STREAM-ORDER-001': async () => {
    const states = (await all(streamed('SendStreamingMessage', message('complete')))).flatMap(
      (event) => stateIn(event)?.replace('TASK_STATE_', '') ?? [],
    )
    expect([...new Set(states)]).toEqual(['SUBMITTED', 'WORKING', 'COMPLETED'])
  },
  'STREAM-ORDER-002': async () => {
    for (const events of await twoReaders()) expect(events.length).toBeGreaterThan(1)
  },
  'STREAM-ORDER-003': async () => {
    const [one, other] = await twoReaders()
    expect(one).toEqual(other)
  },
  'STREAM-ORDER-004': async () => {
    const { id } = await waiting()
    const [left, stays] = [streamed('SubscribeToTask', { id }), streamed('SubscribeToTask', { id })]
    await Promise.all([left.next(), stays.next()])
    await left.return()
    await sent('complete', { taskId: id })
    expect(stateIn((await all(stays)).at(-1))).toBe('TASK_STATE_COMPLETED')
  },
  'JSONRPC-SSE-001': async () => {
    for await (const event of streamed('SendStreamingMessage', message('complete'))) {
      expect(event).toMatchObject({ jsonrpc: '2.0', id: 1 })
      expect(Object.keys(event.result ?? {})).toEqual([
        expect.stringMatching(/^(task|statusUpdate|artifactUpdate)$/),
      ])
    }
  },
  // Errors and versions (3.3, 3.6, 9.5)
  'JSONRPC-ERR-001': async () => {
    const { error } = await rpc('GetTask', { id: 'tck-nonexistent' })
    expect(Object.keys(error ?? {}).toSorted()).toEqual(['code', 'data', 'message'])
  },
  'JSONRPC-ERR-002': async () => {
    const code = (await rpc('GetTask', { id: 'tck-nonexistent' })).error?.code ?? 0
    expect(code >= -32_099 && code <= -32_001).toBe(true)
  },
  'JSONRPC-ERR-003': async () =>
    expect((await rpc('GetTask', { id: 'tck-nonexistent' })).error?.data?.[0]).toMatchObject({
      reason: 'TASK_NOT_FOUND',
      domain: 'a2a-protocol.org',
    }),
  'JSONRPC-SSE-002': async () => {
    notFound(await rpc('GetTask', { id: 'tck-nonexistent' }))
    const version = await rpc('SendMessage', message('complete'), undefined, { 'a2a-version': '99.0' })
    refused(version, -32_009, 'VERSION_NOT_SUPPORTED')
    expect((await post('SendMessage', message('complete'), { 'content-type': 'text/plain' })).status).toBe(
      415,
    )
  },
  'VER-SERVER-001': async () => {
    const former = {
      messageId: 'm',
      kind: 'message',
      role: 'user',
      parts: [{ kind: 'text', text: 'complete' }],
    }
    const answer = await rpc('message/send', { message: former }, undefined, { 'a2a-version': '0.3' })
    expect(answer.result).toMatchObject({ kind: 'task', status: { state: 'completed' } })
    expect((await rpc('SendMessage', message('complete'))).result).toHaveProperty('task')
  },
  'VER-SERVER-002': async () =>
    refused(
      await rpc('SendMessage', message('complete'), undefined, { 'a2a-version': '99.0' }),
      -32_009,
      'VERSION_NOT_SUPPORTED',
    ),
  'VER-SERVER-003': async () => {
    const answer = await rpc('tasks/get', { id: 'tck-nonexistent' }, undefined, { 'a2a-version': '' })
    expect(answer.error?.code).toBe(-32_001)
  },
  'VER-CLIENT-002': async () =>
    expect((await rpc('ListTasks', {}, undefined, { 'a2a-version': '1.0.7' })).result).toHaveProperty(
      'tasks',
    ),
  // The data model (4, 5)
  'DM-TASK-001': async () => {
    const { id, status } = await completed()
    expect([typeof id, typeof status.state]).toEqual(['string', 'string'])
  },
  'DM-TASK-002': async () => expect((await waiting()).status.state).toBe('TASK_STATE_INPUT_REQUIRED'),
  'DM-MSG-002': async () => {
    const { history = [] } = await got((await waiting()).id)
    expect(history.every(({ role }) => role === 'ROLE_USER' || role === 'ROLE_AGENT')).toBe(true)
  },
  'DM-PART-001': async () => {
    for (const text of ['text', 'file', 'file url'])
      for (const part of await parts(text))
        expect(
          Object.keys(part).filter((name) => ['text', 'raw', 'url', 'data'].includes(name)),
        ).toHaveLength(1)
  },
  'DM-ART-001 (text)': async () =>
    expect(await parts('text')).toMatchObject([{ text: 'Generated text content' }]),
  'DM-ART-001 (file)': async () => {
    const [part, ...rest] = await parts('file')
    expect(rest).toEqual([])
    expect(part).toEqual({ raw: btoa('Generated.'), filename: 'output.txt', mediaType: 'text/plain' })
  },
  'DM-ART-001 (file by address)': async () =>
    expect(await parts('file url')).toEqual([
      { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' },
    ]),
  'DM-ART-001 (data)': async () =>
    expect(await parts('data', counter)).toContainEqual(
      expect.objectContaining({ data: { key: 'value', count: 42 } }),
    ),
  'DM-STATUS-001': async () => expect((await completed()).status).toHaveProperty('state'),
  'DM-SERIAL-001': async () => {
    const names = namesIn(await got((await waiting()).id))
    expect(names.filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name))).toEqual([])
  },
  'DM-SERIAL-002': async () => expect(typeof (await completed()).status.state).toBe('string'),
  'DM-SERIAL-003': async () =>
    expect((await completed()).status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  'DM-SERIAL-004': async () =>
    expect(Object.keys(await completed())).toEqual(expect.arrayContaining(['id', 'contextId', 'status'])),
  'DM-SERIAL-005': async () => {
    const given = message('complete', { tckUnknownField: 'should-be-ignored' })
    expect((await rpc('SendMessage', { ...given, tckExtraParam: 42 })).result).toHaveProperty('task')
  },
  // The card (8)
  'CARD-DISC-001': async () => expect((await cardOf()).status).toBe(200),
  'CARD-PROTO-001': async () =>
    expect(await (await cardOf()).json()).toMatchObject({
      supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '0.3' }],
    }),
  'CARD-PROTO-002': async () =>
    expect(await (await cardOf()).json()).toMatchObject({
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC' },
        { url, protocolBinding: 'JSONRPC' },
      ],
    }),
  'CARD-STRUCT-001': async () =>
    expect(Object.keys((await (await cardOf()).json()) as object)).toEqual(
      expect.arrayContaining([
        'name',
        'description',
        'supportedInterfaces',
        'version',
        'capabilities',
        'skills',
      ]),
    ),
  'CARD-CACHE-001': async () => expect((await cardOf()).headers.get('cache-control')).toMatch(/max-age=\d+/),
  'CARD-CACHE-002': async () => expect((await cardOf()).headers.get('etag')).toMatch(/^"[^"]+"$/),
  // Push notifications (3.1.7 to 3.1.10, 4.3)
  'PUSH-CREATE-001': async () => {
    const { created, taskId } = await kept()
    expect(created.result).toMatchObject({ taskId, id: 'p', url: `${hooks}/told` })
  },
  'PUSH-CREATE-002': async () => expect((await (await kept()).act('Get')).result).toMatchObject({ id: 'p' }),
  'PUSH-GET-001': async () =>
    expect((await (await kept()).act('Get')).result).toMatchObject({ url: `${hooks}/told` }),
  'PUSH-GET-002': async () => expect((await (await kept()).act('Get', 'tck-none')).error?.code).toBe(-32_001),
  'PUSH-LIST-001': async () => {
    const { taskId } = await kept()
    const { result } = await rpc('ListTaskPushNotificationConfigs', { taskId }, pushing)
    expect(result).toMatchObject({ configs: [{ id: 'p' }] })
  },
  'PUSH-DEL-001': async () => {
    const { act } = await kept()
    expect((await act('Delete')).error).toBeUndefined()
    expect((await act('Get')).error?.code).toBe(-32_001)
  },
  'PUSH-DEL-002': async () => {
    const { act } = await kept()
    await act('Delete')
    expect((await act('Delete')).error).toBeUndefined()
  },
  'PUSH-DELIVER-001': async () => {
    for (const { authorization } of await delivered()) expect(authorization).toBe('Bearer kit')
  },
  'PUSH-DELIVER-002': async () => expect((await delivered()).length).toBeGreaterThan(0),
  'PUSH-DELIVER-003': async () => {
    for (const { body } of await delivered())
      expect(Object.keys(body)).toEqual([
        expect.stringMatching(/^(task|message|statusUpdate|artifactUpdate)$/),
      ])
  },
}

const notHere = {
  'CORE-STREAM-002':
    'The server answers each message with a task, as the protocol allows, and never with a message alone.',
  'DM-MSG-001':
    'The server answers each message with a task, as the protocol allows, and never with a message alone.',
  'CORE-MULTI-002a': 'The server takes every contextId that a client gives, so that there is none to refuse.',
  'CORE-AUTH-REQUIRED':
    'An agent asks by INPUT_REQUIRED; it never asks a client for credentials within a task.',
  'CARD-EXT-001': 'The server has no extended card, and its card says so.',
  'CARD-EXT-002': 'The server has no extended card, and its card says so.',
  'CARD-SIGN-001': 'The SDK signs cards, and the kit checks it by vectors of its own.',
  'CARD-SIGN-002': 'The SDK signs cards, and the kit checks it by vectors of its own.',
  'CARD-SIGN-003': 'The kit marks it as not to be tested by a program.',
  'CARD-SIGN-004': 'The kit marks it as not to be tested by a program.',
  'CARD-CACHE-003': 'A server may leave Last-Modified out, and this one has an ETag.',
  'VER-CLIENT-001': 'It binds clients, and not a server.',
}

const names = leftOut([...Object.keys(cases), ...Object.keys(notHere)], notHere)

test.for(names)('%s', async (name) => {
  expect.hasAssertions()
  await cases[name]?.()
})

test('every requirement of the table is a case', () => {
  expect(names).toEqual(Object.keys(cases))
})
