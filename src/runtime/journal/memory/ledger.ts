/** The ledger of the store in memory. */
import {
  added,
  granted,
  nothing,
  type LedgerAmount,
  type LedgerReservation,
  type LedgerSpending,
  type LedgerStorage,
  type LedgerSum,
} from '../../tenants/ledger-storage.ts'
import type { Lease } from '../store.ts'

export interface MemoryLedger {
  readonly storage: LedgerStorage
  /** The entry of a call is kept. */
  readonly spend: (runId: string, spending: LedgerSpending) => void
  /** The run has ended: it holds nothing any more. */
  readonly ended: (runId: string) => void
}

/** `leaseOf`: the newest lease of a run that goes on. */
export function memoryLedger(leaseOf: (runId: string) => Lease | undefined): MemoryLedger {
  const used = new Map<string, LedgerAmount>()
  /** By run, then by the key of the call. */
  const reserved = new Map<string, Map<string, LedgerReservation>>()
  const nameOf = (tenant: string, account: string): string => JSON.stringify([tenant, account])
  const sumOf = (tenant: string, account: string, now: number): LedgerSum => {
    let held = nothing
    for (const [runId, calls] of reserved) {
      const lease = leaseOf(runId)
      if (lease === undefined || lease.expiresAt <= now) continue
      for (const one of calls.values()) {
        const isHere = one.tenant === tenant && one.accounts.some((other) => other.account === account)
        if (isHere && one.token === lease.token) held = added(held, one.amount)
      }
    }
    return { account, used: used.get(nameOf(tenant, account)) ?? nothing, reserved: held }
  }
  const release = (runId: string, key: string): void => {
    const calls = reserved.get(runId)
    calls?.delete(key)
    if (calls?.size === 0) reserved.delete(runId)
  }
  const spend = ({ tenant, accounts, amount }: LedgerSpending): void => {
    for (const account of accounts) {
      const name = nameOf(tenant, account)
      used.set(name, added(used.get(name) ?? nothing, amount))
    }
  }
  return {
    storage: {
      async reserve(reservation) {
        const { tenant, runId, token, key, accounts, now } = reservation
        if (leaseOf(runId)?.token !== token) return { outcome: 'lost', sums: [] }
        const calls = reserved.get(runId) ?? new Map<string, LedgerReservation>()
        calls.delete(key) // of an earlier attempt, or of an earlier lease
        const sums = accounts.map(({ account }) => sumOf(tenant, account, now))
        const grant = granted(sums, reservation)
        if (grant.outcome === 'granted') reserved.set(runId, calls.set(key, reservation))
        return grant
      },
      async release({ runId, token, key }, spent) {
        if (reserved.get(runId)?.get(key)?.token === token) release(runId, key)
        if (spent !== undefined) spend(spent)
      },
      async sums(tenant, accounts, now) {
        return accounts.map((account) => sumOf(tenant, account, now))
      },
    },
    spend(runId, spending) {
      release(runId, spending.key)
      spend(spending)
    },
    ended: (runId) => void reserved.delete(runId),
  }
}
