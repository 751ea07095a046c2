import { expect } from 'vitest'
import { dispatchSuite } from './suites/dispatch.ts'
import { testCover } from './test-cover.ts'

testCover(dispatchSuite, (snapshot) => {
  const { calls, ledger, live, step } = snapshot.context
  expect(calls.length).toBeLessThanOrEqual(1)
  expect(step).toBeLessThanOrEqual(1)
  expect(ledger.steps.length).toBeLessThanOrEqual(1)
  if (snapshot.status === 'active') return
  expect(live).toEqual([])
  expect(['completed', 'bailed', 'exhausted', 'tripped', 'failed', 'cancelled']).toContain(
    snapshot.output?.outcome,
  )
})
