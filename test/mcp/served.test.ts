/** Agents on a port, as example 29 serves them: for clients of today and of 2025, and for no page of another site. */
import { once } from 'node:events'
import { request } from 'node:http'
import { serve } from '@hono/node-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTool, createTroupe } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serveAgents } from '../../examples/29-mcp/serve.ts'
import { calls, worker } from '../support/agents/agents.ts'

async function serving() {
  const paid: number[] = []
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: ({ euros }) => `${paid.push(euros)} paid`,
  })
  const { agent } = worker('cashier', [calls({ name: 'pay', args: { euros: 20 } }), 'Paid.'], {
    tools: { pay },
  })
  const troupe = createTroupe({ agents: [agent] })
  const served = serveAgents({ agents: { cashier: agent }, troupe })
  const server = serve({ fetch: served.fetch, port: 0, hostname: '127.0.0.1' })
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('It has no port.')
  const close = async (): Promise<void> => {
    await served.close()
    server.close()
    await troupe.close()
  }
  return { paid, port: address.port, close }
}

test.for(['auto', 'legacy'] as const)('a client of the revision "%s" approves a call', async (mode) => {
  const { port, paid, close } = await serving()
  const client = new Client(
    { name: 'caller', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { approve: true },
  }))
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  const { content } = await client.callTool({ name: 'cashier', arguments: { prompt: 'Pay 20.' } })
  expect(content).toEqual([{ type: 'text', text: 'Paid.' }])
  expect(paid).toEqual([20])
  await client.close()
  await close()
})

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
})

const statusOf = async (port: number, headers: Record<string, string>): Promise<number | undefined> => {
  const asked = request({
    port,
    host: '127.0.0.1',
    path: '/mcp',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
  asked.end(initialize)
  const [response] = (await once(asked, 'response')) as [{ statusCode?: number; destroy(): void }]
  response.destroy()
  return response.statusCode
}

test('a foreign Host, a foreign Origin and an unknown session are refused', async () => {
  const { port, close } = await serving()
  const own = `127.0.0.1:${port}`
  expect(await statusOf(port, { host: own })).toBe(200)
  expect(await statusOf(port, { host: own, origin: `http://localhost:${port}` })).toBe(200)
  expect(await statusOf(port, { host: 'evil.example' })).toBe(403)
  expect(await statusOf(port, { host: own, origin: 'http://evil.example' })).toBe(403)
  expect(await statusOf(port, { host: own, 'mcp-session-id': 'of another' })).toBe(404)
  await close()
})
