import { expect } from 'vitest'
import { debateSuite } from './suites/debate.ts'
import { testCover } from './test-cover.ts'

testCover(debateSuite, (snapshot) => {
  const { context } = snapshot
  const { round, proposals } = context.work
  expect(round).toBeLessThanOrEqual(context.input.profile.caps['rounds'] ?? 1)
  if (snapshot.status === 'active') return
  expect(context.live).toEqual([])
  if (snapshot.output?.outcome === 'completed') expect(Object.keys(proposals).length).toBeGreaterThan(0)
})
