/** Cases about blobs: the bytes of files. */
import { sha256 } from '../../actors/values/sha256.ts'
import type { BlobStorage } from '../../runtime/files/blob-storage.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { expectBytes } from './expectations.ts'
import { plans } from './plan.ts'

function blobsOf({ blobs }: Store): BlobStorage {
  expectThat(blobs !== undefined, 'the store to have blobs')
  return blobs
}

export const blobPlans = plans(
  'blobs',
  {
    async 'bytes come back as they were put, also from a store that is opened later'({ store, reopen }) {
      const blobs = blobsOf(store)
      const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      for (const bytes of [all, new Uint8Array(0), new Uint8Array(3_000_000).fill(7)]) {
        await blobs.put(sha256(bytes), bytes)
        expectBytes(await blobs.get(sha256(bytes)), bytes, `${bytes.length} bytes`)
      }
      const again = blobsOf(await reopen())
      expectBytes(await again.get(sha256(all)), all, 'the bytes')
    },

    async 'there is none that was not put'({ store }) {
      expectEqual(await blobsOf(store).get('0'.repeat(64)), undefined, 'an unknown blob')
    },

    async 'a repeated put changes nothing'({ store }) {
      const blobs = blobsOf(store)
      const bytes = Uint8Array.of(1, 2, 3)
      const ref = sha256(bytes)
      await Promise.all([blobs.put(ref, bytes), blobs.put(ref, bytes)])
      await blobs.put(ref, bytes)
      expectBytes(await blobs.get(ref), bytes, 'the bytes')
    },

    async 'later changes of the bytes, put or got, change nothing in the store'({ store }) {
      const blobs = blobsOf(store)
      const bytes = Uint8Array.of(1, 2, 3)
      const ref = sha256(bytes)
      await blobs.put(ref, bytes)
      bytes[0] = 9
      const got = await blobs.get(ref)
      got?.fill(8)
      expectBytes(await blobs.get(ref), Uint8Array.of(1, 2, 3), 'the bytes')
    },

    async 'a part of a larger buffer is put alone'({ store }) {
      const blobs = blobsOf(store)
      const part = Uint8Array.of(9, 1, 2, 9).subarray(1, 3)
      await blobs.put(sha256(part), part)
      expectBytes(await blobs.get(sha256(part)), Uint8Array.of(1, 2), 'the bytes')
    },
  },
  'blobs',
)
