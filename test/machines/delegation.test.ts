import { expect, test } from 'vitest'
import { delegationSuite } from './suites/delegation.ts'

test('delegation: every path leads where its graph says, and replays', async () => {
  const cover = delegationSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(['succeeded', 'bailed', 'rejected', 'failed', 'timedOut', 'exhausted', 'cancelled']).toContain(
      snapshot.output?.record.outcome,
    )
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
