/** Bytes as base64, and back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64Of, bytesOf, isBase64 } from '../../../src/actors/content/base64.ts'
import { isAmong, isMediaType } from '../../../src/actors/content/media-type.ts'

test('as Node writes it, and back to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const text = base64Of(bytes)
      expect(text).toBe(Buffer.from(bytes).toString('base64'))
      expect(isBase64(text)).toBe(true)
      expect(bytesOf(text)).toEqual(bytes)
    }),
  )
})

test('more bytes than one call takes', () => {
  const bytes = Uint8Array.from({ length: 300_001 }, (_, index) => index & 255)
  expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})

test.each(['a', 'abc', 'ab=c', 'ab c', 'abc-', 'abc_', 'a===', '====', 7, null])(
  '%j is no base64',
  (given) => {
    expect(isBase64(given)).toBe(false)
  },
)

test.each([
  ['image/png', ['image/png'], true],
  ['IMAGE/PNG', ['image/png'], true],
  ['image/png', ['image/*'], true],
  ['imagex/png', ['image/*'], false],
  ['image/png', ['*'], true],
  ['image/png', ['*/*'], true],
  ['image/png', [], false],
  ['image/png', ['image/jpeg', 'audio/*'], false],
])('%s among %j: %j', (type, accepted, expected) => {
  expect(isAmong(type, accepted)).toBe(expected)
})

test.each(['image/png', 'application/vnd.ms-excel', 'image/svg+xml'])('%s is a media type', (type) => {
  expect(isMediaType(type)).toBe(true)
})

test.each(['image', 'image/', '/png', 'image/*', 'a/b/c', 'text/plain; charset=utf-8', '', 1])(
  '%j is none',
  (type) => {
    expect(isMediaType(type)).toBe(false)
  },
)
