/** Cases about leases: a run has one owner. */
import { firstLease, released } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, fired, settled, started } from './entries.ts'
import { expectAbsent, expectFields } from './expectations.ts'
import { plans } from './plan.ts'
import { change, question } from './questions.ts'

export const leasePlans = plans('leases', {
  async 'a held run belongs to its owner until its lease has expired'({ store, begin }) {
    await begin('a')
    expectEqual(await store.claim('a', 'other', 999, 5_000), undefined, 'a claim before the expiry')
    expectEqual(
      await store.claim('a', 'other', 1_000, 5_000),
      { runId: 'a', owner: 'other', token: 2, expiresAt: 5_000 },
      'a claim at the expiry',
    )
    expectEqual(await store.claim('a', 'me', 1_000, 5_000), undefined, 'a claim of the former owner')
    expectEqual(await store.claim('nothing', 'me', 0, 1), undefined, 'a claim of an unknown run')
  },

  async 'a lease that is dated further ahead than any can be has expired'({ store, begin }) {
    await begin('a') // until 1 000
    expectEqual(await store.claim('a', 'other', 100, 200, 1_000), undefined, 'a claim within the limit')
    const beyond = await store.claim('a', 'other', 100, 200, 999)
    expectFields(beyond, { owner: 'other', token: 2 }, 'a claim beyond the limit')
    await store.append(appends('ever', [started('ever')]))
    expectEqual(await store.claim('ever', 'other', 100, 200), undefined, 'a claim without a limit')
    const far = await store.claim('ever', 'other', 100, 200, 3_600_100)
    expectFields(far, { token: 2 }, 'a claim of a run without expiry, beyond the limit,')
  },

  async 'a claim of a passivated run says that it was passivated, and until when'({ reopen, store, begin }) {
    const lease = await begin('a')
    expectAbsent(await store.claim('a', 'me', 0, 2_000), 'wasPassivated', 'the claim of a live run')
    await store.renew([released({ ...lease, token: 2 }, { wakeAt: 700 })])
    const again = await reopen()
    const first = await again.claim('a', 'x', 0, 2_000)
    expectFields(first, { wasPassivated: { wakeAt: 700 } }, 'the claim of a passivated run')
    await again.renew([released({ ...lease, token: 3 }, {})])
    const second = await again.claim('a', 'y', 0, 2_000)
    expectFields(second, { wasPassivated: {} }, 'the claim of a run that was passivated again')
    expectAbsent(await again.claim('a', 'y', 0, 2_000), 'wasPassivated', 'the claim of a claimed run')
  },

  async 'a run is left after three claims of a lease that ran out, with no entry and no release'({
    store,
    reopen,
    begin,
  }) {
    const first = await begin('a')
    const asked = question('a', 'one')
    await store.append(change(first, [asked]))
    const marked = async (on: typeof store, leftAt?: number): Promise<void> => {
      const expected = [leftAt === undefined ? asked : { ...asked, leftAt }]
      expectEqual((await on.list('questions', {})).items, expected, 'the open questions')
      expectEqual((await on.list('runs', {})).items[0]?.awaiting, expected, 'the questions of the summary')
    }
    const lapsed = (on: typeof store, n: number, unlessLeft = true) =>
      on.claim('a', `worker-${n}`, n * 1_000, (n + 1) * 1_000, undefined, unlessLeft)
    for (const n of [1, 2]) expectFields(await lapsed(store, n), { token: n + 1 }, `claim ${n}`)
    expectAbsent((await store.list('runs', {})).items[0], 'leftAt', 'the summary after two claims')
    await marked(store)
    expectFields(await lapsed(store, 3), { token: 4 }, 'the third claim')
    await store.renew([{ ...first, token: 4, expiresAt: 3_900 }])
    const again = await reopen()
    expectFields((await again.list('runs', {})).items[0], { leftAt: 3_900 }, 'the summary after three claims')
    await marked(again, 3_900)
    expectEqual(await lapsed(again, 4), undefined, 'the claim of a worker of a run that is left')
    expectFields(await lapsed(again, 4, false), { token: 5 }, 'the claim of a caller who asks for the run')
    const lease = { ...first, owner: 'worker-4', token: 5, expiresAt: 5_000 }
    expectEqual(await again.append(appends('a', [fired(1)], lease)), undefined, 'the report of the append')
    expectAbsent((await again.list('runs', {})).items[0], 'leftAt', 'the summary after an entry')
    await marked(again)
    for (const n of [5, 6, 7])
      expectFields(await lapsed(again, n), { token: n + 1 }, `claim ${n}, after an entry,`)
    await again.renew([released({ ...first, token: 8 })])
    expectAbsent((await again.list('runs', {})).items[0], 'leftAt', 'the summary after a release')
    for (const n of [8, 9, 10, 11])
      expectFields(await lapsed(again, n), { token: n + 1 }, `claim ${n}, after a release,`)
    expectEqual(await lapsed(again, 12), undefined, 'the claim of a worker after three more')
    await again.append([{ runId: 'a', entry: settled(2), lease: { ...lease, token: 12 } }])
    expectAbsent((await again.list('runs', {})).items[0], 'leftAt', 'the summary of a settled run')
  },

  async 'claims of an own lease, and of released leases, leave no run'({ store, begin }) {
    const lease = await begin('a')
    for (const n of [1, 2, 3, 4])
      expectFields(
        await store.claim('a', 'me', n * 1_000, (n + 1) * 1_000, undefined, true),
        { token: n + 1 },
        `own claim ${n}`,
      )
    for (const n of [5, 6, 7, 8]) {
      await store.renew([released({ ...lease, token: n })])
      const claim = await store.claim('a', `worker-${n}`, n * 1_000, (n + 1) * 1_000, undefined, true)
      expectFields(claim, { token: n + 1 }, `claim ${n}, of a released lease,`)
    }
    expectAbsent((await store.list('runs', {})).items[0], 'leftAt', 'the summary')
  },

  async 'an owner may take its own run again, with a new token'({ store, begin }) {
    const old = await begin('a')
    expectFields(await store.claim('a', 'me', 0, 2_000), { token: 2 }, 'the claim')
    const report = await store.append(appends('a', [fired(1)], old))
    expectEqual(report, { lost: ['a'] }, 'the report of an append under the old token')
  },

  async 'of many claims at once exactly one wins'({ store, begin }) {
    await begin('a')
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.claim('a', `other-${index}`, 1_000, 5_000)),
    )
    const won = claims.filter((claim) => claim !== undefined)
    expectEqual(
      won.map(({ token }) => token),
      [2],
      'the tokens of the claims that won',
    )
    const report = await store.append(appends('a', [fired(1)], won[0]))
    expectEqual(report, undefined, 'the report of the winner')
  },

  async 'a renewed lease holds longer; the ones that were lost are named'({ store, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    await store.claim('b', 'other', 1_000, 5_000)
    const lost = await store.renew(
      [a, b, firstLease('ghost')].map((lease) => ({ ...lease, expiresAt: 3_000 })),
    )
    expectEqual(lost, ['b', 'ghost'], 'the runs that were lost, in the order given,')
    expectEqual(await store.claim('a', 'other', 2_999, 9_000), undefined, 'a claim of a renewed lease')
    expectEqual(await store.claim('b', 'third', 4_999, 9_000), undefined, 'a claim of a lease of another')
    expectFields(await store.claim('a', 'other', 3_000, 9_000), { token: 2 }, 'a claim after the expiry')
    expectEqual(await store.renew([]), [], 'the runs lost of none')
  },

  async 'a first lease without an expiry never expires'({ store }) {
    await store.append(appends('a', [started('a')]))
    const claim = await store.claim('a', 'other', Number.MAX_SAFE_INTEGER - 1, 9)
    expectEqual(claim, undefined, 'the claim')
  },

  async 'a released run is free; passivated, it says until when'({ store, reopen, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    await store.renew([released(a, { wakeAt: 700 }), released(b)])
    const [ofA, ofB] = (await store.list('runs', {})).items
    expectFields(
      ofA,
      { runId: 'a', status: 'suspended', isPassivated: true, wakeAt: 700 },
      'the summary of a passivated run',
    )
    expectFields(ofB, { runId: 'b', status: 'running' }, 'the summary of a released run')
    const again = await reopen()
    expectAbsent((await again.list('runs', {})).items[1], 'wakeAt', 'the summary of a released run')
    expectFields(await again.claim('a', 'other', 0, 50), { token: 2 }, 'the claim of a passivated run')
    const [claimed] = (await again.list('runs', {})).items
    expectFields(claimed, { status: 'running' }, 'the summary of a claimed run')
    expectAbsent(claimed, 'wakeAt', 'the summary of a claimed run')
  },

  async 'a former owner cannot release a run that another has'({ store, begin }) {
    const old = await begin('a')
    await store.claim('a', 'other', 1_000, 5_000)
    await store.renew([released(old, {})])
    await store.renew([])
    expectFields((await store.list('runs', {})).items[0], { status: 'running' }, 'the summary')
    expectEqual(await store.claim('a', 'third', 4_999, 9_000), undefined, 'a claim of a third')
  },

  async 'a settled run is settled, passivated or not'({ store, begin }) {
    const lease = await begin('a')
    await store.append(appends('a', [settled(1)]))
    await store.renew([released(lease, { wakeAt: 3 })])
    const [summary] = (await store.list('runs', {})).items
    expectFields(summary, { status: 'settled' }, 'the summary')
    expectAbsent(summary, 'wakeAt', 'the summary of a settled run')
  },
})
