/** The option `tenants` of a troupe: budgets of tenants, over all their runs and all workers on the store. */
import { aFunction, either, is, listOf, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { anObject, optional, required, withDefault, type Fields } from '../../actors/strict/read-options.ts'
import type { PriceTable } from '../../actors/pricing.ts'
import { priceTable } from '../options/option-fields.ts'

/** The periods of a limit, by the calendar of UTC. */
export const tenantPeriods = ['day', 'month', 'total'] as const

/** The period of a limit. */
export type TenantPeriod = (typeof tenantPeriods)[number]

/** What a tenant may use in a period. Each limit holds by itself. */
export interface TenantLimit {
  /** A day or a month of UTC, or all time. */
  readonly per: TenantPeriod
  /** Input and output tokens together. */
  readonly tokens?: number
  /** In the currency of `prices`, which must then name every model. */
  readonly cost?: number
  /** Model calls, failed ones and final turns included. */
  readonly modelCalls?: number
}

/** The budgets of tenants. The tenant of a run is its `resourceId`, which each run then needs. */
export interface TenantOptions {
  /**
   * The limits of every tenant, or a function that gives those of one: it answers at once, and is asked before each call. A
   * tenant without limits is not limited.
   */
  readonly limits: readonly TenantLimit[] | ((resourceId: string) => readonly TenantLimit[])
  /**
   * Output tokens that a call reserves beside its prompt until its usage is known: the most that a reply may have, as you have
   * set it for the models. Default: 4 096.
   */
  readonly outputTokens?: number
  /** The share of a limit at which `budget-warning` is emitted, from 0 to 1. Default: 0.8. */
  readonly warnAt?: number
  /** Prices of tokens, by `provider/model id` or by model id. */
  readonly prices?: PriceTable
}

const aLimit = is(
  'a number from 0 on',
  (given) => typeof given === 'number' && Number.isFinite(given) && given >= 0,
)

export const limitFields = {
  per: required(oneOf(...tenantPeriods)),
  tokens: optional(aLimit),
  cost: optional(aLimit),
  modelCalls: optional(aLimit),
} satisfies Fields<TenantLimit>

export const someLimits = listOf(anObject(limitFields))

export const tenantFields = {
  limits: required(either((given) => typeof given === 'function', aFunction, someLimits)),
  outputTokens: withDefault(positiveInteger, 4_096),
  warnAt: withDefault(
    is('a share from 0 to 1', (given) => typeof given === 'number' && given >= 0 && given <= 1),
    0.8,
  ),
  prices: optional(priceTable),
} satisfies Fields<TenantOptions>
