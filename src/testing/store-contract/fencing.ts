/** Cases about fencing: only the newest lease of a run may append to it. */
import { expectEqual } from '../contract/check.ts'
import { appends, fired, started } from './entries.ts'
import { plans } from './plan.ts'

export const fencingPlans = plans('fencing', {
  async 'a run that begins twice is lost to the second, and its journal stays'({ store, begin }) {
    await begin('a', 1)
    const report = await store.append(appends('a', [started('a', 9), fired(10)]))
    expectEqual(report, { lost: ['a'] }, 'the report')
    expectEqual(await store.read('a'), [started('a', 1)], 'the journal')
  },

  async 'what a former owner appends is not kept, and what others append with it is'({ store, begin }) {
    const old = await begin('a')
    await begin('b')
    const newest = await store.claim('a', 'other', 1_000, 2_000)
    expectEqual(newest, { runId: 'a', owner: 'other', token: 2, expiresAt: 2_000 }, 'the claim')
    const report = await store.append([
      ...appends('a', [fired(1)], old),
      ...appends('b', [fired(2)]),
      ...appends('a', [fired(3)], old),
      ...appends('c', [started('c', 4)]),
    ])
    expectEqual(report, { lost: ['a'] }, 'the report')
    expectEqual(await store.read('a'), [started('a')], 'the journal of the lost run')
    expectEqual(await store.read('b'), [started('b'), fired(2)], 'the journal of another run')
    expectEqual(await store.read('c'), [started('c', 4)], 'the journal of a run that begins')
    const next = await store.append(appends('a', [fired(5)], newest))
    expectEqual(next, undefined, 'the report of the new owner')
    expectEqual(await store.read('a', 1), [fired(5)], 'what the new owner has appended')
    expectEqual(
      (await store.list('runs', {})).items.map(({ runId, entries, updatedAt }) => [
        runId,
        entries,
        updatedAt,
      ]),
      [
        ['a', 2, 5],
        ['b', 2, 2],
        ['c', 1, 4],
      ],
      'run, entries and updatedAt in the list',
    )
  },

  async 'a run that is appended to under two leases at once is lost, whichever comes first'({
    store,
    begin,
  }) {
    for (const runId of ['a', 'b']) {
      const old = await begin(runId)
      const newest = await store.claim(runId, 'other', 1_000, 2_000)
      const both = [...appends(runId, [fired(1)], old), ...appends(runId, [fired(2)], newest)]
      const report = await store.append(runId === 'a' ? both : both.toReversed())
      expectEqual(report, { lost: [runId] }, 'the report')
      expectEqual((await store.read(runId))?.length, 1, 'the number of entries')
    }
  },

  async 'entries of a run that never began are lost'({ store }) {
    const lost = { lost: ['ghost'] }
    expectEqual(await store.append(appends('ghost', [fired(1)])), lost, 'the report')
    const late = await store.append(appends('ghost', [fired(1), started('ghost')]))
    expectEqual(late, lost, 'the report of a run that begins with its second entry')
    expectEqual(await store.read('ghost'), undefined, 'the journal')
    expectEqual((await store.list('runs', {})).items, [], 'the list')
  },

  async 'no appends are none'({ store }) {
    expectEqual(await store.append([]), undefined, 'the report')
    expectEqual((await store.list('runs', {})).items, [], 'the list')
  },
})
