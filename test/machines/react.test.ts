import { expect } from 'vitest'
import { reactSuite } from './suites/react.ts'
import { testCover } from './test-cover.ts'

testCover(reactSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(['completed', 'exhausted', 'stopped', 'tripped', 'failed', 'cancelled', 'handedOff']).toContain(
    snapshot.output?.outcome,
  )
})
