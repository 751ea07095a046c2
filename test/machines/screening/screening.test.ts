import { expect } from 'vitest'
import { screeningSuite } from './suite.ts'
import { testCover } from '../test-cover.ts'

testCover(screeningSuite, ({ status, output, value, context: { input, screened } }) => {
  // In the order in which they came, each once.
  expect(screened.map(({ id }) => id)).toEqual(input.sayings.slice(0, screened.length).map(({ id }) => id))
  for (const one of screened) {
    if (one.outcome === 'passed') expect(one.messages.every(({ internal }) => internal === 'said')).toBe(true)
    else expect(one.reason).not.toBe('')
  }
  if (status === 'active') return
  expect(output?.screened).toEqual(screened)
  if (value === 'screened') expect(screened).toHaveLength(input.sayings.length)
})
