/** Whatever happens in a run, its graph is valid, hangs together, and is the same after a replay. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatExplanation, toProvenance, why } from 'troupe/provenance'
import { iriOf } from '../../src/provenance/rdf/terms.ts'
import { parsed, provProblems, statements } from '../support/prov.ts'
import { runNested } from './nested-patterns.ts'
import { knownRuns } from './known-runs.ts'
import { runRandomly } from './random-troupe.ts'

const seen = new Set<string>()

test('200 random runs: with bails, cancels, retries, background work and late results', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 30, maxLength: 150, size: 'max' }),
      async (choices) => {
        const { events, along, replay, result } = await runRandomly(choices)
        seen.add(result.outcome)
        const graph = toProvenance(events)
        expect(provProblems(graph.quads)).toEqual([])
        expect(graph.answer === undefined).toBe(result.text === '')
        expect(toProvenance(replay.events).toNQuads()).toBe(graph.toNQuads())
        expect(toProvenance(along).toNQuads()).toBe(graph.toNQuads())
        expect(statements(parsed(graph.toTriG(), 'TriG'))).toEqual(statements(graph.quads))

        const explanation = why(graph)
        expect(explanation.answer ?? '').toBe(result.text)
        expect(explanation.reasons.at(-1)).toMatchObject({ kind: 'question', text: explanation.question })
        expect(formatExplanation(explanation)).toContain('question: "')
        // As far as it is known, a run explains itself at any moment.
        const half = toProvenance(events.slice(0, Math.ceil(events.length / 2)))
        expect(provProblems(half.quads)).toEqual([])
        expect(why(half).reasons.at(-1)?.kind).toBe('question')
      },
    ),
    { numRuns: 100, examples: knownRuns },
  )
  expect([...seen]).toEqual(
    expect.arrayContaining(['bailed', 'cancelled', 'completed', 'exhausted', 'failed']),
  )
})

test('150 random runs of patterns below patterns', async () => {
  const patterns = new Set<string>()
  const outcomes = new Set<string>()
  let handoffs = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 10_000 }), { minLength: 40, maxLength: 200, size: 'max' }),
      async (choices) => {
        const { graph, result, used } = await runNested(choices)
        const { outcome } = result
        for (const pattern of used) patterns.add(pattern)
        outcomes.add(outcome)
        expect(provProblems(graph.quads)).toEqual([])
        handoffs += graph.quads.filter(
          ({ predicate }) => predicate.value === iriOf('troupe:successor'),
        ).length
        const explanation = why(graph)
        expect(explanation.outcome).toBe(outcome)
        expect(explanation.reasons.at(-1)).toMatchObject({ kind: 'question', text: 'Q?' })
      },
    ),
    { numRuns: 150 },
  )
  expect(patterns.size).toBe(9)
  expect(handoffs).toBeGreaterThan(3)
  expect([...outcomes]).toEqual(expect.arrayContaining(['cancelled', 'completed', 'failed', 'exhausted']))
})
