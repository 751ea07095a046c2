/**
 * Reserves the calls of models for tenants. A call reserves before it is made, its entry settles what it has used, and the
 * reservation of a process that has gone falls with its lease. The grant is on record, so that a replay asks nobody.
 */
import { charactersOf, estimatedTokens } from '../../../actors/messages/size.ts'
import { priceOf, priced } from '../../../actors/pricing.ts'
import { defaultsOf } from '../../../actors/strict/read-options.ts'
import {
  BudgetExceededError,
  ConfigurationError,
  LeaseLostError,
  StoreError,
  toErrorData,
  TroupeError,
} from '../../../errors.ts'
import {
  exceeded,
  type LedgerAmount,
  type LedgerGrant,
  type LedgerReservation,
  type LedgerStorage,
  type LedgerSum,
} from '../../tenants/ledger-storage.ts'
import { spendingOf, type TenantAccount, type TenantGrant } from '../../tenants/tenant-charge.ts'
import { toolsetOfDigest } from '../../../actors/toolset/working-memory.ts'
import type { RunState } from '../../state/run-state.ts'
import type { Lease } from '../../journal/store.ts'
import { missingPort } from '../../missing-port.ts'
import { isKind, type PendingEffect } from '../../state/effects/pending-effect.ts'
import { accountsOf } from '../../tenants/tenant-periods.ts'
import {
  someLimits,
  tenantFields,
  type TenantLimit,
  type TenantOptions,
} from '../../tenants/tenant-options.ts'

/** Reserves the calls of one run. */
export interface TenantDesk {
  /** Rejects with a `BudgetExceededError` where a limit has no room. */
  reserve(effect: PendingEffect, registry: Registry): Promise<TenantGrant>
  /** Ends the reservation of a call without an entry. `made`: the call was made on that grant, and counts as the grant. */
  release(effect: PendingEffect, made?: TenantGrant): Promise<void>
}

type Registry = Pick<RunState['registry'], 'get'>

type Read = Required<Omit<TenantOptions, 'prices'>> & Pick<TenantOptions, 'prices'>

export class TenantMeter {
  readonly #ledger: LedgerStorage
  readonly #options: Read
  readonly #now: () => number

  /** Throws a `ConfigurationError` where the store has no ledger. `now`: by the clock of the leases. */
  constructor(options: TenantOptions, ledger: LedgerStorage | undefined, now: () => number) {
    this.#options = { ...defaultsOf(tenantFields), ...options }
    if (ledger === undefined) throw missingPort('Budgets of tenants need', 'ledger')
    this.#ledger = ledger
    this.#now = now
  }

  /** Throws a `ConfigurationError` for a run without a tenant. */
  tenantOf(resourceId: string | undefined): string {
    if (resourceId !== undefined) return resourceId
    throw new ConfigurationError(
      'createTroupe({ tenants }): the run has no tenant. Start it with { resourceId }, which names the tenant.',
      { code: 'TENANT_MISSING' },
    )
  }

  /** The sums of a tenant now. */
  async sums(tenant: string): Promise<readonly TenantAccount[]> {
    const now = this.#now()
    const accounts = accountsOf(this.#limitsOf(tenant), now)
    const sums = await this.#ledger.sums(
      tenant,
      accounts.map(({ account }) => account),
      now,
    )
    return sums.map((sum, index) => ({ ...sum, max: accounts[index]?.max ?? {} }))
  }

  /** For the calls of a run under a lease. */
  desk(resourceId: string | undefined, lease: Lease): TenantDesk {
    return {
      reserve: (effect, registry) => this.#reserve(effect, registry, resourceId, lease),
      release: ({ key }, made) =>
        this.#ledger.release(
          { runId: lease.runId, token: lease.token, key },
          made && spendingOf(key, { ...made, amount: made.reserved }),
        ),
    }
  }

  /** Rejects with a `BudgetExceededError` where a limit has no room, and with a `LeaseLostError` under a former lease. */
  async #reserve(
    effect: PendingEffect,
    registry: Registry,
    resourceId: string | undefined,
    lease: Lease,
  ): Promise<TenantGrant> {
    const tenant = this.tenantOf(resourceId)
    const now = this.#now()
    const accounts = accountsOf(this.#limitsOf(tenant), now)
    const amount = this.#estimate(
      effect,
      registry,
      accounts.some(({ max }) => max.cost !== undefined),
    )
    const { runId, token } = lease
    const { key } = effect
    const grant = await this.#asked({ tenant, runId, token, key, amount, accounts, now })
    if (grant.outcome === 'lost') throw new LeaseLostError(runId)
    if (grant.outcome === 'refused') throw this.#refusal(tenant, grant.sums, accounts, amount)
    return {
      tenant,
      warnAt: this.#options.warnAt,
      reserved: amount,
      accounts: grant.sums.map((sum, index) => ({ ...sum, max: accounts[index]?.max ?? {} })),
      ...(this.#options.prices === undefined ? {} : { prices: this.#options.prices }),
    }
  }

  /** Rejects with a `StoreError` where the ledger fails: a store may throw errors of any class. */
  async #asked(reservation: LedgerReservation): Promise<LedgerGrant> {
    try {
      return await this.#ledger.reserve(reservation)
    } catch (cause) {
      if (cause instanceof StoreError) throw cause
      throw new StoreError(`The ledger failed: ${toErrorData(cause).message}`, { cause })
    }
  }

  #limitsOf(tenant: string): readonly TenantLimit[] {
    const { limits } = this.#options
    if (typeof limits !== 'function') return limits
    return someLimits(limits(tenant), 'createTroupe: tenants.limits') as readonly TenantLimit[]
  }

  #estimate(effect: PendingEffect, registry: Registry, isPriced: boolean): LedgerAmount {
    if (!isKind(effect, 'model') && !isKind(effect, 'compaction'))
      return { modelCalls: 0, tokens: 0, cost: 0 }
    const { model = '', messages } = effect.request.input
    const characters =
      messages.sum(charactersOf) + (isKind(effect, 'model') ? charactersBeside(effect, registry) : 0)
    const inputTokens = Math.ceil(estimatedTokens(characters))
    const { outputTokens, prices } = this.#options
    if (isPriced && priceOf(model, prices) === undefined)
      throw new TroupeError(
        'MODEL_NOT_PRICED',
        `The budget of tenants limits the cost, and its prices do not name the model "${model}".`,
      )
    const totalTokens = inputTokens + outputTokens
    const { cost = 0 } = priced({ inputTokens, outputTokens, totalTokens }, model, prices)
    return { modelCalls: 1, tokens: totalTokens, cost }
  }

  #refusal(
    tenant: string,
    sums: readonly LedgerSum[],
    accounts: readonly { readonly max: Partial<LedgerAmount> }[],
    amount: LedgerAmount,
  ): BudgetExceededError {
    for (const [index, sum] of sums.entries()) {
      const max = accounts[index]?.max ?? {}
      const limit = exceeded(sum, max, amount)
      if (limit !== undefined)
        return new BudgetExceededError(
          limit,
          sum.used[limit] + sum.reserved[limit],
          max[limit] ?? 0,
          `the tenant "${tenant}" (${sum.account})`,
        )
    }
    return new BudgetExceededError('modelCalls', 0, 0, `the tenant "${tenant}"`)
  }
}

/** Of what is sent beside the messages: the tools on offer, and the schema of the answer. */
function charactersBeside(effect: PendingEffect<'model'>, registry: Registry): number {
  const { agent, tools, scope, responseFormat, toolset = registry.get(agent)?.toolset } = effect.request.input
  const offered =
    toolset === undefined || tools === 'none' ? 0 : toolsetOfDigest(toolset, tools, scope).characters
  return offered + (responseFormat === undefined ? 0 : JSON.stringify(responseFormat.schema).length)
}
