/** The ledger of a sealed store: sums and limits are clear, and tenants and calls have names that tell nothing. */
import type { LedgerStorage } from '../index.ts'
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
    release: ({ runId, key }) => ledger.release({ runId, key: names.of('effect', key) }),
    sums: (tenant, accounts, now) => ledger.sums(names.of('resource', tenant), accounts, now),
  }
}
