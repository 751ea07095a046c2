/** The ledger of a sealed store: sums and limits are clear, and tenants and calls have names that tell nothing. */
import type { LedgerSpending, LedgerStorage } from '../index.ts'
import type { Whole } from '../kit/index.ts'
import type { Names } from './names.ts'

export function sealedLedger(ledger: LedgerStorage, names: Names): Whole<LedgerStorage> {
  return {
    reserve: (reservation) =>
      ledger.reserve({
        ...reservation,
        tenant: names.of('resource', reservation.tenant),
        key: names.of('effect', reservation.key),
      }),
    release: ({ runId, token, key }, spent) =>
      ledger.release({ runId, token, key: names.of('effect', key) }, spent && sealedSpending(spent, names)),
    sums: (tenant, accounts, now) => ledger.sums(names.of('resource', tenant), accounts, now),
  }
}

/** What a call has used, under the names of a sealed store. */
export function sealedSpending(spent: LedgerSpending, names: Names): LedgerSpending {
  return { ...spent, tenant: names.of('resource', spent.tenant), key: names.of('effect', spent.key) }
}
