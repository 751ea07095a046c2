import fc from 'fast-check'
import { RetryableError, TerminalError } from 'troupe'
import { expect, test } from 'vitest'
import { retryAfterMs, withinPatience } from '../../../src/actors/openai/failures/retry-after.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

test.each([
  [{ 'retry-after-ms': '1500' }, 1500],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
  [{ 'retry-after': '-3' }, undefined],
  [{ 'retry-after': 'Infinity' }, undefined],
  [{ 'retry-after-ms': 'Infinity', 'retry-after': '9' }, 9000],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': 'later' }, undefined],
  [{ 'retry-after': '5, 6' }, undefined], // two headers of one name, which is no date
  [{ 'retry-after': 'May 6' }, undefined],
  [{ 'retry-after': '2026-01-01T00:00:30Z' }, undefined],
  [{ 'retry-after': '0x10' }, undefined],
  [{ 'retry-after': '1e15' }, undefined],
  [{ 'retry-after-ms': '5, 6' }, undefined],
  [{ 'retry-after': ' 5 ' }, 5000],
  [{ 'retry-after': 'Thursday, 01-Jan-26 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu Jan  1 00:00:30 2026 GMT' }, 30_000],
  [{ 'retry-after': 'Thu' }, undefined],
  [{}, undefined],
])('%o asks for %s ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected)
})

test('no headers ask for nothing', () => {
  expect(retryAfterMs(undefined, now)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': '1' }, now)).toBeUndefined()
})

test('no header is read as a time that is none', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii' }),
      fc.string({ unit: 'grapheme-ascii' }),
      (name, value) => {
        const get = (asked: string) => (asked === 'retry-after' ? value : name)
        const wait = retryAfterMs({ get }, now) ?? 0
        expect(Number.isFinite(wait) && wait >= 0).toBe(true)
      },
    ),
  )
})

test.each([0, 1_000, 3_600_000])('a wait of %d ms is kept', (asked) => {
  const error = new RetryableError('busy', { code: 'RATE_LIMITED', retryAfterMs: asked })
  expect(withinPatience(error)).toBe(error)
})

test.each([
  [3_600_001, '3601 s'],
  [31_536_000_000, '31536000 s'],
])('a wait of %d ms is not: the call fails, and says how long was asked', (asked, words) => {
  const error = new RetryableError('Model "m" answered 429: busy.', {
    code: 'RATE_LIMITED',
    retryAfterMs: asked,
  })
  const ended = withinPatience(error)
  expect(ended).toBeInstanceOf(TerminalError)
  expect(ended).toMatchObject({ code: 'RETRY_AFTER_TOO_LONG', cause: error })
  expect(ended.message).toBe(
    `Model "m" answered 429: busy. It asks for ${words} before another call; the longest wait is 3600 s.`,
  )
})
