import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { remoteAgentSuite } from './suites/remote-agent.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = remoteAgentSuite

test('remote-agent: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      if (snapshot.status === 'active') return
      expect(snapshot.output?.outcome).toBe(snapshot.value === 'reported' ? 'completed' : 'failed')
      expect(snapshot.output?.error === undefined).toBe(snapshot.value === 'reported')
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
