/** Tables as the steps that lead to them. */
import { expect, test } from 'vitest'
import { SchemaSteps } from '../../src/kit/sql/schema-steps.ts'

const steps = new SchemaSteps(7, [{ sql: 'seven' }, { sql: 'eight' }, { sql: 'nine', isAdditive: true }])

test('new tables take all steps, others those that they lack', () => {
  expect(steps.missing()).toEqual(['seven', 'eight', 'nine'])
  expect(steps.missing(7)).toEqual(['eight', 'nine'])
  expect(steps.missing(9)).toEqual([])
  expect(steps.missing(12)).toEqual([])
})

test('the last step that is not additive is the oldest that a release must know', () => {
  expect(steps).toMatchObject({ first: 7, version: 9, oldest: 8 })
  expect(new SchemaSteps(7, [{ sql: 'seven' }])).toMatchObject({ version: 7, oldest: 7 })
})

test.each([
  [{ version: 6, oldest: 1 }, 'older'],
  [{ version: 7, oldest: 7 }, 'fits'],
  [{ version: 9, oldest: 8 }, 'fits'],
  [{ version: 12, oldest: 9 }, 'fits'],
  [{ version: 12, oldest: 10 }, 'newer'],
] as const)('tables of %j: %s', (versions, fit) => {
  expect(steps.fitOf(versions)).toBe(fit)
})
