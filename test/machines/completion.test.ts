import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { completionSuite } from './suites/completion.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = completionSuite

test('completion: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      if (snapshot.status === 'active') return
      expect(['passed', 'failed', 'errored']).toContain(snapshot.output?.outcome)
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
