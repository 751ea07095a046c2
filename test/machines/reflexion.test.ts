import { expect } from 'vitest'
import { reflexionSuite } from './suites/reflexion.ts'
import { testCover } from './test-cover.ts'

testCover(reflexionSuite, (snapshot) => {
  const { work, input } = snapshot.context
  const { critiques = 0 } = (work ?? {}) as { critiques?: number }
  expect(critiques).toBeLessThanOrEqual(input.profile.caps['maxCritiques'] ?? 3)
})
