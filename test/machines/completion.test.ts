import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import { completionSuite } from './suites/completion.ts'
import { recordedGolden } from './suites/suite.ts'

const { machine, options } = completionSuite

const cover = coverMachine(machine, {
  ...options,
  golden: recordedGolden(machine),
  invariant(snapshot) {
    if (snapshot.status === 'active') return
    expect(['passed', 'failed', 'errored']).toContain(snapshot.output?.outcome)
  },
})

test.each(cover.paths.map((path) => [path.name, path] as const))('completion: %s', (_name, path) =>
  path.run(),
)

test('completion: every transition is taken', () => {
  expect(cover.transitions().missing).toEqual([])
})
