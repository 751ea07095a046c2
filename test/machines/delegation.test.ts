import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { delegationSuite } from './suites/delegation.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = delegationSuite

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

test.each(cover.paths.map((path) => [path.name, path] as const))('delegation: %s', (_name, path) =>
  path.run(),
)

test('delegation: every transition is taken', () => {
  expect(cover.transitions().missing).toEqual([])
})
