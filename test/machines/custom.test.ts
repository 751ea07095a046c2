import { expect, test } from 'vitest'
import { customSuite } from './suites/custom.ts'

test('custom: every path leads where its graph says, and replays', async () => {
  const cover = customSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    const { outcome, text, error, steps } = snapshot.output ?? {}
    expect(outcome).toBe(snapshot.value)
    expect(text?.includes('42')).toBe(outcome === 'completed')
    expect(error !== undefined).toBe(outcome === 'failed' || outcome === 'tripped')
    if (outcome === 'completed') expect(steps).toHaveLength(1)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
