import { expect } from 'vitest'
import { filesOf, textOf } from '../../src/actors/content/content.ts'
import { toolCallSuite } from './suites/tool-call.ts'
import { testCover } from './test-cover.ts'

testCover(toolCallSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(['succeeded', 'failed', 'denied', 'cancelled']).toContain(snapshot.output?.outcome)
  const content = snapshot.output?.content ?? []
  expect(textOf(content)).not.toBe('')
  expect(filesOf(content)).toHaveLength(snapshot.context.files.length)
})
