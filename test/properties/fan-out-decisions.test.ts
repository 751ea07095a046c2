/** Whatever a model says when it is asked for goals: a typed outcome, and only agents that there are. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scriptedModel } from 'troupe/testing'
import { createFanOut } from 'troupe'
import { worker } from '../support/agents/agents.ts'

const maxGoals = 3
const keys = ['scout', 'editor'] as const

const goal = fc.record(
  {
    goal: fc.oneof(fc.string(), fc.constant('Find facts.'), fc.jsonValue()),
    agent: fc.oneof(fc.constantFrom(...keys, 'nobody', '__proto__', 'constructor', null), fc.jsonValue()),
    context: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
  },
  { requiredKeys: [] },
)
/** Close to what is asked for, arbitrary JSON, JSON cut short, and text. */
const decision = fc.oneof(
  fc
    .record(
      { goals: fc.array(goal, { maxLength: 5 }), complete: fc.oneof(fc.boolean(), fc.jsonValue()) },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .array(fc.constantFrom(...keys), { minLength: 1, maxLength: 4 })
    .map((agents) =>
      JSON.stringify({ complete: false, goals: agents.map((agent) => ({ goal: `For ${agent}.`, agent })) }),
    ),
  fc.json(),
  fc.json().map((text) => `\`\`\`json\n${text}\n\`\`\``),
  fc.json().map((text) => text.slice(0, text.length / 2)),
  fc.string(),
)

const seen = new Map<string, number>()

test('500 fan-outs on arbitrary decisions end with a typed outcome and keep to what is allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(decision, { minLength: 1, maxLength: 8 }), async (decisions) => {
      const agents = {
        scout: worker('scout', [], { otherwise: 'Facts.' }).agent,
        editor: worker('editor', [], { otherwise: 'Words.' }).agent,
      }
      let asked = 0
      const model = scriptedModel([], {
        otherwise: ({ responseFormat }) =>
          responseFormat === undefined ? 'All told.' : (decisions[asked++ % decisions.length] ?? ''),
      })
      const agent = createFanOut({ id: 'desk', instructions: 'Divide.', model, agents, maxGoals })
      const run = agent.stream('Go')
      const result = await run.result
      seen.set(result.outcome, (seen.get(result.outcome) ?? 0) + 1)
      expect(['completed', 'failed']).toContain(result.outcome)
      if (result.outcome === 'failed') {
        expect(result).toMatchObject({ error: { code: 'INVALID_DECISION' }, delegations: [] })
      } else {
        expect(result.text).toBe('All told.')
        expect(result.delegations.length).toBeGreaterThan(0)
      }
      const rounds: number[] = []
      for await (const event of run.events) {
        if (event.type !== 'fan-out') continue
        rounds.push(event.payload.round)
        expect(event.payload.goals.length).toBeLessThanOrEqual(maxGoals)
        for (const { goal: words, agentName } of event.payload.goals) {
          expect(words.trim()).not.toBe('')
          expect(keys).toContain(agentName)
        }
      }
      expect(rounds).toEqual([1, 2, 3].slice(0, rounds.length))
      expect(new Set(result.delegations.map(({ id }) => id)).size).toBe(result.delegations.length)
      // One list and two assessments, each with one repair, and the answer.
      expect(model.calls.length).toBeLessThanOrEqual(7)
    }),
    { numRuns: 500 },
  )
  // Worth its name only if there was something to allow and something to refuse.
  expect(seen.get('completed')).toBeGreaterThan(25)
  expect(seen.get('failed')).toBeGreaterThan(25)
})
