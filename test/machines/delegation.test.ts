import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { delegationSuite } from './suites/delegation.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = delegationSuite

test('delegation: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      if (snapshot.status === 'active') return
      expect(['succeeded', 'bailed', 'rejected', 'failed', 'timedOut', 'exhausted', 'cancelled']).toContain(
        snapshot.output?.record.outcome,
      )
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
