/** A compaction, and all that goes on around it: subagents, threads, work in the background, another engine. */
import {
  createTool,
  createTroupe,
  textOf,
  type CompactionOptions,
  type Message,
  type ModelRequest,
} from 'troupe'
import type { ScriptedReply } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { Desk } from '../../restate/crashes/desk.ts'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'

/** Two thousand characters, which count as five hundred tokens. */
const long = 'word '.repeat(400)

const read = createTool({
  id: 'read',
  description: 'Reads.',
  inputSchema: z.object({}),
  execute: () => long,
})

const compaction = { window: 1_500, at: 0.8, summarize: () => 'THE SUMMARY' } satisfies CompactionOptions

/** Says what it is told to by the number of its earlier calls, and reports the tokens that its request has. */
function weighing(...steps: readonly ScriptedReply[]) {
  let asked = 0
  return ({ messages }: ModelRequest): ScriptedReply => {
    const inputTokens = Math.ceil(messages.reduce((sum, { content }) => sum + textOf(content).length, 0) / 4)
    return { usage: { inputTokens, outputTokens: 5 }, ...steps[asked++] }
  }
}

const reading = calls({ name: 'read' })

function saidTo(messages: readonly Message[]): string {
  return messages.map(({ content }) => textOf(content)).join('\n')
}

test('a subagent is shown the summary in the place of the messages that are gone', async () => {
  const helper = worker('helper', ['Helped.'])
  const boss = lead('boss', [], {
    otherwise: weighing(
      { text: 'I begin with a secret word: heron.', ...reading },
      reading,
      reading,
      calls(to('helper', 'Help')),
      { text: 'Done.' },
    ),
    agents: { helper: helper.agent },
    tools: { read },
    compaction,
  })
  const run = boss.agent.stream('Go')
  const events = await allEvents(run)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(only(events, 'compaction-end').map(({ payload }) => payload.outcome)).toContain('compacted')
  const told = saidTo(shown(helper.model, 1))
  expect(told).toContain('THE SUMMARY')
  expect(told).not.toContain('heron')
  expect(told).toContain('Go')
})

test('a thread keeps the prompt and the answer, and no summary', async () => {
  const { agent, model } = worker('reader', [], {
    otherwise: weighing(reading, reading, reading, { text: 'Read.' }, { text: 'I did.' }),
    tools: { read },
    memory: true,
    compaction,
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Read it', { threadId: 't' })
  const events = await allEvents(run)
  expect(only(events, 'compaction-end').length).toBeGreaterThan(0)
  expect((await troupe.memory.messages('t')).map(({ content }) => content)).toEqual(['Read it', 'Read.'])
  await (
    await troupe.start(agent, 'Did you?', { threadId: 't' })
  ).result
  expect(saidTo(shown(model, model.calls.length))).not.toContain('THE SUMMARY')
})

test('a result from the background that arrives during a compaction is told after it', async () => {
  const asked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<string>()
  const watch = createTool({
    id: 'watch',
    description: 'Watches.',
    inputSchema: z.object({}),
    background: true,
    execute: () => done.promise,
  })
  const { agent, model } = worker('reader', [], {
    otherwise: weighing(
      calls({ name: 'watch' }, { name: 'read' }),
      reading,
      reading,
      { text: 'Read.' },
      { text: 'Read, and watched.' },
    ),
    tools: { read, watch },
    compaction: {
      ...compaction,
      async summarize() {
        asked.resolve()
        await done.promise
        return 'THE SUMMARY'
      },
    },
  })
  const run = agent.stream('Go')
  await asked.promise
  done.resolve('A ship has come.')
  const result = await run.result
  expect(result.outcome).toBe('completed')
  const told = model.calls.map(({ request }) => saidTo(request.messages))
  expect(told.some((words) => words.includes('A ship has come.'))).toBe(true)
  expect(told.some((words) => words.includes('THE SUMMARY'))).toBe(true)
})

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

test('on Restate a run is compacted as here, and replays', async () => {
  const { agent } = worker('reader', [], {
    otherwise: ({ messages }) => {
      const told = saidTo(messages)
      const inputTokens = Math.ceil(told.length / 4)
      // By its messages alone: another worker may go on.
      const summaries = told.split('THE SUMMARY').length - 1
      const step: ScriptedReply = summaries === 0 ? reading : { text: 'Read.' }
      return { usage: { inputTokens, outputTokens: 5 }, ...step }
    },
    tools: { read },
    compaction,
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Read it')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Read.' })
  const exported = await troupe.journal(run.id)
  expect(JSON.stringify(exported)).toContain('"kind":"compaction"')
  expect((await troupe.replay(exported)).result).toMatchObject({ outcome: 'completed', text: 'Read.' })
})
