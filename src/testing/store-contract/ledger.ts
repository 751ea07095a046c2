/** Cases about what tenants have used and reserved. */
import type { LedgerGrant, LedgerReservation, LedgerStorage } from '../../runtime/tenants/ledger-storage.ts'
import type { Lease, Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, awkward, called, settled } from './entries.ts'
import { plans } from './plan.ts'

function ledgerOf({ ledger }: Store): LedgerStorage {
  expectThat(ledger !== undefined, 'the store to have a ledger')
  return ledger
}

const one = { modelCalls: 1, tokens: 100, cost: 0.5 }
const none = { modelCalls: 0, tokens: 0, cost: 0 }

function asked(
  { runId, token }: Lease,
  key: string,
  more: Partial<LedgerReservation> = {},
): LedgerReservation {
  const accounts = [{ account: 'total', max: { modelCalls: 2 } }]
  return { tenant: awkward, runId, token, key, amount: one, accounts, now: 10, ...more }
}

const outcomeOf = ({ outcome }: LedgerGrant): string => outcome

/** The append of the entry of a call, which has used `amount`. */
function ended(lease: Lease, key: string, amount = one) {
  const spent = { tenant: awkward, key, accounts: ['total'], amount }
  return appends(lease.runId, [called(20)], lease).map((append) => ({ ...append, spent }))
}

export const ledgerPlans = plans(
  'budgets of tenants',
  {
    async 'a reservation is granted while each limit has room for it, and then refused'({ store, begin }) {
      const ledger = ledgerOf(store)
      const [a, b] = [await begin('a'), await begin('b')]
      expectEqual(
        await ledger.reserve(asked(a, awkward)),
        { outcome: 'granted', sums: [{ account: 'total', used: none, reserved: one }] },
        'the first grant',
      )
      expectEqual(outcomeOf(await ledger.reserve(asked(b, 'k'))), 'granted', 'the second grant')
      const refused = await ledger.reserve(asked(b, 'other'))
      expectEqual(outcomeOf(refused), 'refused', 'the third answer')
      expectEqual(
        refused.sums[0]?.reserved,
        { modelCalls: 2, tokens: 200, cost: 1 },
        'what is reserved in its answer',
      )
      const other = await ledger.reserve(asked(b, 'k2', { tenant: 'another' }))
      expectEqual(outcomeOf(other), 'granted', 'the grant of another tenant')
    },

    async 'the same call reserves once, and what is not made is given back'({ store, begin }) {
      const ledger = ledgerOf(store)
      const lease = await begin('a')
      for (let turn = 0; turn < 3; turn++)
        expectEqual(outcomeOf(await ledger.reserve(asked(lease, 'k'))), 'granted', `grant ${turn}`)
      await ledger.release({ runId: 'a', token: lease.token + 1, key: 'k' })
      expectEqual(
        (await ledger.sums(awkward, ['total'], 10))[0]?.reserved,
        one,
        'what is reserved after a release by another token',
      )
      await ledger.release({ runId: 'a', token: lease.token, key: 'k' })
      await ledger.release({ runId: 'unknown', token: 1, key: 'k' })
      expectEqual(
        await ledger.sums(awkward, ['total', 'day 1970-01-01'], 10),
        [
          { account: 'total', used: none, reserved: none },
          { account: 'day 1970-01-01', used: none, reserved: none },
        ],
        'the sums',
      )
    },

    async 'a call that was made, and has no entry, counts as it is told when it is given back'({
      store,
      begin,
      reopen,
    }) {
      const lease = await begin('a')
      await ledgerOf(store).reserve(asked(lease, 'k'))
      const amount = { modelCalls: 1, tokens: 9, cost: 0.5 }
      const spent = { tenant: awkward, key: 'k', accounts: ['total', 'month'], amount }
      await ledgerOf(store).release({ runId: 'a', token: lease.token, key: 'k' }, spent)
      expectEqual(
        await ledgerOf(await reopen()).sums(awkward, ['total', 'month'], 10),
        ['total', 'month'].map((account) => ({ account, used: amount, reserved: none })),
        'the sums, from a store opened later,',
      )
    },

    async 'an entry settles what its call has used, and ends the reservation'({ store, begin, reopen }) {
      const lease = await begin('a')
      await ledgerOf(store).reserve(asked(lease, 'k'))
      const amount = { modelCalls: 1, tokens: 7, cost: 0.25 }
      await store.append([...ended(lease, 'k', amount), ...ended(lease, 'l', amount)])
      const sums = await ledgerOf(await reopen()).sums(awkward, ['total'], 10)
      const used = { modelCalls: 2, tokens: 14, cost: 0.5 }
      expectEqual(sums, [{ account: 'total', used, reserved: none }], 'the sums, from a store opened later,')
    },

    async 'an entry that is refused settles nothing, and a former lease reserves nothing'({ store, begin }) {
      const ledger = ledgerOf(store)
      const lease = await begin('a')
      await ledger.reserve(asked(lease, 'k'))
      const next = await store.claim('a', 'another', 2_000, 9_000)
      expectThat(next !== undefined, 'the run to be claimed')
      expectEqual(await store.append(ended(lease, 'k')), { lost: ['a'] }, 'the report')
      expectEqual(outcomeOf(await ledger.reserve(asked(lease, 'l'))), 'lost', 'the answer to a former lease')
      expectEqual(
        await ledger.sums(awkward, ['total'], 2_000),
        [{ account: 'total', used: none, reserved: none }],
        'the sums',
      )
      expectEqual(
        outcomeOf(await ledger.reserve(asked(next, 'k', { now: 2_000 }))),
        'granted',
        'the grant of the next',
      )
    },

    async 'a lease that has expired, a release and the end of a run hold nothing'({ store, begin }) {
      const ledger = ledgerOf(store)
      const reserved = async (now: number) => (await ledger.sums(awkward, ['total'], now))[0]?.reserved
      const lease = await begin('a')
      await ledger.reserve(asked(lease, 'k'))
      expectEqual(await reserved(999), one, 'what is reserved before the lease expires')
      expectEqual(await reserved(1_000), none, 'what is reserved when it has expired')
      await store.append(appends('a', [settled(30)], lease))
      expectEqual(await reserved(10), none, 'what is reserved when the run has ended')
      expectEqual(outcomeOf(await ledger.reserve(asked(lease, 'l'))), 'lost', 'the answer after the end')
    },

    async 'of calls that reserve at once, no more are granted than there is room for'({ store, begin }) {
      const ledger = ledgerOf(store)
      const leases: Lease[] = []
      for (let run = 0; run < 8; run++) leases.push(await begin(`r${run}`))
      const accounts = ['total', 'day', 'month'].map((account) => ({ account, max: { modelCalls: 5 } }))
      const answers = await Promise.all(
        leases.map((lease, index) =>
          ledger.reserve(asked(lease, 'k', { accounts: index % 2 === 0 ? accounts : accounts.toReversed() })),
        ),
      )
      expectEqual(answers.filter(({ outcome }) => outcome === 'granted').length, 5, 'the number of grants')
    },
  },
  'ledger',
)
