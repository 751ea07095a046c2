import { expect, test } from 'vitest'
import { filesOf, textOf } from '../../src/actors/content/content.ts'
import { toolCallSuite } from './suites/tool-call.ts'

test('tool-call: every path leads where its graph says, and replays', async () => {
  const cover = toolCallSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(['succeeded', 'failed', 'denied', 'cancelled']).toContain(snapshot.output?.outcome)
    const content = snapshot.output?.content ?? []
    expect(textOf(content)).not.toBe('')
    expect(filesOf(content)).toHaveLength(snapshot.context.files.length)
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
