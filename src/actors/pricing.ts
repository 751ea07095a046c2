/** The cost of tokens, by a table that the user gives: the library knows no prices. */
import type { Usage } from './usage.ts'

/** The price of a model, per million tokens. */
export interface ModelPrice {
  /** Per million input tokens, in the currency of the table. */
  readonly input: number
  /** Per million output tokens. */
  readonly output: number
  /** Per million input tokens that the provider served from its cache. Default: as `input`. */
  readonly cachedInput?: number
  /** Per million input tokens that the provider wrote to its cache. Default: as `input`. */
  readonly cacheWrite?: number
}

/** By model id, or by `provider/model id`. */
export type PriceTable = Readonly<Record<string, ModelPrice>>

const million = 1_000_000

/** The usage with its cost; unchanged where the table lacks the model. */
export function priced(usage: Usage, model: string, prices: PriceTable | undefined): Usage {
  const price = priceOf(model, prices)
  if (price === undefined) return usage
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens)
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached)
  const cost =
    ((usage.inputTokens - cached - written) * price.input +
      cached * (price.cachedInput ?? price.input) +
      written * (price.cacheWrite ?? price.input) +
      usage.outputTokens * price.output) /
    million
  return { ...usage, cost }
}

/** The price of a model that is named `provider/model id`. */
export function priceOf(model: string, prices: PriceTable = {}): ModelPrice | undefined {
  if (Object.hasOwn(prices, model)) return prices[model]
  const id = model.slice(model.indexOf('/') + 1)
  return Object.hasOwn(prices, id) ? prices[id] : undefined
}
