/** Old results, thoughts and files are cleared from what a model is sent, and never from the record. Behaviours 96 and 97. */
import {
  createAgent,
  createTool,
  createTroupe,
  file,
  textOf,
  type AgentOptions,
  type ContextEditingOptions,
  type Message,
  type Prompt,
  type RunEvent,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, only } from '../../support/agents/agents.ts'

const page = 'It goes on and on about the sea. '.repeat(30)
const inputSchema = z.object({})
const read = createTool({ id: 'read', description: 'Reads.', inputSchema, execute: () => page })
const keep = createTool({ id: 'keep', description: 'Keeps.', inputSchema, execute: () => page })
const reading = calls({ name: 'read' })
const cleared = 'Cleared, for it is old. Call again for what you still need.'

async function ran(
  steps: readonly ScriptedStep[],
  contextEditing: ContextEditingOptions,
  { prompt = 'Go', ...options }: AgentOptions & { prompt?: Prompt } = {},
) {
  const model = scriptedModel(steps)
  const agent = createAgent({
    id: 'agent',
    instructions: '',
    model,
    tools: { read, keep },
    maxSteps: 10,
    contextEditing,
    ...options,
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, prompt)
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  const result = await run.result
  expect((await troupe.replay(run.id)).result).toEqual(result)
  const sent = model.calls.map(({ request }) => request.messages)
  return { result, events, sent }
}

const resultsIn = (messages: readonly Message[] = []) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))

/** The scripted model reports 10 tokens a request: so the scale is small, and so are these numbers. */
const small = { above: 5, atLeast: 0, keep: 1 } as const

describe('results', () => {
  test('are cleared but for those of the newest replies, and the record keeps them', async () => {
    const { sent, result, events } = await ran([reading, reading, reading, 'Done.'], small)
    expect(resultsIn(sent.at(-1))).toEqual([cleared, cleared, page])
    expect(result.steps.flatMap(({ toolResults }) => toolResults).map(({ value }) => value)).toEqual([
      page,
      page,
      page,
    ])
    expect(only(events, 'context-edited').map(({ payload }) => payload.cleared)).toEqual([1, 1])
    expect(only(events, 'tool-result').map(({ payload }) => payload.result)).toEqual([page, page, page])
  })

  test('of the tools that are named stay', async () => {
    const keeping = calls({ name: 'keep' })
    const { sent } = await ran([keeping, reading, reading, 'Done.'], { ...small, except: ['keep'] })
    expect(resultsIn(sent.at(-1))).toEqual([page, cleared, page])
  })

  test('stay as they are while the request is short', async () => {
    const { sent, events } = await ran([reading, reading, 'Done.'], { above: 1_000_000 })
    expect(resultsIn(sent.at(-1))).toEqual([page, page])
    expect(only(events, 'context-edited')).toEqual([])
  })

  test('stay where an edit would free too little', async () => {
    const { sent } = await ran([reading, reading, 'Done.'], { ...small, atLeast: 1_000_000 })
    expect(resultsIn(sent.at(-1))).toEqual([page, page])
  })

  test('that failed stay marked as failures, and calls keep their results', async () => {
    const bad = calls({ name: 'nobody', args: { long: page } })
    const { sent } = await ran([bad, reading, 'Done.'], small)
    const tools = (sent.at(-1) ?? []).filter((message) => message.role === 'tool')
    expect(tools[0]).toMatchObject({ isError: true })
    expect(tools.map(({ toolCallId }) => toolCallId)).toHaveLength(2)
  })

  test('are cleared for the final turn too', async () => {
    const { sent, result } = await ran([reading, reading, 'In short.'], small, { maxSteps: 2 })
    expect(result).toMatchObject({ outcome: 'exhausted', text: 'In short.' })
    expect(resultsIn(sent.at(-1))).toEqual([cleared, page])
  })
})

test('thoughts and the data of the provider are cleared, where that is asked for', async () => {
  const thinking = { ...reading, reasoning: page, keepReasoning: true, providerData: { seal: 1 } } as const
  const { sent } = await ran([thinking, thinking, 'Done.'], { ...small, clear: ['thoughts'] })
  const replies = (sent.at(-1) ?? []).filter((message) => message.role === 'assistant')
  expect(replies.map(({ reasoning, providerData }) => [reasoning, providerData])).toEqual([
    [undefined, undefined],
    [page, { seal: 1 }],
  ])
  expect(resultsIn(sent.at(-1))).toEqual([page, page])
})

test('a line stands for a file that was cleared', async () => {
  const picture = file(new Uint8Array([1, 2, 3]), 'image/png', { name: 'cat.png' })
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, picture] }] as const
  const { sent } = await ran([reading, reading, 'Done.'], { ...small, clear: ['files'] }, { prompt })
  expect(textOf(sent[0]?.[0]?.content ?? '')).toContain('cat.png')
  expect(sent.at(-1)?.[0]?.content).toEqual([
    { type: 'text', text: 'Look.' },
    { type: 'text', text: '[file "cat.png", image/png] was cleared.' },
  ])
})

test('it comes before a compaction, which then has nothing to do', async () => {
  const compaction = { window: 900, at: 0.9, summarize: () => 'So far.' }
  /** Counts as a server does. */
  const counted: ScriptedStep = ({ messages }) => {
    const inputTokens = Math.round(JSON.stringify(messages).length / 4)
    const usage = { inputTokens, outputTokens: 1, totalTokens: inputTokens + 1 }
    return messages.filter(({ role }) => role === 'assistant').length < 5
      ? { ...reading, usage }
      : { text: 'Done.', usage }
  }
  const steps = Array.from({ length: 8 }, () => counted)
  const without = await ran(steps, { above: 1_000_000 }, { compaction })
  expect(only(without.events, 'compaction-start').length).toBeGreaterThan(0)
  const { events, result } = await ran(steps, { above: 500, keep: 1 }, { compaction })
  expect(result.text).toBe('Done.')
  expect(only(events, 'context-edited').length).toBeGreaterThan(0)
  expect(only(events, 'compaction-start')).toEqual([])
})

describe('refused', () => {
  const agentWith = (contextEditing: object) =>
    createAgent({ id: 'a', instructions: '', model: scriptedModel([]), contextEditing } as never)

  test.each([
    ['no threshold', {}, 'above'],
    ['a threshold of nothing', { above: 0 }, 'a positive integer'],
    ['nothing kept', { above: 1, keep: 0 }, 'a positive integer'],
    ['a misspelt part', { above: 1, clear: ['result'] }, "'results'"],
    ['an unknown option', { above: 1, exept: [] }, '"except"'],
  ])('%s', (_what, given, message) => {
    expect(() => agentWith(given)).toThrow(message)
  })
})
