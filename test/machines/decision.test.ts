import { expect } from 'vitest'
import { decisionSuite } from './suites/decision.ts'
import { testCover } from './test-cover.ts'

testCover(decisionSuite, ({ status, output, context }) => {
  expect(context.replies).toBeLessThanOrEqual(2)
  // Before each of two questions, and once where the server refuses it.
  expect(context.window.begun).toBeLessThanOrEqual(context.input.compaction === undefined ? 0 : 4)
  expect(context.window.overflows).toBeLessThanOrEqual(1)
  if (status === 'active') return
  // A refusal from which the decision falls to the next model is paid for too.
  const paid = (output?.usage.totalTokens ?? 0) / 15
  expect(paid).toBeGreaterThanOrEqual(context.replies)
  expect(paid).toBeLessThanOrEqual(context.replies + context.fallen)
  expect(output?.window?.before).toBe(context.input.compaction && context.input.conversation)
  expect(output?.window?.after).toBe(context.input.compaction && context.conversation)
  expect(output?.value).toEqual(output?.decision === 'made' ? { colour: 'red' } : undefined)
  expect(output?.error === undefined).toBe(output?.decision !== 'failed')
})
