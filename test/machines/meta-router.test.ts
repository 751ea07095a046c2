import { expect, test } from 'vitest'
import { metaRouterSuite } from './suites/meta-router.ts'

test('meta-router: every path leads where its graph says, and replays', async () => {
  const cover = metaRouterSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(snapshot.output?.decisions?.length).toBeLessThanOrEqual(2)
    for (const { candidates, choice, subject } of snapshot.output?.decisions ?? []) {
      if (subject === 'pattern')
        expect(candidates.length === 0 || ['react', 'supervisor'].includes(choice)).toBe(true)
    }
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
