import { expect } from 'vitest'
import { completionSuite } from './suites/completion.ts'
import { testCover } from './test-cover.ts'

testCover(completionSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(['passed', 'failed', 'errored']).toContain(snapshot.output?.outcome)
})
