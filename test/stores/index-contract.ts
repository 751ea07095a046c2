/** What the lists of every store must do: pages, filters, and the open questions of runs. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Lease, OpenQuestion, Page, QuestionChange, QuestionFilter, RunFilter, Store } from 'troupe'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, fired, settled, started } from '../support/journal-entries.ts'

type Opened = { readonly store: Store; readonly reopen?: () => Promise<Store> }

export function question(runId: string, call: string, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    runId,
    toolCallId: call,
    type: 'approval',
    agent: 'scout',
    path: 'scout',
    toolName: 'remove',
    args: { of: call },
    since: 3,
    asOf: 2,
    ...more,
  }
}

/** All items of a list, page by page. */
async function paged<Item>(list: (page: { before?: string }) => Promise<Page<Item>>): Promise<Item[][]> {
  const pages: Item[][] = []
  let before: string | undefined
  do {
    const { items, next } = await list(before === undefined ? {} : { before })
    pages.push([...items])
    before = next
  } while (before !== undefined)
  return pages
}

export function indexContract(open: () => Opened): void {
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
  const end = (runId: string) => store.append(appends(runId, [settled(9)]))
  const ask = (lease: Lease, opened: readonly OpenQuestion[], closed: QuestionChange['closed'] = []) =>
    store.append([{ runId: lease.runId, lease, questions: { opened, closed } }])
  const asked = async (filter?: QuestionFilter, of = store) =>
    (await of.awaiting(filter)).items.map(({ runId, toolCallId }) => `${runId} ${toolCallId}`)

  describe('pages of runs', () => {
    const idsOf = async (filter: RunFilter) =>
      (await paged((page) => store.list({ ...filter, ...page }))).map((items) =>
        items.map(({ runId }) => runId),
      )

    test('they hold at most their limit, and the last one has no next', async () => {
      for (const runId of ['a', 'b', 'c', 'd', 'e']) await begin(runId)
      expect(await idsOf({ limit: 2 })).toEqual([['a', 'b'], ['c', 'd'], ['e']])
      expect(await idsOf({ limit: 2, order: 'newest' })).toEqual([['e', 'd'], ['c', 'b'], ['a']])
      expect(await idsOf({ limit: 5 })).toEqual([['a', 'b', 'c', 'd', 'e']])
      expect(await idsOf({ order: 'newest' })).toEqual([['e', 'd', 'c', 'b', 'a']])
      expect(await store.list({ limit: 9 })).not.toHaveProperty('next')
    })

    test('runs that begin or are deleted meanwhile neither repeat nor hide others', async () => {
      for (const runId of ['a', 'b', 'c', 'd']) await begin(runId)
      const newest = await store.list({ limit: 2, order: 'newest' })
      const oldest = await store.list({ limit: 2 })
      await end('b')
      await end('d')
      expect(await store.delete('b')).toBe('deleted')
      expect(await store.delete('d')).toBe('deleted')
      await begin('e')
      const of = ({ items }: Page<{ readonly runId: string }>) => items.map(({ runId }) => runId)
      expect(of(newest)).toEqual(['d', 'c'])
      expect(of(await store.list({ limit: 9, order: 'newest', before: newest.next ?? '' }))).toEqual(['a'])
      expect(of(oldest)).toEqual(['a', 'b'])
      expect(of(await store.list({ limit: 9, before: oldest.next ?? '' }))).toEqual(['c', 'e'])
    })

    test('a cursor outlives the store, and the runs that it stands on', async () => {
      for (const runId of ['a', 'b']) await begin(runId)
      const all = await store.list({ limit: 1, order: 'oldest' })
      for (const runId of ['a', 'b']) {
        await end(runId)
        await store.delete(runId)
      }
      await begin('c')
      const again = await reopen()
      expect((await again.list({ before: all.next ?? '' })).items).toMatchObject([{ runId: 'c' }])
      await again.append(appends('d', [started('d')]))
      expect((await again.list({ before: all.next ?? '' })).items).toHaveLength(2)
    })

    test('a text that is no cursor is refused', async () => {
      await expect(store.list({ before: 'a' })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
      await expect(store.awaiting({ before: '' })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    })

    test('they are filtered by resource and thread, also one of their own, and together with all else', async () => {
      const passivated = await begin('a', { resourceId: 'ann', threadId: 't', conversationId: 'x' })
      await begin('b', { resourceId: 'ann', remembers: true })
      await begin('c', { resourceId: 'bob', threadId: 't', agent: 'lead' })
      await begin('d', { resourceId: 'ann', threadId: 't' })
      await end('d')
      await store.release([{ ...passivated, passivated: {} }])
      const ids = async (filter: RunFilter) => (await idsOf(filter)).flat()
      expect(await ids({ resourceId: 'ann' })).toEqual(['a', 'b', 'd'])
      expect(await ids({ threadId: 't' })).toEqual(['a', 'c', 'd'])
      expect(await ids({ threadId: 'b/scout' })).toEqual(['b'])
      expect(await ids({ threadId: 't', resourceId: 'ann', limit: 1 })).toEqual(['a', 'd'])
      expect(await ids({ threadId: 't', status: 'unfinished' })).toEqual(['a', 'c'])
      expect(await ids({ threadId: 't', status: 'unfinished', agent: 'lead' })).toEqual(['c'])
      expect(await ids({ resourceId: 'ann', conversationId: 'x', status: 'suspended' })).toEqual(['a'])
      expect(await ids({ agent: 'scout', status: 'unfinished', order: 'newest' })).toEqual(['b', 'a'])
      expect(await ids({ resourceId: '' })).toEqual([])
      expect((await store.list({ threadId: 'b/scout' })).items).toMatchObject([
        { threadId: 'b/scout', resourceId: 'ann' },
      ])
      expect((await store.list({ agent: 'lead' })).items[0]).toMatchObject({ resourceId: 'bob' })
    })
  })

  describe('open questions', () => {
    test('one comes with an entry, or by itself, and is listed with its run', async () => {
      const [a, b] = [await begin('a'), await begin('b')]
      const [one, two] = [question('a', 'one', { payload: { why: [null] } }), question('b', 'two')]
      await store.append([
        ...appends('a', [fired(1)], a),
        { runId: 'a', lease: a, questions: { opened: [one], closed: [] } },
      ])
      expect(await ask(b, [two])).toBeUndefined()
      const again = await reopen()
      expect(await again.awaiting()).toEqual({ items: [one, two] })
      expect((await again.list()).items).toMatchObject([
        { runId: 'a', entries: 2, awaiting: [one] },
        { runId: 'b', entries: 1, updatedAt: 0, awaiting: [two] },
      ])
    })

    test('one is removed with an entry, by itself, and all of a run with its end', async () => {
      const [a, b] = [await begin('a'), await begin('b')]
      await ask(a, [question('a', '1'), question('a', '2'), question('a', '3')])
      await ask(b, [question('b', '1')])
      await store.append([
        { runId: 'a', lease: a, entry: fired(1), questions: { opened: [], closed: ['2'] } },
      ])
      expect(await asked()).toEqual(['a 1', 'a 3', 'b 1'])
      await ask(a, [], ['3', 'unknown'])
      expect(await asked()).toEqual(['a 1', 'b 1'])
      await store.append(appends('a', [settled(2)], a))
      expect(await asked({}, await reopen())).toEqual(['b 1'])
    })

    test('a question that is written again keeps its place; all others may be removed', async () => {
      const a = await begin('a')
      await ask(a, [question('a', '1'), question('a', '2'), question('a', '3')])
      const again = question('a', '1', { type: 'suspension', since: 8 })
      await ask(a, [question('a', '2'), again], 'others')
      expect((await store.awaiting()).items).toEqual([again, question('a', '2')])
      await ask(a, [], 'others')
      expect(await asked()).toEqual([])
    })

    test('a former owner changes nothing, and a run that has ended has none', async () => {
      const old = await begin('a')
      const newest = (await store.claim('a', 'other', 1_000, 2_000)) as Lease
      expect(await ask(old, [question('a', '1')])).toEqual({ lost: ['a'] })
      expect(await asked()).toEqual([])
      await store.append(appends('a', [settled(1)], newest))
      expect(await ask(newest, [question('a', '1')])).toBeUndefined()
      expect(await asked()).toEqual([])
      expect(await ask(firstLease('ghost'), [question('ghost', '1')])).toEqual({ lost: ['ghost'] })
    })

    test('an accepted answer comes before a change', async () => {
      const a = await begin('a')
      const approve = { type: 'approve', toolCallId: '1' } as const
      expect(await store.enqueueSignal('a', approve, { key: 'k', entries: 1 })).toBe('accepted')
      expect(await ask(a, [question('a', '1')])).toMatchObject({ lost: [], answered: [{ runId: 'a' }] })
      expect(await asked()).toEqual([])
    })

    test('they are filtered by run, type, agent, resource, thread and conversation', async () => {
      const a = await begin('a', { resourceId: 'ann', threadId: 't', conversationId: 'x' })
      const b = await begin('b', { resourceId: 'bob', threadId: 't' })
      await ask(a, [question('a', '1'), question('a', '2', { agent: 'lead', type: 'suspension' })])
      await ask(b, [question('b', '1', { type: 'interruption' })])
      expect(await asked({ runId: 'a' })).toEqual(['a 1', 'a 2'])
      expect(await asked({ type: 'suspension' })).toEqual(['a 2'])
      expect(await asked({ agent: 'scout' })).toEqual(['a 1', 'b 1'])
      expect(await asked({ resourceId: 'ann' })).toEqual(['a 1', 'a 2'])
      expect(await asked({ threadId: 't', agent: 'scout', order: 'newest' })).toEqual(['b 1', 'a 1'])
      expect(await asked({ conversationId: 'x', type: 'approval' })).toEqual(['a 1'])
      expect(await asked({ runId: 'nothing' })).toEqual([])
    })

    test('they come in pages, in either order', async () => {
      const [a, b] = [await begin('a'), await begin('b')]
      await ask(a, [question('a', '1'), question('a', '2')])
      await ask(b, [question('b', '1')])
      await ask(a, [question('a', '3')])
      for (const order of ['oldest', 'newest'] as const) {
        const pages = await paged((page) => store.awaiting({ limit: 2, order, ...page }))
        const ids = pages.map((items) => items.map(({ runId, toolCallId }) => runId + toolCallId))
        expect(ids).toEqual(
          order === 'oldest'
            ? [
                ['a1', 'a2'],
                ['b1', 'a3'],
              ]
            : [
                ['a3', 'b1'],
                ['a2', 'a1'],
              ],
        )
      }
    })

    test('a question may hold any text', async () => {
      const awkward = 'a "quoted"\\ näme\0with \ud800 halves\nand 🚀'
      const lease = await begin(awkward, { resourceId: awkward, threadId: awkward, conversationId: awkward })
      const asking = question(awkward, awkward, { args: [awkward], toolName: awkward })
      await ask(lease, [asking])
      const { awaiting } = await reopen()
      const filter = { runId: awkward, resourceId: awkward, threadId: awkward, conversationId: awkward }
      expect((await awaiting(filter)).items).toEqual([asking])
    })
  })
}
