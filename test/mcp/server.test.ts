/** Agents as the tools of an MCP server. */
import { fileURLToPath } from 'node:url'
import {
  Client,
  InMemoryTransport,
  isInputRequiredResult,
  type ClientOptions,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpHandler } from '@modelcontextprotocol/server'
import {
  textOf as contentText,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type Store,
  type Troupe,
} from 'troupe'
import {
  answerElicitation,
  mcpConnection,
  mcpServer,
  mcpTools,
  type McpAgentCall,
  type McpAnswering,
  type McpServerOptions,
} from 'troupe/mcp'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { cashier } from '../support/agents/cashier.ts'
import { connectionTo, office, transportTo } from './support/office.ts'

/** A server of agents; `authInfo` is what its HTTP server knows of a caller. */
function serving(
  agents: Readonly<Record<string, AgentDefinition>>,
  {
    store = memoryStore(),
    clientId,
    ...options
  }: Partial<McpServerOptions> & { store?: Store; clientId?: string } = {},
) {
  const troupe = createTroupe({ agents: Object.values(agents), store })
  const factory = mcpServer({ agents, troupe, ...options })
  const handler = createMcpHandler(factory)
  const authInfo = clientId === undefined ? undefined : { token: 'secret', clientId, scopes: ['agents'] }
  return {
    troupe,
    factory,
    fetch: (request: Request) => handler.fetch(request, authInfo === undefined ? {} : { authInfo }),
    async close() {
      await handler.close()
      await troupe.close()
    },
  }
}

async function clientOf(server: { fetch(request: Request): Promise<Response> }, options: ClientOptions = {}) {
  const client = new Client(
    { name: 'caller', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      capabilities: { elicitation: { form: {}, url: {} } },
      ...options,
    },
  )
  await client.connect(transportTo(server))
  return client
}

/** The first question of a call, and the call that answers it. */
async function ask(client: Client, name: string, _meta: object = {}) {
  const call = { name, arguments: { prompt: 'Go' }, _meta: { ..._meta } }
  const asked: unknown = await client.callTool(call, { allowInputRequired: true })
  if (!isInputRequiredResult(asked)) throw new Error(`It does not ask: ${JSON.stringify(asked)}`)
  const { inputRequests = {}, requestState } = asked
  const [key = ''] = Object.keys(inputRequests)
  return {
    key,
    params: inputRequests[key]?.params,
    requestState,
    answer: (
      response: { action: 'accept' | 'decline'; content?: Record<string, string | boolean> },
      on = client,
    ) => {
      const again = { ...call, inputResponses: { [key]: response }, requestState }
      return on.callTool(again, { allowInputRequired: true })
    },
  }
}

/** The senders and notes of the answers that a run was given. */
async function answersIn(troupe: Troupe, runId = ''): Promise<object[]> {
  const entries = await troupe.history(runId)
  return entries.flatMap(({ by, note }) =>
    by === undefined && note === undefined ? [] : [{ ...(by && { by }), ...(note && { note }) }],
  )
}

const textOf = (result: { readonly content?: unknown }): unknown => result.content

test('each agent is a tool: its answer is the text, and its run is named beside it', async () => {
  const { agent } = worker('poet', ['Snow falls.'])
  const server = serving({ poet: agent })
  const client = await clientOf(server)
  const { tools } = await client.listTools()
  expect(tools).toMatchObject([
    { name: 'poet', description: 'Does poet work.', inputSchema: { type: 'object', required: ['prompt'] } },
  ])
  const result = await client.callTool({ name: 'poet', arguments: { prompt: 'A haiku.' } })
  expect(result).toMatchObject({
    content: [{ type: 'text', text: 'Snow falls.' }],
    _meta: { 'troupe/outcome': 'completed', 'troupe/runId': expect.any(String) },
  })
  expect(result.isError).toBeUndefined()
  expect((await server.troupe.runs()).items).toMatchObject([{ runId: result._meta?.['troupe/runId'] }])
  await client.close()
  await server.close()
})

test('half a character reaches no client', async () => {
  const { agent } = worker('poet', ['{"line":"Snow \\ud83d"}'], {
    structuredOutput: { schema: z.object({ line: z.string() }) },
  })
  const server = serving({ poet: agent })
  const client = await clientOf(server)
  const result = await client.callTool({ name: 'poet', arguments: { prompt: 'A haiku.' } })
  expect(result.structuredContent).toEqual({ line: 'Snow \ufffd' })
  expect(JSON.stringify(result)).not.toContain('\\ud83d"}')
  await client.close()
  await server.close()
})

test('an object of structuredOutput comes as structured content', async () => {
  const { agent } = worker('meteorologist', ['{"city":"Oslo"}'], {
    structuredOutput: { schema: z.object({ city: z.string() }) },
  })
  const server = serving({ weather: agent })
  const client = await clientOf(server)
  const result = await client.callTool({ name: 'weather', arguments: { prompt: 'Where?' } })
  expect(result.structuredContent).toEqual({ city: 'Oslo' })
  await client.close()
  await server.close()
})

test.each<[string, (given: { n: string }) => unknown]>([
  ['a BigInt', ({ n }) => BigInt(n)],
  ['an object with a BigInt', ({ n }) => ({ n: BigInt(n) })],
  ['a Map', (given) => new Map(Object.entries(given))],
  ['an object with a method', (given) => ({ ...given, f: () => given })],
  ['a circle', (given) => Object.assign(given, { self: given })],
])(
  'a schema that makes %s of an answer leaves its structured content as the journal has it',
  async (_, made) => {
    const { agent } = worker('counter', ['{"n":"12"}'], {
      structuredOutput: { schema: z.object({ n: z.string() }).transform(made) },
    })
    const server = serving({ counter: agent })
    const client = await clientOf(server)
    expect(await client.callTool({ name: 'counter', arguments: { prompt: 'How many?' } })).toMatchObject({
      content: [{ type: 'text', text: '{"n":"12"}' }],
      structuredContent: { n: '12' },
    })
    await client.close()
    await server.close()
  },
)

test('a failure is marked as an error, and named by its code alone', async () => {
  const { agent } = worker('poet', [{ error: new Error('the key is sk-1') }])
  const server = serving({ poet: agent })
  const client = await clientOf(server)
  const result = await client.callTool({ name: 'poet', arguments: { prompt: 'Go' } })
  expect(result).toMatchObject({ isError: true, _meta: { 'troupe/outcome': 'failed' } })
  expect(textOf(result)).toEqual([{ type: 'text', text: 'The agent failed: MODEL_FAILED.' }])
  await client.close()
  await server.close()
})

test('a run that waits for approval asks the client, and goes on with its answer', async () => {
  const server = serving({ cashier: cashier() })
  const client = await clientOf(server)
  const question = await ask(client, 'cashier')
  expect(question.params).toMatchObject({
    mode: 'form',
    message: 'The agent "cashier" wants to call refund {"euros":20}. May it?',
    requestedSchema: { type: 'object', required: ['approve'] },
  })
  const result = await question.answer({ action: 'accept', content: { approve: true } })
  expect(textOf(result)).toEqual([{ type: 'text', text: '20 euros are on their way' }])
  await client.close()
  await server.close()
})

test.each([
  [{ action: 'accept', content: { approve: false, reason: 'Too much.' } }, 'Tool call denied: Too much.'],
  [{ action: 'decline' }, 'Tool call denied: The user declined.'],
] as const)('the answer %j denies', async (answer, expected) => {
  const server = serving({ cashier: cashier() })
  const client = await clientOf(server)
  const result = await (await ask(client, 'cashier')).answer(answer)
  expect(JSON.stringify(textOf(result))).toContain(expected)
  await client.close()
  await server.close()
})

test('an answer reaches another process, where it shares the secret and the store', async () => {
  const store = memoryStore()
  const secret = 'a secret of thirty-two characters'
  const first = serving({ cashier: cashier() }, { store, secret })
  const client = await clientOf(first)
  const question = await ask(client, 'cashier')
  await client.close()
  await first.close()

  const second = serving({ cashier: cashier() }, { store, secret })
  const other = await clientOf(second)
  const result = await question.answer({ action: 'accept', content: { approve: true } }, other)
  expect(textOf(result)).toEqual([{ type: 'text', text: '20 euros are on their way' }])
  await other.close()
  await second.close()
})

test('a state that this server has not signed, or has signed for another caller, is refused', async () => {
  const store = memoryStore()
  const secret = 'a secret of thirty-two characters'
  const agents = { cashier: cashier() }
  const mine = serving(agents, { store, secret, clientId: 'ada' })
  const client = await clientOf(mine)
  const question = await ask(client, 'cashier')
  const theirs = serving(agents, { store: memoryStore(), secret, clientId: 'bob' })
  const thief = await clientOf(theirs)
  await expect(question.answer({ action: 'accept', content: { approve: true } }, thief)).rejects.toThrow(
    'Invalid or expired requestState',
  )
  const forged = { name: 'cashier', arguments: { prompt: 'Go' }, requestState: 'v1.forged.state' }
  await expect(client.callTool(forged, { allowInputRequired: true })).rejects.toThrow('requestState')
  await Promise.all([client.close(), thief.close()])
  await Promise.all([mine.close(), theirs.close()])
})

test('a client that cannot ask learns which run waits', async () => {
  const server = serving({ cashier: cashier() })
  const client = await clientOf(server, { capabilities: {} })
  const result = await client.callTool({ name: 'cashier', arguments: { prompt: 'Go' } })
  expect(result).toMatchObject({ isError: true, _meta: { 'troupe/outcome': 'suspended' } })
  expect(JSON.stringify(textOf(result))).toContain('this client cannot ask one')
  await client.close()
  await server.close()
})

test('a call that suspends itself asks for a text', async () => {
  const account = createTool({
    id: 'account',
    description: 'Finds an account.',
    inputSchema: z.object({}),
    execute: (_, { suspend, resumeData }) => resumeData ?? suspend('To which account?'),
  })
  const { agent } = worker(
    'clerk',
    [calls({ name: 'account', args: {} }), ({ messages }) => contentText(messages.at(-1)?.content ?? '')],
    {
      tools: { account },
    },
  )
  const server = serving({ clerk: agent })
  const client = await clientOf(server)
  const question = await ask(client, 'clerk')
  expect(question.params).toMatchObject({ message: expect.stringContaining('To which account?') })
  const result = await question.answer({ action: 'accept', content: { answer: 'NO93 8601' } })
  expect(textOf(result)).toEqual([{ type: 'text', text: 'NO93 8601' }])
  await client.close()
  await server.close()
})

test('a tool of the client that runOptions gives is asked of the client', async () => {
  const { agent } = worker('guide', [
    calls({ name: 'whereAmI', args: {} }),
    ({ messages }) => contentText(messages.at(-1)?.content ?? ''),
  ])
  const runOptions = () => ({ clientTools: [{ name: 'whereAmI', description: 'Tells where.' }] })
  const server = serving({ guide: agent }, { runOptions })
  const client = await clientOf(server)
  const question = await ask(client, 'guide')
  expect(question.params).toMatchObject({ message: expect.stringContaining('whereAmI') })
  const result = await question.answer({ action: 'accept', content: { answer: 'Bergen' } })
  expect(textOf(result)).toEqual([{ type: 'text', text: 'Bergen' }])
  await client.close()
  await server.close()
})

test('a question of a further server is passed on through both, and held by the outer run', async () => {
  const deeper = office()
  const toOffice = connectionTo(deeper)
  const inner = worker(
    'deployer',
    [
      calls({ name: 'deploy', args: { to: 'production' } }),
      ({ messages }) => contentText(messages.at(-1)?.content ?? ''),
    ],
    {
      tools: () => mcpTools(toOffice),
    },
  ).agent
  const server = serving({ deployer: inner })
  const toServer = connectionTo(server)
  const outer = worker('lead', [calls({ name: 'deployer', args: { prompt: 'Deploy.' } }), 'Done.'], {
    tools: () => mcpTools(toServer),
  }).agent
  const troupe = createTroupe({ agents: [outer] })
  const run = await troupe.start(outer, 'Go')
  const idle = await run.whenIdle
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  if (question === undefined) throw new Error('The outer run does not wait.')
  expect(question.payload).toMatchObject({
    type: 'mcp-elicitation',
    tool: 'deployer',
    questions: { 'deployer/call:1.1?confirm': { message: 'Deploy to production?' } },
  })
  const answers = { 'deployer/call:1.1?confirm': { action: 'accept', content: { window: 'night' } } } as const
  await run.resume(question.toolCallId, answerElicitation(question.payload, answers))
  const { steps } = await run.result
  expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'succeeded', value: 'deployed at night' })
  expect(deeper.calls.map(({ tool }) => tool)).toEqual(['deploy'])
  await Promise.all([troupe.close(), toServer.close(), toOffice.close()])
  await server.close()
})

test('an answer that does not fit the form of a further server is asked for again', async () => {
  const deeper = office()
  const toOffice = connectionTo(deeper)
  const { agent } = worker('deployer', [calls({ name: 'deploy', args: { to: 'production' } }), 'Done.'], {
    tools: () => mcpTools(toOffice),
  })
  const server = serving({ deployer: agent, cashier: cashier() })
  const client = await clientOf(server)
  const question = await ask(client, 'deployer')
  const again: unknown = await question.answer({ action: 'accept', content: { window: 'noon' } })
  expect(again).toMatchObject({ inputRequests: { [question.key]: { params: question.params } } })
  expect(deeper.calls).toEqual([])
  const misled = { name: 'cashier', arguments: { prompt: 'Go' }, requestState: question.requestState }
  const refused = await client.callTool(misled, { allowInputRequired: true })
  expect(textOf(refused)).toEqual([{ type: 'text', text: 'The agent cannot work on this: UNKNOWN_SIGNAL.' }])
  const result = await question.answer({ action: 'accept', content: { window: 'day' } })
  expect(textOf(result)).toEqual([{ type: 'text', text: 'Done.' }])
  expect(deeper.calls).toHaveLength(1)
  await Promise.all([client.close(), toOffice.close()])
  await server.close()
})

test('an answer that comes twice is none to the next question of the same call', async () => {
  const survey = createTool({
    id: 'survey',
    description: 'Asks two questions.',
    inputSchema: z.object({}),
    execute: (_, { answers, suspend }) =>
      answers.length < 2 ? suspend(['May it begin?', 'May it delete all?'][answers.length]) : 'asked',
  })
  const { agent } = worker('clerk', [calls({ name: 'survey', args: {} }), 'Done.'], { tools: { survey } })
  const server = serving({ clerk: agent })
  const client = await clientOf(server)
  const first = await ask(client, 'clerk')
  const yes = { action: 'accept', content: { answer: 'Yes.' } } as const
  const second: unknown = await first.answer(yes)
  const again: unknown = await first.answer(yes)
  for (const asked of [second, again]) {
    expect(isInputRequiredResult(asked)).toBe(true)
    expect(JSON.stringify(asked)).toContain('May it delete all?')
  }
  expect(second).not.toMatchObject({ requestState: first.requestState })
  await client.close()
  await server.close()
})

test('the work of a run is reported as progress', async () => {
  const helper = worker('helper', ['Found.']).agent
  const heard = Promise.withResolvers<void>()
  const answer = { text: 'Done.', until: heard.promise }
  const { agent } = lead('lead', [calls(to('helper', 'Look.')), answer], { agents: { helper } })
  const server = serving({ lead: agent })
  const client = await clientOf(server)
  const reports: (string | undefined)[] = []
  const call = { name: 'lead', arguments: { prompt: 'Go' } }
  await client.callTool(call, {
    onprogress: ({ message }) => {
      reports.push(message)
      if (reports.length === 2) heard.resolve()
    },
  })
  expect(reports).toEqual(['lead asks helper', 'helper has ended: succeeded'])
  await client.close()
  await server.close()
})

test('what tools report is progress too, also those of subagents, and progress grows', async () => {
  const heard = Promise.withResolvers<void>()
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    execute: async (_, { emit }) => {
      emit('half a metre')
      emit({ message: 'one metre', progress: 1 })
      emit({ metres: 2 })
      await heard.promise
      return 'a coin'
    },
  })
  const { agent: helper } = worker('helper', [calls({ name: 'dig', args: {} }), 'Found.'], { tools: { dig } })
  const { agent } = lead('lead', [calls(to('helper', 'Dig.')), 'Done.'], { agents: { helper } })
  const server = serving({ lead: agent })
  const client = await clientOf(server)
  const reports: { readonly progress: number; readonly message?: string | undefined }[] = []
  const call = { name: 'lead', arguments: { prompt: 'Go' } }
  const result = await client.callTool(call, {
    onprogress: (report) => {
      reports.push(report)
      if (report.message?.includes('metres') === true) heard.resolve()
    },
  })
  expect(textOf(result)).toEqual([{ type: 'text', text: 'Done.' }])
  expect(reports.map(({ message }) => message)).toEqual([
    'lead asks helper',
    'helper calls dig',
    'helper: dig: half a metre',
    'helper: dig: one metre',
    'helper: dig: {"metres":2}',
    'helper has ended: succeeded',
  ])
  const numbers = reports.map(({ progress }) => progress)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
  await client.close()
  await server.close()
})

test('a call that the client cancels ends its run', async () => {
  const { agent, model } = worker('poet', [{ hang: true }])
  const server = serving({ poet: agent })
  const client = await clientOf(server)
  const abort = new AbortController()
  const call = client.callTool({ name: 'poet', arguments: { prompt: 'Go' } }, { signal: abort.signal })
  await expect.poll(() => model.calls.length).toBe(1)
  abort.abort()
  await expect(call).rejects.toMatchObject({ name: expect.any(String) })
  await expect
    .poll(async () => (await server.troupe.runs()).items.map(({ status }) => status))
    .toEqual(['settled'])
  await client.close()
  await server.close()
})

test('a cancel that cannot be delivered, and a call that cannot be answered, are told to the developer', async () => {
  const { agent, model } = worker('poet', [{ hang: true }])
  const troupe = createTroupe({ agents: [agent] })
  const problems: unknown[] = []
  const secret = new Error('The disk at /var/secret is full.')
  const server = serving(
    { poet: agent },
    {
      onError: ({ message, where, error }) => problems.push([message, where, error]),
      troupe: {
        start: async (...args) => {
          if (model.calls.length > 0) throw secret
          return { ...(await troupe.start(...args)), cancel: () => Promise.reject(secret) }
        },
        resume: troupe.resume,
      },
    },
  )
  const client = await clientOf(server)
  const abort = new AbortController()
  const call = { name: 'poet', arguments: { prompt: 'Go' } }
  const called = client.callTool(call, { signal: abort.signal })
  await expect.poll(() => model.calls.length).toBe(1)
  abort.abort()
  await expect(called).rejects.toMatchObject({ name: expect.any(String) })
  await expect.poll(() => problems).toHaveLength(1)
  expect(JSON.stringify(await client.callTool(call))).not.toContain('secret')
  expect(problems).toEqual([
    ['a run whose client cancelled its call could not be cancelled', 'request', secret],
    ['a call of an agent could not be answered', 'request', secret],
  ])
  await client.close()
  await server.close()
  await troupe.close()
})

test('the options of a run come from the caller that its HTTP server knows', async () => {
  const seen: McpAgentCall[] = []
  const { agent } = worker('poet', ['Snow falls.'])
  const server = serving(
    { poet: agent },
    {
      clientId: 'ada',
      runOptions: (call) => {
        seen.push(call)
        return { maxSteps: 3 }
      },
    },
  )
  const client = await clientOf(server)
  await client.callTool({ name: 'poet', arguments: { prompt: 'Go' } })
  expect(seen).toMatchObject([
    { agent: 'poet', prompt: 'Go', authInfo: { clientId: 'ada', scopes: ['agents'] } },
  ])
  expect(JSON.stringify(seen)).not.toContain('secret')
  await client.close()
  await server.close()
})

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('an answer has its sender and a note, and a run the trace of its call', async () => {
  const server = serving({ cashier: cashier() }, { clientId: 'ada' })
  const client = await clientOf(server)
  const question = await ask(client, 'cashier', { traceparent })
  const [run] = (await server.troupe.runs()).items
  expect((await server.troupe.history(run?.runId ?? ''))[0]).toMatchObject({ type: 'run.started' })
  expect((await server.troupe.journal(run?.runId ?? ''))[0]).toMatchObject({ traceparent })
  await question.answer({ action: 'accept', content: { approve: true, note: 'By the book.' } })
  expect(await answersIn(server.troupe, run?.runId)).toEqual([{ by: 'ada', note: 'By the book.' }])
  await client.close()
  await server.close()
})

test('a tracestate is that of the run, and a malformed one is none', async () => {
  const own = { traceparent: traceparent.replace('-01', '-00') }
  const startOf = async (meta: Record<string, unknown>, runOptions?: () => object): Promise<unknown> => {
    const server = serving({ cashier: cashier() }, runOptions && { runOptions })
    const client = await clientOf(server)
    const question = await ask(client, 'cashier', meta)
    const [run] = (await server.troupe.runs()).items
    await question.answer({ action: 'accept', content: { approve: true } })
    const [started] = await server.troupe.journal(run?.runId ?? '')
    await client.close()
    await server.close()
    return started
  }
  expect(await startOf({ traceparent, tracestate: 'vendor=1, b@c@d=2' })).toMatchObject({
    traceparent,
    tracestate: 'vendor=1, b@c@d=2',
  })
  for (const tracestate of ['A=1', 7, '', 'a=1,'.repeat(300_000)]) {
    const started = await startOf({ traceparent, tracestate })
    expect(started).toMatchObject({ traceparent })
    expect(started).not.toHaveProperty('tracestate')
  }
  expect(await startOf({ tracestate: 'vendor=1' })).not.toHaveProperty('tracestate')
  const given = await startOf({ traceparent, tracestate: 'vendor=1' }, () => own)
  expect(given).toMatchObject(own)
  expect(given).not.toHaveProperty('tracestate')
})

test('answeredBy names the sender, and a malformed trace is none', async () => {
  const seen: McpAnswering[] = []
  const server = serving(
    { cashier: cashier() },
    {
      clientId: 'desk',
      answeredBy: (call) => {
        seen.push(call)
        return 'Ada'
      },
    },
  )
  const client = await clientOf(server)
  const question = await ask(client, 'cashier', { traceparent: 'not a trace' })
  const [run] = (await server.troupe.runs()).items
  expect((await server.troupe.journal(run?.runId ?? ''))[0]).not.toHaveProperty('traceparent')
  await question.answer({ action: 'accept', content: { approve: false, reason: 'Too much.' } })
  expect(await answersIn(server.troupe, run?.runId)).toEqual([{ by: 'Ada' }])
  expect(seen).toEqual([{ agent: 'cashier', authInfo: { clientId: 'desk', scopes: ['agents'] } }])
  await client.close()
  await server.close()
})

test('a question is in the inbox, and an answer from there counts where it is first', async () => {
  const server = serving({ cashier: cashier() })
  const client = await clientOf(server)
  const question = await ask(client, 'cashier')
  const [open] = (await server.troupe.awaiting()).items
  if (open === undefined) throw new Error('The inbox is empty.')
  await server.troupe.signal(open.runId, {
    type: 'deny',
    toolCallId: open.toolCallId,
    reason: 'Too late.',
    by: 'Grace',
  })
  const result = await question.answer({ action: 'accept', content: { approve: true } })
  expect(JSON.stringify(textOf(result))).toContain('Tool call denied: Too late.')
  await client.close()
  await server.close()
})

test('a client of an older revision is asked over the open connection', async () => {
  const server = serving({ cashier: cashier() })
  const [here, there] = InMemoryTransport.createLinkedPair()
  const mcp = await server.factory({ era: 'legacy' })
  await mcp.connect(there)
  const client = new Client({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { approve: true },
  }))
  await client.connect(here)
  const result = await client.callTool({ name: 'cashier', arguments: { prompt: 'Go' } })
  expect(textOf(result)).toEqual([{ type: 'text', text: '20 euros are on their way' }])
  await client.close()
  await server.close()
})

test('agents are served over stdio as well, to the tools of another agent', async () => {
  const program = fileURLToPath(new URL('support/agents-process.ts', import.meta.url))
  const connection = mcpConnection({
    transport: () =>
      new StdioClientTransport({
        command: process.execPath,
        args: [program],
        stderr: 'inherit',
      }),
  })
  await connection.client() // the start of a program may take longer than a function of the run has
  const { agent } = worker('editor', [calls({ name: 'poet', args: { prompt: 'A haiku.' } }), 'Done.'], {
    tools: () => mcpTools(connection),
  })
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'succeeded', value: 'Snow falls.' })
  await connection.close()
})

test('options are checked', () => {
  const { agent } = worker('poet', [])
  const troupe = createTroupe({ agents: [agent] })
  const make = (more: object) => () => mcpServer({ agents: { poet: agent }, troupe, ...more })
  expect(make({ agents: {} })).toThrow('mcpServer: agents must be an object of agents by names')
  expect(make({ agents: { 'a b': agent } })).toThrow('by names of at most 64 letters')
  expect(make({ agents: { poet: { ...agent, description: undefined } } })).toThrow(
    'an agent with a description',
  )
  expect(make({ secret: 'short' })).toThrow('mcpServer: secret must be a text of at least 32 characters.')
  expect(make({ agent })).toThrow('did you mean "agents"?')
})
