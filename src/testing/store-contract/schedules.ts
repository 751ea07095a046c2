/** Cases about schedules. */
import type { Store } from '../../runtime/journal/store.ts'
import type { ScheduleRow, ScheduleStorage } from '../../runtime/journal/schedule-storage.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { awkward } from './entries.ts'
import { plans } from './plan.ts'

function schedulesOf({ schedules }: Store): ScheduleStorage {
  expectThat(schedules !== undefined, 'the store to have schedules')
  return schedules
}

const row = (key: string, more: Partial<ScheduleRow> = {}): ScheduleRow => ({
  key,
  revision: `${key} 1`,
  agent: 'a',
  value: { plan: { type: 'at', at: 1 }, state: { status: 'waiting' } },
  ...more,
})

const keysIn = (rows: readonly ScheduleRow[]): string[] => rows.map(({ key }) => key)

export const schedulePlans = plans(
  'schedules',
  {
    async 'a row is kept as it was written'({ store, reopen }) {
      const schedules = schedulesOf(store)
      const rows = [
        row('z', { resourceId: awkward, wakeAt: 1.5, value: { plan: {}, state: {}, deep: [null, awkward] } }),
        row('a', { endedAt: 2.25 }),
        row(awkward, { revision: awkward, agent: awkward }),
      ]
      for (const one of rows) expectEqual(await schedules.write(one, undefined), true, 'whether it is kept')
      const again = schedulesOf(await reopen())
      expectEqual((await again.list({})).items, rows, 'the rows, in the order in which they were written')
      expectEqual((await again.list({ key: awkward })).items, rows.slice(2), 'the row of a key')
      expectEqual(
        (await again.list({ resourceId: awkward })).items,
        rows.slice(0, 1),
        'the rows of a resource',
      )
      expectEqual(keysIn((await again.list({ agent: 'a' })).items), ['z', 'a'], 'the rows of an agent')
      expectEqual((await again.list({ key: 'unknown' })).items, [], 'the rows of an unknown key')
    },

    async 'a row is replaced only by a writer that has read it'({ store }) {
      const schedules = schedulesOf(store)
      await schedules.write(row('k'), undefined)
      const next = row('k', { revision: 'k 2', wakeAt: 5 })
      expectEqual(await schedules.write(next, undefined), false, 'a write that expects no row')
      expectEqual(await schedules.write(next, 'k 0'), false, 'a write that expects another revision')
      expectEqual((await schedules.list({})).items, [row('k')], 'the row after refused writes')
      expectEqual(await schedules.write(next, 'k 1'), true, 'a write that expects the revision')
      expectEqual(await schedules.write(next, 'k 1'), true, 'the same write again')
      expectEqual((await schedules.list({})).items, [next], 'the row')
      expectEqual(await schedules.write(row('other', { revision: 'o' }), 'k 1'), false, 'a write to no row')
    },

    async 'of two writers at once one is kept'({ store }) {
      const schedules = schedulesOf(store)
      await schedules.write(row('k'), undefined)
      const writes = ['x', 'y', 'z'].map((revision) => schedules.write(row('k', { revision }), 'k 1'))
      const kept = (await Promise.all(writes)).filter(Boolean)
      expectEqual(kept.length, 1, 'the number of writes that are kept')
      const begins = ['x', 'y'].map((revision) => schedules.write(row('new', { revision }), undefined))
      expectEqual(
        (await Promise.all(begins)).filter(Boolean).length,
        1,
        'the number of first writes that are kept',
      )
    },

    async 'the rows to look at come by their time'({ store }) {
      const schedules = schedulesOf(store)
      const times = [
        ['late', 30, 'a'],
        ['early', 10.5, 'a'],
        ['other', 5, 'b'],
        ['middle', 20, awkward],
      ] as const
      for (const [key, wakeAt, agent] of times) await schedules.write(row(key, { wakeAt, agent }), undefined)
      await schedules.write(row('never'), undefined)
      const next = async (agents: readonly string[], limit: number) =>
        keysIn(await schedules.next({ agents, limit }))
      expectEqual(await next(['a', awkward], 10), ['early', 'middle', 'late'], 'the rows of two agents')
      expectEqual(await next(['a', 'b', awkward], 2), ['other', 'early'], 'the first two rows')
      expectEqual(await next([], 10), [], 'the rows of no agent')
      await schedules.write(row('early', { revision: 'early 2', wakeAt: 40 }), 'early 1')
      expectEqual(await next(['a'], 10), ['late', 'early'], 'the rows after a change')
    },

    async 'a removed row is gone, and its key is free'({ store }) {
      const schedules = schedulesOf(store)
      await schedules.write(row('k', { wakeAt: 1 }), undefined)
      expectEqual(await schedules.remove('k'), true, 'whether there was one')
      expectEqual(await schedules.remove('k'), false, 'whether there was one the second time')
      expectEqual((await schedules.list({})).items, [], 'the rows')
      expectEqual(await schedules.next({ agents: ['a'], limit: 1 }), [], 'the rows to look at')
      expectEqual(
        await schedules.write(row('k', { revision: 'k 2' }), 'k 1'),
        false,
        'a write that has read it',
      )
      expectEqual(await schedules.write(row('k', { revision: 'k 3' }), undefined), true, 'a first write')
    },

    async 'a page goes on behind the one before'({ store }) {
      const schedules = schedulesOf(store)
      for (const key of ['c', 'a', 'b', 'd']) await schedules.write(row(key), undefined)
      const first = await schedules.list({ limit: 2 })
      await schedules.remove('b')
      const second = await schedules.list({
        limit: 2,
        ...(first.next === undefined ? {} : { before: first.next }),
      })
      expectEqual(
        [...keysIn(first.items), ...keysIn(second.items)],
        ['c', 'a', 'd'],
        'the keys of both pages',
      )
      expectThat(second.next === undefined, 'the list to end')
      expectEqual(
        keysIn((await schedules.list({ order: 'newest', limit: 2 })).items),
        ['d', 'a'],
        'the newest',
      )
    },

    async 'a retention finds those that ended first'({ store }) {
      const schedules = schedulesOf(store)
      for (const [key, endedAt] of [
        ['third', 30],
        ['first', 10],
        ['second', 20],
      ] as const)
        await schedules.write(row(key, { endedAt }), undefined)
      await schedules.write(row('goesOn', { wakeAt: 1 }), undefined)
      expectEqual(await schedules.ended({ before: 20 }), ['first'], 'those that ended before a time')
      expectEqual(await schedules.ended({ keep: 1 }), ['first', 'second'], 'those beyond the newest')
      expectEqual(await schedules.ended({ before: 40, limit: 2 }), ['first', 'second'], 'the first two')
    },
  },
  'schedules',
)
