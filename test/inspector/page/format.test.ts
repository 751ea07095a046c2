/** Numbers, times and texts as the page shows them. */
import { expect, test } from 'vitest'
import {
  costText,
  countText,
  cutText,
  durationText,
  lastOf,
  plural,
  timeText,
  tokensText,
  usageText,
} from '../../../src/inspector/page/shared/format.ts'

test.each([
  [0, '0 ms'],
  [671.6, '672 ms'],
  [4000, '4.0 s'],
  [192_000, '3 m 12 s'],
  [7_440_000, '2 h 4 m'],
  [187_200_000, '2 d 4 h'],
])('%d ms is shown as %s', (ms, shown) => {
  expect(durationText(ms)).toBe(shown)
})

test('tokens and counts', () => {
  expect([tokensText(901), tokensText(12_345), tokensText(4_100_000)]).toEqual(['901', '12.3 k', '4.1 M'])
  expect(countText(1204)).toBe('1,204')
  expect([plural(1, 'entry'), plural(2, 'entry'), plural(3, 'run')]).toEqual([
    '1 entry',
    '2 entries',
    '3 runs',
  ])
})

test('a small cost keeps two digits that say something', () => {
  expect([costText(0), costText(0.004_213), costText(12.5)]).toEqual(['0.00', '0.0042', '12.50'])
})

test('usage names a missing report', () => {
  expect(usageText({ inputTokens: 10, outputTokens: 2, totalTokens: 12, cost: 0.5, incomplete: true })).toBe(
    '10 in · 2 out · cost 0.5 · not all reported',
  )
})

test('a time of today has no date, and one of another day has', () => {
  const at = new Date(2026, 10, 23, 9, 5, 7).getTime()
  expect(timeText(at, new Date(2026, 10, 23, 22).getTime())).toBe('09:05:07')
  expect(timeText(at, new Date(2026, 10, 24).getTime())).toBe('2026-11-23 09:05')
})

test('a text is cut between characters', () => {
  expect(cutText('abc', 3)).toBe('abc')
  expect(cutText('ab😀', 3)).toBe('ab')
  expect(lastOf('lead/delegation:1.1/clerk')).toBe('clerk')
})
