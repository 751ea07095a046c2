/** Messages of people to a run on Restate: taken and refused as on the embedded engine. */
import { createTool, file, memoryStore, type Store } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { Desk } from './desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'allowed',
})

test('a run that waits for a person keeps messages, refuses the ninth, and its model reads them', async () => {
  const { agent: helper } = worker('helper', [calls({ name: 'ask', args: {} }), 'Helped.'], {
    tools: { ask },
  })
  const { agent, model } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.say('Be brief.', { by: 'ann' })
  await troupe.signal(run.id, { type: 'say', message: 'And kind.' })
  for (let index = 0; index < 6; index++) await run.say(`And ${index}.`)
  expect(await rejection(run.say('And more.'))).toMatchObject({ code: 'SIGNAL_TOO_MANY' })
  expect((await run.whenIdle).outcome).toBe('suspended')
  await run.approve('boss/delegation:1.1/helper/call:1.1')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(result).not.toHaveProperty('unheard')
  const heard = shown(model, 2).filter((message) => message.role === 'user' && message.internal === 'said')
  expect(heard).toHaveLength(8)
  expect(heard[0]).toMatchObject({ content: 'Be brief.' })
  const { events } = await troupe.replay(run.id)
  expect(only(events, 'said')[0]?.payload).toMatchObject({ message: 'Be brief.', by: 'ann' })
  expect(await rejection(run.say('Too late.'))).toMatchObject({ code: 'SIGNAL_TOO_LATE' })
})

test('a client whose store does not take files within hookTimeout sends no message', async () => {
  const blobs = { get: async () => undefined, put: () => new Promise<never>(() => undefined) }
  const slow: Store = { ...memoryStore(), blobs }
  const { agent } = worker('viewer', [calls({ name: 'ask', args: {} }), 'Done.'], {
    tools: { ask },
    hookTimeout: 20,
  })
  await desk.serve({ agents: [agent], namespace: 'files' })
  const run = await desk.client(agent, 'files', { store: slow }).start(agent, 'Go')
  await run.whenIdle
  const message = [file(Uint8Array.of(1), 'image/png')]
  expect(await rejection(run.say(message))).toMatchObject({ code: 'HOOK_TIMEOUT' })
  await run.approve('viewer/call:1.1')
  const { events } = await run.result.then(() => desk.client(agent, 'files').replay(run.id))
  expect(only(events, 'said', 'say-refused')).toEqual([])
})
