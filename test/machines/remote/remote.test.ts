import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { remoteSuite } from './suite.ts'
import { recordedGolden } from '../suites/suite.ts'

const { machine, options } = remoteSuite

test('remote: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      const { calls, settled, work } = snapshot.context
      if (snapshot.status === 'active') return
      expect(settled.length).toBe(calls.length)
      if (snapshot.output?.outcome === 'completed') expect(work.isOver).toBe(true)
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
