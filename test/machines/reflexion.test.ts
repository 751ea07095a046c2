import { expect, test } from 'vitest'
import { reflexionSuite } from './suites/reflexion.ts'

test('reflexion: every path leads where its graph says, and replays', async () => {
  const cover = reflexionSuite.cover((snapshot) => {
    const { work, input } = snapshot.context
    const { critiques = 0 } = (work ?? {}) as { critiques?: number }
    expect(critiques).toBeLessThanOrEqual(input.profile.caps['maxCritiques'] ?? 3)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
