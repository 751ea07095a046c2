/** Each function of the user's that no effect calls: it answers, promises, throws, rejects, hangs, and answers with something else. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Client } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { createAgent, createTroupe, type Problem, type Troupe } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { createHandler } from 'troupe/http'
import { mcpConnection, mcpServer, mcpTools } from 'troupe/mcp'
import { scriptedModel } from 'troupe/testing'
import { answeredBy } from '../../src/inspector/server/answered-by.ts'
import { ContentGate } from '../../src/inspector/files/content.ts'
import { RunList } from '../../src/inspector/files/run-list.ts'
import { remoteRun } from '../../src/react/source/remote-run.ts'
import { cashier } from '../support/agents/cashier.ts'
import { transportTo } from '../mcp/support/office.ts'
import { Passage } from '../../src/inspect-stately/stately-inspector.ts'
import { inMinutes } from './minutes.ts'

/** What a call with the function has let through; a throw, or nothing: it let nothing through. */
interface Case {
  readonly drive: (given: () => never) => Promise<unknown>
  readonly good: unknown
  readonly passes: unknown
  /** Answers of another kind; each lets nothing through. */
  readonly wrong: readonly unknown[]
}

const nothing = 'nothing'

function company() {
  const agent = createAgent({
    id: 'guide',
    description: 'Guides',
    instructions: 'Guide.',
    model: scriptedModel(Array.from({ length: 9 }, () => 'Hello.')),
  })
  return { agent, troupe: createTroupe({ agents: [agent], onError: () => undefined }) }
}

const first = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] }

const send = (message: object = first): Request =>
  new Request('http://x/a2a', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message },
    }),
  })

const start = (): Request =>
  new Request('http://x/agents/guide/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"prompt":"x"}',
  })

const onError = (): undefined => undefined

const client = (seen: string[] = []) => ({
  listTools: () =>
    Promise.resolve({ tools: [{ name: 'pay', inputSchema: { type: 'object' as const, properties: {} } }] }),
  callTool: () => {
    seen.push('called')
    return Promise.resolve({ content: [] })
  },
})

async function ofA2a(options: object, fetchOptions: object): Promise<unknown> {
  const { agent, troupe } = company()
  const card = agentCard(agent, { endpoints: [{ url: 'http://x/a2a', binding: 'JSONRPC' }] })
  const handler = a2aHandler(agent, { troupe, card, onError, ...options })
  const answer = await a2aFetch(handler, { authenticate: 'everybody', onError, ...fetchOptions })(send())
  const text = await answer.text()
  expect(text).not.toContain('oops')
  return text.includes('Hello.') ? 'served' : nothing
}

async function ofHttp(options: object): Promise<unknown> {
  const { agent, troupe } = company()
  const handle = createHandler(troupe, { authorize: 'everybody', agents: [agent], onError, ...options })
  const answer = await handle(start())
  expect(await answer.text()).not.toContain('oops')
  return answer.status < 300 ? 'served' : nothing
}

const wrongNames = ['', ' ', 7, null, false, {}, ['ann']]

/** Who has answered the question of a cashier, as its run tells it. */
async function answererIn(troupe: Troupe): Promise<unknown> {
  const [run] = (await troupe.runs()).items
  const entries = await troupe.history(run?.runId ?? '')
  return entries.find(({ by }) => by !== undefined)?.by ?? nothing
}

/** A run that has failed, with an error whose text is for the server alone. */
async function failedRun(options: object): Promise<unknown> {
  const agent = createAgent({
    id: 'guide',
    instructions: 'Guide.',
    model: scriptedModel([{ error: new Error('oops') }]),
    retries: 0,
  })
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  await (
    await troupe.start(agent, 'Go', { runId: 'r' })
  ).result
  const handle = createHandler(troupe, { authorize: 'everybody', onError, ...options })
  const text = await (await handle(new Request('http://x/runs/r/events'))).text()
  expect(text).not.toContain('oops')
  return text.includes('Sorry.') ? 'Sorry.' : nothing
}

async function answerOverA2a(options: object): Promise<unknown> {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const card = agentCard(agent, { endpoints: [{ url: 'http://x/a2a', binding: 'JSONRPC' }] })
  const handler = a2aHandler(agent, { troupe, card, onError, ...options })
  const fetch = a2aFetch(handler, { authenticate: 'everybody', onError })
  const asked = (await (await fetch(send())).json()) as {
    readonly result: { readonly task: { readonly id: string; readonly contextId: string } }
  }
  const { id: taskId, contextId } = asked.result.task
  await fetch(send({ messageId: 'n', taskId, contextId, role: 'ROLE_USER', parts: [{ text: 'yes' }] }))
  return answererIn(troupe)
}

/** A client of an MCP server in this process, which offers a cashier. */
async function overMcp(options: object) {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const handler = createMcpHandler(mcpServer({ agents: { cashier: agent }, troupe, onError, ...options }))
  const caller = new Client(
    { name: 'caller', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      capabilities: { elicitation: { form: {}, url: {} } },
    },
  )
  await caller.connect(transportTo({ fetch: (request) => handler.fetch(request) }))
  const call = (more: object = {}): Promise<object> =>
    caller.callTool({ name: 'cashier', arguments: { prompt: 'Go' }, ...more }, { allowInputRequired: true })
  return { troupe, call }
}

async function answerOverMcp(options: object): Promise<unknown> {
  const { troupe, call } = await overMcp(options)
  const { inputRequests = {}, requestState } = (await call()) as {
    readonly inputRequests?: object
    readonly requestState?: string
  }
  const [key = ''] = Object.keys(inputRequests)
  const inputResponses = { [key]: { action: 'accept', content: { approve: true } } }
  await call({ inputResponses, requestState })
  return answererIn(troupe)
}

const run = { runId: 'r', agent: 'a', startedAt: 1 }
const question = {
  runId: 'r',
  toolCallId: 'c',
  type: 'approval',
  agent: 'a',
  toolName: 't',
  args: 'secret',
} as const

let started = nothing

const cases: Readonly<Record<string, Case>> = {
  'A2aFetchOptions.authenticate': {
    drive: (authenticate) => ofA2a({}, { authenticate }),
    good: { userName: 'ann' },
    passes: 'served',
    wrong: [
      null,
      false,
      0,
      '',
      'ann',
      {},
      [],
      { userName: undefined },
      { userName: '' },
      { userName: ' ' },
      { userName: 7 },
    ],
  },
  'A2aHandlerOptions.answeredBy': {
    drive: (by) => answerOverA2a({ answeredBy: by }),
    good: 'ann',
    passes: 'ann',
    wrong: wrongNames,
  },
  'A2aHandlerOptions.runOptions': {
    drive: (runOptions) => ofA2a({ runOptions }, {}),
    good: { resourceId: 'ann' },
    passes: 'served',
    wrong: [null, undefined, 'ann', []],
  },
  'HandlerOptions.authorize': {
    drive: (authorize) => ofHttp({ authorize }),
    good: { resource: 'ann' },
    passes: 'served',
    wrong: [null, undefined, true, 0, '', 'ann', {}, { resource: '' }, { resource: undefined }],
  },
  'HandlerOptions.errors': {
    drive: (errors) => failedRun({ errors }),
    good: 'Sorry.',
    passes: 'Sorry.',
    wrong: [undefined, null, 7, {}, ['Sorry.']],
  },
  'HandlerOptions.runOptions': {
    drive: (runOptions) => ofHttp({ runOptions }),
    good: { context: 'ann' },
    passes: 'served',
    wrong: [null, undefined, 'ann', []],
  },
  'McpToolsOptions.only': {
    drive: async (only) => Object.keys(await mcpTools(client(), { only })),
    good: true,
    passes: ['pay'],
    wrong: [undefined, null, 'yes', 1, {}],
  },
  'McpToolsOptions.approve': {
    drive: async (approve) => (await mcpTools(client(), { approve }))['pay']?.requireApproval,
    good: true,
    passes: true,
    wrong: [undefined, null, 'yes', 1, {}],
  },
  'McpToolsOptions.onInterrupted': {
    drive: async (onInterrupted) => (await mcpTools(client(), { onInterrupted }))['pay']?.onInterrupted,
    good: 'fail',
    passes: 'fail',
    wrong: [undefined, 'never', true],
  },
  'McpToolsOptions.strict': {
    drive: async (strict) => Object.keys(await mcpTools(client(), { strict })),
    good: false,
    passes: ['pay'],
    wrong: [undefined, 'yes'],
  },
  'McpToolsOptions.meta': {
    drive: async (meta) => {
      const seen: string[] = []
      const { pay } = await mcpTools(client(seen), { meta })
      const { signal } = new AbortController()
      const execution = {
        idempotencyKey: 'k',
        runId: 'r',
        agent: 'a',
        toolCallId: 'c',
        signal,
        inspect: undefined,
        resumeData: undefined,
        answers: Object.assign([], { named: () => undefined }),
        context: undefined,
        emit: onError,
        start: (): never => {
          throw new Error('started')
        },
        suspend: (): never => {
          throw new Error('suspended')
        },
      }
      await pay?.execute({}, execution)
      return seen
    },
    good: { traceparent: 't' },
    passes: ['called'],
    wrong: [undefined, null, 'text', []],
  },
  'InspectorOptions.by': {
    drive: async (by) => answeredBy(by)(new IncomingMessage(new Socket())),
    good: 'ann',
    passes: 'ann',
    wrong: wrongNames,
  },
  'InspectorOptions.filter': {
    drive: async (filter) => {
      const { troupe } = company()
      const gate = new ContentGate(undefined, onError)
      const service = Object.assign(Object.create(troupe) as typeof troupe, {
        runs: () => Promise.resolve({ items: [{ ...run, awaiting: [] }], next: undefined }),
      })
      const { items } = await new RunList({ service, gate, filter, report: onError }).runs({})
      return items.length === 0 ? nothing : 'shown'
    },
    good: true,
    passes: 'shown',
    wrong: [undefined, null, 'yes', 1],
  },
  'InspectorOptions.sanitize': {
    drive: async (sanitize) => {
      const gate = new ContentGate(sanitize, onError)
      const shown = await gate.question('r', { ...question, path: 'a', since: 1, asOf: 1 })
      return shown.args === '[withheld]' ? nothing : shown.args
    },
    good: { type: 'question', runId: 'r', content: { ...question, args: 'clean' } },
    passes: 'clean',
    wrong: [undefined, null, 'text', { type: 'entry', content: {} }, {}],
  },
  'StatelyInspectorOptions.filter': {
    drive: (filter) => ofPassage({ filter }),
    good: true,
    passes: 'event',
    wrong: [undefined, null, 'yes', 1],
  },
  'StatelyInspectorOptions.sanitize': {
    drive: (sanitize) => ofPassage({ sanitize }),
    good: { type: 'clean' },
    passes: 'clean',
    wrong: [undefined, null, 'text', {}],
  },
  'McpServerOptions.answeredBy': {
    drive: (by) => answerOverMcp({ answeredBy: by }),
    good: 'ann',
    passes: 'ann',
    wrong: wrongNames,
  },
  'McpServerOptions.runOptions': {
    drive: async (runOptions) => {
      const { troupe, call } = await overMcp({ runOptions })
      await call()
      return (await troupe.runs()).items.length === 0 ? nothing : 'started'
    },
    good: { resourceId: 'ann' },
    passes: 'started',
    wrong: [null, undefined, 'ann', []],
  },
  'UseRunOptions.headers': {
    drive: async (headers) => {
      let sent = nothing
      const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
        sent = new Headers(init?.headers).get('authorization') ?? 'without'
        return new Response('{}')
      }
      await remoteRun('http://x/runs/r').send({ type: 'cancel' }, { headers, fetch })
      return sent
    },
    good: { authorization: 'Bearer x' },
    passes: 'Bearer x',
    wrong: [undefined, null, 'text', [], { authorization: 7 }],
  },
  'McpConnectionOptions.transport': {
    drive: async (transport) => {
      started = nothing
      await mcpConnection({ transport }).client().catch(onError)
      return started
    },
    good: {
      start: async () => {
        started = 'started'
        throw new Error('no server')
      },
      close: async () => undefined,
    },
    passes: 'started',
    wrong: [undefined, null, 'text', {}],
  },
  'McpConnectionOptions.prepare': {
    drive: (prepare) => ofConnection({ prepare }),
    good: undefined,
    passes: 'connecting',
    wrong: [],
  },
}

async function ofPassage(options: object): Promise<unknown> {
  let sent = nothing
  const passage = new Passage(options, ({ type }) => (sent = type), onError)
  passage.take({ type: 'event' } as object as Parameters<Passage['take']>[0])
  await passage.passed
  return sent
}

async function ofConnection(options: object): Promise<unknown> {
  let reached = nothing
  const transport = (): never => {
    reached = 'connecting'
    throw new Error('no server')
  }
  await mcpConnection({ transport, ...options })
    .client()
    .catch(onError)
  return reached
}

/** What was let through; what is refused by an error is nothing. */
async function through({ drive }: Case, given: () => unknown): Promise<unknown> {
  return drive(given as () => never).catch(() => nothing)
}

const oops = (): never => {
  throw new Error('oops')
}

describe.each(Object.entries(cases))('%s', (_name, one) => {
  test('is asked, and may promise its answer', async () => {
    expect(await through(one, () => one.good)).toEqual(one.passes)
    expect(await through(one, () => Promise.resolve(one.good))).toEqual(one.passes)
  })

  test('lets nothing through where it throws or rejects', async () => {
    expect(await through(one, oops)).toBe(nothing)
    expect(await through(one, () => Promise.reject(new Error('oops')))).toBe(nothing)
  })

  test('lets nothing through where it does not answer', async () => {
    expect(await inMinutes(() => through(one, () => new Promise(() => undefined)))).toBe(nothing)
  })

  test.each(one.wrong.map((answer) => [answer]))(
    'lets nothing through for %j, promised or not',
    async (answer) => {
      expect(await through(one, () => answer)).toBe(nothing)
      expect(await through(one, () => Promise.resolve(answer))).toBe(nothing)
    },
  )
})

test('authenticate: a wrong answer is 401, a throw is 500 without its text and is reported', async () => {
  const { agent, troupe } = company()
  const card = agentCard(agent, { endpoints: [{ url: 'http://x/a2a', binding: 'JSONRPC' }] })
  const handler = a2aHandler(agent, { troupe, card })
  const problems: Problem[] = []
  const asked = async (given: () => unknown): Promise<readonly [number, string]> => {
    const authenticate = given as () => undefined
    const answer = await a2aFetch(handler, { authenticate, onError: (problem) => problems.push(problem) })(
      send(),
    )
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } }
    return [answer.status, error.message]
  }
  expect(await asked(() => null)).toEqual([401, 'Say who calls.'])
  expect(await asked(async () => ({}))).toEqual([401, 'Say who calls.'])
  expect(await asked(oops)).toEqual([500, 'The server failed to answer.'])
  expect(problems).toMatchObject([{ where: 'request', error: { message: 'oops' } }])
})

test('mcpTools: `only` that promises false offers no tool', async () => {
  expect(await mcpTools(client(), { only: async () => false })).toEqual({})
})
