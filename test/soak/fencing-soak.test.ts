/** BEHAVIOUR 42 with processes that stand still, in short; `npm run soak` is the long form. */
import { expect, test } from 'vitest'
import { fencingSoak } from './fencing-soak.ts'

test('what an owner does after it has lost its run reaches no journal', async () => {
  const report = await fencingSoak(3)
  expect(report.faults).toEqual([])
  expect(report.rounds).toBe(3)
  expect(report.toldLost).toBe(3)
  expect(report.runs).toBe(report.rounds + report.heldTheFile)
})
