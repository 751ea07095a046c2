/** The option `budget`. */
import type { PriceTable } from '../actors/pricing.ts'

/** Limits over the whole tree of agents. A model call that has begun is not cut short. */
export interface BudgetOptions {
  /** Input and output tokens together. */
  readonly tokens?: number
  /** In the currency of `prices`. */
  readonly cost?: number
  /** Milliseconds from the start; time in which the run is suspended does not count. */
  readonly wallClock?: number
  /** Model calls, failed ones included, final turns not. */
  readonly modelCalls?: number
  /** The share of a limit at which `budget-warning` is told, from 0 to 1. Default: 0.8. */
  readonly warnAt?: number
  /** What tokens cost, by model id. `usage.cost` is told for the models in it. */
  readonly prices?: PriceTable
}
