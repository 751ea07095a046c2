import { expect } from 'vitest'
import { metaRouterSuite } from './suites/meta-router.ts'
import { testCover } from './test-cover.ts'

testCover(metaRouterSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(snapshot.output?.decisions?.length).toBeLessThanOrEqual(2)
  for (const { candidates, choice, subject } of snapshot.output?.decisions ?? []) {
    if (subject === 'pattern')
      expect(candidates.length === 0 || ['react', 'supervisor'].includes(choice)).toBe(true)
  }
})
