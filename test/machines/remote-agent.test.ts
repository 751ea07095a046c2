import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { remoteAgentSuite } from './suites/remote-agent.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = remoteAgentSuite

const cover = coverMachine(machine, {
  ...options,
  golden: recordedGolden(machine),
  invariant(snapshot) {
    if (snapshot.status === 'active') return
    expect(snapshot.output?.outcome).toBe(snapshot.value === 'reported' ? 'completed' : 'failed')
    expect(snapshot.output?.error === undefined).toBe(snapshot.value === 'reported')
  },
})

test(`remote-agent: ${cover.paths.length} paths over ${cover.edges} edges`, async () => {
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
