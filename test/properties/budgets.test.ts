/** Whatever models report: never a model call more than the budget allows. */
import fc from 'fast-check'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  type ChatModel,
  type ModelReply,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

const count = fc.oneof(
  fc.nat({ max: 40 }),
  fc.constantFrom(undefined, null, Number.NaN, -1, '7', Number.POSITIVE_INFINITY),
)

const report = fc.record({
  usage: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ inputTokens: fc.nat({ max: 40 }), outputTokens: fc.nat({ max: 40 }) }),
    },
    { weight: 1, arbitrary: fc.record({ inputTokens: count, outputTokens: count, totalTokens: count }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, null, {}, 'much', 0) },
  ),
  next: fc.constantFrom('look', 'agent-w', 'agent-w', 'answer'),
})

const budget = fc.record(
  {
    tokens: fc.integer({ min: 1, max: 300 }),
    cost: fc.integer({ min: 1, max: 300 }),
    modelCalls: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [] },
)

const isCount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0

/** What a report says in tokens; `undefined`: that cannot be told. */
function tokensOf(usage: unknown): number | undefined {
  const { inputTokens, outputTokens, totalTokens } = { ...(usage as Record<string, unknown> | undefined) }
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  if (totalTokens === undefined || totalTokens === null) return inputTokens + outputTokens
  return isCount(totalTokens) ? Math.max(totalTokens, inputTokens + outputTokens) : undefined
}

test('a limit that is reached, or cannot be checked, ends the calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 12 }), budget, async (reports, limits) => {
      const isLimited = limits.tokens !== undefined || limits.cost !== undefined
      const seen = { calls: 0, tokens: 0, spent: 0, isUnknown: false }
      const wrong: string[] = []
      let made = 0
      // Calls come one after the other: at each, all reports before it are on record.
      const generate: ChatModel['generate'] = async ({ toolChoice, tools }) => {
        const isFinal = toolChoice === 'none'
        if (isLimited && seen.isUnknown) wrong.push('a call after a reply without usage')
        if (!isFinal && seen.calls >= (limits.modelCalls ?? Infinity)) wrong.push('a call beyond modelCalls')
        if (!isFinal && seen.tokens >= (limits.tokens ?? Infinity)) wrong.push('a call beyond tokens')
        if (!isFinal && seen.spent >= (limits.cost ?? Infinity)) wrong.push('a call beyond cost')
        if (!isFinal) seen.calls++
        const { usage, next } = reports[made++ % reports.length] ?? { usage: undefined, next: 'answer' }
        const tokens = tokensOf(usage)
        if (tokens === undefined) seen.isUnknown = true
        seen.tokens += tokens ?? 0
        if (tokens !== undefined) {
          const { inputTokens, outputTokens } = usage as Record<'inputTokens' | 'outputTokens', number>
          seen.spent += inputTokens + outputTokens
        }
        const isCall = !isFinal && tools.some(({ name }) => name === next)
        const toolCalls = isCall
          ? [{ id: '', name: next, args: next === 'look' ? {} : { prompt: 'go' } }]
          : []
        return { text: `Reply ${made}.`, toolCalls, finishReason: 'stop', usage } as object as ModelReply
      }
      const model = (modelId: string): ChatModel => ({ provider: 'test', modelId, generate })
      const worker = createAgent({
        id: 'w',
        description: 'x',
        instructions: 'x',
        model: model('w'),
        tools: { look },
      })
      const lead = createSupervisor({
        id: 'lead',
        instructions: 'x',
        model: model('lead'),
        agents: { w: worker },
        tools: { look },
        maxSteps: 6,
      })
      const price = { input: 1_000_000, output: 1_000_000 }
      const troupe = createTroupe({ agents: [lead] })
      const run = await troupe.start(lead, 'Go', { budget: { ...limits, prices: { w: price, lead: price } } })
      const result = await run.result
      expect(wrong).toEqual([])
      expect(['completed', 'exhausted']).toContain(result.outcome)
      const replay = await troupe.replay(run.id)
      expect(replay.result).toEqual(result)
    }),
    { numRuns: 150 },
  )
})
