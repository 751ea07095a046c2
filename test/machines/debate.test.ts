import { expect, test } from 'vitest'
import { debateSuite } from './suites/debate.ts'

test('debate: every path leads where its graph says, and replays', async () => {
  const cover = debateSuite.cover((snapshot) => {
    const { context } = snapshot
    const { round, proposals } = context.work
    expect(round).toBeLessThanOrEqual(context.input.profile.caps['rounds'] ?? 1)
    if (snapshot.status === 'active') return
    expect(context.live).toEqual([])
    if (snapshot.output?.outcome === 'completed') expect(Object.keys(proposals).length).toBeGreaterThan(0)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
