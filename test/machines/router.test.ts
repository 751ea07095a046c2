import { expect } from 'vitest'
import { routerSuite } from './suites/router.ts'
import { testCover } from './test-cover.ts'

testCover(routerSuite, (snapshot) => {
  const { calls, input, ledger, live, step } = snapshot.context
  expect(calls.length).toBeLessThanOrEqual(1)
  expect(ledger.steps.toArray().filter((record) => record.toolCalls.length > 0).length).toBeLessThanOrEqual(
    input.maxSteps,
  )
  expect(step).toBeLessThanOrEqual(input.maxSteps)
  if (snapshot.status === 'active') return
  expect(live).toEqual([])
  expect(['completed', 'bailed', 'exhausted', 'stopped', 'tripped', 'failed', 'cancelled']).toContain(
    snapshot.output?.outcome,
  )
  const { outcome, reason, error } = snapshot.output ?? {}
  const mayHaveError = outcome === 'tripped' || outcome === 'bailed' || reason === 'budget'
  expect(outcome === 'failed').toBe(error !== undefined && !mayHaveError)
  expect(reason).not.toBe('maxSteps')
})
