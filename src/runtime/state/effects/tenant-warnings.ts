/** The limits of a tenant that have come near, as the charges on record tell: a replay warns alike. Each once in a run. */
import { ledgerParts } from '../../tenants/ledger-storage.ts'
import type { TenantCharge } from '../../tenants/tenant-charge.ts'

export interface TenantShare {
  readonly limit: string
  readonly used: number
  readonly max: number
  readonly tenant: string
  readonly account: string
}

export class TenantWarnings {
  readonly #warned = new Set<string>()

  /** The limits that have come near with this charge. */
  noted({ tenant, accounts, warnAt }: TenantCharge): readonly TenantShare[] {
    const shares = accounts.flatMap(({ account, used, reserved, max }) =>
      ledgerParts.flatMap((limit) => {
        const most = max[limit]
        const taken = used[limit] + reserved[limit]
        const isNear = most !== undefined && taken >= most * warnAt
        return isNear ? [{ limit, used: taken, max: most, tenant, account }] : []
      }),
    )
    const added = shares.filter(({ limit, account }) => !this.#warned.has(`${account} ${limit}`))
    for (const { limit, account } of added) this.#warned.add(`${account} ${limit}`)
    return added
  }
}
