/** Cases about claims: of many answers to one question exactly one is accepted. */
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { firstLease } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, awkward, fired } from './entries.ts'
import { expectFields } from './expectations.ts'
import { plans } from './plan.ts'
import { firstQueued, queuedFor } from './signals.ts'

const approve = { type: 'approve', toolCallId: 'x' } as const
const deny = { type: 'deny', toolCallId: 'x' } as const
const key = `${awkward}/signal#1`

const answer = (at: number): JournalEntry => ({
  type: 'signal.received',
  at,
  signal: { type: 'answer', key, id: 'x', answer: { approved: true } },
})

export const claimPlans = plans('claims', {
  async 'the first answer is accepted, and no later one for the same key'({ store, reopen, begin }) {
    await begin('a')
    await begin('b')
    const first = await store.enqueueSignal('a', approve, { key, entries: 1 })
    expectEqual(first, 'accepted', 'the first answer')
    const second = await store.enqueueSignal('a', deny, { key, entries: 1 })
    expectEqual(second, 'claimed', 'the second answer')
    const other = await store.enqueueSignal('a', deny, { key: 'another', entries: 1 })
    expectEqual(other, 'accepted', 'an answer to another key')
    const elsewhere = await store.enqueueSignal('b', deny, { key, entries: 1 })
    expectEqual(elsewhere, 'accepted', 'an answer to another run')
    const again = await reopen()
    const third = await again.enqueueSignal('a', deny, { key, entries: 1 })
    expectEqual(third, 'claimed', 'the third answer')
    expectEqual(
      (await queuedFor(again, ['a'])).map(({ signal, claim }) => [signal, claim]),
      [
        [approve, key],
        [deny, 'another'],
      ],
      'the queued answers, and their claims,',
    )
  },

  async 'of many answers at once exactly one is accepted'({ store, begin }) {
    await begin('a')
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => store.enqueueSignal('a', approve, { key, entries: 1 })),
    )
    expectEqual(outcomes.toSorted(), ['accepted', ...Array<string>(19).fill('claimed')], 'the outcomes')
    expectEqual((await queuedFor(store, ['a'])).length, 1, 'the number of queued answers')
  },

  async 'an answer to a journal that has gone on, or to none, is outdated'({ store, begin }) {
    await begin('a')
    await store.append(appends('a', [fired(1)], firstLease('a', 'me', 1_000)))
    const late = await store.enqueueSignal('a', approve, { key, entries: 1 })
    expectEqual(late, 'outdated', 'an answer to an older journal')
    const early = await store.enqueueSignal('a', approve, { key, entries: 3 })
    expectEqual(early, 'outdated', 'an answer to a longer journal')
    const unknown = await store.enqueueSignal('nobody', approve, { key, entries: 1 })
    expectEqual(unknown, 'outdated', 'an answer to an unknown run')
    const unclaimed = await store.enqueueSignal('nobody', approve)
    expectEqual(unclaimed, 'outdated', 'a signal to an unknown run')
    expectEqual(await queuedFor(store, ['a', 'nobody']), [], 'the queued signals')
    const right = await store.enqueueSignal('a', approve, { key, entries: 2 })
    expectEqual(right, 'accepted', 'an answer to the journal as it is')
  },

  async 'no entry of the run is kept before an accepted answer; other runs are appended to'({
    store,
    begin,
  }) {
    const lease = await begin('a')
    const other = await begin('b')
    await store.enqueueSignal('a', approve, { key, entries: 1 })
    const queued = await firstQueued(store, 'a')
    const late = [...appends('a', [fired(1), answer(1)], lease), ...appends('b', [fired(1)], other)]
    expectEqual(await store.append(late), { lost: [], answered: [queued] }, 'the report')
    expectEqual((await store.read('a'))?.length, 1, 'the number of entries of the run')
    expectEqual((await store.read('b'))?.length, 2, 'the number of entries of another run')
    expectFields(
      (await store.list('runs', {})).items[0],
      { runId: 'a', entries: 1, updatedAt: 0 },
      'the summary',
    )
    const first = { runId: 'a', lease, entry: answer(1), queued: queued.id }
    const report = await store.append([first, ...appends('a', [fired(1)], lease)])
    expectEqual(report, undefined, 'the report of the append with the answer')
    expectEqual(await store.read('a', 1), [answer(1), fired(1)], 'the journal')
    expectEqual(await queuedFor(store, ['a']), [], 'the queued signals')
  },

  async 'a former owner is told that it has lost the run'({ store, begin }) {
    const old = await begin('a')
    await store.enqueueSignal('a', approve, { key, entries: 1 })
    await store.claim('a', 'other', 1_000, 5_000)
    const report = await store.append(appends('a', [fired(1)], old))
    expectEqual(report?.lost, ['a'], 'the lost runs of the report')
  },

  async 'a signal without a claim holds nothing up'({ store, begin }) {
    const lease = await begin('a')
    await store.enqueueSignal('a', { type: 'cancel' })
    expectEqual(await store.append(appends('a', [fired(1)], lease)), undefined, 'the report')
  },

  async 'a claim that is dropped is free, and its run goes on'({ store, begin }) {
    const lease = await begin('a')
    await store.enqueueSignal('a', approve, { key, entries: 1 })
    const { id } = await firstQueued(store, 'a')
    expectEqual(
      await store.append([{ runId: 'a', lease, queued: id }]),
      undefined,
      'the report of the refusal',
    )
    expectEqual(await store.append(appends('a', [fired(1)], lease)), undefined, 'the report')
    const next = await store.enqueueSignal('a', deny, { key, entries: 2 })
    expectEqual(next, 'accepted', 'the next answer')
  },
})
