/** What a store deletes, what stays, and what a retention chooses. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JournalEntry, Lease, Store } from 'troupe'
import { sha256 } from '../../src/actors/values/sha256.ts'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, fired, message, settled, started } from '../support/journal-entries.ts'
import { question } from './index-contract.ts'

type Opened = { readonly store: Store; readonly reopen?: () => Promise<Store> }

export function deletionContract(open: () => Opened): void {
  let store: Store
  let reopen: () => Promise<Store>

  beforeEach(() => {
    const opened = open()
    store = opened.store
    reopen = opened.reopen ?? (async () => store)
  })

  const begin = async (runId: string, more: Parameters<typeof started>[2] = {}): Promise<Lease> => {
    const lease = firstLease(runId, 'me', 1_000)
    await store.append(appends(runId, [started(runId, 0, more)], lease))
    return lease
  }
  const ended = async (runId: string, at = 1, more: Parameters<typeof started>[2] = {}) => {
    await begin(runId, more)
    await store.append(appends(runId, [settled(at)]))
  }
  const blobsOf = (of: Store): Required<NonNullable<Store['blobs']>> => {
    const { put, get, hold, release, expire } = of.blobs ?? {}
    if (!put || !get || !hold || !release || !expire) throw new Error('This store removes no blobs.')
    return { put, get, hold, release, expire }
  }
  const bytes = Uint8Array.of(1, 2, 3)
  const ref = sha256(bytes)
  const naming = (...refs: readonly string[]): JournalEntry => ({
    ...started('', 0),
    type: 'run.started',
    content: refs.map((one) => ({ type: 'file', mediaType: 'image/png', ref: one })),
  })
  const isThere = async (of = store, one = ref) => (await blobsOf(of).get(one)) !== undefined

  describe('delete', () => {
    test('a run that has ended is gone with all that is stored of it', async () => {
      const lease = await begin('a', { conversationId: 'x' })
      await begin('b')
      await store.append([{ runId: 'a', lease, questions: { opened: [question('a', '1')], closed: [] } }])
      await store.enqueueSignal('a', { type: 'cancel' })
      await store.append(appends('a', [fired(1), settled(2)], lease))
      expect(await store.delete('a')).toBe('deleted')
      const again = await reopen()
      expect(await again.read('a')).toBeUndefined()
      expect((await again.list()).items).toMatchObject([{ runId: 'b' }])
      expect((await again.awaiting()).items).toEqual([])
      expect(await again.queuedSignals(['a'])).toEqual([])
      expect(await again.claim('a', 'other', 5_000, 6_000)).toBeUndefined()
      expect(await again.renew([lease], 9_000)).toEqual(['a'])
      expect(await again.enqueueSignal('a', { type: 'cancel' })).toBe('outdated')
      expect(await again.delete('a')).toBe('unknown')
    })

    test('an unfinished run stays, whoever holds it', async () => {
      const lease = await begin('a')
      expect(await store.delete('a')).toBe('unfinished')
      await store.release([{ ...lease, passivated: {} }])
      expect(await store.delete('a')).toBe('unfinished')
      expect(await store.read('a')).toHaveLength(1)
      expect(await store.delete('ghost')).toBe('unknown')
    })

    test('a late outcome of a deleted run is lost, and its id is free', async () => {
      await ended('a')
      await store.delete('a')
      expect(await store.append(appends('a', [fired(3)]))).toEqual({ lost: ['a'] })
      expect(await store.append(appends('a', [started('a', 4)]))).toBeUndefined()
      expect(await store.read('a')).toEqual([started('a', 4)])
    })

    test('its fork and its threads stay', async () => {
      await ended('a')
      await ended('b', 1, { forkedFrom: { runId: 'a', at: 1 } })
      await store.memory.save('a/scout', [message('1', 'one', 1)])
      await store.delete('a')
      expect(await store.read('b')).toHaveLength(2)
      expect(await store.memory.messages('a/scout')).toHaveLength(1)
    })
  })

  describe('the files of what is deleted', () => {
    test('a blob goes with the last run that names it', async () => {
      const { put } = blobsOf(store)
      await put(ref, bytes, { runId: 'a' })
      await store.append(appends('a', [{ ...naming(ref), runId: 'a' } as JournalEntry, settled(1)]))
      await store.append(appends('b', [{ ...naming(ref), runId: 'b' } as JournalEntry, settled(1)]))
      await store.delete('a')
      expect(await isThere(await reopen())).toBe(true)
      const again = await reopen()
      await again.delete('b')
      expect(await isThere(again)).toBe(false)
      await blobsOf(again).put(ref, bytes, { runId: 'c' })
      expect(await isThere(again)).toBe(true)
    })

    test('a blob stays while a thread names it, and goes with the thread', async () => {
      await blobsOf(store).put(ref, bytes, { runId: 'a' })
      await store.append(appends('a', [{ ...naming(ref), runId: 'a' } as JournalEntry, settled(1)]))
      const content = [{ type: 'file', mediaType: 'image/png', ref } as const]
      await store.memory.save('t', [{ id: '1', role: 'user', content, at: 1 }])
      await store.delete('a')
      expect(await isThere()).toBe(true)
      await store.memory.deleteThread('t')
      expect(await isThere()).toBe(false)
    })

    test('a blob that a run has put and not named yet outlives every delete', async () => {
      await blobsOf(store).put(ref, bytes, { runId: 'a' })
      await store.append(appends('a', [{ ...naming(ref), runId: 'a' } as JournalEntry, settled(1)]))
      await begin('b')
      await blobsOf(store).put(ref, bytes, { runId: 'b' })
      await store.delete('a')
      expect(await isThere()).toBe(true)
      await store.append(appends('b', [{ ...fired(2), key: `"ref":"${ref}"` } as JournalEntry, settled(3)]))
      await store.delete('b')
      expect(await isThere()).toBe(false)
    })

    test('deletes and puts at once leave each named blob', async () => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const runId = `r${index}`
          await blobsOf(store).put(ref, bytes, { runId })
          await store.append(appends(runId, [{ ...naming(ref), runId } as JournalEntry, settled(1)]))
          expect(await isThere()).toBe(true)
          if (index > 0) await store.delete(runId)
        }),
      )
      expect(await isThere()).toBe(true)
      await store.delete('r0')
      expect(await isThere()).toBe(false)
    })

    test('a run that recalls a thread holds the files of its messages', async () => {
      await blobsOf(store).put(ref, bytes, { threadId: 't' })
      const content = [{ type: 'file', mediaType: 'image/png', ref } as const]
      await store.memory.save('t', [{ id: '1', role: 'user', content, at: 1 }])
      await begin('a')
      expect(await store.memory.recall('t', { runId: 'a' })).toHaveLength(1)
      await store.memory.deleteThread('t')
      expect(await isThere()).toBe(true)
      await store.append(appends('a', [settled(1)]))
      await store.delete('a')
      expect(await isThere()).toBe(false)
    })

    test('existing blobs may be held for one more; the others are named', async () => {
      const { put, hold, release } = blobsOf(store)
      await put(ref, bytes, { runId: 'a' })
      expect(await hold([ref, '0'.repeat(64)], { runId: 'b' })).toEqual(['0'.repeat(64)])
      await release({ runId: 'a' })
      expect(await isThere()).toBe(true)
      await release({ runId: 'b' })
      await release({ runId: 'b' })
      expect(await isThere()).toBe(false)
    })

    test('bytes of a caller stay until they expire, and those that are named beyond that', async () => {
      const { put, expire } = blobsOf(store)
      const named = Uint8Array.of(9)
      await put(ref, bytes)
      await put(sha256(named), named)
      await store.append(appends('a', [{ ...naming(sha256(named)), runId: 'a' } as JournalEntry, settled(1)]))
      expect(await expire(Date.now() - 60_000, 10)).toBe(0)
      expect(await isThere()).toBe(true)
      expect(await expire(Date.now() + 60_000, 10)).toBe(1)
      expect(await isThere()).toBe(false)
      expect(await isThere(store, sha256(named))).toBe(true)
    })

    test('bytes that a caller has just put outlive the run that named them', async () => {
      await blobsOf(store).put(ref, bytes)
      await store.append(appends('a', [{ ...naming(ref), runId: 'a' } as JournalEntry, settled(1)]))
      await store.delete('a')
      expect(await isThere()).toBe(true)
      expect(await blobsOf(store).expire(Date.now() + 60_000, 10)).toBe(1)
    })
  })

  describe('what a retention chooses', () => {
    test('ended runs by age and by number, the first changed first, at most as many as asked for', async () => {
      await begin('live')
      for (const [runId, at] of [
        ['a', 50],
        ['b', 10],
        ['c', 30],
        ['d', 40],
      ] as const)
        await ended(runId, at)
      const { expired } = await reopen()
      expect(await expired({ limit: 9 })).toEqual([])
      expect(await expired({ before: 40, limit: 9 })).toEqual(['b', 'c'])
      expect(await expired({ keep: 1, limit: 9 })).toEqual(['b', 'c', 'd'])
      expect(await expired({ keep: 1, limit: 2 })).toEqual(['b', 'c'])
      expect(await expired({ before: 20, keep: 2, limit: 9 })).toEqual(['b', 'c'])
      expect(await expired({ before: 50, keep: 3, limit: 9 })).toEqual(['b', 'c', 'd'])
      expect(await expired({ before: 99, limit: 2 })).toEqual(['b', 'c'])
      expect(await expired({ keep: 4, limit: 9 })).toEqual([])
    })

    test('threads alike, but for those that an unfinished run begins with', async () => {
      for (const [id, at] of [
        ['x', 30],
        ['y', 10],
        ['z', 20],
      ] as const)
        await store.memory.save(id, [message('1', 'one', at)])
      await begin('a', { threadId: 'y' })
      const { expired } = store.memory
      expect(await expired?.({ before: 99, limit: 9 })).toEqual(['z', 'x'])
      expect(await expired?.({ keep: 1, limit: 9 })).toEqual(['z'])
      await store.append(appends('a', [settled(1)]))
      expect(await expired?.({ keep: 1, limit: 9 })).toEqual(['y', 'z'])
    })
  })
}
