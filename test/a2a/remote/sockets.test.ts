/** Agents of other systems over real connections: refused, silent, cut off in the midst of a stream, and over HTTP+JSON. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve as serveHono } from '@hono/node-server'
import { createTool, createTroupe } from 'troupe'
import { a2aFetch, a2aHandler, agentCard, remoteAgent } from 'troupe/a2a'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'

const open: Server[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listening(server: Server): Promise<string> {
  open.push(server)
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const agentAt = (url: string, more: object = {}) =>
  remoteAgent({ id: 'partner', description: 'Works elsewhere.', url, retries: 0, ...more })

const codeOf = async (agent: ReturnType<typeof agentAt>) => {
  const result = await agent.generate('Go.')
  return result.outcome === 'failed' ? result.error.code : result.outcome
}

test('a server that is not there, and one that says nothing', async () => {
  const url = await listening(createServer())
  expect(await codeOf(agentAt(url, { requestTimeout: 100 }))).toBe('REMOTE_TIMEOUT')
  const [server] = open.splice(0)
  server?.closeAllConnections()
  await new Promise((resolve) => server?.close(resolve))
  expect(await codeOf(agentAt(url))).toBe('REMOTE_UNREACHABLE')
})

test('a redirect to another host takes no credentials along', async () => {
  const heard: unknown[] = []
  const other = await listening(
    createServer((request, response) => void (heard.push(request.headers), response.end())),
  )
  const url = await listening(
    createServer((_, response) => response.writeHead(302, { location: `${other}/` }).end()),
  )
  expect(await codeOf(agentAt(url, { headers: { authorization: 'secret' } }))).toBe('REMOTE_REDIRECTED')
  expect(heard).toEqual([])
})

test('all connections are cut in the midst of the work, and the answer comes all the same', async () => {
  const gate = Promise.withResolvers<string>()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => gate.promise,
  })
  const there = worker('clerk', [calls({ name: 'look', args: {} }), 'Done.'], { tools: { look } })
  const company = createTroupe({ agents: [there.agent] })
  let answer: (request: Request) => Promise<Response> = async () => new Response('', { status: 503 })
  const server = serveHono({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) }) as Server
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once('listening', resolve)))
  const url = await listening(server)
  const card = agentCard(there.agent, { endpoints: [{ url, binding: 'JSONRPC' }] })
  const served = a2aFetch(a2aHandler(there.agent, { troupe: company, card }), { authenticate: 'everybody' })
  let streams = 0
  answer = async (request) => {
    const response = await served(request)
    if (response.headers.get('content-type') === 'text/event-stream') streams++
    return response
  }
  const agent = agentAt(url, { pollInterval: 5, retries: 3 })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  await expect.poll(() => streams).toBe(1)
  server.closeAllConnections()
  gate.resolve('There it is.')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await company.runs()).items).toHaveLength(1)
  await troupe.close()
  await company.close()
})
