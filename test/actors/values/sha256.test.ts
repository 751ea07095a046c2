/** Our SHA-256 gives that of the platform. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/actors/values/sha256.ts'

function ofNode(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('sha256', () => {
  test('of no bytes, and of "abc", as FIPS 180-4 has it', () => {
    expect(sha256(new Uint8Array(0))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(sha256(new TextEncoder().encode('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  test('of every length around the ends of blocks', () => {
    for (let length = 0; length <= 260; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) & 255)
      expect(sha256(bytes), `${length} bytes`).toBe(ofNode(bytes))
    }
  })

  test('of any bytes, also of a part of a buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.nat(50), (bytes, from) => {
        const part = bytes.subarray(Math.min(from, bytes.length))
        expect(sha256(part)).toBe(ofNode(part))
      }),
    )
  })
})
