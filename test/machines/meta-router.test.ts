import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { metaRouterSuite } from './suites/meta-router.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = metaRouterSuite

test('meta-router: every path leads where its graph says, and replays', async () => {
  const cover = coverMachine(machine, {
    ...options,
    golden: recordedGolden(machine),
    invariant(snapshot) {
      if (snapshot.status === 'active') return
      expect(snapshot.output?.decisions?.length).toBeLessThanOrEqual(2)
      for (const { candidates, choice, subject } of snapshot.output?.decisions ?? []) {
        if (subject === 'pattern')
          expect(candidates.length === 0 || ['react', 'supervisor'].includes(choice)).toBe(true)
      }
    },
  })
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
