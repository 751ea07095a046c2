/** Each function of the user's that no effect calls: it answers, promises, throws, rejects, hangs, and answers with something else. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAgent, createTroupe, type Problem } from 'troupe'
import { a2aFetch, a2aHandler, agentCard } from 'troupe/a2a'
import { createHandler } from 'troupe/http'
import { mcpConnection, mcpTools } from 'troupe/mcp'
import { scriptedModel } from 'troupe/testing'
import { ContentGate } from '../../src/inspector/files/content.ts'
import { RunList } from '../../src/inspector/files/run-list.ts'
import { Passage } from '../../src/inspect-stately/stately-inspector.ts'
import { answerTimeout } from '../../src/runtime/user-function.ts'

afterEach(() => void vi.useRealTimers())

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

const send = (): Request =>
  new Request('http://x/a2a', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } },
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

const run = { runId: 'r', agent: 'a', startedAt: 1 }
const question = {
  runId: 'r',
  toolCallId: 'c',
  type: 'approval',
  agent: 'a',
  toolName: 't',
  args: 'secret',
} as const

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
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const got = through(one, () => new Promise(() => undefined))
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => setImmediate(resolve)) // the modules of a package may be loading
      await vi.advanceTimersByTimeAsync(answerTimeout)
    }
    expect(await got).toBe(nothing)
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
    return [answer.status, await answer.text()]
  }
  expect(await asked(() => null)).toEqual([401, 'Say who calls.'])
  expect(await asked(async () => ({}))).toEqual([401, 'Say who calls.'])
  expect(await asked(oops)).toEqual([500, 'The server failed to answer.'])
  expect(problems).toMatchObject([{ where: 'request', error: { message: 'oops' } }])
})

test('mcpTools: `only` that promises false offers no tool', async () => {
  expect(await mcpTools(client(), { only: async () => false })).toEqual({})
})
