/** The kill soak in short: `npm run soak:restate` runs the long form. */
import { expect, test } from 'vitest'
import { killSoak } from './kill-soak.ts'

test('runs outlive workers and a server that are killed', async () => {
  const report = await killSoak({ runs: 4, steps: 12, pace: 20, workers: 2, workerKills: 3, serverKills: 1 })
  const { expected } = report.effects
  expect(report).toMatchObject({
    wrong: [],
    lost: [],
    misread: [],
    strangers: [],
    effects: { begun: expected },
    kills: { worker: 3, server: 1 },
  })
  expect(report.wentOn).toBeGreaterThan(0)
  // What was under way at a kill began again, under the same key; nothing else did.
  expect(report.repeats).toBeLessThanOrEqual(4 * 5)
})
