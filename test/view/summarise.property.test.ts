/** Whatever happens in a run: at every entry there is a summary, and its totals are the sums of what was spent. */
import { addUsage, entryUsage, noUsage } from 'troupe/kit'
import { summarise, summaryText } from 'troupe/view'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedTrail } from '../../src/runtime/trail/recorded-trail.ts'
import { knownRuns } from '../properties/known-runs.ts'
import { runRandomly } from '../properties/random-troupe.ts'

test('40 random runs: totals, and a summary of each part that begins with the first entry', async () => {
  const outcomes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 30, maxLength: 120, size: 'max' }),
      async (choices) => {
        const { troupe, run, result } = await runRandomly(choices)
        const journal = await troupe.journal(run.id)
        const { entries } = await troupe.trail(run.id)
        outcomes.add(result.outcome)

        // The record of the agents suffices: no function, model or tool of the program is asked.
        expect(JSON.stringify((await recordedTrail(journal)).entries)).toBe(JSON.stringify(entries))

        const summary = summarise(entries)
        expect(summary.total.usage).toEqual(
          summary.agents.map(({ usage }) => usage).reduce(addUsage, noUsage),
        )
        expect(summary.total.usage.totalTokens).toBe(result.usage.totalTokens)
        for (const [agent, usage] of Object.entries(result.usage.byAgent)) {
          const row = summary.agents.find((one) => one.agent === agent)
          expect(row?.usage.totalTokens ?? 0).toBe(usage.totalTokens)
        }
        expect(summary.delegations.length + (summary.more['delegations'] ?? 0)).toBeGreaterThanOrEqual(
          Math.min(result.delegations.length, 1),
        )
        expect(summary.status).toBe('settled')
        expect(summary.outcome).toBe(result.outcome)

        let spent = noUsage
        for (const [position, { recorded }] of entries.entries()) {
          const usage =
            recorded.type === 'effect.settled' && recorded.late !== true ? entryUsage(recorded) : undefined
          if (usage !== undefined) spent = addUsage(spent, usage)
          const part = summarise(entries.slice(0, position + 1))
          expect(part.total.usage.totalTokens).toBe(spent.totalTokens)
          expect(part.entries).toBe(position + 1)
          expect(part.failures.every(({ entry }) => entry <= position + 1)).toBe(true)
          expect(summaryText(part).length).toBeGreaterThan(0)
          expect(
            summarise(entries.slice(0, position + 1).map((entry) => ({ ...entry, events: [] }))).total,
          ).toEqual(part.total)
        }
        await troupe.close()
      },
    ),
    { numRuns: 40, examples: knownRuns },
  )
  expect(outcomes.size).toBeGreaterThan(3)
})

test('the work grows with the entries, and not with their square', () => {
  const entry = (position: number) => ({
    journal: 'lead',
    events: [],
    recorded: {
      type: 'effect.settled' as const,
      at: position,
      startedAt: position,
      key: `lead/delegation:${position}.1/worker/model#1`,
      kind: 'model' as const,
      digest: '',
      settlement: {
        value: {
          text: '',
          toolCalls: [],
          finishReason: 'stop' as const,
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        },
      },
    },
  })
  let reads = 0
  const counted = function* (length: number) {
    for (let position = 0; position < length; position++) {
      reads++
      yield entry(position)
    }
  }
  const summary = summarise(counted(20_000))
  expect(reads).toBe(20_000)
  expect(summary.total.usage.totalTokens).toBe(40_000)
  expect(summary.delegations.length + (summary.more['delegations'] ?? 0)).toBe(20_000)
})
