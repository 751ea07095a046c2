/** `npm run bench -- quick` tells a change that costs, and no noise. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changeOf, spreadOf, type Spread } from '../../bench/report/change.ts'

const spread = (low: number, median: number, high: number): Spread => ({ low, median, high })

describe('a change', () => {
  test.each<[string, Spread, Spread, string]>([
    ['that costs more', spread(0.98, 1, 1.02), spread(1.05, 1.08, 1.1), 'dearer'],
    ['that costs less', spread(0.98, 1, 1.02), spread(0.85, 0.9, 0.95), 'cheaper'],
    ['within 5 %', spread(0.99, 1, 1.01), spread(1.03, 1.04, 1.05), 'same'],
    ['within the noise', spread(0.8, 1, 1.3), spread(1.05, 1.2, 1.4), 'same'],
    ['that is none', spread(0.9, 1, 1.1), spread(0.9, 1, 1.1), 'same'],
  ])('%s', (_name, before, now, verdict) => {
    expect(changeOf(before, now).verdict).toBe(verdict)
  })

  test('is told with its size', () => {
    expect(changeOf(spread(1, 1, 1), spread(1.2, 1.25, 1.3)).text).toBe('DEARER by 25 %.')
  })
})

test('a ratio is taken within each round', () => {
  const measurement = (name: string, cpus: readonly number[]) => ({
    name,
    modelCallsPerRound: 1,
    runsPerRound: 1,
    samples: cpus.map((cpu) => ({ cpu, wall: 0 })),
  })
  // The second round had a busy minute, for both.
  const own = measurement('own', [10, 100, 12])
  expect(spreadOf(own, measurement('peer', [10, 100, 10]))).toEqual({ median: 1, low: 1, high: 1.2 })
})

test('the kept ratios have all works', () => {
  const kept = JSON.parse(readFileSync(join(import.meta.dirname, '../../bench/quick.json'), 'utf8')) as {
    readonly ratios: Readonly<Record<string, Spread>>
  }
  expect(Object.keys(kept.ratios)).toEqual(['a', 'b', 'c', 'd'])
  for (const { low, median, high } of Object.values(kept.ratios)) {
    expect(low).toBeLessThanOrEqual(median)
    expect(median).toBeLessThanOrEqual(high)
    expect(low).toBeGreaterThan(0)
  }
})
