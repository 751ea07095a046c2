import { createAgent, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { allEvents, calls, lead, to, worker } from '../../support/agents/agents.ts'

test('every event of a run has its conversation, deltas and those of subagents among them', async () => {
  const { agent } = lead('lead', [calls(to('scout', 'Look.')), 'Done.'], {
    agents: { scout: worker('scout', ['Facts.']).agent },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { conversationId: 'talk' })
  const events = await allEvents(run)
  expect(events.some(({ seq }) => seq === undefined)).toBe(true)
  expect(new Set(events.map(({ conversationId }) => conversationId))).toEqual(new Set(['talk']))
  const { events: replayed } = await troupe.replay(run.id)
  expect(replayed.every(({ conversationId }) => conversationId === 'talk')).toBe(true)
  const other = await troupe.start(agent, 'Go')
  expect((await allEvents(other)).some((event) => 'conversationId' in event)).toBe(false)
})

test('the messages of a thread have the conversation in which they were saved, and the thread is found by it', async () => {
  const agent = createAgent({
    id: 'solo',
    instructions: '',
    model: scriptedModel([], { otherwise: 'Yes.' }),
    memory: true,
  })
  const troupe = createTroupe({ agents: [agent] })
  for (const conversationId of ['first', 'second']) {
    await (
      await troupe.start(agent, conversationId, { conversationId, threadId: 'shared' })
    ).result
  }
  await (
    await troupe.start(agent, 'alone', { threadId: 'other' })
  ).result
  const saved = await troupe.memory.messages('shared')
  expect(saved.map(({ content, conversationId }) => [content, conversationId])).toEqual([
    ['first', 'first'],
    ['Yes.', 'first'],
    ['second', 'second'],
    ['Yes.', 'second'],
  ])
  const found = await troupe.memory.threads({ conversationId: 'second' })
  expect(found.map(({ id }) => id)).toEqual(['shared'])
})
