import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { metaRouterSuite } from './suites/meta-router.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = metaRouterSuite

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

test(`meta-router: ${cover.paths.length} paths over ${cover.edges} edges`, async () => {
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
