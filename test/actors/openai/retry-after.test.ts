import { expect, test } from 'vitest'
import { retryAfterMs } from '../../../src/actors/openai/failures/retry-after.ts'

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
  [{}, undefined],
])('%o asks for %s ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(expected)
})

test('no headers ask for nothing', () => {
  expect(retryAfterMs(undefined, now)).toBeUndefined()
  expect(retryAfterMs({ 'retry-after': '1' }, now)).toBeUndefined()
})
