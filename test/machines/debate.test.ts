import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { debateSuite } from './suites/debate.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = debateSuite

test('debate: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      const { context } = snapshot
      const { round, proposals } = context.work
      expect(round).toBeLessThanOrEqual(context.input.profile.caps['rounds'] ?? 1)
      if (snapshot.status === 'active') return
      expect(context.live).toEqual({})
      if (snapshot.output?.outcome === 'completed') expect(Object.keys(proposals).length).toBeGreaterThan(0)
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
