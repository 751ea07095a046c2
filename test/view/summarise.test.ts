/** The summary of a run answers what people ask: what came of it, who spent, why it stopped, what was changed and refused. */
import { createAgent, createTool, createTroupe, memoryStore, type JournalEntry } from 'troupe'
import { sentenceText, summarise, summaryText, type SummarisedEntry, type Summary } from 'troupe/view'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordedTrail } from '../../src/runtime/trail/recorded-trail.ts'
import { stories, tellAll, type StoryName } from '../support/stories/runs.ts'

const store = memoryStore({ endedRuns: 100 })
const told = tellAll(store)

async function journalOf(name: StoryName): Promise<readonly JournalEntry[]> {
  await told
  return (await store.read(name)) ?? []
}

/** By the journal alone: what the program has is not needed. */
async function summaryOf(name: StoryName): Promise<Summary> {
  return summarise((await recordedTrail(await journalOf(name))).entries)
}

/** As a process has it that can replay nothing. */
function alone(journal: readonly JournalEntry[]): readonly SummarisedEntry[] {
  const root = journal[0]?.type === 'run.started' ? journal[0].agent : ''
  return journal.map((recorded) => ({ journal: root, recorded, events: [] }))
}

test.each([
  ['failedToolDeepDown', 'Completed, although 1 tool call failed.'],
  [
    'outOfBudget',
    'Out of budget: 4 of 4 model calls used; archivist was cut off at entry 12, librarian was cut off at entry 14.',
  ],
  ['rejectedDelegation', 'Completed, although 1 delegation was rejected.'],
  ['changedPrompt', 'Completed.'],
  ['wrongRoute', 'Completed.'],
  [
    'completedOverFailures',
    'Completed over failures: all 3 delegations failed (north, south, west). The answer rests on none of them.',
  ],
] as const)('%s: how it ended, in a sentence', async (name, sentence) => {
  expect(sentenceText((await summaryOf(name)).ending)).toBe(sentence)
})

test('a tool that failed deep down is named with its agent, its reason and its entry', async () => {
  const { failures } = await summaryOf('failedToolDeepDown')
  expect(failures).toEqual([
    {
      entry: 6,
      kind: 'tool',
      agent: 'clerk',
      path: 'director/delegation:1.1/auditor/delegation:1.1/clerk/call:1.1',
      subject: 'ledger',
      reason: 'ledger offline: connection refused',
      code: 'TOOL_FAILED',
    },
  ])
})

test('the agents that spent, with their calls, tokens, cost and share; and each delegation with all below it', async () => {
  const { agents, total, delegations, currency } = await summaryOf('outOfBudget')
  expect(agents).toMatchObject([
    { agent: 'archivist', model: 'scripted/teller', calls: 4, toolCalls: 3 },
    { agent: 'librarian', model: 'scripted/teller', calls: 2, toolCalls: 0 },
  ])
  expect(total).toMatchObject({ calls: 6, toolCalls: 3, usage: { totalTokens: 6600 } })
  expect(agents[0]?.share).toBeCloseTo(2 / 3)
  expect(total.usage.cost).toBeCloseTo(0.027)
  expect(currency).toBe('EUR')
  expect(delegations).toMatchObject([
    {
      entry: 2,
      endedAt: 13,
      from: 'librarian',
      to: 'archivist',
      outcome: 'exhausted',
      calls: 4,
      usage: { totalTokens: 4400 },
    },
  ])
  const nested = await summaryOf('failedToolDeepDown')
  expect(nested.delegations.map(({ to, calls, usage }) => [to, calls, usage.totalTokens])).toEqual([
    ['auditor', 4, 4400],
    ['clerk', 2, 2200],
  ])
})

test('what a hook changed, before and after; feedback has nothing before it', async () => {
  const { changes } = await summaryOf('changedPrompt')
  expect(changes.map(({ entry, hook, what, before, after }) => [entry, hook, what, before, after])).toEqual([
    [3, 'onDelegationStart', 'prompt', 'Find letters.', 'Find letters. Only those before 1700.'],
    [
      4,
      'messageFilter',
      'messages',
      '2 messages, the last: assistant calls agent-archivist',
      '1 message: user: Which letters are there?',
    ],
    [6, 'onDelegationComplete', 'feedback', undefined, 'Name the years.'],
  ])
})

test('the reason of a rejection, and the choices of a router with their candidates', async () => {
  const { failures, delegations } = await summaryOf('rejectedDelegation')
  expect(failures).toMatchObject([
    {
      entry: 3,
      kind: 'rejection',
      agent: 'editor',
      subject: 'archivist',
      reason: 'sealed letters need a warrant',
    },
  ])
  expect(delegations.map(({ to, outcome, calls }) => [to, outcome, calls])).toEqual([
    ['archivist', 'rejected', 0],
    ['writer', 'succeeded', 1],
  ])
  const { choices } = await summaryOf('wrongRoute')
  expect(choices[0]).toMatchObject({
    entry: 3,
    agent: 'desk',
    choice: 'writer',
    candidates: ['archivist', 'writer', 'none'],
    reason: 'The writer knows the town.',
  })
})

test('a failure of a model that ends its delegation is told once', async () => {
  const { failures } = await summaryOf('completedOverFailures')
  expect(failures.map(({ entry, kind, subject, reason }) => [entry, kind, subject, reason])).toEqual([
    [3, 'delegation', 'north', 'north is out of order'],
    [4, 'delegation', 'south', 'south is out of order'],
    [5, 'delegation', 'west', 'west is out of order'],
  ])
})

test('without a replay: what the journal alone tells, and what is missing', async () => {
  for (const name of Object.keys(stories) as StoryName[]) {
    const whole = await summaryOf(name)
    const summary = summarise(alone(await journalOf(name)))
    expect(summary.missing).toEqual([
      'The run cannot be replayed here. Delegations, choices of routers, names of tools and texts before a hook are unknown.',
    ])
    expect(summary.agents.map(({ agent }) => agent).toSorted()).toEqual(
      whole.agents.map(({ agent }) => agent).toSorted(),
    )
    expect(summary.total).toEqual(whole.total)
    expect(summary.answer).toBe(whole.answer)
    expect(summary.task).toBe(whole.task)
  }
  const tool = summarise(alone(await journalOf('failedToolDeepDown')))
  expect(tool.failures).toMatchObject([{ entry: 6, kind: 'tool', agent: 'clerk', code: 'TOOL_FAILED' }])
  const rejected = summarise(alone(await journalOf('rejectedDelegation')))
  expect(rejected.failures).toMatchObject([{ kind: 'rejection', reason: 'sealed letters need a warrant' }])
})

test('a run that waits names the question; its answer names who gave it, and what was changed', async () => {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval: true,
    execute: ({ euros }) => `paid ${euros}`,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'pay', args: { euros: 900 } }] }, 'Paid.'])
  const teller = createAgent({ id: 'teller', model, tools: { pay } })
  const troupe = createTroupe({ agents: [teller] })
  const run = await troupe.start(teller, 'Pay 900.')
  await run.whenIdle
  const waiting = summarise((await troupe.trail(run.id)).entries)
  expect(waiting.status).toBe('suspended')
  expect(sentenceText(waiting.ending)).toBe('Waits for a person: pay of teller, asked at entry 2.')
  const [{ toolCallId } = { toolCallId: '' }] = (await troupe.awaiting()).items
  await run.approve(toolCallId, { by: 'ann', note: 'too much', args: { euros: 9 } })
  await run.result
  const { questions, changes } = summarise((await troupe.trail(run.id)).entries)
  expect(questions).toMatchObject([
    {
      askedAt: 2,
      agent: 'teller',
      subject: 'pay',
      type: 'approval',
      answer: {
        entry: 3,
        approved: true,
        by: 'ann',
        note: 'too much',
        changed: { before: '{"euros":900}', after: '{"euros":9}' },
      },
    },
  ])
  expect(changes).toMatchObject([{ entry: 3, hook: 'answer', before: '{"euros":900}', after: '{"euros":9}' }])
  await troupe.close()
})

test('a cancelled run names who, and why; a run under way names what it waits for', async () => {
  const hanging = createAgent({ id: 'slow', model: scriptedModel([{ hang: true }]) })
  const troupe = createTroupe({ agents: [hanging] })
  const run = await troupe.start(hanging, 'Go.')
  await expect.poll(async () => (await troupe.journal(run.id)).length).toBe(1)
  const summary = summarise((await troupe.trail(run.id)).entries)
  expect(sentenceText(summary.ending)).toBe('Running, at entry 1; it waits for the model of slow.')
  expect(summary.underWay).toMatchObject([{ entry: 1, agent: 'slow', kind: 'model' }])
  await run.cancel('no longer needed', { by: 'bob' })
  await run.result
  const ended = summarise((await troupe.trail(run.id)).entries)
  expect(sentenceText(ended.ending)).toBe('Cancelled by bob at entry 2: no longer needed.')
  expect(ended.underWay).toEqual([])
  await troupe.close()
})

test('hostile texts are cut, and what is not seen in them is written as a mark', async () => {
  const hostile = `\u001B[2J\u202Eevil\u0000 ${'x'.repeat(1_000_000)}`
  const tool = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: z.object({}),
    execute: () => {
      throw new Error(hostile)
    },
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'read', args: {} }] }, hostile])
  const reader = createAgent({ id: 'reader', model, tools: { read: tool } })
  const troupe = createTroupe({ agents: [reader], onError: () => undefined })
  const run = await troupe.start(reader, hostile)
  await run.result
  const summary = summarise((await troupe.trail(run.id)).entries)
  const text = JSON.stringify(summary)
  expect(text.length).toBeLessThan(20_000)
  const seen = summaryText(summary, { width: 80 })
  // eslint-disable-next-line no-control-regex
  expect(seen).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/)
  expect(summary.task.startsWith('⟨U+001B⟩[2J⟨U+202E⟩evil⟨U+0000⟩ xxx')).toBe(true)
  expect(summary.failures[0]?.reason).toContain('⟨U+202E⟩evil')
  await troupe.close()
})

test('lists are bounded, and count what they leave out', async () => {
  const entries = (await recordedTrail(await journalOf('completedOverFailures'))).entries
  const { failures, delegations, more, total } = summarise(entries, { most: 1 })
  expect([failures.length, delegations.length]).toEqual([1, 1])
  expect(more).toEqual({ failures: 2, delegations: 2 })
  expect(total.calls).toBe(5)
  expect(() => summarise(entries, { most: 0 })).toThrow('most')
})

test('the end of a run is named where the list of failures has no room for its cause', async () => {
  const tool = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: z.object({}),
    execute: () => {
      throw new Error('offline')
    },
  })
  const model = scriptedModel([
    { toolCalls: [{ name: 'read', args: {} }] },
    { error: new Error('the model is gone') },
  ])
  const reader = createAgent({ id: 'reader', model, tools: { read: tool }, retries: 0 })
  const troupe = createTroupe({ agents: [reader], onError: () => undefined })
  const run = await troupe.start(reader, 'Go.')
  await run.result
  const { failures, ending } = summarise((await troupe.trail(run.id)).entries, { most: 1 })
  expect(failures).toMatchObject([{ kind: 'tool' }])
  expect(sentenceText(ending)).toMatch(/^Failed: the model is gone \(MODEL_FAILED\) at entry \d+\.$/)
  await troupe.close()
})

test('no line is longer than the width, and colours are an option', async () => {
  for (const name of Object.keys(stories) as StoryName[]) {
    const summary = await summaryOf(name)
    for (const width of [40, 80, 200]) {
      const lines = summaryText(summary, { width }).split('\n')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    }
    expect(summaryText(summary)).not.toContain('\u001B')
    expect(summaryText(summary, { color: true })).toContain('\u001B[')
  }
})

test('nothing: no entry is on record', () => {
  const summary = summarise([])
  expect(summary).toMatchObject({ status: 'pending', entries: 0, failures: [], agents: [] })
  expect(sentenceText(summary.ending)).toBe('Nothing is on record yet.')
  expect(summaryText(summary)).toContain('Nothing is on record yet.')
})
