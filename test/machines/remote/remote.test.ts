import { expect, test } from 'vitest'
import { remoteSuite } from './suite.ts'

test('remote: every path leads where its graph says, and replays', async () => {
  const cover = remoteSuite.cover((snapshot) => {
    const { calls, settled, work } = snapshot.context
    if (snapshot.status === 'active') return
    expect(settled.length).toBe(calls.length)
    if (snapshot.output?.outcome === 'completed') expect(work.isOver).toBe(true)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
