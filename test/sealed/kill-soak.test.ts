/** The kill soak on a sealed SQLite file, in short. */
import { expect, test } from 'vitest'
import { killSoak } from '../soak/kill-soak.ts'

test('no run is lost and no settled effect repeated, however often a process is killed', async () => {
  const report = await killSoak({ runs: 6, steps: 12, kills: 4, life: 500, thinking: 20, isSealed: true })
  expect(report.faults).toEqual([])
  expect(report).toMatchObject({ kills: 4, lost: 0 })
  expect(report.runs).toBeGreaterThanOrEqual(6)
  expect(report.executions).toBe(report.settled + report.inFlight)
})
