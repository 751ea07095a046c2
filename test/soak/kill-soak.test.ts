/** BEHAVIOUR 40 across processes, in short; `npm run soak` is the long form. */
import { expect, test } from 'vitest'
import { killSoak } from './kill-soak.ts'

test('no run is lost and no settled effect repeated, however often a process is killed', async () => {
  const report = await killSoak({ runs: 8, steps: 16, kills: 5, life: 500, thinking: 20 })
  expect(report.faults).toEqual([])
  expect(report.kills).toBe(5)
  expect(report.runs).toBeGreaterThanOrEqual(8)
  // A kill may come between the store and the caller: such a run is there, and was told to nobody.
  expect(report.told).toBeGreaterThanOrEqual(8 - report.kills)
  expect(report.lost).toBe(0)
  // Replies and tools of sixteen steps, of the lead or its helper, and the answer.
  expect(report.settled).toBeGreaterThanOrEqual(report.runs * (2 * 16 + 1))
  expect(report.executions).toBe(report.settled + report.inFlight)
})
