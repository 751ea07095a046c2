/** Our SHA-256, the one that waits and the one at once give that of the platform. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ownSha256, sha256, sha256Later } from '../../../src/actors/values/sha256.ts'

function ofNode(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe.each([
  ['of its own', ownSha256],
  ['of the platform where there is one', sha256],
])('sha256 %s', (_, sha256) => {
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

test('a digest that waits lets other work go on beside that of large bytes', async () => {
  const bytes = new Uint8Array(2 ** 22).fill(7)
  const order: string[] = []
  const digested = sha256Later(bytes).then((digest) => order.push(digest))
  setImmediate(() => order.push('other work'))
  await digested
  expect(order).toEqual(['other work', ofNode(bytes)])
  expect(await sha256Later(bytes.slice(0, 10))).toBe(ofNode(bytes.subarray(0, 10)))
})

test.each([
  ['without Node', { getBuiltinModule: undefined }],
  ['where Node has no such module', { getBuiltinModule: () => undefined }],
])('the digest at once is our own %s', async (_, process) => {
  vi.stubGlobal('process', { ...globalThis.process, ...process })
  vi.resetModules()
  const fresh = await import('../../../src/actors/values/sha256.ts')
  const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index & 255)
  expect(fresh.sha256(bytes)).toBe(ofNode(bytes))
  vi.unstubAllGlobals()
})
