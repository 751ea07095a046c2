/** Tools of a client on Restate: a call waits in the workflow, and another process gives its result. */
import type { ClientTool } from 'troupe'
import { restateEndpoint } from 'troupe/restate'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { lead, calls, to, worker } from '../support/agents/agents.ts'
import { allOf } from '../support/all-of.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const where: ClientTool = {
  name: 'whereAmI',
  description: 'Tells where the user is.',
  parameters: { type: 'object', properties: { near: { type: 'string' } }, required: ['near'] },
}
const call = calls({ name: 'whereAmI', args: { near: 'you' } })

test('a call of the client waits over a restart of its worker, and its answer is on record', async () => {
  const { agent, model } = worker('guide', [call, 'You are in Bergen.'])
  const config = { agents: [agent], namespace: 'pages', inactivityTimeout: 1 }
  const listener = await desk.serve(config)
  const troupe = desk.client(agent, 'pages')
  const run = await troupe.start(agent, 'Where am I?', { clientTools: [where] })
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await listener.close()

  const { port } = listener // a run goes on at the address of the deployment with which it began
  const restarted = await restateEndpoint({ logger: () => undefined, ...config }).listen({ port })
  onTestFinished(() => restarted.close())
  const other = desk.client(agent, 'pages')
  const [question] = (await other.awaiting({ runId: run.id })).items
  expect(question).toMatchObject({ toolName: 'whereAmI', type: 'suspension', payload: { near: 'you' } })
  const resumed = await other.resume(run.id)
  await resumed.resume(question?.toolCallId ?? '', { city: 'Bergen' }, { by: 'ann' })
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'You are in Bergen.' })
  expect(model.calls.map(({ request }) => request.tools)).toMatchObject([[where], [where]])
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('{\\"city\\":\\"Bergen\\"}')
  const events = await allOf(other.watch(run.id))
  expect(events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'run-start',
        payload: expect.objectContaining({ clientTools: ['whereAmI'] }),
      }),
      expect.objectContaining({
        type: 'tool-call-suspended',
        payload: expect.objectContaining({ isClient: true }),
      }),
      expect.objectContaining({
        type: 'tool-call-answered',
        payload: expect.objectContaining({ by: 'ann', data: { city: 'Bergen' } }),
      }),
    ]),
  )
  expect((await other.replay(await other.journal(run.id))).result).toMatchObject({ outcome: 'completed' })
})

test('a subagent has none of the tools of the client', async () => {
  const helper = worker('helper', ['Help.'])
  const { agent, model } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
    agents: { helper: helper.agent },
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go', { clientTools: [where] })
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(model.calls[0]?.request.tools.map(({ name }) => name)).toContain('whereAmI')
  expect(helper.model.calls[0]?.request.tools).toEqual([])
})

test('a start is refused for tools of the client that are wrong', async () => {
  const { agent } = worker('picky', [])
  const troupe = await desk.troupe(agent)
  await expect(troupe.start(agent, 'Go', { clientTools: [where, where] })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('there are two tools "whereAmI"'),
  })
})
