/** The option `budget`. That of the run overrides that of the definition, limit by limit. */
import type { PriceTable } from '../../actors/pricing.ts'

/**
 * Limits over the whole tree of agents. All but `wallClock` are checked before each model call: one that has begun is
 * not cut short.
 */
export interface BudgetOptions {
  /** Input and output tokens together. */
  readonly tokens?: number
  /** In the currency of `prices`, which must then name every model of the tree. */
  readonly cost?: number
  /**
   * Milliseconds from the start; time in which the run is suspended does not count, a restart in between does. When the
   * time is up, calls in flight are aborted, and each agent has its final turn. All final turns together take at most half of
   * it on top: a subagent has half of what is left, the agent of the run the rest, and `modelTimeout` holds too.
   */
  readonly wallClock?: number
  /** Model calls, failed and aborted ones included, final turns not. */
  readonly modelCalls?: number
  /** The share of a limit at which `budget-warning` is emitted, from 0 to 1. Default: 0.8. */
  readonly warnAt?: number
  /**
   * How a reply that does not report its usage counts while `tokens` or `cost` is limited. `'exhaust'`: the limit is
   * reached at the next model call, with the error `USAGE_UNKNOWN` and without a final turn. `'estimate'`: a token for
   * each four characters of prompt and reply. `'ignore'`: it counts as far as it is reported. Default: `'exhaust'`.
   */
  readonly onUnknownUsage?: 'exhaust' | 'estimate' | 'ignore'
  /** Prices of tokens, by `provider/model id` or by model id. `usage.cost` covers the models in it. */
  readonly prices?: PriceTable
  /** The currency of `prices`, such as `EUR`: summaries show it. At most 16 characters. Default: none. */
  readonly currency?: string
}

/** The budget of a run: its own limits override those of its agent. */
export function budgetOf(
  own: BudgetOptions | undefined,
  given: BudgetOptions | undefined,
): BudgetOptions | undefined {
  return own === undefined || given === undefined ? (given ?? own) : { ...own, ...given }
}
