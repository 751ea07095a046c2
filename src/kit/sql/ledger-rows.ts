/** The rows of a ledger in a database of SQL. */
import {
  granted,
  type LedgerGrant,
  type LedgerReservation,
  type LedgerSum,
} from '../../runtime/tenants/ledger-storage.ts'

/** The sums of an account: of what is used, and of what is held for calls in progress. */
export interface LedgerRow {
  readonly model_calls: number
  readonly tokens: number
  readonly cost: number
  readonly held_calls: number
  readonly held_tokens: number
  readonly held_cost: number
}

const none: LedgerRow = { model_calls: 0, tokens: 0, cost: 0, held_calls: 0, held_tokens: 0, held_cost: 0 }

/** The sum of an account from its row. */
export function ledgerSum(account: string, row: LedgerRow = none): LedgerSum {
  const { model_calls, tokens, cost, held_calls, held_tokens, held_cost } = row
  return {
    account,
    used: { modelCalls: model_calls, tokens, cost },
    reserved: { modelCalls: held_calls, tokens: held_tokens, cost: held_cost },
  }
}

/** The answer to a reservation, by the sums without it. */
export function ledgerGrant(sums: readonly LedgerSum[], reservation: LedgerReservation): LedgerGrant {
  return granted(sums, reservation)
}
