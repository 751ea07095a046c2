import { expect } from 'vitest'
import { remoteAgentSuite } from './suites/remote-agent.ts'
import { testCover } from './test-cover.ts'

testCover(remoteAgentSuite, (snapshot) => {
  if (snapshot.status === 'active') return
  expect(snapshot.output?.outcome).toBe(snapshot.value === 'reported' ? 'completed' : 'failed')
  expect(snapshot.output?.error === undefined).toBe(snapshot.value === 'reported')
})
