import { expect, test } from 'vitest'
import { reactSuite } from './suites/react.ts'

test('react: every path leads where its graph says, and replays', async () => {
  const cover = reactSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(['completed', 'exhausted', 'stopped', 'tripped', 'failed', 'cancelled', 'handedOff']).toContain(
      snapshot.output?.outcome,
    )
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
