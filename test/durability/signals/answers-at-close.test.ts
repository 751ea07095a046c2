/** An answer that is still on its way when its troupe closes is rejected with the close: its question is open in the store. */
import { createTool, createTroupe, memoryStore } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { expectPassivated, suspendedBy } from '../processes.ts'

const callId = 'clerk/call:1.1'

function clerk() {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  return worker('clerk', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } }).agent
}

test.each([
  { memory: 'has left memory', passivateAfter: 0, answer: {} },
  { memory: 'is in memory, with changed arguments', passivateAfter: Infinity, answer: { args: {} } },
])('of a run that $memory', async ({ passivateAfter, answer }) => {
  const store = memoryStore()
  const agent = clerk()
  const troupe = createTroupe({ agents: [agent], store, passivateAfter })
  const run = await troupe.start(agent, 'Go')
  await suspendedBy(run)
  if (passivateAfter === 0) await expectPassivated(store)
  const answered = rejection(run.approve(callId, answer))
  await troupe.close()
  expect(await answered).toMatchObject({ code: 'TROUPE_CLOSED', runId: run.id })
  const other = createTroupe({ agents: [agent], store })
  await other.signal(run.id, { type: 'approve', toolCallId: callId })
  await other.close()
})
