/** A run is replayed by its journal alone, where the journal has its agents. */
import {
  createSupervisor,
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type JournalEntry,
} from 'troupe'
import { defineChartAgent, recordedTrail } from 'troupe/kit'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { createMachine } from 'xstate'
import { z } from 'zod'
import { stories } from '../../support/stories/runs.ts'

test.each(Object.entries(stories))('%s: as with its agents', async (name, make) => {
  const { agent, task } = make()
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const run = await troupe.start(agent, task, { runId: name })
  await run.result
  const journal = JSON.parse(JSON.stringify(await troupe.journal(run.id))) as readonly JournalEntry[]
  const recorded = await recordedTrail(journal)
  const whole = await troupe.trail(run.id)
  expect(JSON.parse(JSON.stringify(recorded.entries))).toEqual(JSON.parse(JSON.stringify(whole.entries)))
  for (let entries = 1; entries <= journal.length; entries++) {
    const states = (views: ReturnType<typeof whole.view>): unknown =>
      views.map(({ path, state, children }) => [path, state, states(children)])
    expect(states(recorded.view(entries))).toEqual(states(whole.view(entries)))
  }
  await troupe.close()
})

test('an answer of a shape, versions and tools that suspend need no program either', async () => {
  const store = memoryStore()
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: (_input, { resumeData, suspend }) =>
      resumeData === undefined ? suspend({ ask: 1 }) : resumeData,
  })
  const scout = createAgent({
    id: 'scout',
    version: '2',
    description: 'Scouts.',
    model: scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, '{"height":7}']),
    tools: { look },
    structuredOutput: { schema: z.object({ height: z.number() }) },
  })
  const lead = createSupervisor({
    id: 'lead',
    version: '1',
    model: scriptedModel([{ toolCalls: [{ name: 'agent-scout', args: { prompt: 'Look.' } }] }, 'Seven.']),
    agents: { scout },
  })
  const troupe = createTroupe({ agents: [lead], store })
  const run = await troupe.start(lead, 'How high?')
  await run.whenIdle
  const waiting = await recordedTrail(await troupe.journal(run.id))
  expect(waiting.entries.at(-1)?.events.map(({ type }) => type)).toContain('suspended')
  const [question] = (await troupe.awaiting()).items
  await run.resume(question?.toolCallId ?? '', 7)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Seven.' })
  const recorded = await recordedTrail(await troupe.journal(run.id))
  expect(JSON.stringify(recorded.entries)).toBe(JSON.stringify((await troupe.trail(run.id)).entries))
  await troupe.close()
})

test('a journal without agents, and an agent with a chart of its own, are refused by name', async () => {
  const agent = createAgent({ id: 'poet', model: scriptedModel(['Ode.']) })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  await run.result
  const [started, ...others] = await troupe.journal(run.id)
  const { agents: _, ...bare } = started as Extract<JournalEntry, { type: 'run.started' }>
  await expect(recordedTrail([bare, ...others])).rejects.toMatchObject({ code: 'AGENT_NOT_HERE' })
  await expect(recordedTrail([])).rejects.toMatchObject({ code: 'JOURNAL_MISMATCH' })
  await troupe.close()

  const own = defineChartAgent({
    id: 'own',
    chart: () => createMachine({ id: 'own', initial: 'a', states: { a: { type: 'final' } }, output: 'done' }),
  })
  const second = createTroupe({ agents: [own] })
  const ended = await second.start(own, 'Go.')
  await ended.result
  await expect(recordedTrail(await second.journal(ended.id))).rejects.toMatchObject({
    code: 'AGENT_NOT_HERE',
    message: expect.stringContaining('The agent "own" has a chart of its own.') as string,
  })
  await second.close()
})

test('the journal names the model of each agent', async () => {
  const agent = createAgent({ id: 'poet', model: scriptedModel(['Ode.'], { modelId: 'quill' }) })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  await run.result
  const [started] = await troupe.journal(run.id)
  expect(started).toMatchObject({ agents: { poet: { model: 'scripted/quill' } } })
  await troupe.close()
})
