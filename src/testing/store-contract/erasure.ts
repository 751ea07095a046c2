/** Cases about the erasure of a resource: what names it, what is removed of it, and what a run that was deleted may not write. */
import type { MemoryStorage, ThreadMessage } from '../../runtime/journal/memory-storage.ts'
import { sha256 } from '../../actors/values/sha256.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, awkward, message, settled } from './entries.ts'
import { expectRejects } from './expectations.ts'
import { blobsOf } from './blob-removal.ts'
import { memoryOf, plans } from './plan.ts'

type Erasing = MemoryStorage &
  Required<Pick<MemoryStorage, 'removeNotes' | 'oldNotes' | 'removeMessages' | 'resources'>>

function erasingOf(store: Parameters<typeof memoryOf>[0]): Erasing {
  const memory = memoryOf(store)
  expectThat(memory.removeNotes !== undefined, 'the store to remove notes, or `lacks` to name erasure')
  return memory as Erasing
}

const of = (resourceId: string, id: string, content = 'x', at = 1): ThreadMessage => ({
  ...message(id, content, at),
  resourceId,
})

const begunBy = (runId: string) => ({ runId, isStored: true, hasBegun: true }) as const

const bytes = new TextEncoder().encode('a file')
const ref = sha256(bytes)
const naming = (id: string, resourceId: string): ThreadMessage => ({
  ...of(resourceId, id),
  content: [{ type: 'file', mediaType: 'text/plain', ref }],
})

export const erasurePlans = plans(
  'erasure',
  {
    async 'the notes about a resource are removed, and those of others stay'({ store, reopen }) {
      const memory = erasingOf(store)
      await memory.workingMemory('ann', 'hers')
      await memory.workingMemory(awkward, 'mine')
      expectEqual(await memory.removeNotes('ann'), true, 'whether it removed some')
      expectEqual(await memory.removeNotes('ann'), false, 'whether it removed some again')
      const again = erasingOf(await reopen())
      expectEqual(await again.workingMemory('ann'), undefined, 'the notes')
      expectEqual(await again.workingMemory(awkward), 'mine', 'the notes about another')
      await again.workingMemory('ann', 'anew')
      expectEqual(await again.workingMemory('ann'), 'anew', 'the notes that are written later')
    },

    async 'old notes are found by the time of their last change, and removed unless they changed since'({
      store,
    }) {
      const memory = erasingOf(store)
      const begun = Date.now()
      for (const id of ['a', 'b', 'c']) await memory.workingMemory(id, 'x')
      expectEqual(await memory.oldNotes({ before: begun - 60_000 }), [], 'the notes of a minute ago')
      expectEqual((await memory.oldNotes({ before: begun + 60_000 })).length, 3, 'the notes before a minute')
      expectEqual((await memory.oldNotes({ keep: 1 })).length, 2, 'those beyond the newest')
      expectEqual((await memory.oldNotes({ keep: 0, limit: 1 })).length, 1, 'the first of all')
      expectEqual(await memory.removeNotes('a', begun - 60_000), false, 'the removal of notes that changed')
      expectEqual(await memory.removeNotes('a', begun + 60_000), true, 'the removal of old notes')
    },

    async 'resources are listed by pages, with their threads and notes'({ store, reopen }) {
      const memory = erasingOf(store)
      await memory.save('t', [of('ann', '1')], 'ann')
      await memory.save('u', [of('ann', '1')], 'ann')
      await memory.save('shared', [of('bob', '1'), message('2', 'x', 1)])
      await memory.workingMemory('cid', 'x')
      await memory.workingMemory(awkward, 'x')
      const again = erasingOf(await reopen())
      const all = (await again.resources({})).items
      const seen = all.map(({ resourceId, threads, notedAt }) => [resourceId, threads, notedAt !== undefined])
      const expected = [
        ['ann', 2, false],
        ['bob', 0, false],
        ['cid', 0, true],
        [awkward, 0, true],
      ]
      const sorted = (rows: readonly unknown[]): readonly string[] =>
        rows.map((row) => JSON.stringify(row)).toSorted()
      expectEqual(sorted(seen), sorted(expected), 'the resources')
      const paged: string[] = []
      let before: string | undefined
      do {
        const page = await again.resources({ limit: 1, ...(before === undefined ? {} : { before }) })
        expectThat(page.items.length <= 1, 'a page to have at most `limit` items')
        paged.push(...page.items.map(({ resourceId }) => resourceId))
        before = page.next
      } while (before !== undefined)
      expectEqual(
        paged,
        all.map(({ resourceId }) => resourceId),
        'the resources by pages',
      )
    },

    async 'threads of others with messages of a resource are found, and lose these messages alone'({
      store,
      reopen,
    }) {
      const memory = erasingOf(store)
      await memory.save('own', [of('ann', '1')], 'ann')
      await memory.save('shared', [
        of('bob', '1', 'b1'),
        of('ann', '2', 'a1'),
        message('3', 'n1', 3),
        of('ann', '4', 'a2'),
        of('bob', '5', 'b2'),
      ])
      await memory.save('hers', [of('ann', '1')])
      const found = (await memory.threads({ messagesOf: 'ann' })).map(({ id }) => id)
      expectEqual(found, ['shared', 'hers'], 'the threads')
      expectEqual(await memory.removeMessages('shared', 'ann'), 2, 'the number of messages')
      expectEqual(await memory.removeMessages('shared', 'ann'), 0, 'the number that is left')
      expectEqual(await memory.removeMessages('hers', 'ann'), 1, 'the number of messages of the whole thread')
      expectEqual(await memory.removeMessages('unknown', 'ann'), 0, 'the number in an unknown thread')
      const again = erasingOf(await reopen())
      const left = [of('bob', '1', 'b1'), message('3', 'n1', 3), of('bob', '5', 'b2')]
      expectEqual(await again.messages('shared', {}), left, 'the messages that stay')
      expectEqual(await again.messages('shared', { last: 2 }), left.slice(1), 'the last two of them')
      expectEqual(await again.threads({ threadId: 'hers' }), [], 'the thread that had no other messages')
      expectEqual(await again.threads({ messagesOf: 'ann' }), [], 'the threads that are left')
      await again.save('shared', [of('cid', '6'), of('bob', '5', 'b3')])
      expectEqual(
        await again.messages('shared', {}),
        [...left.slice(0, 2), of('bob', '5', 'b3'), of('cid', '6')],
        'the messages that are saved later',
      )
    },

    async 'a run that was deleted recalls, saves and notes nothing'({ store, reopen, begin }) {
      const memory = erasingOf(store)
      await begin('a')
      const by = begunBy('a')
      await memory.save('t', [of('ann', '1')], 'ann', by)
      await memory.workingMemory('ann', 'noted', by)
      expectEqual(await memory.messages('t', { ...by, resourceId: 'ann' }), [of('ann', '1')], 'the messages')
      await store.append(appends('a', [settled(1)]))
      await store.delete('a')
      await memory.remove({ threadId: 't' })
      await memory.removeNotes('ann')
      const gone = 'RUN_NOT_FOUND'
      await expectRejects(gone, memory.save('t', [of('ann', '2')], 'ann', by), 'a save')
      await expectRejects(gone, memory.workingMemory('ann', 'late', by), 'a note')
      await expectRejects(gone, memory.messages('new', { ...by, resourceId: 'ann' }), 'a recall')
      const again = erasingOf(await reopen())
      expectEqual(await again.threads({}), [], 'the threads')
      expectEqual(await again.workingMemory('ann'), undefined, 'the notes')
      // The claim of that recall would keep the thread from others.
      await again.save('new', [of('bob', '1')], 'bob')
    },
  },
  'memory',
  'erasure',
)

export const erasedBlobPlans = plans(
  'erasure of files',
  {
    async 'a run that was deleted stores no file'({ store, reopen, begin }) {
      await begin('a')
      expectEqual(await blobsOf(store).put(ref, bytes, begunBy('a')), true, 'the put of a run that is there')
      await store.append(appends('a', [settled(1)]))
      await store.delete('a')
      expectEqual(await blobsOf(store).get(ref), undefined, 'the file of the deleted run')
      expectEqual(await blobsOf(store).put(ref, bytes, begunBy('a')), false, 'the put of a deleted run')
      expectEqual(await blobsOf(store).put(ref, undefined, begunBy('a')), false, 'the hold of a deleted run')
      expectEqual(await blobsOf(await reopen()).get(ref), undefined, 'the file')
    },

    async 'bytes that a caller has put of late go at once with the run that names them, where that is asked'({
      store,
      begin,
    }) {
      for (const runId of ['a', 'b']) {
        await blobsOf(store).put(ref, bytes)
        await begin(runId)
        await blobsOf(store).put(ref, undefined, begunBy(runId))
        await store.append(appends(runId, [settled(1)]))
      }
      await store.delete('a', true)
      expectThat((await blobsOf(store).get(ref)) !== undefined, 'the file that another run names to be there')
      await store.delete('b', true)
      expectEqual(await blobsOf(store).get(ref), undefined, 'the file that nothing names')
    },
  },
  'blobs',
  'blobRemoval',
  'erasure',
)

export const erasedFilePlans = plans(
  'erasure of messages with files',
  {
    async 'the files of messages go with them, but for those that something else names'({ store }) {
      const memory = erasingOf(store)
      await blobsOf(store).put(ref, bytes)
      await memory.save('t', [naming('1', 'ann'), naming('2', 'bob')])
      await memory.removeMessages('t', 'ann')
      expectThat((await blobsOf(store).get(ref)) !== undefined, 'the file that another message names')
      await memory.removeMessages('t', 'bob')
      expectEqual(await blobsOf(store).get(ref), undefined, 'the file that no message names')
      await blobsOf(store).put(ref, bytes)
      await memory.save('u', [naming('1', 'ann')], 'ann')
      await memory.remove({ threadId: 'u', atOnce: true })
      expectEqual(await blobsOf(store).get(ref), undefined, 'the file of a thread that was removed at once')
    },
  },
  'memory',
  'blobs',
  'blobRemoval',
  'erasure',
)

export const originPlans = plans(
  'origins of runs',
  {
    async 'forks of a run, and the runs within its calls, are found'({ reopen, begin }) {
      await begin('outer')
      await begin('nested', 1, { nested: { runId: 'outer', key: 'k', name: 1 } })
      await begin('fork', 2, { forkedFrom: { runId: 'outer', at: 1 } })
      await begin(awkward, 3, { nested: { runId: awkward, key: 'k', name: 'x' } })
      const again = await reopen()
      const idsOf = async (filter: Parameters<typeof again.list<'runs'>>[1]) =>
        (await again.list('runs', filter)).items.map(({ runId }) => runId)
      expectEqual(await idsOf({ nestedIn: 'outer' }), ['nested'], 'the runs within calls')
      expectEqual(await idsOf({ nestedIn: awkward }), [awkward], 'the runs within calls of an awkward name')
      expectEqual(await idsOf({ forkedFrom: 'outer' }), ['fork'], 'the forks')
      expectEqual(await idsOf({ forkedFrom: 'nested' }), [], 'the forks of another')
      const [nested] = (await again.list('runs', { runId: 'nested' })).items
      expectEqual(nested?.nestedIn, 'outer', 'the run of the call in the summary')
    },
  },
  'erasure',
)
