/** Each effect of a run has one bar, in the lane of its agent, and no bar covers another. */
import { describe, expect, test } from 'vitest'
import { patterns } from '../../../restate/soak/seeded-team.ts'
import { modelOf, recordedRun } from '../recorded-run.ts'
import { aRow, anEffect } from '../rows.ts'

describe.each(patterns)('the lanes of a run of %s', (pattern) => {
  test.each([0, 1, 2])('hold each effect once, seed %i', async (seed) => {
    const { model, rows } = await recordedRun(seed, pattern)
    const effects = rows.flatMap(({ actorsAdded }) =>
      actorsAdded.filter(({ effect }) => effect !== undefined).map(({ key }) => String(key)),
    )
    const bars = model.lanes.list.flatMap(({ slots }) => slots.flat())
    expect(bars.map(({ key }) => key).toSorted()).toEqual(effects.toSorted())
    for (const bar of bars) expect(model.lanes.at(bar.key)).toBe(bar)
    for (const slot of model.lanes.list.flatMap(({ slots }) => slots))
      for (const [at, bar] of slot.entries()) {
        const before = slot[at - 1]
        if (before !== undefined) expect(before.until).toBeLessThanOrEqual(bar.from)
      }
  })
})

test('agents of one id below the same agent share a lane, behind the lane of that agent', () => {
  const effects = ['lead/model', 'lead/delegation:1.1/a/model', 'lead/delegation:1.2/b/model']
  const later = [
    'lead~1/model',
    'lead/delegation:2.1/a/delegation:1.1/c/model',
    'lead/delegation:2.2/a/model',
  ]
  const model = modelOf([
    aRow(0, { actorsAdded: effects.map((path) => anEffect(path, 'model')) }),
    aRow(1, { actorsAdded: later.map((path) => anEffect(path, 'model')) }),
  ])
  expect(model.lanes.list.map(({ id, depth, slots }) => [id, depth, slots.length])).toEqual([
    ['lead', 0, 2],
    ['lead/a', 1, 2],
    ['lead/a/c', 2, 1],
    ['lead/b', 1, 1],
  ])
})

test('an effect that ends makes room by the same row', () => {
  const model = anEffect('lead/model', 'model')
  const hook = anEffect('lead/hook:onFinish', 'hook')
  const { lanes } = modelOf([
    aRow(0, { actorsAdded: [model] }),
    aRow(1, {
      actorsEnded: [
        { ...model, status: 'error' },
        { ...hook, status: 'stopped' },
      ],
      actorsAdded: [hook],
    }),
  ])
  expect(lanes.list[0]?.slots).toMatchObject([
    [
      { kind: 'model', from: 0, until: 1, status: 'error' },
      { kind: 'hook', from: 1, until: 1, status: 'stopped' },
    ],
  ])
})

test('effects that are known by their outcomes alone, and were at work at the same time, stand in different slots', () => {
  const settled = (row: number, path: string, at: number, duration: number) =>
    aRow(row, { type: 'effect.settled', kind: 'model', key: `${path}/model#1`, at, duration })
  const { lanes } = modelOf([
    settled(0, 'lead/delegation:1.1/a', 100, 90),
    settled(1, 'lead/delegation:1.2/a', 110, 100),
    settled(2, 'lead/delegation:1.3/a', 120, 15),
    settled(3, 'lead/delegation:1.4/a', 130, 15),
  ])
  expect(lanes.list.map(({ slots }) => slots.map((slot) => slot.map(({ from }) => from)))).toEqual([
    [
      [0, 2],
      [1, 3],
    ],
  ])
})
