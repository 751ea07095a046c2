/** A connection is made when it is needed, shared, and made again once when it is lost. */
import { createTroupe, memoryStore } from 'troupe'
import { mcpConnection, mcpTools, type McpToolsOptions } from 'troupe/mcp'
import { describe, expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { connectionTo, office, transportTo, type Office } from './support/office.ts'

const networkError = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

const isCall = async (request: Request): Promise<boolean> => (await request.text()).includes('"tools/call"')

/** A connection that counts its transports; `fault` decides on each call, by the number of its transport. */
function faulty(server: Office, fault: (transport: number) => Error | undefined) {
  const made = { count: 0 }
  const connection = connectionTo(server, {
    transport: () => {
      const number = ++made.count
      return transportTo(server, async (request) => {
        const error = fault(number)
        if (error !== undefined && (await isCall(request))) throw error
      })
    },
  })
  return { connection, made }
}

test('nothing is started before it is needed, and parallel callers share one connection', async () => {
  const { connection, made } = faulty(office(), () => undefined)
  expect(made.count).toBe(0)
  const clients = await Promise.all([connection.client(), connection.client(), connection.client()])
  expect(new Set(clients).size).toBe(1)
  expect(made.count).toBe(1)
  await connection.close()
  await expect(connection.client()).rejects.toMatchObject({ code: 'MCP_CLOSED' })
})

test('parallel calls that meet a lost connection share one new connection', async () => {
  const server = office()
  const { connection, made } = faulty(server, (transport) =>
    transport === 1 ? networkError('ECONNREFUSED') : undefined,
  )
  const words = ['a', 'b', 'c']
  const { agent } = worker(
    'clerk',
    [calls(...words.map((word) => ({ name: 'look_up', args: { word } }))), 'Done.'],
    { tools: () => mcpTools(connection) },
  )
  const { steps } = await agent.generate('Go')
  expect(steps[0]?.toolResults.map((record) => 'value' in record && record.value)).toEqual(
    words.map((word) => `all about ${word}`),
  )
  expect(made.count).toBe(2)
  expect(server.calls).toHaveLength(3)
  await connection.close()
})

describe('a connection that ends during a call', () => {
  /** A call whose request may have reached the server. */
  const cutCall = async (tool: string, options: McpToolsOptions) => {
    const server = office()
    const { connection } = faulty(server, (transport) =>
      transport === 1 ? networkError('ECONNRESET') : undefined,
    )
    const { agent } = worker('clerk', [calls({ name: tool, args: { word: 'tide' } }), 'Done.'], {
      tools: () => mcpTools(connection, options),
    })
    const troupe = createTroupe({ agents: [agent], store: memoryStore() })
    const run = await troupe.start(agent, 'Go')
    return { server, troupe, run, connection }
  }

  test('is tried again where a second call does no harm', async () => {
    const { server, run, troupe, connection } = await cutCall('look_up', {})
    const { steps, errors } = await run.result
    expect(steps[0]?.toolResults[0]).toMatchObject({ value: 'all about tide' })
    expect(errors).toMatchObject([{ error: { code: 'MCP_CONNECTION_LOST', retryable: true } }])
    expect(server.calls).toHaveLength(1)
    await troupe.close()
    await connection.close()
  })

  test('asks a person else: who has it called again', async () => {
    const { server, run, troupe, connection } = await cutCall('look_up', { onInterrupted: 'ask' })
    const idle = await run.whenIdle
    expect(idle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ type: 'suspension', payload: { interrupted: true, tool: 'look.up' } }],
    })
    expect(server.calls).toEqual([])
    await run.resume('clerk/call:1.1', { retry: true })
    expect((await run.result).steps[0]?.toolResults[0]).toMatchObject({ value: 'all about tide' })
    await troupe.close()
    await connection.close()
  })

  test('or gives its result', async () => {
    const { server, run, troupe, connection } = await cutCall('look_up', { onInterrupted: 'ask' })
    await run.whenIdle
    await run.resume('clerk/call:1.1', { result: 'seen on the screen' })
    expect((await run.result).steps[0]?.toolResults[0]).toMatchObject({ value: 'seen on the screen' })
    expect(server.calls).toEqual([])
    await troupe.close()
    await connection.close()
  })

  test('fails it where that is the policy', async () => {
    const { run, troupe, connection } = await cutCall('look_up', { onInterrupted: 'fail' })
    expect((await run.result).steps[0]?.toolResults[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'MCP_CONNECTION_LOST' },
    })
    await troupe.close()
    await connection.close()
  })
})

test('a server that cannot be reached fails the run with the reason', async () => {
  const connection = mcpConnection({
    transport: () =>
      transportTo(office(), async () => {
        throw networkError('ECONNREFUSED')
      }),
  })
  await expect(mcpTools(connection)).rejects.toMatchObject({
    name: 'RetryableError',
    code: 'MCP_UNAVAILABLE',
  })
  const { agent } = worker('clerk', ['Done.'], { tools: () => mcpTools(connection) })
  expect(await agent.generate('Go', { retries: 0 })).toMatchObject({
    outcome: 'failed',
    error: { code: 'MCP_UNAVAILABLE' },
  })
  await connection.close()
})

test('a server that asks for credentials is not asked again', async () => {
  const connection = connectionTo({ fetch: async () => new Response('Who are you?', { status: 401 }) })
  await expect(mcpTools(connection)).rejects.toMatchObject({ name: 'TerminalError', code: 'UNAUTHORISED' })
  await connection.close()
})

test('a server that has other tools after a restart: the run goes on with those that are left, and tells it', async () => {
  const store = memoryStore()
  const start = async (server: Office, only?: string[]) => {
    const connection = connectionTo(server)
    const steps = only === undefined ? [calls({ name: 'shred', args: { file: 'a' } })] : ['Done.']
    const { agent } = worker('clerk', steps, {
      tools: () => mcpTools(connection, only === undefined ? {} : { only }),
    })
    return { agent, connection, troupe: createTroupe({ agents: [agent], store }) }
  }
  const before = await start(office())
  const { id, whenIdle } = await before.troupe.start(before.agent, 'Go')
  await whenIdle
  await before.troupe.close()
  const after = await start(office(), ['shred'])
  const run = await after.troupe.resume(id)
  await run.approve('clerk/call:1.1')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(await after.troupe.journal(id)).toContainEqual(
    expect.objectContaining({
      type: 'program.drifted',
      edits: expect.arrayContaining([{ agent: 'clerk', part: 'tool "look_up"' }]),
    }),
  )
  await after.troupe.close()
  await Promise.all([before, after].map(({ connection }) => connection.close()))
})
