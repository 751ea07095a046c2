import { expect, test } from 'vitest'
import { completionSuite } from './suites/completion.ts'

test('completion: every path leads where its graph says, and replays', async () => {
  const cover = completionSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(['passed', 'failed', 'errored']).toContain(snapshot.output?.outcome)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
