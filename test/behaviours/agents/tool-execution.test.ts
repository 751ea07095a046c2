/** The second argument of `execute`: which call of which agent it is, in every attempt. */
import { createTool, createTroupe, RetryableError, type ToolExecution } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

type Execution = Pick<ToolExecution, 'agent' | 'runId' | 'toolCallId' | 'idempotencyKey' | 'resumeData'>

const callId = 'lead/delegation:1.1/clerk/call:1.1'

test('run, agent and call are the same in the first attempt, after an error and after a suspension', async () => {
  const given: Execution[] = []
  const file = createTool({
    id: 'file',
    description: 'Files.',
    inputSchema: z.object({}),
    execute(_, { agent, runId, toolCallId, idempotencyKey, resumeData, suspend }): string {
      given.push({ agent, runId, toolCallId, idempotencyKey, resumeData })
      if (given.length === 1) throw new RetryableError('busy')
      return resumeData === undefined ? suspend('Where?') : 'filed'
    },
  })
  const clerk = worker('clerk', [calls({ name: 'file' }), 'Filed.'], { tools: { file } })
  const { agent } = lead('lead', [calls(to('clerk', 'File it')), 'Done.'], { agents: { clerk: clerk.agent } })
  const clock = virtualClock()
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  await clock.armed(1)
  clock.advance(60_000)
  await run.whenIdle
  await run.resume(callId, 'in the box')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  const call = { agent: 'clerk', runId: run.id, toolCallId: callId }
  expect(given).toMatchObject([call, call, { ...call, resumeData: 'in the box' }])
  expect(new Set(given.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  const announced = only(await allEvents(run), 'tool-call', 'tool-result')
  expect(announced.map(({ payload }) => payload.toolCallId)).toEqual([callId, callId])
})

test('two calls of one reply are told apart', async () => {
  const ids: string[] = []
  const file = createTool({
    id: 'file',
    description: 'Files.',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }, { toolCallId }) => {
      ids.push(`${q} ${toolCallId}`)
      return q
    },
  })
  const both = calls({ name: 'file', args: { q: 'a' } }, { name: 'file', args: { q: 'b' } })
  const { agent } = worker('clerk', [both, 'Filed.'], { tools: { file } })
  await agent.generate('Go')
  expect(ids.toSorted()).toEqual(['a clerk/call:1.1', 'b clerk/call:1.2'])
})
