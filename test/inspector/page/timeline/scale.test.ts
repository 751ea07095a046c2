/** Rows lie on the timeline in their order, and a point leads back to its row, however much of it is seen. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bounded,
  leftAfter,
  Scale,
  type ScaleOptions,
} from '../../../../src/inspector/page/timeline/scale.ts'
import { durationText, ticksOf } from '../../../../src/inspector/page/timeline/ticks.ts'

const options: fc.Arbitrary<ScaleOptions> = fc
  .record({
    steps: fc.array(fc.record({ passed: fc.nat({ max: 900 }), isCut: fc.boolean() }), {
      minLength: 1,
      maxLength: 80,
    }),
    width: fc.integer({ min: 50, max: 2000 }),
    zoom: fc.integer({ min: 1, max: 50 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ steps, width, zoom, share }) => {
    let at = 0
    return {
      offsets: steps.map(({ passed }, row) => (row === 0 ? 0 : (at += passed))),
      cuts: steps.flatMap(({ isCut }, row) => (isCut && row > 0 ? [{ row, offset: row }] : [])),
      width,
      zoom,
      left: share * (width * zoom - width),
    }
  })

test('rows lie in their order, from the first pixel of the line to the last', () => {
  fc.assert(
    fc.property(options, (given) => {
      const scale = new Scale(given)
      const xs = given.offsets.map((_, row) => scale.xOf(row))
      expect(xs).toEqual(xs.toSorted((a, b) => a - b))
      expect(xs[0]).toBeCloseTo(-given.left)
      const length = given.offsets.at(-1) ?? 0
      if (length > 0) expect(xs.at(-1)).toBeCloseTo(given.width * given.zoom - given.left)
    }),
  )
})

test('a point leads to the nearest row', () => {
  fc.assert(
    fc.property(options, fc.integer({ min: -100, max: 3000 }), (given, x) => {
      const scale = new Scale(given)
      const distance = (row: number): number => Math.abs(scale.xOf(row) - x)
      const nearest = Math.min(...given.offsets.map((_, row) => distance(row)))
      expect(distance(scale.rowAt(x))).toBeCloseTo(nearest)
      for (const [row] of given.offsets.entries())
        expect(scale.xOf(scale.rowAt(scale.xOf(row)))).toBeCloseTo(scale.xOf(row))
    }),
  )
})

describe('a zoom', () => {
  test('leaves the point in its place, and what is seen stays within the line', () => {
    const given = { offsets: [0, 100, 400], cuts: [], width: 400, zoom: 1, left: 0 }
    const zoomed = new Scale({ ...given, zoom: 2, left: leftAfter(100, 0, 2) })
    expect([zoomed.xOf(0), zoomed.xOf(1), zoomed.xOf(2)]).toEqual([-100, 100, 700])
    expect([bounded(-5, 400, 2), bounded(150, 400, 2), bounded(900, 400, 2)]).toEqual([0, 150, 400])
  })

  test('of a run without length shows it at the start', () => {
    const scale = new Scale({ offsets: [0, 0], cuts: [], width: 100, zoom: 1, left: 0 })
    expect([scale.xOf(0), scale.xOf(1), scale.rowAt(90)]).toEqual([0, 0, 1])
    expect(new Scale({ offsets: [], cuts: [], width: 100, zoom: 1, left: 0 }).xOf(-1)).toBe(0)
  })
})

test('a time that was cut out has a place before its row', () => {
  const scale = new Scale({
    offsets: [0, 50, 50, 100],
    cuts: [{ row: 2, offset: 50 }],
    width: 218,
    zoom: 1,
    left: 0,
  })
  expect([0, 1, 2, 3].map((row) => scale.xOf(row))).toEqual([0, 100, 118, 218])
  expect(scale.cutAt(2)).toEqual({ from: 100, until: 118 })
})

test('marks stand apart, at round values, where their values lie', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { offsets, width } = given
      const scale = new Scale(given)
      const range = { from: offsets[scale.rowAt(0)] ?? 0, until: offsets.at(-1) ?? 0, width, inRows: false }
      const ticks = ticksOf(scale, range)
      for (const [at, { x, offset, text }] of ticks.entries()) {
        expect(x).toBe(scale.xOfOffset(offset))
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x).toBeLessThanOrEqual(width)
        expect(x - (ticks[at - 1]?.x ?? -Infinity)).toBeGreaterThan(40)
        expect(text).toBe(durationText(offset))
        expect(offset).toBeLessThanOrEqual(range.until)
      }
    }),
  )
  const texts = (until: number, inRows: boolean): readonly string[] => {
    const offsets = [0, until]
    const scale = new Scale({ offsets, cuts: [], width: 500, zoom: 1, left: 0 })
    return ticksOf(scale, { from: 0, until, width: 500, inRows }).map(({ text }) => text)
  }
  expect(texts(99, true)).toEqual(['1', '20', '40', '60', '80'])
  expect(texts(2, true)).toEqual(['1', '2'])
  expect(texts(800, false)).toEqual(['0 ms', '200 ms', '400 ms', '600 ms'])
  expect(texts(100_000, false)).toEqual(['0 ms', '30 s', '1 min'])
  expect(texts(0, false)).toEqual(['0 ms'])
})

test('an offset and its row have one place', () => {
  fc.assert(
    fc.property(options, (given) => {
      const cuts = given.cuts.map(({ row }) => ({ row, offset: given.offsets[row] ?? 0 }))
      const scale = new Scale({ ...given, cuts })
      for (const [row, offset] of given.offsets.entries())
        if (given.offsets[row + 1] !== offset) expect(scale.xOfOffset(offset)).toBeCloseTo(scale.xOf(row))
    }),
  )
})

test('a time is told in its largest units', () => {
  const times = [0, 340, 1234, 45_670, 60_000, 90_000, 7_260_000, 187_200_000]
  expect(times.map(durationText)).toEqual([
    '0 ms',
    '340 ms',
    '1.23 s',
    '45.7 s',
    '1 min',
    '1 min 30 s',
    '2 h 1 min',
    '2 d 4 h',
  ])
})

test('what is under way ends behind the last row, at the last pixel of the line', () => {
  fc.assert(
    fc.property(options, fc.integer({ min: 1, max: 5_000 }), fc.boolean(), (given, tail, isWaiting) => {
      const scale = new Scale({ ...given, ...(isWaiting ? { isWaiting } : { tail }) })
      const last = scale.xOf(given.offsets.length - 1)
      expect(scale.end).toBeGreaterThan(last)
      const isTimeless = isWaiting && given.offsets.at(-1) === 0
      if (!isTimeless) expect(scale.end).toBeCloseTo(given.width * given.zoom - given.left, 3)
    }),
  )
})
