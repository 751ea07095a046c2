import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TimeAxis } from '../../../../src/inspector/page/model/time-axis.ts'
import type { Row } from '../../../../src/inspector/wire/rows.ts'
import { aRow, anEffect } from '../rows.ts'

const question = anEffect('lead/call:1.1/signal:approval', 'signal')
const deadline = anEffect('lead/call:1.1/timer:approval', 'timer')
const work = anEffect('lead/call:1.2/tool', 'tool')

function axisOf(rows: readonly Row[]): TimeAxis {
  const axis = new TimeAxis()
  for (const row of rows) axis.append(row)
  return axis
}

test('time in which a run only waits for people is cut out', () => {
  const axis = axisOf([
    aRow(0, { at: 0, actorsAdded: [work] }),
    aRow(1, { at: 5_000, actorsAdded: [question, deadline] }),
    aRow(2, { at: 9_000, actorsEnded: [{ ...work, status: 'done' }] }),
    aRow(3, { at: 90_000, actorsEnded: [{ ...question, status: 'done' }] }),
    aRow(4, { at: 95_000 }),
  ])
  expect(axis.offsets).toEqual([0, 5_000, 9_000, 9_000, 14_000])
  expect(axis.cuts).toEqual([{ row: 3, offset: 9_000, duration: 81_000, reason: 'people' }])
  expect([axis.isAtWork, axis.isWaiting]).toEqual([false, false])
})

test('the gap between the entries that a fork shares and its own is cut out, with a wait that goes on in it', () => {
  const axis = axisOf([
    aRow(0, { at: 0, actorsAdded: [question] }),
    aRow(1, { at: 70_000, gap: 60_000, actorsEnded: [{ ...question, status: 'done' }], actorsAdded: [work] }),
    aRow(2, { at: 75_000, gap: 2_000 }),
  ])
  expect(axis.offsets).toEqual([0, 0, 3_000])
  expect(axis.cuts).toEqual([
    { row: 1, offset: 0, duration: 70_000, reason: 'fork' },
    { row: 2, offset: 0, duration: 2_000, reason: 'fork' },
  ])
  expect([axis.isAtWork, axis.isWaiting]).toEqual([true, false])
})

test('a short wait stays, and a timer alone is no wait for people', () => {
  const axis = axisOf([
    aRow(0, { at: 0, actorsAdded: [deadline] }),
    aRow(1, { at: 60_000, actorsAdded: [question] }),
    aRow(2, { at: 60_999 }),
  ])
  expect(axis.cuts).toEqual([])
  expect(axis.length).toBe(60_999)
})

test('no time is lost and none is made', () => {
  const step = fc.record({
    passed: fc.integer({ min: 0, max: 5_000 }),
    asks: fc.boolean(),
    answers: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), (steps) => {
      let at = 0
      let asked = 0
      const rows = steps.map(({ passed, asks, answers }, row) => {
        at += passed
        const ends = answers && asked > 0
        const actorsAdded = asks ? [anEffect('lead/call:1/signal', 'signal', row)] : []
        const actorsEnded = ends ? [{ ...question, status: 'done' as const }] : []
        asked += actorsAdded.length - actorsEnded.length
        return aRow(row, { at, actorsAdded, actorsEnded })
      })
      const axis = axisOf(rows)
      const cut = axis.cuts.reduce((sum, { duration }) => sum + duration, 0)
      expect(axis.length + cut).toBe(at - (rows[0]?.at ?? 0))
      expect(axis.offsets).toEqual(axis.offsets.toSorted((a, b) => a - b))
      expect(axis.offsets).toHaveLength(rows.length)
    }),
  )
})
