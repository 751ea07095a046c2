import { expect } from 'vitest'
import { compactionSuite } from './suites/compaction.ts'
import { testCover } from './test-cover.ts'

testCover(compactionSuite, ({ status, output, context }) => {
  expect(context.failures).toBeLessThanOrEqual(context.input.retries)
  expect(context.messages.at(0)).toEqual(context.input.messages.at(0))
  expect(context.messages.at(1)).toEqual(context.input.messages.at(1))
  expect(context.messages.length).toBe(context.input.messages.length - replacedBy(context))
  if (status === 'active') return
  expect(output?.messages).toBe(context.summaries === 0 ? undefined : context.messages)
  expect(output?.usage).toEqual(context.usage)
  expect(output?.error === undefined).toBe(output?.outcome !== 'failed')
})

/** A part holds one message or two, and a second one the summary before it too. */
function replacedBy({
  input,
  summaries,
}: {
  readonly input: { readonly limits: { readonly part: number } }
  readonly summaries: number
}): number {
  if (summaries === 0) return 0
  return input.limits.part > 100 || summaries > 1 ? 1 : 0
}
