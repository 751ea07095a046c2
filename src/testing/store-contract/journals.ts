/** Cases about journals: what is appended comes back. */
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { firstLease } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, awkward, fired, settled, started } from './entries.ts'
import { expectAbsent } from './expectations.ts'
import { plans } from './plan.ts'
import { queuedFor } from './signals.ts'

export const journalPlans = plans('journals', {
  async 'entries come back in the order in which they were appended, each run its own'({ store, reopen }) {
    const [a, b] = [firstLease('a'), firstLease('b')]
    await store.append([
      ...appends('a', [started('a', 1)], a),
      ...appends('b', [started('b', 2)], b),
      ...appends('a', [fired(3), fired(4)], a),
    ])
    await store.append([...appends('b', [fired(5)], b), ...appends('a', [settled(6)], a)])
    const [ofA, ofB] = [
      [started('a', 1), fired(3), fired(4), settled(6)],
      [started('b', 2), fired(5)],
    ]
    expectEqual(await store.read('a'), ofA, 'the journal of "a"')
    expectEqual(await store.read('b'), ofB, 'the journal of "b"')
    const again = await reopen()
    expectEqual(await again.read('a'), ofA, 'the journal of "a", from a store that was opened later,')
    expectEqual(await again.read('b'), ofB, 'the journal of "b", from a store that was opened later,')
  },

  async 'a journal is read from any entry on'({ store }) {
    await store.append(appends('a', [started('a'), fired(1), fired(2)]))
    expectEqual((await store.read('a', 0))?.length, 3, 'the number of entries from 0 on')
    expectEqual(await store.read('a', 1), [fired(1), fired(2)], 'the entries from 1 on')
    expectEqual(await store.read('a', 2), [fired(2)], 'the entries from 2 on')
    expectEqual(await store.read('a', 3), [], 'the entries from the end on')
    expectEqual(await store.read('a', 30), [], 'the entries from beyond the end on')
    const highest = Number.MAX_SAFE_INTEGER
    expectEqual(await store.read('a', highest), [], 'the entries from the highest position on')
    expectEqual(await store.read('unknown', highest), undefined, 'the entries of an unknown run')
    expectEqual(await store.read('b'), undefined, 'the journal of an unknown run')
    expectEqual(await store.read('b', 3), undefined, 'the journal of an unknown run, from 3 on,')
  },

  async 'an entry keeps every text and number'({ store, reopen, begin }) {
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
    expectEqual(await again.read('a', 1), [entry], 'the entry')
    expectEqual((await again.list('runs', {})).items[0]?.updatedAt, 1.5, 'updatedAt')
  },

  async 'an entry of a million characters is kept whole'({ store, reopen, begin }) {
    await begin('a')
    await store.append(appends('a', [fired(1, 1_000_000)]))
    const again = await reopen()
    expectEqual(await again.read('a', 1), [fired(1, 1_000_000)], 'the entry')
  },

  async 'fields of an entry that this release does not know are kept'({ store, reopen, begin }) {
    const lease = await begin('a', 0, { label: awkward } as object)
    const later = { ...fired(1), label: { of: [1, null, awkward] } }
    await store.append(appends('a', [later, { ...settled(2), label: true } as JournalEntry], lease))
    const again = await reopen()
    expectEqual(
      await again.read('a'),
      [{ ...started('a', 0), label: awkward }, later, { ...settled(2), label: true }],
      'the journal',
    )
  },

  async 'a run without a thread lists its own where its agent remembers'({ reopen, begin }) {
    await begin(awkward, 0, { remembers: true })
    await begin('b', 1, { remembers: true, threadId: 'tides' })
    await begin('c', 2)
    const again = await reopen()
    const [own, given, none] = (await again.list('runs', {})).items
    expectEqual(own?.threadId, `${awkward}/${own?.agent}`, 'the thread of a run that was given none')
    expectEqual(given?.threadId, 'tides', 'the thread of a run that was given one')
    expectAbsent(none, 'threadId', 'the summary of a run without memory')
  },

  async 'a run may have any id'({ reopen, begin }) {
    await begin(awkward, 0, {
      conversationId: awkward,
      threadId: awkward,
      forkedFrom: { runId: awkward, at: 3 },
    })
    const again = await reopen()
    expectEqual((await again.read(awkward))?.length, 1, 'the number of entries')
    const listed = (await again.list('runs', { conversationId: awkward })).items
    expectEqual(
      listed.map(({ runId, conversationId, threadId, forkedFrom }) => {
        return { runId, conversationId, threadId, forkedFrom }
      }),
      [{ runId: awkward, conversationId: awkward, threadId: awkward, forkedFrom: awkward }],
      'the list of the conversation',
    )
    const claimed = await again.claim(awkward, 'other', 1_000, 2_000)
    expectEqual([claimed?.runId, claimed?.token], [awkward, 2], 'run and token of the claim')
    await again.enqueueSignal(awkward, { type: 'cancel', reason: awkward })
    const queued = await queuedFor(again, [awkward])
    expectEqual(
      queued.map(({ runId, signal }) => ({ runId, signal })),
      [{ runId: awkward, signal: { type: 'cancel', reason: awkward } }],
      'the queued signals',
    )
  },
})
