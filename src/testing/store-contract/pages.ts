/** Cases about lists of runs: their pages, and their filters by resource and thread. */
import type { Page, RunFilter } from '../../runtime/journal/run-index.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, settled, started } from './entries.ts'
import { expectFields, expectRejects } from './expectations.ts'
import { plans, type Opened } from './plan.ts'
import { released } from '../../runtime/journal/store.ts'

/** The items of a list, page by page. */
export async function pagesOf<Item, Shown>(
  list: (page: { readonly before?: string }) => Promise<Page<Item>>,
  show: (item: Item) => Shown,
): Promise<Shown[][]> {
  const pages: Shown[][] = []
  let before: string | undefined
  do {
    const { items, next }: Page<Item> = await list(before === undefined ? {} : { before })
    pages.push(items.map(show))
    before = next
  } while (before !== undefined)
  return pages
}

const runsOf = (store: Store, filter: RunFilter): Promise<string[][]> =>
  pagesOf(
    (page) => store.list('runs', { ...filter, ...page }),
    ({ runId }) => runId,
  )

const idsOf = ({ items }: Page<{ readonly runId: string }>): string[] => items.map(({ runId }) => runId)

async function beginAll({ begin }: Pick<Opened, 'begin'>, ids: string): Promise<void> {
  for (const runId of ids) await begin(runId)
}

async function end(store: Store, runId: string): Promise<void> {
  await store.append(appends(runId, [settled(9)]))
}

export const pagePlans = plans('pages of runs', {
  async 'they hold at most their limit, and the last one has no next'({ store, begin }) {
    await beginAll({ begin }, 'abcde')
    const pages: [RunFilter, string[][]][] = [
      [{ limit: 2 }, [['a', 'b'], ['c', 'd'], ['e']]],
      [{ limit: 2, order: 'newest' }, [['e', 'd'], ['c', 'b'], ['a']]],
      [{ limit: 5 }, [['a', 'b', 'c', 'd', 'e']]],
      [{ order: 'newest' }, [['e', 'd', 'c', 'b', 'a']]],
    ]
    for (const [filter, expected] of pages) {
      expectEqual(await runsOf(store, filter), expected, `the pages for ${JSON.stringify(filter)}`)
    }
  },

  async 'runs that begin or are deleted meanwhile neither repeat nor hide others'({ store, begin }) {
    await beginAll({ begin }, 'abcd')
    const newest = await store.list('runs', { limit: 2, order: 'newest' })
    const oldest = await store.list('runs', { limit: 2 })
    for (const runId of ['b', 'd']) {
      await end(store, runId)
      expectEqual(await store.delete(runId), 'deleted', `the deletion of the run "${runId}"`)
    }
    await begin('e')
    expectEqual(idsOf(newest), ['d', 'c'], 'the first page of the newest')
    const older = await store.list('runs', { limit: 9, order: 'newest', before: newest.next ?? '' })
    expectEqual(idsOf(older), ['a'], 'the second page of the newest')
    expectEqual(idsOf(oldest), ['a', 'b'], 'the first page of the oldest')
    const younger = await store.list('runs', { limit: 9, before: oldest.next ?? '' })
    expectEqual(idsOf(younger), ['c', 'e'], 'the second page of the oldest')
  },

  async 'a cursor outlives the store, and the run that it stands for'({ store, reopen, begin }) {
    await beginAll({ begin }, 'ab')
    const { next = '' } = await store.list('runs', { limit: 1 })
    for (const runId of ['a', 'b']) {
      await end(store, runId)
      await store.delete(runId)
    }
    await begin('c')
    const again = await reopen()
    await again.append(appends('d', [started('d')]))
    expectEqual(
      idsOf(await again.list('runs', { before: next })),
      ['c', 'd'],
      'the page after the deleted runs',
    )
  },

  async 'a text that is no cursor is refused'({ store }) {
    await expectRejects('INVALID_CONFIGURATION', store.list('runs', { before: 'a' }), 'a list of runs')
    await expectRejects(
      'INVALID_CONFIGURATION',
      store.list('questions', { before: '' }),
      'a list of questions',
    )
  },

  async 'they are filtered by resource and thread, also one of their own, and together with all else'({
    store,
    begin,
  }) {
    const passivated = await begin('a', 0, { resourceId: 'ann', threadId: 't', conversationId: 'x' })
    await begin('b', 0, { resourceId: 'ann', remembers: true })
    await begin('c', 0, { resourceId: 'bob', threadId: 't', agent: 'lead' })
    await begin('d', 0, { resourceId: 'ann', threadId: 't' })
    await end(store, 'd')
    await store.renew([released(passivated, {})])
    const listed: [RunFilter, string[]][] = [
      [{ resourceId: 'ann' }, ['a', 'b', 'd']],
      [{ threadId: 't' }, ['a', 'c', 'd']],
      [{ threadId: 'b/scout' }, ['b']],
      [{ threadId: 't', resourceId: 'ann', limit: 1 }, ['a', 'd']],
      [{ threadId: 't', status: 'unfinished' }, ['a', 'c']],
      [{ threadId: 't', status: 'unfinished', agent: 'lead' }, ['c']],
      [{ resourceId: 'ann', conversationId: 'x', status: 'suspended' }, ['a']],
      [{ agent: 'scout', status: 'unfinished', order: 'newest' }, ['b', 'a']],
      [{ resourceId: '' }, []],
    ]
    for (const [filter, expected] of listed) {
      const found = (await runsOf(store, filter)).flat()
      expectEqual(found, expected, `the runs for ${JSON.stringify(filter)}`)
    }
    const { items } = await store.list('runs', { threadId: 'b/scout' })
    expectFields(items[0], { threadId: 'b/scout', resourceId: 'ann' }, 'the summary')
  },
})
