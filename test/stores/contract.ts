/** What every store must do: run against each of them. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JournalEntry, Lease, QueuedSignal, Store, ThreadFilter, ThreadMessage } from 'troupe'
import { blobsContract } from './blobs-contract.ts'
import { deletionContract } from './deletion-contract.ts'
import { indexContract } from './index-contract.ts'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, fired, message, settled, started } from '../support/journal-entries.ts'

/** Names with all that a file may stumble over. */
const awkward = 'a "quoted"\\ näme\0with \ud800 halves\nand 🚀'

/** `open` gives a new, empty store; `reopen` another one on what a store has kept, where it outlives its closing. */
export function storeContract(
  open: () => { readonly store: Store; readonly reopen?: () => Promise<Store> },
): void {
  let store: Store
  let reopen: () => Promise<Store>

  beforeEach(() => {
    const opened = open()
    store = opened.store
    reopen = opened.reopen ?? (async () => store)
  })

  const begin = async (runId: string, at = 0, more: Parameters<typeof started>[2] = {}): Promise<Lease> => {
    const lease = firstLease(runId, 'me', 1_000)
    expect(await store.append(appends(runId, [started(runId, at, more)], lease))).toBeUndefined()
    return lease
  }

  blobsContract(open)
  indexContract(open)
  deletionContract(open)

  describe('journals', () => {
    test('entries come back in the order in which they were appended, each run its own', async () => {
      const [a, b] = [firstLease('a'), firstLease('b')]
      await store.append([
        ...appends('a', [started('a', 1)], a),
        ...appends('b', [started('b', 2)], b),
        ...appends('a', [fired(3), fired(4)], a),
      ])
      await store.append([...appends('b', [fired(5)], b), ...appends('a', [settled(6)], a)])
      expect(await store.read('a')).toEqual([started('a', 1), fired(3), fired(4), settled(6)])
      expect(await store.read('b')).toEqual([started('b', 2), fired(5)])
      const again = await reopen()
      expect(await again.read('a')).toEqual([started('a', 1), fired(3), fired(4), settled(6)])
      expect(await again.read('b')).toEqual([started('b', 2), fired(5)])
    })

    test('a journal is read from any entry on', async () => {
      await store.append(appends('a', [started('a'), fired(1), fired(2)]))
      expect(await store.read('a', 0)).toHaveLength(3)
      expect(await store.read('a', 1)).toEqual([fired(1), fired(2)])
      expect(await store.read('a', 2)).toEqual([fired(2)])
      expect(await store.read('a', 3)).toEqual([])
      expect(await store.read('a', 30)).toEqual([])
      expect(await store.read('b')).toBeUndefined()
      expect(await store.read('b', 3)).toBeUndefined()
    })

    test('an entry keeps every text and number', async () => {
      const entry: JournalEntry = {
        type: 'signal.received',
        at: 1.5,
        signal: {
          type: 'answer',
          key: awkward,
          id: '',
          answer: { approved: false, data: { '': [1e300, -0.1, null, true, '\u2028'] } },
        },
      }
      await begin('a')
      await store.append(appends('a', [entry]))
      const again = await reopen()
      expect(await again.read('a', 1)).toEqual([entry])
      expect((await again.list()).items[0]?.updatedAt).toBe(1.5)
    })

    test('an entry as large as a long answer is kept whole', async () => {
      await begin('a')
      await store.append(appends('a', [fired(1, 1_000_000)]))
      const again = await reopen()
      expect(await again.read('a', 1)).toEqual([fired(1, 1_000_000)])
    })

    test('a run without a thread lists its own where its agent remembers', async () => {
      await begin(awkward, 0, { remembers: true })
      await begin('b', 1, { remembers: true, threadId: 'tides' })
      await begin('c', 2)
      const again = await reopen()
      const [own, given, none] = (await again.list()).items
      expect(own?.threadId).toBe(`${awkward}/${own?.agent}`)
      expect(given?.threadId).toBe('tides')
      expect(none).not.toHaveProperty('threadId')
    })

    test('a run may have any id', async () => {
      await begin(awkward, 0, {
        conversationId: awkward,
        threadId: awkward,
        forkedFrom: { runId: awkward, at: 3 },
      })
      const again = await reopen()
      expect(await again.read(awkward)).toHaveLength(1)
      expect((await again.list({ conversationId: awkward })).items).toMatchObject([
        { runId: awkward, conversationId: awkward, threadId: awkward, forkedFrom: awkward },
      ])
      expect(await again.claim(awkward, 'other', 1_000, 2_000)).toMatchObject({ runId: awkward, token: 2 })
      await again.enqueueSignal(awkward, { type: 'cancel', reason: awkward })
      expect(await again.queuedSignals([awkward])).toEqual([
        { id: expect.any(Number), runId: awkward, signal: { type: 'cancel', reason: awkward } },
      ])
    })
  })

  describe('fencing', () => {
    test('a run that begins twice is lost to the second, and its journal stays', async () => {
      await begin('a', 1)
      const second = [started('a', 9), fired(10)]
      expect(await store.append(appends('a', second))).toEqual({ lost: ['a'] })
      expect(await store.read('a')).toEqual([started('a', 1)])
    })

    test('what a former owner appends is not kept, and what others append with it is', async () => {
      const old = await begin('a')
      await begin('b')
      const newest = await store.claim('a', 'other', 1_000, 2_000)
      expect(newest).toEqual({ runId: 'a', owner: 'other', token: 2, expiresAt: 2_000 })
      const report = await store.append([
        ...appends('a', [fired(1)], old),
        ...appends('b', [fired(2)]),
        ...appends('a', [fired(3)], old),
        ...appends('c', [started('c', 4)]),
      ])
      expect(report).toEqual({ lost: ['a'] })
      expect(await store.read('a')).toEqual([started('a')])
      expect(await store.read('b')).toEqual([started('b'), fired(2)])
      expect(await store.read('c')).toEqual([started('c', 4)])
      expect(await store.append(appends('a', [fired(5)], newest as Lease))).toBeUndefined()
      expect(await store.read('a', 1)).toEqual([fired(5)])
      expect(
        (await store.list()).items.map(({ runId, entries, updatedAt }) => [runId, entries, updatedAt]),
      ).toEqual([
        ['a', 2, 5],
        ['b', 2, 2],
        ['c', 1, 4],
      ])
    })

    test('a run that is appended to under two leases at once is lost, whichever comes first', async () => {
      for (const runId of ['a', 'b']) {
        const old = await begin(runId)
        const newest = (await store.claim(runId, 'other', 1_000, 2_000)) as Lease
        const both = [...appends(runId, [fired(1)], old), ...appends(runId, [fired(2)], newest)]
        expect(await store.append(runId === 'a' ? both : both.toReversed())).toEqual({ lost: [runId] })
        expect(await store.read(runId)).toHaveLength(1)
      }
    })

    test('entries of a run that never began are lost', async () => {
      expect(await store.append(appends('ghost', [fired(1)]))).toEqual({ lost: ['ghost'] })
      expect(await store.append(appends('ghost', [fired(1), started('ghost')]))).toEqual({ lost: ['ghost'] })
      expect(await store.read('ghost')).toBeUndefined()
      expect((await store.list()).items).toEqual([])
    })

    test('no appends are none', async () => {
      expect(await store.append([])).toBeUndefined()
      expect((await store.list()).items).toEqual([])
    })
  })

  describe('the index', () => {
    test('it tells of each run what its journal says, oldest first', async () => {
      await begin('z', 5, { conversationId: 'talk' })
      await begin('a', 7, { agent: 'lead', forkedFrom: { runId: 'z', at: 2 } })
      await store.append([...appends('a', [fired(8), settled(9, 'failed')]), ...appends('z', [fired(6)])])
      const expected = [
        {
          runId: 'z',
          agent: 'scout',
          startedAt: 5,
          conversationId: 'talk',
          updatedAt: 6,
          entries: 2,
          status: 'running',
          awaiting: [],
        },
        {
          runId: 'a',
          agent: 'lead',
          startedAt: 7,
          forkedFrom: 'z',
          updatedAt: 9,
          entries: 3,
          status: 'settled',
          outcome: 'failed',
          awaiting: [],
        },
      ]
      expect((await store.list()).items).toEqual(expected)
      const again = await reopen()
      expect((await again.list()).items).toEqual(expected)
    })

    test('it is filtered by status, agent and conversation, alone and together', async () => {
      const passivated = await begin('passivated', 1, { conversationId: 'x' })
      await begin('running', 2, { agent: 'lead', conversationId: 'x' })
      await store.append(appends('done', [started('done', 3, { conversationId: 'y' }), settled(4)]))
      await store.release([{ ...passivated, passivated: {} }])
      const ids = async (filter: Parameters<Store['list']>[0]) =>
        (await store.list(filter)).items.map(({ runId }) => runId)
      expect(await ids({})).toEqual(['passivated', 'running', 'done'])
      expect(await ids({ status: 'running' })).toEqual(['running'])
      expect(await ids({ status: 'suspended' })).toEqual(['passivated'])
      expect(await ids({ status: 'settled' })).toEqual(['done'])
      expect(await ids({ status: 'unfinished' })).toEqual(['passivated', 'running'])
      expect(await ids({ agent: 'scout' })).toEqual(['passivated', 'done'])
      expect(await ids({ conversationId: 'x' })).toEqual(['passivated', 'running'])
      expect(await ids({ status: 'unfinished', agent: 'scout', conversationId: 'x' })).toEqual(['passivated'])
      expect(await ids({ agent: 'nobody' })).toEqual([])
    })

    test('a late entry after the end changes when it was updated, not how it ended', async () => {
      await begin('a')
      await store.append(appends('a', [settled(2)]))
      await store.append(appends('a', [fired(3)]))
      expect((await store.list()).items).toMatchObject([
        { status: 'settled', outcome: 'completed', entries: 3, updatedAt: 3 },
      ])
    })
  })

  describe('leases', () => {
    test('a held run is nobody else’s until its lease has expired', async () => {
      await begin('a')
      expect(await store.claim('a', 'other', 999, 5_000)).toBeUndefined()
      expect(await store.claim('a', 'other', 1_000, 5_000)).toEqual({
        runId: 'a',
        owner: 'other',
        token: 2,
        expiresAt: 5_000,
      })
      expect(await store.claim('a', 'me', 1_000, 5_000)).toBeUndefined()
      expect(await store.claim('nothing', 'me', 0, 1)).toBeUndefined()
    })

    test('a lease that is dated further ahead than any can be has expired', async () => {
      await begin('a') // until 1 000
      expect(await store.claim('a', 'other', 100, 200, 1_000)).toBeUndefined()
      expect(await store.claim('a', 'other', 100, 200, 999)).toMatchObject({ owner: 'other', token: 2 })
      await store.append(appends('ever', [started('ever')]))
      expect(await store.claim('ever', 'other', 100, 200)).toBeUndefined()
      expect(await store.claim('ever', 'other', 100, 200, 3_600_100)).toMatchObject({ token: 2 })
    })

    test('a claim of a passivated run says that it was passivated, and until when; a release restores that', async () => {
      const lease = await begin('a')
      expect(await store.claim('a', 'me', 0, 2_000)).not.toHaveProperty('wasPassivated')
      await store.release([{ ...lease, token: 2, passivated: { wakeAt: 700 } }])
      const again = await reopen()
      expect(await again.claim('a', 'x', 0, 2_000)).toMatchObject({ wasPassivated: { wakeAt: 700 } })
      await again.release([{ ...lease, token: 3, passivated: {} }])
      expect((await again.claim('a', 'y', 0, 2_000))?.wasPassivated).toEqual({})
      expect(await again.claim('a', 'y', 0, 2_000)).not.toHaveProperty('wasPassivated')
    })

    test('an owner may take its own run again, with a new token', async () => {
      const old = await begin('a')
      expect(await store.claim('a', 'me', 0, 2_000)).toMatchObject({ token: 2 })
      expect(await store.append(appends('a', [fired(1)], old))).toEqual({ lost: ['a'] })
    })

    test('a renewed lease holds longer; the ones that were lost are named', async () => {
      const [a, b] = [await begin('a'), await begin('b')]
      await store.claim('b', 'other', 1_000, 5_000)
      expect(await store.renew([a, b, firstLease('ghost')], 3_000)).toEqual(['b', 'ghost'])
      expect(await store.claim('a', 'other', 2_999, 9_000)).toBeUndefined()
      expect(await store.claim('b', 'third', 4_999, 9_000)).toBeUndefined()
      expect(await store.claim('a', 'other', 3_000, 9_000)).toMatchObject({ token: 2 })
      expect(await store.renew([], 1)).toEqual([])
    })

    test('the first lease never expires by itself', async () => {
      await store.append(appends('a', [started('a')]))
      expect(await store.claim('a', 'other', Number.MAX_SAFE_INTEGER - 1, 9)).toBeUndefined()
    })

    test('a released run is free; passivated, it says until when', async () => {
      const [a, b] = [await begin('a'), await begin('b')]
      await store.release([{ ...a, passivated: { wakeAt: 700 } }, b])
      expect((await store.list()).items).toMatchObject([
        { runId: 'a', status: 'suspended', wakeAt: 700 },
        { runId: 'b', status: 'running' },
      ])
      const again = await reopen()
      expect((await again.list()).items[1]).not.toHaveProperty('wakeAt')
      expect(await again.claim('a', 'other', 0, 50)).toMatchObject({ token: 2 })
      expect((await again.list()).items[0]).toMatchObject({ status: 'running' })
      expect((await again.list()).items[0]).not.toHaveProperty('wakeAt')
    })

    test('a former owner cannot release what another has', async () => {
      const old = await begin('a')
      await store.claim('a', 'other', 1_000, 5_000)
      await store.release([{ ...old, passivated: {} }])
      await store.release([])
      expect((await store.list()).items).toMatchObject([{ status: 'running' }])
      expect(await store.claim('a', 'third', 4_999, 9_000)).toBeUndefined()
    })

    test('a settled run is settled, passivated or not', async () => {
      const lease = await begin('a')
      await store.append(appends('a', [settled(1)]))
      await store.release([{ ...lease, passivated: { wakeAt: 3 } }])
      expect((await store.list()).items).toMatchObject([{ status: 'settled' }])
      expect((await store.list()).items[0]).not.toHaveProperty('wakeAt')
    })
  })

  describe('queued signals', () => {
    const cancel = (reason: string) => ({ type: 'cancel', reason }) as const

    test('it waits, oldest first, in the order of the runs asked for', async () => {
      await begin('a')
      await begin('b')
      const answer = { type: 'resume', toolCallId: 'x', data: [1] } as const
      await store.enqueueSignal('b', cancel('first'))
      await store.enqueueSignal('a', answer)
      await store.enqueueSignal('b', cancel('second'))
      await store.enqueueSignal('nobody', cancel('lost'))
      expect(await store.queuedSignals([])).toEqual([])
      expect(await store.queuedSignals(['nobody'])).toEqual([])
      const again = await reopen()
      const waiting = await again.queuedSignals(['b', 'a', 'b', 'nobody'])
      expect(waiting).toEqual([
        { id: expect.any(Number), runId: 'b', signal: cancel('first') },
        { id: expect.any(Number), runId: 'b', signal: cancel('second') },
        { id: expect.any(Number), runId: 'a', signal: answer },
      ])
      expect(new Set(waiting.map(({ id }) => id)).size).toBe(3)
      expect(await again.queuedSignals(['b', 'a'])).toEqual(waiting)
    })

    test('it goes with the entry that it became, and only with that', async () => {
      const lease = await begin('a')
      await begin('b')
      for (const reason of ['one', 'two']) await store.enqueueSignal('a', cancel(reason))
      await store.enqueueSignal('b', cancel('three'))
      const [one, two, three] = await store.queuedSignals(['a', 'b'])
      const entry: JournalEntry = { type: 'signal.received', at: 1, signal: cancel('one') }
      await store.append([{ runId: 'a', lease, entry, queued: (one as QueuedSignal).id }])
      expect(await store.queuedSignals(['a', 'b'])).toEqual([two, three])
    })

    test('it stays when the append is refused', async () => {
      const lease = await begin('a')
      await store.enqueueSignal('a', cancel('one'))
      const [post] = await store.queuedSignals(['a'])
      await store.claim('a', 'other', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      const entry: JournalEntry = { type: 'signal.received', at: 1, signal: cancel('one') }
      expect(
        await store.append([{ runId: 'a', lease, entry, queued: (post as QueuedSignal).id }]),
      ).toMatchObject({
        lost: ['a'],
      })
      expect(await store.queuedSignals(['a'])).toEqual([post])
    })

    test('it is gone once it is discarded, and its id is not used again', async () => {
      await begin('a')
      await store.enqueueSignal('a', cancel('one'))
      const [one] = await store.queuedSignals(['a'])
      await store.dropSignals([(one as QueuedSignal).id, 99_999])
      await store.dropSignals([])
      expect(await store.queuedSignals(['a'])).toEqual([])
      await store.enqueueSignal('a', cancel('two'))
      const [two] = await store.queuedSignals(['a'])
      expect(two?.signal).toEqual(cancel('two'))
      expect(two?.id).not.toBe(one?.id)
    })
  })

  describe('claims: one question, one answer', () => {
    const approve = { type: 'approve', toolCallId: 'x' } as const
    const deny = { type: 'deny', toolCallId: 'x' } as const
    const key = `${awkward}/signal#1`
    const answer = (at: number): JournalEntry => ({
      type: 'signal.received',
      at,
      signal: { type: 'answer', key, id: 'x', answer: { approved: true } },
    })

    test('the first answer is accepted, whatever comes later for the same key', async () => {
      await begin('a')
      await begin('b')
      expect(await store.enqueueSignal('a', approve, { key, entries: 1 })).toBe('accepted')
      expect(await store.enqueueSignal('a', deny, { key, entries: 1 })).toBe('claimed')
      expect(await store.enqueueSignal('a', deny, { key: 'another', entries: 1 })).toBe('accepted')
      expect(await store.enqueueSignal('b', deny, { key, entries: 1 })).toBe('accepted')
      const again = await reopen()
      expect(await again.enqueueSignal('a', deny, { key, entries: 1 })).toBe('claimed')
      expect((await again.queuedSignals(['a'])).map(({ signal, claim }) => [signal, claim])).toEqual([
        [approve, key],
        [deny, 'another'],
      ])
    })

    test('of many at once exactly one is accepted', async () => {
      await begin('a')
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.enqueueSignal('a', approve, { key, entries: 1 })),
      )
      expect(outcomes.toSorted()).toEqual(['accepted', ...Array<string>(19).fill('claimed')])
      expect(await store.queuedSignals(['a'])).toHaveLength(1)
    })

    test('one against a journal that has gone on, or that is not there, is outdated and changes nothing', async () => {
      await begin('a')
      await store.append(appends('a', [fired(1)], firstLease('a', 'me', 1_000)))
      expect(await store.enqueueSignal('a', approve, { key, entries: 1 })).toBe('outdated')
      expect(await store.enqueueSignal('nobody', approve, { key, entries: 1 })).toBe('outdated')
      expect(await store.enqueueSignal('nobody', approve)).toBe('outdated')
      expect(await store.queuedSignals(['a', 'nobody'])).toEqual([])
      expect(await store.enqueueSignal('a', approve, { key, entries: 2 })).toBe('accepted')
    })

    test('nothing of its run is appended before it; the report names it, and other runs are appended', async () => {
      const lease = await begin('a')
      const other = await begin('b')
      await store.enqueueSignal('a', approve, { key, entries: 1 })
      const [queued] = await store.queuedSignals(['a'])
      const late = [...appends('a', [fired(1), answer(1)], lease), ...appends('b', [fired(1)], other)]
      expect(await store.append(late)).toEqual({ lost: [], answered: [queued] })
      expect(await store.read('a')).toHaveLength(1)
      expect(await store.read('b')).toHaveLength(2)
      expect((await store.list()).items[0]).toMatchObject({ runId: 'a', entries: 1, updatedAt: 0 })
      const first = { runId: 'a', lease, entry: answer(1), queued: queued?.id ?? 0 }
      expect(await store.append([first, ...appends('a', [fired(1)], lease)])).toBeUndefined()
      expect(await store.read('a', 1)).toEqual([answer(1), fired(1)])
      expect(await store.queuedSignals(['a'])).toEqual([])
    })

    test('a former owner is told that it has lost the run, and not of answers', async () => {
      const old = await begin('a')
      await store.enqueueSignal('a', approve, { key, entries: 1 })
      await store.claim('a', 'other', 1_000, 5_000)
      expect(await store.append(appends('a', [fired(1)], old))).toMatchObject({ lost: ['a'] })
    })

    test('a signal without a claim holds nothing up', async () => {
      const lease = await begin('a')
      await store.enqueueSignal('a', { type: 'cancel' })
      expect(await store.append(appends('a', [fired(1)], lease))).toBeUndefined()
    })

    test('a claim that is dropped is free, and its run goes on', async () => {
      const lease = await begin('a')
      await store.enqueueSignal('a', approve, { key, entries: 1 })
      const [queued] = await store.queuedSignals(['a'])
      await store.dropSignals([queued?.id ?? 0])
      expect(await store.append(appends('a', [fired(1)], lease))).toBeUndefined()
      expect(await store.enqueueSignal('a', deny, { key, entries: 2 })).toBe('accepted')
    })
  })

  describe('memory', () => {
    test('messages come back oldest first, all or the last ones', async () => {
      const [one, two, three] = [
        message('1', 'one', 10),
        message('2', awkward, 20),
        message('3', 'three', 30),
      ]
      await store.memory.save('t', [one, two])
      await store.memory.save('t', [three])
      const { memory } = await reopen()
      expect(await memory.messages('t')).toEqual([one, two, three])
      expect(await memory.messages('t', 2)).toEqual([two, three])
      expect(await memory.messages('t', 9)).toEqual([one, two, three])
      expect(await memory.messages('t', 0)).toEqual([])
      expect(await memory.messages('unknown')).toEqual([])
      expect(await memory.thread('t')).toEqual({ id: 't', createdAt: 20, updatedAt: 30 })
      expect(await memory.thread('unknown')).toBeUndefined()
    })

    test('saving a message again replaces it in its place', async () => {
      await store.memory.save('t', [message('1', 'one', 10), message('2', 'two', 20)])
      const better: ThreadMessage = {
        ...message('1', 'better', 15),
        role: 'assistant',
        agent: 'x',
        internal: 'notice',
      }
      await store.memory.save('t', [better])
      expect(await store.memory.messages('t')).toEqual([better, message('2', 'two', 20)])
      expect(await store.memory.thread('t')).toEqual({ id: 't', createdAt: 20, updatedAt: 20 })
    })

    test('a message id is unique in its thread only', async () => {
      await store.memory.save('t', [message('1', 'here', 1)])
      await store.memory.save('u', [message('1', 'there', 2)])
      expect(await store.memory.messages('t')).toEqual([message('1', 'here', 1)])
      expect(await store.memory.messages('u')).toEqual([message('1', 'there', 2)])
    })

    test('threads are listed oldest first, all or of one resource, which is the one they began with', async () => {
      await store.memory.save('z', [message('1', 'x', 1)], 'ann')
      await store.memory.save('b', [], 'bob')
      await store.memory.save('a', [message('1', 'x', 3)], 'ann')
      await store.memory.save('z', [message('2', 'x', 4)], 'ann')
      await store.memory.save('n', [message('1', 'x', 5)], '')
      const { memory } = await reopen()
      const z = { id: 'z', resourceId: 'ann', createdAt: 1, updatedAt: 4 }
      const b = { id: 'b', resourceId: 'bob', createdAt: 0, updatedAt: 0 }
      const a = { id: 'a', resourceId: 'ann', createdAt: 3, updatedAt: 3 }
      const n = { id: 'n', createdAt: 5, updatedAt: 5 }
      expect(await memory.threads()).toEqual([z, b, a, n])
      expect(await memory.threads({ resourceId: 'ann' })).toEqual([z, a])
      expect(await memory.threads({ resourceId: 'nobody' })).toEqual([])
    })

    test('threads are listed by the conversation of any of their messages', async () => {
      const said = (id: string, conversationId: string) => ({ ...message(id, 'x', 1), conversationId })
      await store.memory.save('a', [said('1', awkward), message('2', 'x', 1)], 'ann')
      await store.memory.save('b', [said('1', 'other')], 'ann')
      await store.memory.save('c', [message('1', 'x', 1), said('2', awkward), said('3', awkward)])
      const { memory } = await reopen()
      const idsOf = async (filter: ThreadFilter) => (await memory.threads(filter)).map(({ id }) => id)
      expect(await idsOf({ conversationId: awkward })).toEqual(['a', 'c'])
      expect(await idsOf({ conversationId: awkward, resourceId: 'ann' })).toEqual(['a'])
      expect(await idsOf({ conversationId: 'nothing' })).toEqual([])
      expect(await memory.messages('b')).toEqual([said('1', 'other')])
    })

    const another = { name: 'TerminalError', code: 'THREAD_OF_ANOTHER_RESOURCE' }
    const [ann, ann2, bob, nobody] = [
      { runId: 'r-ann', resourceId: 'ann' },
      { runId: 'r-ann-2', resourceId: 'ann' },
      { runId: 'r-bob', resourceId: 'bob' },
      { runId: 'r-nobody' },
    ] as const

    test('a thread is recalled and saved for the resource that it belongs to, and for no other', async () => {
      await store.memory.save('t', [message('1', 'one', 1), message('2', 'two', 2)], 'ann')
      const { memory } = await reopen()
      expect(await memory.recall('t', ann)).toEqual([message('1', 'one', 1), message('2', 'two', 2)])
      expect(await memory.recall('t', { ...ann2, last: 1 })).toEqual([message('2', 'two', 2)])
      expect(await memory.recall('t', { ...ann, last: 0 })).toEqual([])
      for (const reader of [bob, nobody, { ...bob, last: 0 }, { runId: 'r', resourceId: '' }])
        await expect(memory.recall('t', reader)).rejects.toMatchObject(another)
      await expect(memory.save('t', [message('1', 'mine', 9)], 'bob')).rejects.toMatchObject(another)
      await expect(memory.save('t', [message('1', 'mine', 9)])).rejects.toMatchObject(another)
      expect(await memory.messages('t')).toEqual([message('1', 'one', 1), message('2', 'two', 2)])
    })

    test('of runs that begin a thread at once, those of one resource have it', async () => {
      const readers = Array.from({ length: 20 }, (_, index) => ({
        runId: `r${index}`,
        resourceId: index % 2 === 0 ? 'ann' : 'bob',
      }))
      const settled = await Promise.allSettled(readers.map((reader) => store.memory.recall('t', reader)))
      const owners = new Set(
        readers.flatMap(({ resourceId }, index) =>
          settled[index]?.status === 'fulfilled' ? [resourceId] : [],
        ),
      )
      expect(owners.size).toBe(1)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
      for (const refused of settled.filter((one) => one.status === 'rejected'))
        expect(refused.reason).toMatchObject(another)
      const [owner = ''] = owners
      const { memory } = await reopen()
      const loser = owner === 'ann' ? 'bob' : 'ann'
      await expect(memory.save('t', [message('1', 'x', 1)], loser)).rejects.toMatchObject(another)
      await memory.save('t', [message('1', 'x', 1)], owner)
      expect(await memory.thread('t')).toMatchObject({ resourceId: owner })
    })

    test('a claim is no thread; it holds until the last run that has it is released', async () => {
      expect(await store.memory.recall('t', ann)).toEqual([])
      expect(await store.memory.recall('t', ann)).toEqual([]) // after a crash, again
      expect(await store.memory.recall('t', ann2)).toEqual([])
      const { memory } = await reopen()
      expect(await memory.threads()).toEqual([])
      expect(await memory.thread('t')).toBeUndefined()
      await memory.release('r-ann')
      await memory.release('r-ann')
      await expect(memory.recall('t', bob)).rejects.toMatchObject(another)
      await memory.release('r-ann-2')
      expect(await memory.recall('t', bob)).toEqual([])
      await expect(memory.recall('t', ann)).rejects.toMatchObject(another)
    })

    test('a claim outlives a thread that is deleted meanwhile', async () => {
      await store.memory.recall('t', ann)
      await store.memory.save('t', [message('1', 'x', 1)], 'ann')
      await store.memory.deleteThread('t')
      await expect(store.memory.recall('t', bob)).rejects.toMatchObject(another)
    })

    test('the first claim decides, also one without a resource', async () => {
      expect(await store.memory.recall('open', nobody)).toEqual([])
      expect(await store.memory.recall('open', ann)).toEqual([])
      await store.memory.save('open', [message('1', 'x', 1)], 'ann')
      expect(await store.memory.thread('open')).not.toHaveProperty('resourceId')
      expect(await store.memory.recall('open', bob)).toHaveLength(1)
      await store.memory.save('open', [message('2', 'y', 2)])
      await store.memory.recall('anns', ann)
      await expect(store.memory.recall('anns', nobody)).rejects.toMatchObject(another)
      await expect(store.memory.save('anns', [])).rejects.toMatchObject(another)
    })

    test('the entry that ends a run releases what it has claimed, and no other entry does', async () => {
      const lease = await begin('r-ann')
      await store.memory.recall('t', ann)
      await store.memory.recall('u', ann)
      await store.append(appends('r-ann', [fired(1)], lease))
      await expect(store.memory.recall('t', bob)).rejects.toMatchObject(another)
      const stale = { ...lease, token: 7 }
      expect(await store.append(appends('r-ann', [settled(2)], stale))).toEqual({ lost: ['r-ann'] })
      await expect(store.memory.recall('t', bob)).rejects.toMatchObject(another)
      await store.append(appends('r-ann', [settled(2)], lease))
      expect(await store.memory.recall('t', bob)).toEqual([])
      expect(await store.memory.recall('u', bob)).toEqual([])
    })

    test('a deleted thread is gone with its messages, and may begin anew', async () => {
      await store.memory.save('t', [message('1', 'old', 1)], 'ann')
      await store.memory.save('u', [message('1', 'other', 2)], 'ann')
      await store.memory.deleteThread('t')
      await store.memory.deleteThread('unknown')
      expect(await store.memory.thread('t')).toBeUndefined()
      expect(await store.memory.messages('t')).toEqual([])
      await store.memory.save('t', [message('2', 'new', 3)])
      const { memory } = await reopen()
      expect(await memory.messages('t')).toEqual([message('2', 'new', 3)])
      expect((await memory.threads()).map(({ id }) => id)).toEqual(['u', 't'])
    })

    test('working memory is one text a resource', async () => {
      expect(await store.memory.workingMemory(awkward)).toBeUndefined()
      await store.memory.setWorkingMemory(awkward, 'draft')
      await store.memory.setWorkingMemory(awkward, awkward)
      await store.memory.setWorkingMemory('other', '')
      const { memory } = await reopen()
      expect(await memory.workingMemory(awkward)).toBe(awkward)
      expect(await memory.workingMemory('other')).toBe('')
    })

    test('a thread may have any name', async () => {
      await store.memory.save(awkward, [message(awkward, awkward, 1)], awkward)
      const { memory } = await reopen()
      expect(await memory.threads({ resourceId: awkward })).toEqual([
        { id: awkward, resourceId: awkward, createdAt: 1, updatedAt: 1 },
      ])
      expect(await memory.messages(awkward)).toEqual([message(awkward, awkward, 1)])
    })
  })

  describe('configuration', () => {
    test('items are listed by kind in the order in which they were first set', async () => {
      const { config } = store
      await config.set({ kind: 'k', key: 'z', value: 1 })
      await config.set({ kind: 'other', key: 'z', value: 'elsewhere' })
      await config.set({ kind: 'k', key: 'a', value: { deep: [null, awkward] } })
      await config.set({ kind: 'k', key: 'z', value: 2 })
      const again = (await reopen()).config
      expect(await again.items('k')).toEqual([
        { kind: 'k', key: 'z', value: 2 },
        { kind: 'k', key: 'a', value: { deep: [null, awkward] } },
      ])
      expect(await again.items('unknown')).toEqual([])
    })

    test('a deleted item is gone, and comes last when it is set again', async () => {
      const { config } = store
      for (const key of ['a', 'b', awkward]) await config.set({ kind: awkward, key, value: null })
      await config.delete(awkward, 'a')
      await config.delete(awkward, 'unknown')
      expect((await config.items(awkward)).map(({ key }) => key)).toEqual(['b', awkward])
      await config.set({ kind: awkward, key: 'a', value: true })
      expect((await config.items(awkward)).map(({ key }) => key)).toEqual(['b', awkward, 'a'])
    })
  })
}
