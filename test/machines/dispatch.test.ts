import { expect, test } from 'vitest'
import { dispatchSuite } from './suites/dispatch.ts'

test('dispatch: every path leads where its graph says, and replays', async () => {
  const cover = dispatchSuite.cover((snapshot) => {
    const { calls, ledger, live, step } = snapshot.context
    expect(calls.length).toBeLessThanOrEqual(1)
    expect(step).toBeLessThanOrEqual(1)
    expect(ledger.steps.length).toBeLessThanOrEqual(1)
    if (snapshot.status === 'active') return
    expect(live).toEqual([])
    expect(['completed', 'bailed', 'exhausted', 'tripped', 'failed', 'cancelled']).toContain(
      snapshot.output?.outcome,
    )
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
