import { expect, test } from 'vitest'
import { programSuite } from './suites/program.ts'

test('program: every path leads where its graph says, and replays', async () => {
  const cover = programSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    const { outcome, text, error, steps = [] } = snapshot.output ?? {}
    expect(outcome).toBe(snapshot.value)
    expect(text === '42').toBe(outcome === 'completed')
    expect(error !== undefined).toBe(outcome === 'failed' || outcome === 'tripped')
    // Each leg but the last has made calls, and each call has its result.
    for (const { toolCalls, toolResults } of steps) expect(toolResults).toHaveLength(toolCalls.length)
    if (outcome === 'completed') expect(steps.at(-1)?.toolCalls).toEqual([])
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
