/** Whatever a model writes where a decision is asked for: the run ends, its outcome is typed, and only what fits runs. */
import fc from 'fast-check'
import { createTool, type FinishReason } from 'troupe'
import type { ScriptedReply } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Toolset } from '../../src/actors/toolset/toolset.ts'
import { primitivesOf } from '../../src/machines/selection/candidates.ts'
import { checkRouting } from '../../src/machines/selection/routing-decision.ts'
import { worker } from '../support/agents/agents.ts'
import { dispatcher, done, router, toAgent, toTool } from '../support/agents/routing.ts'

const ran: unknown[] = []

const lookup = createTool({
  id: 'lookup',
  description: 'Looks up.',
  inputSchema: z.object({ q: z.string() }),
  execute: (input) => {
    ran.push(input)
    return 'found'
  },
})

const names = fc.constantFrom(
  'helper',
  'lookup',
  'none',
  'ghost',
  '',
  '__proto__',
  'toString',
  'agent-helper',
)
const types = fc.constantFrom('agent', 'tool', 'workflow', 'none', 'Agent', '')
const prompts = fc.oneof(
  fc.constantFrom('', ' ', 'Go.', '{"q":"x"}', '{"q":1}', '{}', '[]', 'null', '{"__proto__":{"q":"x"}}'),
  fc.string(),
  fc.json(),
)

/** Near misses, and things from far away. */
const decision = fc
  .record(
    {
      primitiveId: fc.oneof(names, fc.jsonValue()),
      primitiveType: fc.oneof(types, fc.jsonValue()),
      prompt: fc.oneof(prompts, fc.jsonValue()),
      selectionReason: fc.oneof(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value))

const likely = fc
  .record({ primitiveId: names, primitiveType: types, prompt: prompts, selectionReason: fc.string() })
  .map((value) => JSON.stringify(value))

const valid = fc
  .constantFrom(toAgent('helper', 'Go.'), toTool('lookup', { q: 'x' }), done('Done.'))
  .map((json) => ` ${json}\n`)

const text = fc.oneof(
  { weight: 4, arbitrary: valid },
  { weight: 4, arbitrary: likely },
  decision,
  likely.map((json) => `\`\`\`json\n${json}\n\`\`\``),
  fc.json(),
  fc.string({ unit: 'binary' }),
)

const reply: fc.Arbitrary<ScriptedReply> = fc.record(
  {
    text,
    finishReason: fc.constantFrom<FinishReason>(
      'stop',
      'length',
      'refusal',
      'content-filter',
      'tool-calls',
      'unknown',
    ),
    toolCalls: fc.constant([{ name: 'agent-helper', args: { prompt: 'Go.' } }]),
  },
  { requiredKeys: ['text'] },
)

const outcomes = ['completed', 'exhausted', 'failed']

test('the check says yes only to what is on offer, with an input that fits', () => {
  const toolset = Toolset.of({ lookup }, { helper: { id: 'helper', description: 'Helps.' } })
  const rules = {
    toolset,
    candidates: primitivesOf(toolset),
    handsOver: false,
    mayLeaveAnswerOut: false,
  }
  let made = 0
  fc.assert(
    fc.property(text, (written) => {
      const check = checkRouting(written, rules)
      if (!check.ok) {
        expect(check.problem).not.toBe('')
        return
      }
      made++
      expect(['agent/helper', 'tool/lookup']).toContain(
        `${Reflect.get(check.value as object, 'primitiveType')}/${Reflect.get(check.value as object, 'primitiveId')}`,
      )
    }),
    { numRuns: 3000, seed: 7 },
  )
  expect(made).toBeGreaterThan(20)
})

test('a router ends, and runs at most maxIterations primitives', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { maxLength: 5 }), async (replies) => {
      ran.length = 0
      const helper = worker('helper', [], { otherwise: 'Help.' })
      const spare = worker('spare', [], { otherwise: 'Spare.' })
      const { agent, model } = router(
        'desk',
        [...replies, ...Array.from({ length: 5 }, () => 'no decision')],
        {
          agents: { helper: helper.agent, spare: spare.agent },
          tools: { lookup },
          maxIterations: 2,
        },
      )
      const result = await agent.generate('Go')
      seen.add(result.outcome)
      expect(outcomes).toContain(result.outcome)
      if (result.outcome === 'failed') expect(result.error.code).toBe('INVALID_DECISION')
      else expect(result.text).not.toBe('')
      expect(helper.model.calls.length + ran.length).toBeLessThanOrEqual(2)
      for (const input of ran) expect(input).toEqual({ q: expect.any(String) as string })
      // Two decisions, each repaired once, and a last word.
      expect(model.calls.length).toBeLessThanOrEqual(5)
    }),
    { numRuns: 300, seed: 11 },
  )
  expect([...seen].toSorted()).toEqual(outcomes)
})

test('a dispatcher ends, and runs at most one primitive', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(reply, reply, async (first, second) => {
      ran.length = 0
      const helper = worker('helper', [], { otherwise: 'Help.' })
      const { agent, model } = dispatcher('desk', [first, second], {
        agents: { helper: helper.agent },
        tools: { lookup },
      })
      const result = await agent.generate('Go')
      seen.add(result.outcome)
      expect(['completed', 'failed']).toContain(result.outcome)
      if (result.outcome === 'failed') expect(result.error.code).toBe('INVALID_DECISION')
      expect(helper.model.calls.length + ran.length).toBe(result.outcome === 'completed' ? 1 : 0)
      expect(model.calls.length).toBeLessThanOrEqual(2)
    }),
    { numRuns: 300, seed: 13 },
  )
  expect([...seen].toSorted()).toEqual(['completed', 'failed'])
})
