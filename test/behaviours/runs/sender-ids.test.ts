/** The ids that a sender gives to a prompt and to an answer are on record: events show them, also after a restart. */
import { createTroupe, memoryStore } from 'troupe'
import { expect, test } from 'vitest'
import { only } from '../../support/agents/agents.ts'
import { cashier } from '../../support/agents/cashier.ts'

test('events show them, in another process too, and no resume changes them', async () => {
  const store = memoryStore()
  const agent = cashier()
  const first = createTroupe({ agents: [agent], store })
  const run = await first.start(agent, 'Pay back.', { promptId: 'p-1' })
  const idle = await run.whenIdle
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  await run.approve(question?.toolCallId ?? '', { by: 'ann', answerId: 'a-1' })
  await run.result
  await first.close()
  const second = createTroupe({ agents: [agent], store })
  const { events } = await second.replay(run.id)
  expect(only(events, 'run-start')).toMatchObject([{ payload: { task: 'Pay back.', promptId: 'p-1' } }])
  expect(only(events, 'tool-call-answered')).toMatchObject([{ payload: { by: 'ann', answerId: 'a-1' } }])
  await expect(second.resume(run.id, { promptId: 'p-2' } as object)).rejects.toThrow('promptId cannot change')
  await second.close()
})

test('without them events have none', async () => {
  const agent = cashier()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay back.')
  const idle = await run.whenIdle
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  await run.deny(question?.toolCallId ?? '')
  await run.result
  const { events } = await troupe.replay(run.id)
  expect(only(events, 'run-start')[0]?.payload).not.toHaveProperty('promptId')
  expect(only(events, 'tool-call-answered')[0]?.payload).not.toHaveProperty('answerId')
  await troupe.close()
})
