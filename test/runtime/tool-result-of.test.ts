/** `toolResultOf`: the results of one agent's tools among the events of all agents of a run. */
import { createAgent, createTool, createTroupe, toolResultOf } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, worker } from '../support/agents/agents.ts'

const count = (result: number | string) =>
  createTool({
    id: 'count',
    description: 'Counts.',
    inputSchema: z.object({}),
    execute: () => result,
  })
const callsCount = calls({ name: 'count' })

test('a supervisor and its subagent have a tool of one name: each result is that of its agent', async () => {
  const clerk = worker('clerk', [callsCount, 'Three.'], { tools: { count: count('three') } })
  const boss = lead('boss', [calls({ name: 'count' }, to('clerk', 'Count')), 'Done.'], {
    agents: { clerk: clerk.agent },
    tools: { count: count(2) },
  })
  const events = await allEvents(boss.agent.stream('Go'))
  const resultsOf = (agent: typeof clerk.agent | typeof boss.agent) =>
    events.flatMap((event) => toolResultOf(agent, event) ?? [])
  expect(only(events, 'tool-result')).toHaveLength(2)
  expect(resultsOf(boss.agent)).toEqual([{ toolCallId: 'boss/call:1.1', toolName: 'count', result: 2 }])
  expect(resultsOf(clerk.agent)).toEqual([
    { toolCallId: 'boss/delegation:1.2/clerk/call:1.1', toolName: 'count', result: 'three' },
  ])
})

test('a tool that the definition does not have is not its own', async () => {
  const common = { id: 'clerk', description: 'Counts.' }
  const old = createAgent({ ...common, version: '1', model: scriptedModel([]), tools: {} })
  const next = createAgent({
    ...common,
    version: '2',
    model: scriptedModel([callsCount, 'Three.']),
    tools: { count: count(3) },
  })
  const run = await createTroupe({ agents: [old, next] }).start(next, 'Go')
  const events = await allEvents(run)
  expect(events.flatMap((event) => toolResultOf(old, event) ?? [])).toEqual([])
  expect(events.flatMap((event) => toolResultOf(next, event) ?? [])).toMatchObject([{ result: 3 }])
})

test('of tools that a function of the run makes, and of working memory', async () => {
  const { agent } = worker(
    'clerk',
    [callsCount, calls({ name: 'update-working-memory', args: { content: 'Three.' } }), 'Done.'],
    { tools: () => ({ count: count(3) }), memory: { workingMemory: true } },
  )
  const events = await allEvents(agent.stream('Go', { resourceId: 'ada' }))
  expect(events.flatMap((event) => toolResultOf(agent, event)?.toolName ?? [])).toEqual([
    'count',
    'update-working-memory',
  ])
})
