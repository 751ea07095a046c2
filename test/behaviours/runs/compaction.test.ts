/** A run whose conversation is longer than the window of its model: earlier messages become a summary, and it goes on. */
import {
  createAgent,
  createTool,
  createTroupe,
  openai,
  type AgentOptions,
  type CompactionOptions,
  type JournalEntry,
} from 'troupe'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../../support/agents/agents.ts'
import {
  factsIn,
  pageOf,
  startWindowServer,
  toldFacts,
  type WindowServer,
} from '../../support/providers/window-server.ts'

const servers: WindowServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

type Book = Parameters<typeof startWindowServer>[0]

const pages = 40
const window = 8_000
const allFacts = toldFacts(Array.from({ length: pages }, (_, index) => index + 1))

async function served(book: Partial<Book> = {}): Promise<WindowServer> {
  const server = await startWindowServer({ window, pages, ...book })
  servers.push(server)
  return server
}

const turn = createTool({
  id: 'turn',
  description: 'Turns to a page.',
  inputSchema: z.object({ page: z.number() }),
  execute: ({ page }) => pageOf(page, 1_000),
})

function reader(server: WindowServer, options: AgentOptions) {
  const model = openai('reader-1', { baseURL: server.url, apiKey: 'none' })
  return createAgent({
    id: 'reader',
    instructions: 'Read the book.',
    model,
    tools: { turn },
    maxSteps: pages + 5,
    ...options,
  })
}

async function read(server: WindowServer, options: AgentOptions, stream = false) {
  const agent = reader(server, options)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Which facts are in it?', { stream })
  const events = await allEvents(run)
  return { agent, troupe, run, events, result: await run.result, journal: await troupe.journal(run.id) }
}

const ofCompaction = (journal: readonly JournalEntry[]) =>
  journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'compaction')

describe('40 000 tokens through a window of 8 000', () => {
  const options: readonly [string, CompactionOptions][] = [
    ['before a request would be too long', { window }],
    ['when the server has refused a request', { window: 1_000_000 }],
  ]

  describe.each(options)('%s', (_, compaction) => {
    test.each([true, false])('with stream: %s', async (stream) => {
      const server = await served()
      const { troupe, run, events, result, journal } = await read(server, { compaction }, stream)

      expect(result).toMatchObject({ outcome: 'completed', text: allFacts })
      expect(result.steps).toHaveLength(pages + 1)
      const needed = result.steps.flatMap(({ toolResults }) =>
        toolResults.map(({ value }) => JSON.stringify(value)),
      )
      expect(needed.join('').length / 4).toBeGreaterThan(40_000)
      expect(Math.max(...server.sizes.filter((size) => size <= window))).toBeGreaterThan(window / 2)
      expect(server.refusals > 0).toBe(compaction.window > window)

      const settled = ofCompaction(journal)
      expect(settled.length).toBeGreaterThan(5)
      expect(settled).toHaveLength(server.summaries)
      const starts = only(events, 'compaction-start').map(({ payload }) => payload)
      const ends = only(events, 'compaction-end').map(({ payload }) => payload)
      expect(ends).toHaveLength(starts.length)
      for (const [index, end] of ends.entries()) {
        expect(end).toMatchObject({ outcome: 'compacted', summaries: 1 })
        expect(end.tokens).toBeLessThan(starts[index]?.tokens ?? 0)
        expect(end.messages).toBeLessThan(starts[index]?.messages ?? 0)
      }
      expect(new Set(starts.map(({ reason }) => reason))).toEqual(
        new Set([compaction.window > window ? 'refused' : 'window']),
      )

      const replayed = await troupe.replay(run.id)
      expect(replayed.result).toEqual(result)
    })
  })
})

test('without the option the run fails at the first request that is too long', async () => {
  const server = await served()
  const { result, journal } = await read(server, {})
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'CONTEXT_LENGTH_EXCEEDED' } })
  expect(ofCompaction(journal)).toEqual([])
})

test('the usage of summaries counts as that of any model call', async () => {
  const server = await served()
  const { result, journal } = await read(server, { compaction: { window } })
  const told = journal.flatMap((entry) => {
    if (entry.type !== 'effect.settled' || entry.settlement.error !== undefined) return []
    const { usage } = entry.settlement.value as { readonly usage?: { readonly totalTokens: number } }
    return usage === undefined ? [] : [usage.totalTokens]
  })
  expect(result.usage.totalTokens).toBe(told.reduce((sum, tokens) => sum + tokens, 0))
})

test('a server that tells no usage is estimated', async () => {
  const server = await served({ isSilent: true })
  const { result } = await read(server, { compaction: { window, at: 0.6 } })
  expect(result).toMatchObject({ outcome: 'completed', text: allFacts })
  expect(server.refusals).toBe(0)
})

test('a function of the user summarises in place of a model', async () => {
  const server = await served()
  const { result, journal } = await read(server, {
    compaction: {
      window,
      summarize: ({ messages }) => toldFacts(factsIn(JSON.stringify(messages))),
    },
  })
  expect(result).toMatchObject({ outcome: 'completed', text: allFacts })
  expect(server.summaries).toBe(0)
  expect(ofCompaction(journal).length).toBeGreaterThan(5)
})

test('a model of its own summarises', async () => {
  const server = await served()
  const other = await served()
  const model = openai('brief-1', { baseURL: other.url, apiKey: 'none' })
  const { result } = await read(server, { compaction: { window, model } })
  expect(result).toMatchObject({ outcome: 'completed', text: allFacts })
  expect([server.summaries > 0, other.summaries > 0]).toEqual([false, true])
})

describe('a conversation that cannot be made shorter', () => {
  const refused = { outcome: 'failed', error: { code: 'CONTEXT_LENGTH_EXCEEDED' } }

  test('fails once the server has refused it again', async () => {
    const server = await served({ window: 500 })
    const { result } = await read(server, { compaction: { window: 1_000_000 } })
    expect(result).toMatchObject(refused)
    expect(server.refusals).toBeLessThan(10)
  })

  test.each([
    ['are empty', () => ' '],
    ['are longer than the messages', (text: string) => text.repeat(3)],
  ])('fails where its summaries %s', async (_, summarize) => {
    const server = await served({ summarize })
    const { result, events } = await read(server, { compaction: { window: 1_000_000 }, retries: 2 })
    expect(result).toMatchObject({ ...refused, error: { cause: { code: 'USELESS_SUMMARY' } } })
    expect(server.summaries).toBe(3)
    expect(only(events, 'compaction-end').map(({ payload }) => payload)).toMatchObject([
      { outcome: 'failed', error: { code: 'USELESS_SUMMARY' } },
    ])
  })

  test('goes on without a summary while it still fits', async () => {
    const server = await served({ summarize: () => '', pages: 5 })
    const { result, events } = await read(server, { compaction: { window, at: 0.5 }, retries: 0 })
    expect(result).toMatchObject({ outcome: 'completed', text: toldFacts([1, 2, 3, 4, 5]) })
    expect(only(events, 'compaction-end').length).toBeGreaterThan(0)
  })
})

test('a cancel ends a compaction', async () => {
  const server = await served()
  const seen: AbortSignal[] = []
  const agent = reader(server, {
    compaction: {
      window,
      summarize: ({ signal }) => {
        seen.push(signal)
        return new Promise<string>(() => undefined)
      },
    },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  for await (const { type } of run.events) if (type === 'compaction-start') await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  expect(seen.map(({ aborted }) => aborted)).toEqual([true])
})

test('a budget ends the run before a summary that it does not allow', async () => {
  const server = await served()
  const { result } = await read(server, { compaction: { window }, budget: { modelCalls: 9 } })
  expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
  expect(server.summaries).toBeGreaterThan(0)
})
