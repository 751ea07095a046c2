/** Signals whose reply is lost: the client sends them again, and Restate executes each once. */
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTool, memoryStore } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, only, shown, worker } from '../../support/agents/agents.ts'
import { chart, data, filesIn, holdsBytes } from '../../behaviours/files/pictures.ts'
import { Desk } from './desk.ts'

let desk: Desk
let proxy: Server
let lost = 0

/** Passes every call on, and loses the first reply to each kind of signal. */
beforeAll(async () => {
  desk = await Desk.open()
  const isLost = new Set<string>()
  proxy = createServer((request, response) => {
    const body: Buffer[] = []
    request.on('data', (part: Buffer) => body.push(part))
    request.on('end', () => {
      const { method, url = '/', headers } = request
      const passed = send(new URL(url, desk.server.ingress), { method, headers }, (answer) => {
        const kind = /"type":"(say|approve)"/.exec(Buffer.concat(body).toString())?.[1]
        if (kind === undefined || isLost.has(kind)) {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
          return
        }
        isLost.add(kind)
        lost++
        answer.resume().on('end', () => response.writeHead(503, { 'retry-after': '0' }).end('gone'))
      })
      passed.end(Buffer.concat(body))
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await desk[Symbol.asyncDispose]()
})

test('a message and an answer are taken once; a message with files brings them by the shared store', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'allowed',
  })
  const { agent, model } = worker('again', [calls({ name: 'ask', args: {} }), 'Done.'], { tools: { ask } })
  const namespace = 'again'
  const store = memoryStore()
  await desk.serve({ agents: [agent], namespace, store })
  const ingress = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const troupe = restateTroupe({ ingress, agents: [agent], namespace, store, pollInterval: 10 })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.say([{ type: 'text', text: 'See this.' }, chart], { by: 'ann', id: 'm1' })
  await troupe.signal(run.id, { type: 'say', message: 'See this.', id: 'm1' })
  await run.approve('again/call:1.1')
  expect(lost).toBe(2)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const heard = shown(model, 2).filter((message) => message.role === 'user' && message.internal === 'said')
  expect(heard.map(({ content }) => filesIn(content))).toMatchObject([[{ name: 'chart.png', data }]])
  const { events } = await troupe.replay(run.id)
  expect(only(events, 'said').map(({ payload }) => payload.id)).toEqual(['m1'])
  const { parts } = await troupe.journal(run.id)
  expect(holdsBytes(parts.flatMap(({ turns }) => turns.flat()))).toBe(false)
})
