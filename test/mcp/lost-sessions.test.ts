/** A server that does not know the session any more: each says so in its own words. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTroupe } from 'troupe'
import { mcpConnection, mcpTools, type McpToolsOptions } from 'troupe/mcp'
import { describe, expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { connectionToDesk, desk, notInitialized, type Refuse } from './support/stateful.ts'

const idOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'id' in body ? body.id : null

const rpcError =
  (code: number, message: string): Refuse =>
  (body) =>
    Response.json({ jsonrpc: '2.0', id: idOf(body), error: { code, message } })

const refusals: Readonly<Record<string, Refuse>> = {
  '400 Server not initialized, of the official package': notInitialized,
  '400 without a body': () => new Response(null, { status: 400 }),
  '404': () => new Response('Session not found', { status: 404 }),
  '410': () => new Response('Gone', { status: 410 }),
  '409': () => new Response('Conflict', { status: 409 }),
  '200 with a JSON-RPC error of the server': rpcError(-32_000, 'Who are you?'),
  '200 with the code of an invalid request': rpcError(-32_600, 'Unknown client'),
  '200 with the code of a lost session': rpcError(-32_001, 'Session terminated'),
}

/** An agent that makes these calls, with the tools of the server. */
function clerkOf(
  server: ReturnType<typeof desk>,
  names: readonly (readonly [string, string])[],
  options: McpToolsOptions = {},
) {
  const connection = connectionToDesk(server)
  const { agent } = worker('clerk', [calls(...names.map(([name, n]) => ({ name, args: { n } }))), 'Done.'], {
    tools: () => mcpTools(connection, options),
  })
  return { connection, agent }
}

describe.for(Object.entries(refusals))('a session that is refused with %s', ([, refuse]) => {
  test('is made anew for a list of tools', async () => {
    const server = desk(refuse)
    const connection = connectionToDesk(server)
    await mcpTools(connection)
    server.forget()
    expect(Object.keys(await mcpTools(connection))).toEqual(['book', 'slow'])
    expect(server.sessions.count).toBe(2)
    await connection.close()
  })

  test('is made anew once for all calls, each is made once, and nobody is asked', async () => {
    const server = desk(refuse)
    const states: string[] = []
    const connection = connectionToDesk(server, { onState: ({ state }) => states.push(state) })
    const tools = await mcpTools(connection)
    server.forget()
    const { steps, errors } = await worker(
      'clerk',
      [calls(...['1', '2', '3', '4'].map((n) => ({ name: 'book', args: { n } }))), 'Done.'],
      { tools },
    ).agent.generate('Go')
    expect(steps[0]?.toolResults.map((record) => 'value' in record && record.value)).toEqual(
      ['1', '2', '3', '4'].map((n) => `booked ${n}`),
    )
    expect(errors).toEqual([])
    expect(server.begun.toSorted()).toEqual(['1', '2', '3', '4'])
    expect(server.sessions.count).toBe(2)
    expect(states).toEqual(['connecting', 'ready', 'lost', 'reconnecting', 'ready'])
    await connection.close()
    expect(connection.state).toBe('closed')
  })
})

test('the calls that an old session has begun go on, and others take the new one', async () => {
  const server = desk()
  const connection = connectionToDesk(server)
  const tools = await mcpTools(connection)
  const ann = worker('ann', [calls({ name: 'slow', args: { n: 'ann' } }), 'Done.'], { tools })
  const bob = worker('bob', [calls({ name: 'book', args: { n: 'bob' } }), 'Done.'], { tools })
  const troupe = createTroupe({ agents: [ann.agent, bob.agent] })
  const first = await troupe.start(ann.agent, 'Go')
  await expect.poll(() => server.begun).toEqual(['ann'])
  server.forget()
  const second = await troupe.start(bob.agent, 'Go')
  expect((await second.result).steps[0]?.toolResults[0]).toMatchObject({ value: 'booked bob' })
  server.release()
  expect((await first.result).steps[0]?.toolResults[0]).toMatchObject({ value: 'booked ann' })
  expect(server.begun).toEqual(['ann', 'bob'])
  await troupe.close()
  await connection.close()
})

describe('an answer that is cut', () => {
  const cut = async (options: McpToolsOptions) => {
    const server = desk()
    const { agent, connection } = clerkOf(server, [['slow', '1']], options)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { retries: 3 })
    await expect.poll(() => server.begun).toEqual(['1'])
    server.stop()
    server.start()
    return { server, run, close: () => Promise.all([troupe.close(), connection.close()]) }
  }

  test('leaves the call to a person at once, and not at its timeout', async () => {
    const { run, close } = await cut({ onInterrupted: 'ask' })
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ payload: { interrupted: true, tool: 'slow' } }],
    })
    await close()
  })

  test('has the call made again where that is the policy', async () => {
    const { server, run, close } = await cut({ onInterrupted: 'retry' })
    await expect.poll(() => server.begun).toEqual(['1', '1'])
    server.release()
    expect((await run.result).steps[0]?.toolResults[0]).toMatchObject({ value: 'booked 1' })
    await close()
  })

  test('fails it where that is the policy', async () => {
    const { run, close } = await cut({ onInterrupted: 'fail' })
    expect((await run.result).steps[0]?.toolResults[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'MCP_CONNECTION_LOST' },
    })
    await close()
  })
})

describe('a refusal of the one call', () => {
  /** The tool answers with an error of the protocol; its session lives. */
  const refusing = (error: Error) =>
    desk(notInitialized, (server) => {
      server.server.setRequestHandler('tools/call', () => {
        throw error
      })
    })

  test.for([
    ['in the words of a lost session', Object.assign(new Error('Session not found'), { code: -32_001 })],
    [
      'that holds a status of HTTP',
      Object.assign(new Error('upstream'), { code: -32_603, data: { status: 404 } }),
    ],
  ] as const)('%s leaves the session as it is, and is told', async ([, error]) => {
    const server = refusing(error)
    const { agent, connection } = clerkOf(server, [['book', '1']])
    const { steps } = await agent.generate('Go')
    expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'failed', error: { code: 'MCP_REFUSED' } })
    expect(server.sessions.count).toBe(1)
    expect(connection.state).toBe('ready')
    await connection.close()
  })
})

test('a server that refuses each new session too: one attempt, and then the error', async () => {
  const server = desk()
  let attempts = 0
  let isShut = false
  const connection = connectionToDesk({
    fetch: async (request) => {
      if (!isShut) return server.fetch(request)
      if (
        request.headers.get('mcp-session-id') === null &&
        (await request.clone().text()).includes('"initialize"')
      ) {
        attempts++
      }
      return new Response('No.', { status: 410 })
    },
  })
  const tools = await mcpTools(connection)
  isShut = true
  const { agent } = worker('clerk', [calls({ name: 'book', args: { n: '1' } }), 'Done.'], { tools })
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'failed', error: { code: 'MCP_REFUSED' } })
  expect(attempts).toBe(1)
  expect(connection.state).toBe('refused')
  isShut = false
  expect(Object.keys(await mcpTools(connection))).toEqual(['book', 'slow'])
  await connection.close()
})

test('a header of the transport that has expired is made anew by the next call, and the refused call is not tried again', async () => {
  const server = desk()
  const tokens = { valid: 'first', given: 'first' }
  const connection = mcpConnection({
    transport: () =>
      new StreamableHTTPClientTransport(new URL('http://desk.test/mcp'), {
        requestInit: { headers: { authorization: tokens.given } },
        fetch: async (url, init) => {
          const request = new Request(url, init)
          const isKnown = request.headers.get('authorization') === tokens.valid
          return isKnown ? server.fetch(request) : new Response(null, { status: 401 })
        },
      }),
  })
  const tools = await mcpTools(connection)
  tokens.valid = 'second'
  tokens.given = 'second'
  const book = (n: string) => calls({ name: 'book', args: { n } })
  const { steps } = await worker('clerk', [book('1'), book('2'), 'Done.'], { tools }).agent.generate('Go')
  expect(steps.flatMap(({ toolResults }) => toolResults)).toMatchObject([
    { outcome: 'failed', error: { code: 'UNAUTHORISED' } },
    { value: 'booked 2' },
  ])
  expect(server.begun).toEqual(['2'])
  await connection.close()
})
