/** The digests of journals: their text is on record, so it must stay as it is. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestText, unitInterval } from '../../../src/actors/values/digest.ts'

/** The hash as it is published, in whole numbers of any size. */
function reference(text: string): string {
  const mask = 0xffffffffn
  const times = (one: bigint, other: bigint): bigint => (one * other) & mask
  let a = 0xdeadbeefn
  let b = 0x41c6ce57n
  for (let index = 0; index < text.length; index++) {
    const unit = BigInt(text.charCodeAt(index))
    a = times(a ^ unit, 2654435761n)
    b = times(b ^ unit, 1597334677n)
  }
  a = times(a ^ (a >> 16n), 2246822507n) ^ times(b ^ (b >> 13n), 3266489909n)
  b = times(b ^ (b >> 16n), 2246822507n) ^ times(a ^ (a >> 13n), 3266489909n)
  return (4294967296n * (2097151n & b) + a).toString(36)
}

test('digests on record are known again', () => {
  expect(digestText('')).toBe(reference(''))
  expect(digestText('{"role":"user","content":"Add 1 to each number."}')).toBe('15kjyiau010')
})

test('a digest is the hash of the joined parts in base 36', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 4 }), (parts) => {
      expect(digestText(...parts)).toBe(reference(parts.join('')))
    }),
    { numRuns: 100 },
  )
})

test('a digest with a part of leading zeros is written whole', () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => `text ${index}`)
  const zeros = texts.filter((text) => /0.{4}$/.test(reference(text)))
  expect(zeros.length).toBeGreaterThan(100)
  for (const text of zeros) expect(digestText(text)).toBe(reference(text))
})

test('a number in [0, 1) is that of the digest', () => {
  expect(unitInterval('a')).toBe(Number.parseInt(reference('a'), 36) / 2 ** 53)
})
