/** Whatever happens in a run, its trail equals its replays, and each transition begins where the one before has ended. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownRuns } from './known-runs.ts'
import { runRandomly } from './random-troupe.ts'

const outcomes = new Set<string>()
const types = new Set<string>()

test('60 random runs: every view equals the replay until its entry', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 30, maxLength: 120, size: 'max' }),
      async (choices) => {
        const { troupe, run, events, result } = await runRandomly(choices)
        outcomes.add(result.outcome)
        const trail = await troupe.trail(run.id)
        expect(trail.diverged).toBeUndefined()
        expect(trail.entries.flatMap((entry) => entry.events)).toEqual(events)
        const states = new Map<string, string>()
        for (const { entry, type, transitions, actorsAdded } of trail.entries) {
          types.add(type)
          for (const { path } of actorsAdded) states.delete(path)
          for (const { path, from, to } of transitions) {
            expect(from).toBe(states.get(path) ?? from)
            states.set(path, to)
          }
          const { actors } = await troupe.replay(run.id, { until: entry + 1 })
          expect(trail.view(entry + 1)).toEqual(actors)
        }
        await troupe.close()
      },
    ),
    { numRuns: 60, examples: knownRuns },
  )
  expect([...types].toSorted()).toEqual(
    expect.arrayContaining([
      'effect.settled',
      'effect.started',
      'run.settled',
      'run.started',
      'signal.received',
    ]),
  )
  expect(outcomes.size).toBeGreaterThan(3)
})
