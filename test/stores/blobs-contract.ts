/** What the blobs of every store must do. */
import { describe, expect, test } from 'vitest'
import type { Store } from 'troupe'
import { sha256 } from '../../src/actors/values/sha256.ts'

type Opened = { readonly store: Store; readonly reopen?: () => Promise<Store> }

export function blobsContract(open: () => Opened): void {
  describe('blobs', () => {
    const opened = (): Opened & { readonly blobs: NonNullable<Store['blobs']> } => {
      const { store, ...more } = open()
      if (store.blobs === undefined) throw new Error('This store has no blobs.')
      return { store, ...more, blobs: store.blobs }
    }

    test('bytes come back as they were put, also from a store that is opened later', async () => {
      const { store, blobs, reopen = async () => store } = opened()
      const all = Array.from({ length: 256 }, (_, byte) => byte)
      for (const bytes of [Uint8Array.from(all), new Uint8Array(0), new Uint8Array(3_000_000).fill(7)]) {
        await blobs.put(sha256(bytes), bytes)
        expect(await blobs.get(sha256(bytes))).toEqual(bytes)
      }
      const again = await reopen()
      expect(await again.blobs?.get(sha256(Uint8Array.from(all)))).toEqual(Uint8Array.from(all))
    })

    test('there is none that was not put', async () => {
      expect(await opened().blobs.get('0'.repeat(64))).toBeUndefined()
    })

    test('a repeated put changes nothing', async () => {
      const { blobs } = opened()
      const bytes = Uint8Array.of(1, 2, 3)
      const ref = sha256(bytes)
      await Promise.all([blobs.put(ref, bytes), blobs.put(ref, bytes)])
      await blobs.put(ref, bytes)
      expect(await blobs.get(ref)).toEqual(bytes)
    })

    test('later changes of the bytes, put or got, change nothing in the store', async () => {
      const { blobs } = opened()
      const bytes = Uint8Array.of(1, 2, 3)
      const ref = sha256(bytes)
      await blobs.put(ref, bytes)
      bytes[0] = 9
      const got = await blobs.get(ref)
      got?.fill(8)
      expect(await blobs.get(ref)).toEqual(Uint8Array.of(1, 2, 3))
    })

    test('a part of a larger buffer is put alone', async () => {
      const { blobs } = opened()
      const part = Uint8Array.of(9, 1, 2, 9).subarray(1, 3)
      await blobs.put(sha256(part), part)
      expect(await blobs.get(sha256(part))).toEqual(Uint8Array.of(1, 2))
    })
  })
}
