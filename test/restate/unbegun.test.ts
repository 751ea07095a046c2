/** A subagent is known before its workflow has begun, which may be long before: its workers may be away or busy. */
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { createDebate, type AgentDefinition } from 'troupe'
import { restateEndpoint } from 'troupe/restate'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents.ts'
import { Desk } from './desk.ts'

let desk: Desk
const servers: Http2Server[] = []

beforeAll(async () => {
  desk = await Desk.open()
}, 60_000)

afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  for (const server of servers) server.close()
})

/** A client of an agent whose subagents called `late` begin when `gate` opens. */
async function troupeOf(agent: AgentDefinition, late: string, gate: Promise<void>) {
  const namespace = agent.id
  const logger = () => undefined
  const { services } = restateEndpoint({ agents: [agent], namespace, logger })
  const handler = createEndpointHandler({ services: [...services], logger })
  const server = createServer((request, response) => {
    const isLate = request.url.endsWith(`/${namespace}.${late}/run`)
    void (isLate ? gate : Promise.resolve()).then(() => handler(request, response))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await desk.server.register((server.address() as AddressInfo).port)
  return desk.client(agent, namespace)
}

test('a delegation that is cancelled before its agent has begun is cancelled when it has', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: mute } = worker('mute', [{ hang: true }])
  const { agent: clear } = worker('clear', [], { otherwise: 'Yes.' })
  const panel = createDebate({
    id: 'panel',
    description: 'Debates.',
    instructions: 'Debate.',
    model: scriptedModel(['Agreed.']),
    agents: { mute, clear },
    rounds: 1,
    quorum: 1,
  })
  const { agent } = lead('early', [calls(to('panel', 'Discuss')), 'Done.'], { agents: { panel } })
  const troupe = await troupeOf(agent, 'panel', gate.promise)
  const run = await troupe.start(agent, 'Go')
  const delegationId = 'early/delegation:1.1/panel/delegation:1.1'
  for await (const { type, path } of run.events)
    if (type === 'delegation-start' && path === delegationId) break
  const cancelling = run.cancel('no', { delegationId })
  await Promise.race([cancelling, new Promise((resolve) => setTimeout(resolve, 500))])
  gate.resolve()
  await cancelling
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const { events } = await troupe.replay(run.id)
  const ends = events.filter(({ type, path }) => type === 'delegation-end' && path === delegationId)
  expect(ends).toMatchObject([{ payload: { outcome: 'cancelled' } }])
}, 15_000)

test('a subagent that is cancelled before it has begun reports that it was', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: helper, model } = worker('helper', [], { otherwise: 'Never said.' })
  const { agent } = lead('hasty', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const troupe = await troupeOf(agent, 'helper', gate.promise)
  const run = await troupe.start(agent, 'Go')
  const delegationId = 'hasty/delegation:1.1'
  for await (const { type, path } of run.events)
    if (type === 'delegation-start' && path === delegationId) break
  await run.cancel('no', { delegationId })
  gate.resolve()
  const result = await run.result
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    delegations: [{ id: delegationId, outcome: 'cancelled' }],
  })
  expect(model.calls.length).toBeLessThan(2)
  expect((await troupe.replay(run.id)).result).toEqual(result)
}, 15_000)
