import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { reactSuite } from './suites/react.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = reactSuite

test('react: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      if (snapshot.status === 'active') return
      expect(['completed', 'exhausted', 'stopped', 'tripped', 'failed', 'cancelled', 'handedOff']).toContain(
        snapshot.output?.outcome,
      )
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
