import { expect } from 'vitest'
import { remoteSuite } from './suite.ts'
import { testCover } from '../test-cover.ts'

testCover(remoteSuite, (snapshot) => {
  const { calls, settled, work } = snapshot.context
  if (snapshot.status === 'active') return
  expect(settled.length).toBe(calls.length)
  if (snapshot.output?.outcome === 'completed') expect(work.isOver).toBe(true)
})
