import { expect, test } from 'vitest'
import { remoteAgentSuite } from './suites/remote-agent.ts'

test('remote-agent: every path leads where its graph says, and replays', async () => {
  const cover = remoteAgentSuite.cover((snapshot) => {
    if (snapshot.status === 'active') return
    expect(snapshot.output?.outcome).toBe(snapshot.value === 'reported' ? 'completed' : 'failed')
    expect(snapshot.output?.error === undefined).toBe(snapshot.value === 'reported')
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
