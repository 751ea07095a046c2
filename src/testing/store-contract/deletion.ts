/** Cases about the deletion of runs, and about the choice of a retention. */
import type { Expiry } from '../../runtime/journal/run-index.ts'
import type { Thread } from '../../runtime/journal/memory-storage.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, fired, message, settled, started } from './entries.ts'
import { memoryOf, plans } from './plan.ts'
import { change, question } from './questions.ts'
import { released } from '../../runtime/journal/store.ts'

export const deletionPlans = plans('delete', {
  async 'a run that has ended is gone with all that is stored of it'({ store, reopen, begin }) {
    const lease = await begin('a', 0, { conversationId: 'x' })
    await begin('b')
    await store.append(change(lease, [question('a', '1')]))
    await store.enqueueSignal('a', { type: 'cancel' })
    await store.append(appends('a', [fired(1), settled(2)], lease))
    expectEqual(await store.delete('a'), 'deleted', 'the outcome')
    const again = await reopen()
    expectEqual(await again.read('a'), undefined, 'the journal')
    expectEqual(
      (await again.list('runs', {})).items.map(({ runId }) => runId),
      ['b'],
      'the list',
    )
    expectEqual((await again.list('questions', {})).items, [], 'the open questions')
    expectEqual((await again.list('signals', { runIds: ['a'] })).items, [], 'the queued signals')
    expectEqual(await again.claim('a', 'other', 5_000, 6_000), undefined, 'a claim')
    expectEqual(await again.renew([{ ...lease, expiresAt: 9_000 }]), ['a'], 'the lost leases')
    expectEqual(await again.enqueueSignal('a', { type: 'cancel' }), 'outdated', 'a signal')
    expectEqual(await again.delete('a'), 'unknown', 'the outcome of a second deletion')
  },

  async 'an unfinished run stays, whether or not an owner holds it'({ store, begin }) {
    const lease = await begin('a')
    expectEqual(await store.delete('a'), 'unfinished', 'the outcome for a run with an owner')
    await store.renew([released(lease, {})])
    expectEqual(await store.delete('a'), 'unfinished', 'the outcome for a passivated run')
    expectEqual((await store.read('a'))?.length, 1, 'the number of entries')
    expectEqual(await store.delete('ghost'), 'unknown', 'the outcome for an unknown run')
  },

  async 'a late outcome of a deleted run is lost, and its id is free'({ store, begin }) {
    await begin('a')
    await store.append(appends('a', [settled(1)]))
    await store.delete('a')
    expectEqual(await store.append(appends('a', [fired(3)])), { lost: ['a'] }, 'the report')
    expectEqual(await store.append(appends('a', [started('a', 4)])), undefined, 'the report of a new run')
    expectEqual(await store.read('a'), [started('a', 4)], 'the journal of the new run')
  },
})

export const expiryPlans = plans('retention', {
  async 'it chooses ended runs by age and by number, the first changed first'({ store, reopen, begin }) {
    await begin('live')
    const ends = { a: 50, b: 10, c: 30, d: 40 }
    for (const [runId, at] of Object.entries(ends)) {
      await begin(runId)
      await store.append(appends(runId, [settled(at)]))
    }
    const again = await reopen()
    const chosen: [Expiry, string[]][] = [
      [{ limit: 9 }, []],
      [{ before: 40, limit: 9 }, ['b', 'c']],
      [{ keep: 1, limit: 9 }, ['b', 'c', 'd']],
      [{ keep: 1, limit: 2 }, ['b', 'c']],
      [{ before: 20, keep: 2, limit: 9 }, ['b', 'c']],
      [{ before: 50, keep: 3, limit: 9 }, ['b', 'c', 'd']],
      [{ before: 99, limit: 2 }, ['b', 'c']],
      [{ keep: 4, limit: 9 }, []],
    ]
    for (const [expiry, expected] of chosen) {
      expectEqual(
        (await again.list('endedRuns', expiry)).items,
        expected,
        `the runs for ${JSON.stringify(expiry)}`,
      )
    }
  },
})

const idsOf = (threads: readonly Thread[]): string[] => threads.map(({ id }) => id)

export const threadExpiryPlans = plans(
  'retention',
  {
    async 'it chooses threads, but for those that an unfinished run begins with'({ store, begin }) {
      for (const [id, at] of Object.entries({ x: 30, y: 10, z: 20 })) {
        await memoryOf(store).save(id, [message('1', 'one', at)])
      }
      await begin('a', 0, { threadId: 'y' })
      const unused = async (expiry: Expiry) => (await store.list('unusedThreads', expiry)).items
      expectEqual(await unused({ before: 99, limit: 9 }), ['z', 'x'], 'the threads by age')
      expectEqual(await unused({ keep: 1 }), ['z'], 'the threads by number')
      await store.append(appends('a', [settled(1)]))
      expectEqual(await unused({ keep: 1, limit: 9 }), ['y', 'z'], 'the threads after the end')
    },

    async 'a thread that is in use, or was changed since, is not deleted on the condition that it is unused'({
      store,
      begin,
    }) {
      const memory = memoryOf(store)
      for (const [id, at] of Object.entries({ used: 10, changed: 30, old: 10 })) {
        await memory.save(id, [message('1', 'one', at)])
      }
      await begin('a', 0, { threadId: 'used' })
      for (const id of ['used', 'changed', 'old', 'unknown'])
        await memory.remove({ threadId: id, unusedSince: 30 })
      expectEqual(idsOf(await memory.threads({})), ['used', 'changed'], 'the threads that stay')
      await store.append(appends('a', [settled(1)]))
      await memory.remove({ threadId: 'used', unusedSince: 10 })
      expectEqual(
        idsOf(await memory.threads({})),
        ['used', 'changed'],
        'the threads after the end of the run',
      )
      await memory.remove({ threadId: 'used', unusedSince: 11 })
      expectEqual(idsOf(await memory.threads({})), ['changed'], 'the threads at last')
    },
  },
  'memory',
)

export const threadDeletionPlans = plans(
  'delete',
  {
    async 'its forks and its threads stay'({ store, begin }) {
      await begin('a')
      await begin('b', 0, { forkedFrom: { runId: 'a', at: 1 } })
      await store.append([...appends('a', [settled(1)]), ...appends('b', [settled(1)])])
      await memoryOf(store).save('a/scout', [message('1', 'one', 1)])
      await store.delete('a')
      expectEqual((await store.read('b'))?.length, 2, 'the number of entries of the fork')
      expectEqual((await memoryOf(store).messages('a/scout', {})).length, 1, 'the number of messages')
    },
  },
  'memory',
)
