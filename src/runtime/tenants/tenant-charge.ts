/** What an entry of a model call has of the budget of its tenant: the grant, and what the call has used. */
import type { Settlement } from '../../actors/effects/effect.ts'
import { priced, type PriceTable } from '../../actors/pricing.ts'
import type { Usage } from '../../actors/usage.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { LedgerAmount, LedgerSpending, LedgerSum } from './ledger-storage.ts'
import { wasRefused } from './refused-call.ts'

/** The sums of a tenant when a call was granted, its own reservation included, beside the limits. */
export interface TenantAccount extends LedgerSum {
  readonly max: Partial<LedgerAmount>
}

/** The grant of a call that is under way. */
export interface TenantGrant {
  readonly tenant: string
  readonly accounts: readonly TenantAccount[]
  readonly reserved: LedgerAmount
  readonly warnAt: number
  readonly prices?: PriceTable
}

/** What a call has used of the budget of its tenant, with the sums that it was granted on. */
export interface TenantCharge {
  readonly tenant: string
  readonly accounts: readonly TenantAccount[]
  /** The share of a limit at which `budget-warning` is emitted. */
  readonly warnAt: number
  /** What the call has used. */
  readonly amount: LedgerAmount
}

/** What goes to the ledger of the store with the entry of a call. */
export function spendingOf(key: string, { tenant, accounts, amount }: TenantCharge): LedgerSpending {
  return { tenant, key, accounts: accounts.map(({ account }) => account), amount }
}

/** The charge of a call that has ended. */
export function chargeOf(grant: TenantGrant, settlement: Settlement, model: string): TenantCharge {
  const { tenant, accounts, warnAt } = grant
  return { tenant, accounts, warnAt, amount: spentBy(grant, settlement, model) }
}

/** That of a reply without its usage is what was reserved. A failed attempt is a call without tokens, and a refused call is none. */
function spentBy({ reserved, prices }: TenantGrant, settlement: Settlement, model: string): LedgerAmount {
  const { value } = settlement
  const usage: unknown = isRecord(value) ? Reflect.get(value, 'usage') : undefined
  if (!isUsage(usage)) return { modelCalls: wasRefused(settlement) ? 0 : 1, tokens: 0, cost: 0 }
  if (usage.incomplete === true) return reserved
  const { cost = 0 } = priced(usage, model, prices)
  return { modelCalls: 1, tokens: usage.totalTokens, cost }
}

function isUsage(value: unknown): value is Usage {
  return isRecord(value) && typeof value['totalTokens'] === 'number'
}
