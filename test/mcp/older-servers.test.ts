/** Servers of the older revisions ask a person in the middle of a call, and have a client ask for its answer again and again. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTroupe } from 'troupe'
import { mcpConnection, mcpTools, type McpConnectionOptions } from 'troupe/mcp'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { connectionToDesk, desk } from './support/stateful.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server that asks for a room before it books, and records what the client says it can. */
function booking() {
  const declared: unknown[] = []
  const server = desk(undefined, (mcp) => {
    mcp.registerTool(
      'reserve',
      { description: 'Reserves a room.', inputSchema: z.object({}) },
      async (_, { mcpReq }) => {
        // oxlint-disable-next-line typescript/no-deprecated -- the only place for connections of the older revisions
        const { elicitation, ...others } = { elicitation: undefined, ...mcp.server.getClientCapabilities() }
        declared.push({ elicitation, ...others })
        if (elicitation === undefined) return { content: [{ type: 'text', text: 'nobody can be asked' }] }
        const answer = await mcpReq.send(
          {
            method: 'elicitation/create',
            params: {
              message: 'Which room?',
              requestedSchema: {
                type: 'object',
                properties: { room: { type: 'string' } },
                required: ['room'],
              },
            },
          },
          { timeout: 60_000 },
        )
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
      },
    )
  })
  return { server, declared }
}

async function reserve(
  server: ReturnType<typeof desk>,
  timeout: number,
  options: Partial<McpConnectionOptions> = {},
) {
  const connection = connectionToDesk(server, options)
  closing.push(() => connection.close())
  const tools = await mcpTools(connection, { timeout, onInterrupted: 'ask' })
  const { agent } = worker('clerk', [calls({ name: 'reserve', args: {} }), 'Done.'], { tools })
  return (await agent.generate('Go')).steps[0]?.toolResults[0]
}

test('a server is told that nobody can be asked, where no handler answers', async () => {
  const { server, declared } = booking()
  expect(await reserve(server, 60_000)).toMatchObject({ value: 'nobody can be asked' })
  expect(declared).toEqual([{ elicitation: undefined }])
})

test('a handler of the program is declared, and its time is not that of the tool', async () => {
  const { server, declared } = booking()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const record = reserve(server, 2000, {
    prepare: (client) => {
      if (!(client instanceof Client)) throw new Error('It is no client.')
      client.setRequestHandler('elicitation/create', async () => {
        asked.resolve()
        await answer.promise
        return { action: 'accept', content: { room: 'blue' } }
      })
    },
  })
  await asked.promise
  await new Promise((resolve) => void setTimeout(resolve, 2600)) // the timeout of the tool passes
  answer.resolve()
  expect(await record).toMatchObject({
    value: JSON.stringify({ action: 'accept', content: { room: 'blue' } }),
  })
  expect(declared).toMatchObject([{ elicitation: { form: {} } }])
})

test('a call that nobody waits for is not polled for any more', async () => {
  const polls: string[] = []
  const server = desk()
  /** The stream of a call ends at once, with the time after which it is to be asked for: the answer never comes. */
  const polled = (): Response =>
    new Response('id: 1\nretry: 20\ndata:\n\n', { headers: { 'content-type': 'text/event-stream' } })
  const connection = mcpConnection({
    transport: () =>
      new StreamableHTTPClientTransport(new URL('http://desk.test/mcp'), {
        reconnectionOptions: {
          initialReconnectionDelay: 20,
          maxReconnectionDelay: 20,
          reconnectionDelayGrowFactor: 1,
          maxRetries: 1000,
        },
        fetch: async (url, init) => {
          const request = new Request(url, init)
          const isCall = request.method === 'POST' && (await request.clone().text()).includes('"tools/call"')
          const isPoll = request.headers.get('last-event-id') !== null
          if (isPoll) polls.push(request.method)
          return isCall || isPoll ? polled() : server.fetch(request)
        },
      }),
  })
  closing.push(() => connection.close())
  const tools = await mcpTools(connection)
  const { agent } = worker('clerk', [calls({ name: 'book', args: { n: '1' } }), 'Done.'], { tools })
  const troupe = createTroupe({ agents: [agent] })
  closing.push(() => troupe.close())
  const run = await troupe.start(agent, 'Go')
  await expect.poll(() => polls.length).toBeGreaterThan(2)
  await run.cancel('Enough.')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  const count = polls.length
  await new Promise((resolve) => void setTimeout(resolve, 300))
  expect(polls.length).toBeLessThanOrEqual(count + 1) // one may have been under way
})
