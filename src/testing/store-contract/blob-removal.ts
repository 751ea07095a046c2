/** Cases about the files of what is deleted. */
import { sha256 } from '../../actors/values/sha256.ts'
import type { BlobStorage } from '../../runtime/files/blob-storage.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, settled, started } from './entries.ts'
import { memoryOf, plans } from './plan.ts'

const bytes = Uint8Array.of(1, 2, 3)
const ref = sha256(bytes)
const picture = { type: 'file', mediaType: 'image/png', ref } as const

export function blobsOf({ blobs }: Store): Required<BlobStorage> {
  expectThat(blobs !== undefined, 'the store to have blobs')
  expectThat(blobs.release !== undefined, 'the blobs to have release()')
  return blobs as Required<BlobStorage>
}

/** A whole run that names the picture. */
function naming(runId: string): readonly JournalEntry[] {
  return [started(runId, 0, { content: [picture] }), settled(1)]
}

async function expectBlob(store: Store, isThere: boolean, when: string): Promise<void> {
  const found = await blobsOf(store).get(ref)
  expectThat((found !== undefined) === isThere, `the blob ${isThere ? 'to be there' : 'to be gone'} ${when}`)
}

export const blobRemovalPlans = plans(
  'the files of what is deleted',
  {
    async 'a blob goes with the last run that names it'({ store, reopen }) {
      await blobsOf(store).put(ref, bytes, { runId: 'a' })
      await store.append([...appends('a', naming('a')), ...appends('b', naming('b'))])
      await store.delete('a')
      const again = await reopen()
      await expectBlob(again, true, 'while another run names it')
      await again.delete('b')
      await expectBlob(again, false, 'after the last run')
      await blobsOf(again).put(ref, bytes, { runId: 'c' })
      await expectBlob(again, true, 'after another put')
    },

    async 'a blob that a run has put and not named yet outlives the deletion of others'({ store, begin }) {
      await blobsOf(store).put(ref, bytes, { runId: 'a' })
      await store.append(appends('a', naming('a')))
      await begin('b')
      await blobsOf(store).put(ref, bytes, { runId: 'b' })
      await store.delete('a')
      await expectBlob(store, true, 'before the entry that names it')
      await store.append(appends('b', [settled(3)]))
      await store.delete('b')
      await expectBlob(store, false, 'after the run that put it')
    },

    async 'deletions and puts at once leave each blob that is held'({ store }) {
      const ids = Array.from({ length: 20 }, (_, index) => `r${index}`)
      await Promise.all(
        ids.map(async (runId, index) => {
          await blobsOf(store).put(ref, bytes, { runId })
          await store.append(appends(runId, naming(runId)))
          await expectBlob(store, true, `for the run "${runId}"`)
          if (index > 0) await store.delete(runId)
        }),
      )
      await expectBlob(store, true, 'while one run is left')
      await store.delete('r0')
      await expectBlob(store, false, 'after the last run')
    },

    async 'an existing blob may be held for one more; of another it is said'({ store }) {
      const blobs = blobsOf(store)
      await blobs.put(ref, bytes, { runId: 'a' })
      const unknown = '0'.repeat(64)
      expectEqual(await blobs.put(ref, undefined, { runId: 'b' }), true, 'the hold of a blob')
      expectEqual(await blobs.put(unknown, undefined, { runId: 'b' }), false, 'the hold of an unknown blob')
      expectEqual(await blobs.get(unknown), undefined, 'the unknown blob')
      await blobs.release({ runId: 'a' })
      await expectBlob(store, true, 'while the second holds it')
      await blobs.release({ runId: 'b' })
      await blobs.release({ runId: 'b' })
      await expectBlob(store, false, 'after both')
    },

    async 'bytes of a caller stay until they expire, and those that are named stay on'({ store }) {
      const blobs = blobsOf(store)
      const other = Uint8Array.of(9)
      await blobs.put(ref, bytes)
      await blobs.put(sha256(other), other)
      await store.append(appends('a', naming('a')))
      expectEqual(
        await blobs.release({ of: 'puts', before: Date.now() - 60_000, limit: 10 }),
        0,
        'the number of blobs that expire at first',
      )
      expectEqual(
        await blobs.release({ of: 'puts', before: Date.now() + 60_000, limit: 10 }),
        1,
        'the number of blobs that expire later',
      )
      await expectBlob(store, true, 'as a run names it')
      expectEqual(await blobs.get(sha256(other)), undefined, 'the blob that is not named')
    },

    async 'bytes that are named do not hold up those that expire'({ store }) {
      const blobs = blobsOf(store)
      const named = Array.from({ length: 30 }, (_, index) => Uint8Array.of(index))
      for (const one of named) await blobs.put(sha256(one), one)
      for (const one of named) await blobs.put(sha256(one), undefined, { runId: 'a' })
      await blobs.put(ref, bytes)
      await blobs.put(sha256(Uint8Array.of(99)), Uint8Array.of(99))
      const later = Date.now() + 60_000
      expectEqual(
        await blobs.release({ of: 'puts', before: later, limit: 1 }),
        1,
        'the number of blobs that expire at first',
      )
      expectEqual(
        await blobs.release({ of: 'puts', before: later, limit: 9 }),
        1,
        'the number of blobs that expire then',
      )
      expectEqual(
        await blobs.release({ of: 'puts', before: later, limit: 9 }),
        0,
        'the number of blobs that expire last',
      )
      for (const one of named) {
        expectThat((await blobs.get(sha256(one))) !== undefined, 'each blob that is named to be there')
      }
    },

    async 'files of a run and of a thread that never began are removed, after a while'({ store, reopen }) {
      await blobsOf(store).put(ref, bytes, { runId: 'a', isStored: true })
      await blobsOf(store).put(ref, bytes, { threadId: 't' })
      await blobsOf(store).put(ref, undefined, { runId: 'fork', isStored: true })
      const blobs = blobsOf(await reopen())
      expectEqual(
        await blobs.release({ of: 'holders', before: Date.now() - 60_000, limit: 10 }),
        0,
        'the holders that expire at first',
      )
      const later = Date.now() + 60_000
      expectEqual(
        await blobs.release({ of: 'holders', before: later, limit: 2 }),
        2,
        'the holders that expire then',
      )
      expectThat((await blobs.get(ref)) !== undefined, 'the blob to be there while one holds it')
      expectEqual(
        await blobs.release({ of: 'holders', before: later, limit: 2 }),
        1,
        'the holders that expire after them',
      )
      expectEqual(await blobs.get(ref), undefined, 'the blob after the last')
      expectEqual(
        await blobs.release({ of: 'holders', before: later, limit: 2 }),
        0,
        'the holders that expire last',
      )
    },

    async 'files that a run stores after it was deleted are removed, after a while'({ store }) {
      const blobs = blobsOf(store)
      await store.append(appends('a', naming('a')))
      await store.delete('a')
      await blobs.put(ref, bytes, { runId: 'a', isStored: true })
      expectEqual(
        await blobs.release({ of: 'holders', before: Date.now() + 60_000, limit: 10 }),
        1,
        'the holders that expire',
      )
      expectEqual(await blobs.get(ref), undefined, 'the blob')
    },

    async 'the end of a hold before its run begins is no hold to expire'({ store }) {
      const blobs = blobsOf(store)
      await blobs.put(ref, bytes, { runId: 'a', isStored: true })
      await blobs.release({ runId: 'a' })
      expectEqual(
        await blobs.release({ of: 'holders', before: Date.now() + 60_000, limit: 10 }),
        0,
        'the holders that expire',
      )
      expectEqual(await blobs.get(ref), undefined, 'the blob')
    },

    async 'bytes that a caller has just put outlive the run that named them'({ store }) {
      await blobsOf(store).put(ref, bytes)
      await store.append(appends('a', naming('a')))
      await store.delete('a')
      await expectBlob(store, true, 'as its caller may name it again')
      expectEqual(
        await blobsOf(store).release({ of: 'puts', before: Date.now() + 60_000, limit: 10 }),
        1,
        'the number of blobs that expire',
      )
    },
  },
  'blobRemoval',
)

export const threadBlobPlans = plans(
  'the files of what is deleted',
  {
    async 'a blob stays while a thread names it, and goes with the thread'({ store }) {
      await blobsOf(store).put(ref, bytes, { runId: 'a' })
      await store.append(appends('a', naming('a')))
      await memoryOf(store).save('t', [{ id: '1', role: 'user', content: [picture], at: 1 }])
      await store.delete('a')
      await expectBlob(store, true, 'while a thread names it')
      await memoryOf(store).remove({ threadId: 't' })
      await expectBlob(store, false, 'after the thread')
    },

    async 'a run that recalls a thread holds the files of its messages'({ store, begin }) {
      await blobsOf(store).put(ref, bytes, { threadId: 't' })
      await memoryOf(store).save('t', [{ id: '1', role: 'user', content: [picture], at: 1 }])
      await begin('a')
      expectEqual((await memoryOf(store).messages('t', { runId: 'a' })).length, 1, 'the number of messages')
      await memoryOf(store).remove({ threadId: 't' })
      await expectBlob(store, true, 'while a run has recalled it')
      await store.append(appends('a', [settled(1)]))
      await store.delete('a')
      await expectBlob(store, false, 'after that run')
    },

    async 'files of runs and threads that began, and of runs that are kept elsewhere, stay'({ store }) {
      const blobs = blobsOf(store)
      const [ofThread, ofOther, late] = [Uint8Array.of(7), Uint8Array.of(8), Uint8Array.of(9)]
      await blobs.put(ref, bytes, { runId: 'a', isStored: true })
      await store.append(appends('a', naming('a')))
      await blobs.put(sha256(late), late, { runId: 'a', isStored: true })
      await blobs.put(sha256(ofThread), ofThread, { threadId: 't' })
      const picture = { type: 'file', mediaType: 'image/png', ref: sha256(ofThread) } as const
      await memoryOf(store).save('t', [{ id: '1', role: 'user', content: [picture], at: 1 }])
      await blobs.put(sha256(ofOther), ofOther, { runId: 'elsewhere' })
      await blobs.release({ of: 'holders', before: Date.now() + 60_000, limit: 10 })
      for (const one of [bytes, ofThread, ofOther, late]) {
        expectEqual(await blobs.get(sha256(one)), one, 'the blob')
      }
    },
  },
  'blobRemoval',
  'memory',
)
