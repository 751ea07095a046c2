/** Wrappers around the effects of a worker: once for each effect that it performs, and never for one that is recorded. */
import { createTool, type ObservedEffect } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from './desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const other = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

test('each effect once, subagents included, also when workflows are executed again', async () => {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'allowed',
  })
  const { agent: helper } = worker('helper', [calls({ name: 'ask', args: {} }), 'Helped.'], {
    tools: { ask },
  })
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const seen: ObservedEffect[] = []
  const ended: string[] = []
  const troupe = await desk.troupe(agent, {
    inactivityTimeout: 0, // a workflow that waits leaves memory, and is executed again
    around: async (effect, perform) => {
      seen.push(effect)
      await perform()
      ended.push(effect.kind)
    },
  })
  const run = await troupe.start(agent, 'Go', { traceparent: trace })
  await run.whenIdle
  await troupe.resume(run.id, { traceparent: other })
  await run.approve('boss/delegation:1.1/helper/call:1.1')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await troupe.replay(run.id)).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(seen.map(({ kind, name, path }) => `${kind} ${name} ${path}`).toSorted()).toEqual([
    'agent helper boss/delegation:1.1/helper',
    'model scripted/boss boss',
    'model scripted/boss boss',
    'model scripted/helper boss/delegation:1.1/helper',
    'model scripted/helper boss/delegation:1.1/helper',
    'tool ask boss/delegation:1.1/helper/call:1.1',
  ])
  // The subagent has begun before the root agent was given another one.
  const after = seen.filter(({ traceparent }) => traceparent === other)
  expect(after.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['model boss'])
  expect(seen.filter(({ traceparent }) => traceparent === trace)).toHaveLength(5)
  expect(ended.filter((kind) => kind === 'model')).toHaveLength(4)
})
