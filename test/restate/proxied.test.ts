/** A proxy stands before the ingress, and answers in its place while the server is away. */
import { createServer, request as send, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { restateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk
let proxy: Server
let isAway = false
let refused = 0
/** Resolves when more was refused than the client asks again by itself. */
const isRefusedOften = Promise.withResolvers<void>()

beforeAll(async () => {
  desk = await Desk.open()
  proxy = createServer((request, response) => {
    if (isAway) {
      if (++refused === 20) isRefusedOften.resolve()
      response.writeHead(503, { 'retry-after': '0' }).end('no healthy upstream')
      return
    }
    const { method, url, headers } = request
    const passed = send(new URL(url ?? '/', desk.server.ingress), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await desk[Symbol.asyncDispose]()
})

test('who reads along goes on when the server is back', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: helper } = worker('helper', [{ text: 'Helped.', until: gate.promise }])
  const { agent } = lead('steady', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const namespace = 'proxied'
  await desk.serve({ agents: [agent], namespace })
  const ingress = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const run = await restateTroupe({ ingress, agents: [agent], namespace, pollInterval: 10 }).start(
    agent,
    'Go',
  )
  const types: string[] = []
  for await (const { type } of run.events) {
    types.push(type)
    if (type !== 'delegation-start') continue
    isAway = true
    await isRefusedOften.promise
    isAway = false
    gate.resolve()
  }
  expect(types.at(-1)).toBe('run-finish')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})
