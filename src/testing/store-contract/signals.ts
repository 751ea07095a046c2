/** Cases about queued signals: they wait for the owner of their run. */
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import type { QueuedSignal, Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { settled } from './entries.ts'
import { plans } from './plan.ts'

const cancel = (reason: string) => ({ type: 'cancel', reason }) as const

const received = (reason: string): JournalEntry => ({
  type: 'signal.received',
  at: 1,
  signal: cancel(reason),
})

/** The signals that wait for runs. */
export async function queuedFor(store: Store, runIds: readonly string[]): Promise<readonly QueuedSignal[]> {
  return (await store.list('signals', { runIds })).items
}

/** The first signal that waits for a run. */
export async function firstQueued(store: Store, runId: string): Promise<QueuedSignal> {
  const [queued] = await queuedFor(store, [runId])
  expectThat(queued !== undefined, `a signal to wait for the run "${runId}"`)
  return queued
}

export const signalPlans = plans('queued signals', {
  async 'a signal waits, oldest first, in the order of the runs asked for'({ store, reopen, begin }) {
    await begin('a')
    await begin('b')
    const answer = { type: 'resume', toolCallId: 'x', data: [1] } as const
    await store.enqueueSignal('b', cancel('first'))
    await store.enqueueSignal('a', answer)
    await store.enqueueSignal('b', cancel('second'))
    await store.enqueueSignal('nobody', cancel('lost'))
    expectEqual(await queuedFor(store, []), [], 'the signals of no run')
    expectEqual(await queuedFor(store, ['nobody']), [], 'the signals of an unknown run')
    const again = await reopen()
    const waiting = await queuedFor(again, ['b', 'a', 'b', 'nobody'])
    expectEqual(
      waiting.map(({ runId, signal, claim }) => [runId, signal, claim ?? null]),
      [
        ['b', cancel('first'), null],
        ['b', cancel('second'), null],
        ['a', answer, null],
      ],
      'the signals',
    )
    expectEqual(new Set(waiting.map(({ id }) => id)).size, 3, 'the number of different ids')
    expectThat(
      waiting.every(({ id }) => Number.isSafeInteger(id)),
      'each id to be a whole number',
    )
    expectEqual(await queuedFor(again, ['b', 'a']), waiting, 'the signals, asked for again,')
  },

  async 'a signal goes with the entry that comes from it, and only with that'({ store, begin }) {
    const lease = await begin('a')
    await begin('b')
    for (const reason of ['one', 'two']) await store.enqueueSignal('a', cancel(reason))
    await store.enqueueSignal('b', cancel('three'))
    const [one, two, three] = await queuedFor(store, ['a', 'b'])
    expectThat(one !== undefined, 'a signal to wait')
    await store.append([{ runId: 'a', lease, entry: received('one'), queued: one.id }])
    expectEqual(await queuedFor(store, ['a', 'b']), [two, three], 'the signals that are left')
  },

  async 'a signal stays when the append is refused'({ store, begin }) {
    const lease = await begin('a')
    await store.enqueueSignal('a', cancel('one'))
    const queued = await firstQueued(store, 'a')
    await store.claim('a', 'other', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    const report = await store.append([{ runId: 'a', lease, entry: received('one'), queued: queued.id }])
    expectEqual(report?.lost, ['a'], 'the lost runs of the report')
    expectEqual(await queuedFor(store, ['a']), [queued], 'the signals that are left')
  },

  async 'a signal that the run refuses is gone, and its id is not used again'({ store, begin }) {
    const lease = await begin('a')
    await store.enqueueSignal('a', cancel('one'))
    const one = await firstQueued(store, 'a')
    const report = await store.append([
      { runId: 'a', lease, queued: one.id },
      { runId: 'a', lease, queued: 99_999 },
    ])
    expectEqual(report, undefined, 'the report')
    expectEqual(await queuedFor(store, ['a']), [], 'the signals that are left')
    expectEqual((await store.read('a'))?.length, 1, 'the number of entries')
    await store.enqueueSignal('a', cancel('two'))
    const two = await firstQueued(store, 'a')
    expectEqual(two.signal, cancel('two'), 'the second signal')
    expectThat(two.id !== one.id, 'the second signal to have an id of its own', two.id)
  },

  async 'a signal of a run that has ended is gone, whoever refuses it'({ store, begin }) {
    const former = await begin('a')
    const lease = await store.claim('a', 'other', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    expectThat(lease !== undefined, 'the run to be free')
    await store.append([{ runId: 'a', lease, entry: settled(1) }])
    await store.enqueueSignal('a', cancel('one'))
    const late = await firstQueued(store, 'a')
    expectEqual(await store.append([{ runId: 'a', lease: former, queued: late.id }]), undefined, 'the report')
    expectEqual(await queuedFor(store, ['a']), [], 'the signals that are left')
  },

  async 'a former owner refuses no signal, and an accepted answer keeps no refusal from its end'({
    store,
    begin,
  }) {
    const former = await begin('a')
    await store.enqueueSignal('a', cancel('one'))
    const refused = await firstQueued(store, 'a')
    const lease = await store.claim('a', 'other', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    expectThat(lease !== undefined, 'the run to be free')
    const report = await store.append([{ runId: 'a', lease: former, queued: refused.id }])
    expectEqual(report?.lost, ['a'], 'the lost runs of the report')
    expectEqual(await queuedFor(store, ['a']), [refused], 'the signals that are left')
    const answer = { type: 'approve', toolCallId: 'x' } as const
    await store.enqueueSignal('a', answer, { key: 'x/signal#1', entries: 1 })
    expectEqual(await store.append([{ runId: 'a', lease, queued: refused.id }]), undefined, 'the report')
    const [left, ...others] = await queuedFor(store, ['a'])
    expectEqual([left?.signal, others.length], [answer, 0], 'the signals that are left')
    const before = await store.append([{ runId: 'a', lease, entry: received('two') }])
    expectEqual(before?.answered?.length, 1, 'the number of answers that precede an entry')
  },
})
