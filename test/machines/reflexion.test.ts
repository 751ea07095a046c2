import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { reflexionSuite } from './suites/reflexion.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = reflexionSuite

test('reflexion: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      const { work, input } = snapshot.context
      const { critiques = 0 } = (work ?? {}) as { critiques?: number }
      expect(critiques).toBeLessThanOrEqual(input.profile.caps['maxCritiques'] ?? 3)
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
