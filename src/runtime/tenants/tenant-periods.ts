/** The accounts of limits: one for each period, by the calendar of UTC. */
import type { LedgerAccount } from './ledger-storage.ts'
import type { TenantLimit, TenantPeriod } from './tenant-options.ts'

/** The account of a period at a time. Milliseconds since 1970. */
function accountAt(per: TenantPeriod, now: number): string {
  const date = new Date(now).toISOString()
  switch (per) {
    case 'day':
      return `day ${date.slice(0, 10)}`
    case 'month':
      return `month ${date.slice(0, 7)}`
    case 'total':
      return 'total'
  }
}

/** Limits of one period are one account, with the lowest of each. */
export function accountsOf(limits: readonly TenantLimit[], now: number): readonly LedgerAccount[] {
  const accounts = new Map<string, LedgerAccount>()
  for (const { per, ...max } of limits) {
    const account = accountAt(per, now)
    const others = accounts.get(account)?.max ?? {}
    const lowest = (['modelCalls', 'tokens', 'cost'] as const).flatMap((part) => {
      const least = Math.min(max[part] ?? Infinity, others[part] ?? Infinity)
      return least === Infinity ? [] : [[part, least] as const]
    })
    accounts.set(account, { account, max: Object.fromEntries(lowest) })
  }
  return [...accounts.values()]
}
