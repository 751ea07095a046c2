/** A finding that runs show has options with which `explore` confirms it, and refutes it once it is mended. */
import { explore, lint, type FindingCode } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { configurations } from './configurations.ts'

const confirmed = [
  'tool-outside-groups',
  'tool-in-unreachable-state',
  'approval-without-handle',
  'interruption-asks',
] as const satisfies readonly FindingCode[]

const all = confirmed.flatMap((code) =>
  configurations[code].map((one) => [`${code} at ${one.path}`, code, one] as const),
)

describe.for(all)('%s', ([, code, { faulty, mended, options, path }]) => {
  const found = lint(faulty, options).find((one) => one.code === code && one.path === path)
  const exploration = { ...found?.explore, limits: { steps: 2 } }

  test('is confirmed', async () => {
    expect(found?.explore).toBeDefined()
    const report = await explore(faulty, exploration)
    report.assert()
    expect(report.isComplete).toBe(true)
  })

  test('is refuted where it is mended', async () => {
    const report = await explore(mended, exploration)
    expect(report.violations.map(({ rule }) => rule)).toEqual(Object.keys(found?.explore?.rules ?? {}))
  })
})
