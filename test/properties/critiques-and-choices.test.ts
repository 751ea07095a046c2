/**
 * Whatever models say where a critique, a proposal, or the choice of a type or pattern is asked for: the run ends, its
 * outcome is typed, it keeps to its caps, and it replays.
 */
import fc from 'fast-check'
import {
  createDebate,
  createMetaRouter,
  createReflexion,
  createTool,
  createTroupe,
  type AnyAgent,
  type FinishReason,
} from 'troupe'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only, worker } from '../support/agents/agents.ts'

/** JSON that is close to what is asked for, JSON from far away, JSON in a block of code or cut short, and text. */
function saying(close: fc.Arbitrary<unknown>): fc.Arbitrary<ScriptedReply> {
  const json = close.map((value) => JSON.stringify(value))
  const text = fc.oneof(
    { weight: 6, arbitrary: json },
    json.map((written) => `\`\`\`json\n${written}\n\`\`\``),
    json.map((written) => written.slice(0, written.length / 2)),
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', ' ', 'null', '[]', '{"__proto__":{"satisfied":true}}'),
  )
  const finishReason = fc.constantFrom<FinishReason>('stop', 'length', 'refusal', 'content-filter', 'unknown')
  const look = fc.constant([{ name: 'look', args: { q: 'x' } }])
  return fc.oneof(
    { weight: 5, arbitrary: text.map((said) => ({ text: said })) },
    fc.record({ text, finishReason, toolCalls: look }, { requiredKeys: ['text'] }),
  )
}

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => q,
})

/** One after the other, and over again. */
function turning(replies: readonly ScriptedReply[]): () => ScriptedReply {
  let turn = 0
  return () => replies[turn++ % replies.length] ?? {}
}

async function played(agent: AnyAgent) {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

const list = (reply: fc.Arbitrary<ScriptedReply>) => fc.array(reply, { minLength: 1, maxLength: 5 })
const words = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('', ' ', 'Better.') }, fc.string())

test('100 agents that criticise themselves in any words', async () => {
  const critique = fc.record(
    { satisfied: fc.oneof(fc.boolean(), fc.jsonValue()), critique: fc.oneof(words, fc.jsonValue()) },
    { requiredKeys: [] },
  )
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(list(saying(critique)), list(saying(words)), async (critiques, answers) => {
      const [criticise, answer] = [turning(critiques), turning(answers)]
      const model = scriptedModel([], {
        otherwise: ({ responseFormat }) => (responseFormat === undefined ? answer() : criticise()),
      })
      const agent = createReflexion({ id: 'thinker', instructions: '', model, tools: { look }, maxSteps: 4 })
      const { result, events } = await played(agent)
      seen.add(result.outcome)
      expect(result.outcome).toMatch(/^(completed|exhausted|failed)$/)
      if (result.outcome !== 'failed') expect(result.text.trim()).not.toBe('')
      const told = only(events, 'critique').map(({ payload }) => payload)
      expect(told.length).toBeLessThanOrEqual(3)
      for (const one of told) expect(one.satisfied || one.critique.trim() !== '').toBe(true)
      // Four steps, each criticised and that repaired once, and a last word.
      expect(model.calls.length).toBeLessThanOrEqual(4 * 3 + 1)
    }),
    { numRuns: 100, seed: 5 },
  )
  expect([...seen]).toEqual(expect.arrayContaining(['completed', 'exhausted']))
})

test('100 debates in which anybody says anything', async () => {
  const seen = new Set<string>()
  const speech = fc.oneof(
    { weight: 4, arbitrary: saying(words) },
    fc.constant<ScriptedReply>({ error: new Error('tired') }),
  )
  await fc.assert(
    fc.asyncProperty(
      list(speech),
      list(speech),
      list(saying(words)),
      fc.integer({ min: 1, max: 3 }),
      async (first, second, judged, rounds) => {
        const agents = {
          a: worker('a', [], { otherwise: turning(first), maxSteps: 2 }).agent,
          b: worker('b', [], { otherwise: turning(second), maxSteps: 2 }).agent,
        }
        const model = scriptedModel([], { otherwise: turning(judged) })
        const { result } = await played(
          createDebate({ id: 'd', instructions: '', model, agents, rounds, quorum: 1 }),
        )
        seen.add(result.outcome)
        expect(result.outcome).toMatch(/^(completed|exhausted|failed)$/)
        if (result.outcome !== 'failed') expect(result.text.trim()).not.toBe('')
        else if (model.calls.length === 0) expect(result.error.code).toBe('NO_QUORUM')
        expect(result.delegations.length).toBeLessThanOrEqual(2 * (1 + rounds))
      },
    ),
    { numRuns: 100, seed: 6 },
  )
  expect([...seen].toSorted()).toEqual(['completed', 'exhausted', 'failed'])
})

test('150 meta-routers that choose in any words', async () => {
  const types = ['general', 'research', 'risk-assessment', 'summarisation']
  const patterns = ['react', 'plan-then-execute', 'supervisor']
  const known = fc.constantFrom(...types, ...patterns, 'magic', '__proto__', 'toString', '*', '')
  const choice = fc.record(
    {
      taskType: fc.oneof({ weight: 4, arbitrary: known }, fc.jsonValue()),
      pattern: fc.oneof({ weight: 4, arbitrary: known }, fc.jsonValue()),
      rationale: fc.oneof({ weight: 4, arbitrary: words }, fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(list(saying(choice)), async (choices) => {
      const model = scriptedModel([], { otherwise: turning(choices) })
      const agents = Object.fromEntries(
        patterns.map((name) => [name, worker(`does-${name}`, [`${name} did it.`]).agent]),
      )
      const { result } = await played(createMetaRouter({ id: 'desk', instructions: '', model, agents }))
      const [ofType, ofPattern] = result.decisions ?? []
      expect(types).toContain(ofType?.choice)
      expect(ofPattern?.candidates).toContain(ofPattern?.choice)
      expect(result).toMatchObject({ outcome: 'completed', text: `${ofPattern?.choice} did it.` })
      for (const { criterion } of result.decisions ?? []) seen.set(criterion, (seen.get(criterion) ?? 0) + 1)
      expect(model.calls.length).toBeLessThanOrEqual(4)
    }),
    { numRuns: 150, seed: 7 },
  )
  // Worth its name only if there was something to allow and something to refuse.
  expect(seen.get('model')).toBeGreaterThan(20)
  expect(seen.get('fallback')).toBeGreaterThan(20)
})
