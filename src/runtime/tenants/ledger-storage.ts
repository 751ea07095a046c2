/**
 * The port `ledger` of a store: what tenants have used, and what calls in progress have reserved, over all runs and workers.
 * A reservation belongs to a lease: it counts for as long as the lease does.
 */

/** What a call uses. */
export interface LedgerAmount {
  readonly modelCalls: number
  /** Input and output tokens together. */
  readonly tokens: number
  /** In the currency of the prices. */
  readonly cost: number
}

/** A sum of a tenant, and its limits. */
export interface LedgerAccount {
  /** Names a period, such as `day 2026-11-30`. */
  readonly account: string
  /** Absent: without this limit. */
  readonly max: Partial<LedgerAmount>
}

/** What a call reserves before it is made. */
export interface LedgerReservation {
  readonly tenant: string
  readonly runId: string
  /** The token of the lease under which the call is made. */
  readonly token: number
  /** Names the call in its run: the same key reserves once. */
  readonly key: string
  readonly amount: LedgerAmount
  readonly accounts: readonly LedgerAccount[]
  /** Milliseconds since 1970: a lease that has expired by then holds nothing. */
  readonly now: number
}

/** An account as a reservation finds it. */
export interface LedgerSum {
  readonly account: string
  /** By calls whose entries are kept. */
  readonly used: LedgerAmount
  /** By calls in progress. */
  readonly reserved: LedgerAmount
}

/**
 * `granted`: the amount is reserved, and the sums hold it. `refused`: it does not fit into a limit, and nothing is reserved.
 * `lost`: the lease is not the newest of the run.
 */
export interface LedgerGrant {
  readonly outcome: 'granted' | 'refused' | 'lost'
  /** In the order of the accounts; empty where the lease is lost. */
  readonly sums: readonly LedgerSum[]
}

/** What a call has used. It goes to the store with the entry of the call, and ends its reservation. */
export interface LedgerSpending {
  readonly tenant: string
  readonly key: string
  readonly accounts: readonly string[]
  readonly amount: LedgerAmount
}

/** Sums of tenants. Each call is one transaction, also among processes. */
export interface LedgerStorage {
  /** Reserves for a call, where all limits leave room for it. */
  reserve(reservation: LedgerReservation): Promise<LedgerGrant>
  /**
   * Ends the reservation of a call that has no entry. That of another token stays, and an unknown one is no error. `spent`: the call was made, and this is what it
   * counts, in the same transaction.
   */
  release(call: Pick<LedgerReservation, 'runId' | 'token' | 'key'>, spent?: LedgerSpending): Promise<void>
  /** The sums of these accounts of a tenant, in their order. */
  sums(tenant: string, accounts: readonly string[], now: number): Promise<readonly LedgerSum[]>
}

export const ledgerParts = ['modelCalls', 'tokens', 'cost'] as const

export const nothing: LedgerAmount = { modelCalls: 0, tokens: 0, cost: 0 }

export function added(a: LedgerAmount, b: LedgerAmount): LedgerAmount {
  return { modelCalls: a.modelCalls + b.modelCalls, tokens: a.tokens + b.tokens, cost: a.cost + b.cost }
}

/** The limit that the amount does not fit into beside what is used and reserved; `undefined`: it fits. */
export function exceeded(
  { used, reserved }: LedgerSum,
  max: Partial<LedgerAmount>,
  amount: LedgerAmount,
): keyof LedgerAmount | undefined {
  return ledgerParts.find((part) => used[part] + reserved[part] + amount[part] > (max[part] ?? Infinity))
}

/** The answer of a ledger, once it has found the sums: what it grants is in them. */
export function granted(sums: readonly LedgerSum[], { accounts, amount }: LedgerReservation): LedgerGrant {
  const fits = sums.every((sum, index) => exceeded(sum, accounts[index]?.max ?? {}, amount) === undefined)
  if (!fits) return { outcome: 'refused', sums }
  return {
    outcome: 'granted',
    sums: sums.map((sum) => ({ ...sum, reserved: added(sum.reserved, amount) })),
  }
}
