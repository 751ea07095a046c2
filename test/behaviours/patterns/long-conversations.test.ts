/** A decision of a pattern over a conversation that is longer than the window: it is made shorter first, and once. */
import {
  createFanOut,
  createPlanner,
  createReflexion,
  createTool,
  createTroupe,
  textOf,
  type AnyAgent,
  type CompactionOptions,
  type Prompt,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only, worker } from '../../support/agents/agents.ts'
import { divides, enough } from '../../support/agents/fan-outs.ts'
import { patternTree } from '../../support/agents/pattern-tree.ts'
import { router, toAgent, done } from '../../support/agents/routing.ts'
import { longPrompt, windowed, type Seen } from '../../support/agents/windowed-model.ts'

const window = 4_000
const history = 4_500
const summary = 'THE SUMMARY'
const summarize = () => summary

/** The patterns whose first call is a decision. */
const deciding = ['router', 'plan-then-execute', 'fan-out', 'meta-router', 'dispatch'] as const

const nothingSeen = (): Seen => ({ taken: [], refused: [] })

/** With a conversation, a meta-router has a pattern to choose only where the request names the type of its task. */
const optionsOf = (agent: AnyAgent): object =>
  agent.pattern === 'meta-router' ? { taskType: 'research' } : {}

async function ran(agent: AnyAgent, prompt: Prompt) {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, prompt, optionsOf(agent))
  const events = await allEvents(run)
  const result = await run.result
  const journal = await troupe.journal(run.id)
  const summaries = journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'compaction')
  return { troupe, run, events, result, journal, summaries }
}

function told(model: ScriptedModel): readonly string[] {
  return model.calls.map(({ request }) => request.messages.map(({ content }) => textOf(content)).join('\n'))
}

describe.each([
  ['by the estimate', { window, summarize }],
  ['by the refusal of the server', { window: 1_000_000, summarize }],
] satisfies readonly [string, CompactionOptions][])('%s', (_, compaction) => {
  describe.each(deciding)('%s', (pattern) => {
    test('decides over a shorter conversation, which stays', async () => {
      const seen = nothingSeen()
      const tree = patternTree([pattern], {
        compaction,
        around: (model) => windowed(model, window, { seen }),
      })
      const { troupe, run, result, events, summaries } = await ran(tree.agent, longPrompt(history, 'Dig.'))

      expect(result).toMatchObject({ outcome: 'completed', text: tree.answer })
      expect(seen.refused).toHaveLength(compaction.window > window ? 1 : 0)
      expect(summaries).toHaveLength(1)
      const [start] = only(events, 'compaction-start')
      const [end] = only(events, 'compaction-end')
      expect(start?.payload.reason).toBe(compaction.window > window ? 'refused' : 'window')
      expect(end?.payload).toMatchObject({ outcome: 'compacted', summaries: 1 })
      expect(end?.payload.tokens).toBeLessThan(start?.payload.tokens ?? 0)
      expect(start?.agent).toBe(`${pattern}-0`)
      const own = tree.models.get(`${pattern}-0`)
      for (const words of own === undefined ? [] : told(own)) {
        expect(words).toContain(summary)
        expect(words).toContain('Dig.')
        expect(words).not.toContain('Part 0.')
      }
      expect((await troupe.replay(run.id)).result).toEqual(result)
    })

    test('without the option the model refuses it', async () => {
      const seen = nothingSeen()
      const tree = patternTree([pattern], { around: (model) => windowed(model, window, { seen }) })
      const { summaries } = await ran(tree.agent, longPrompt(history, 'Dig.'))
      expect(seen.refused.length).toBeGreaterThan(0)
      expect(seen.taken).toEqual([])
      expect(summaries).toEqual([])
    })
  })
})

test.each(['router', 'dispatch', 'meta-router', 'fan-out'] as const)(
  '%s: a subagent is shown the summary in the place of the messages that are gone',
  async (pattern) => {
    const tree = patternTree([pattern], {
      compaction: { window, summarize },
      around: (model) => windowed(model, window),
    })
    await ran(tree.agent, longPrompt(history, 'Dig.'))
    const child = tree.models.get('react-1')
    const [first = ''] = child === undefined ? [] : told(child)
    expect(first).toContain(summary)
    expect(first).not.toContain('Part 0.')
  },
)

/** Two thousand characters, which count as five hundred tokens. */
const long = 'word '.repeat(400)

const read = createTool({
  id: 'read',
  description: 'Reads.',
  inputSchema: z.object({}),
  execute: () => long.repeat(4),
})
const reading = { toolCalls: [{ name: 'read', args: {} }] }

function cast(steps: readonly ScriptedStep[], limit: number) {
  const seen = nothingSeen()
  const model = scriptedModel(steps)
  const compacted = { model: windowed(model, limit, { seen }), compaction: { window: limit, summarize } }
  return { seen, model, config: { id: 'boss', description: '', instructions: 'I lead.', ...compacted } }
}

test('a critique of results that are too long is preceded by a compaction', async () => {
  const { seen, model, config } = cast(
    [
      reading,
      JSON.stringify({ satisfied: true, critique: '' }),
      'Read.',
      JSON.stringify({ satisfied: true, critique: '' }),
    ],
    2_600,
  )
  const agent = createReflexion({ ...config, tools: { read } })
  const { result, events } = await ran(agent, longPrompt(1_000, 'Read it.'))
  expect(result).toMatchObject({ outcome: 'completed', text: 'Read.' })
  expect(seen.refused).toEqual([])
  model.assertConsumed()
  const critique = told(model)[1] ?? ''
  expect(critique).toContain(summary)
  expect(critique).toContain('Criticise')
  expect(only(events, 'compaction-end').map(({ payload }) => payload.outcome)).toEqual(['compacted'])
})

test('a router compacts before the decision that follows a long result, and its rounds go on', async () => {
  const helper = worker('helper', [], { otherwise: `Found. ${long}` })
  const seen = nothingSeen()
  const { agent, model } = router(
    'boss',
    [...Array.from({ length: 8 }, () => toAgent('helper', 'Find.')), done('All found.')],
    { agents: { helper: helper.agent }, compaction: { window: 2_500, summarize } },
    (scripted) => windowed(scripted, 2_500, { seen }),
  )
  const { troupe, run, result, summaries } = await ran(agent, 'Go')
  expect(result).toMatchObject({ outcome: 'completed', text: 'All found.' })
  model.assertConsumed()
  expect(seen.refused).toEqual([])
  expect(Math.max(...seen.taken)).toBeLessThanOrEqual(2_500)
  expect(summaries.length).toBeGreaterThan(1)
  expect(summaries.length).toBeLessThan(9)
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('decisions for the steps of a plan, side by side, each fit into the window', async () => {
  const decide = JSON.stringify({ answer: 'Done so.' })
  const plan = JSON.stringify({
    steps: ['a', 'b'].map((id) => ({ id, goal: `Step ${id}. ${long}`, dependsOn: [] })),
  })
  const { seen, config } = cast([plan, decide, decide, 'Both are done.'], 3_000)
  const agent = createPlanner({ ...config, compaction: { window: 3_000, at: 0.7, summarize } })
  const { troupe, run, result, summaries } = await ran(agent, longPrompt(1_500, 'Do it.'))
  expect(result).toMatchObject({ outcome: 'completed', text: 'Both are done.' })
  expect(seen.refused).toEqual([])
  expect(summaries.length).toBeGreaterThan(0)
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('an invalid decision is repaired over the shorter conversation', async () => {
  const helper = worker('helper', ['Helped.'])
  const { seen, model, config } = cast(
    ['I would rather talk.', divides({ goal: 'Help.', agent: 'helper' }), enough, 'Done.'],
    window,
  )
  const agent = createFanOut({ ...config, agents: { helper: helper.agent } })
  const { result, summaries } = await ran(agent, longPrompt(history, 'Go.'))
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(seen.refused).toEqual([])
  expect(summaries).toHaveLength(1)
  const repaired = told(model)[1] ?? ''
  expect(repaired).toContain(summary)
  expect(repaired).toContain('I would rather talk.')
  expect(repaired).toContain('Your answer is not a valid list of goals')
})

test('the summaries of a model count in the usage and in the budget', async () => {
  const prompt = longPrompt(history, 'Dig.')
  const tree = patternTree(['dispatch'], {
    compaction: { window },
    around: (model) => ({
      ...windowed(model, window),
      generate: (request, options) =>
        textOf(request.messages[0]?.content ?? '').startsWith('You summarise')
          ? Promise.resolve({
              text: summary,
              toolCalls: [],
              finishReason: 'stop',
              usage: { inputTokens: 70, outputTokens: 7, totalTokens: 77 },
            })
          : windowed(model, window).generate(request, options),
    }),
  })
  const { result, journal } = await ran(tree.agent, prompt)
  expect(result.outcome).toBe('completed')
  const counted = journal.flatMap((entry) => {
    if (entry.type !== 'effect.settled' || entry.settlement.error !== undefined) return []
    const { usage } = (entry.settlement.value ?? {}) as { readonly usage?: { readonly totalTokens: number } }
    return usage === undefined ? [] : [usage.totalTokens]
  })
  expect(counted).toContain(77)
  expect(result.usage.totalTokens).toBe(counted.reduce((sum, tokens) => sum + tokens, 0))

  const troupe = createTroupe({ agents: [tree.agent] })
  const options: object = { budget: { modelCalls: 1 } }
  const broke = await (await troupe.start(tree.agent, prompt, options)).result
  expect(broke).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
})

describe('a conversation that cannot be made shorter', () => {
  const tooLong = { outcome: 'failed', error: { code: 'CONTEXT_LENGTH_EXCEEDED' } }

  test('fails the decision once the server has refused it again', async () => {
    const seen = nothingSeen()
    const tree = patternTree(['router'], {
      compaction: { window: 1_000_000, summarize },
      around: (model) => windowed(model, 100, { seen }),
    })
    const { result, summaries } = await ran(tree.agent, longPrompt(history, 'Dig.'))
    expect(result).toMatchObject(tooLong)
    expect(seen.refused).toHaveLength(2)
    expect(summaries).toHaveLength(1)
  })

  test('fails where its summaries are no shorter, and names the reason', async () => {
    const tree = patternTree(['dispatch'], {
      compaction: { window, summarize: () => long.repeat(20) },
      around: (model) => windowed(model, window),
    })
    const { result } = await ran(tree.agent, longPrompt(history, 'Dig.'))
    expect(result).toMatchObject({ ...tooLong, error: { cause: { code: 'USELESS_SUMMARY' } } })
  })

  test('goes on without a summary while the question still fits', async () => {
    const tree = patternTree(['dispatch'], {
      compaction: { window: 8_000, at: 0.5, summarize: () => '' },
      around: (model) => windowed(model, 8_000),
    })
    const { result, events } = await ran(tree.agent, longPrompt(history, 'Dig.'))
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(only(events, 'compaction-end').map(({ payload }) => payload.outcome)).toEqual(['failed'])
  })
})

test.each(deciding)('%s: a cancel ends the compaction before a decision', async (pattern) => {
  const tree = patternTree([pattern], {
    compaction: { window, summarize: () => new Promise<string>(() => undefined) },
    around: (model) => windowed(model, window),
  })
  const troupe = createTroupe({ agents: [tree.agent] })
  const run = await troupe.start(tree.agent, longPrompt(history, 'Dig.'), optionsOf(tree.agent))
  for await (const { type } of run.events) if (type === 'compaction-start') await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  const ends = only(await allEvents(run), 'compaction-end')
  expect(ends.map(({ payload }) => payload.outcome)).toEqual(['cancelled'])
  expect((await troupe.replay(run.id)).result).toEqual(await run.result)
})
