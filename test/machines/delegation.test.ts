import { expect } from 'vitest'
import { delegationSuite } from './suites/delegation.ts'
import { testCover } from './test-cover.ts'

testCover(delegationSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(['succeeded', 'bailed', 'rejected', 'failed', 'timedOut', 'exhausted', 'cancelled']).toContain(
    snapshot.output?.record.outcome,
  )
})
