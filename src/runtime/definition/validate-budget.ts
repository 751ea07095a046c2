/** Checks that a budget with a cost limit has the price of every model. */
import { priceOf, type PriceTable } from '../../actors/pricing.ts'
import { ConfigurationError } from '../../errors.ts'
import type { BudgetOptions } from '../options/budget-options.ts'
import type { AgentDefinition } from './definition.ts'
import type { Registry } from './registry.ts'

/**
 * Throws a `ConfigurationError` where the cost of `agent` and those below it is limited, and a model of them has no
 * price. A model that a function of the run gives is checked before it is called.
 */
export function assertPriced(
  agent: AgentDefinition,
  options: BudgetOptions | undefined,
  where: string,
  /** Gives the versions that replace those below it. */
  registry?: Registry,
): void {
  if (options?.cost === undefined) return
  if (options.prices === undefined)
    throw new ConfigurationError(`${where}: budget.cost: a limit of cost needs prices.`)
  const unpriced = unpricedOf(agent, options.prices, new Set(), registry)
  if (unpriced === undefined) return
  throw new ConfigurationError(
    `${where}: budget.prices must name every model while cost is limited, and does not name "${unpriced}".`,
  )
}

function unpricedOf(
  agent: AgentDefinition,
  prices: PriceTable,
  seen: Set<AgentDefinition>,
  registry: Registry | undefined,
): string | undefined {
  if (seen.has(agent)) return undefined
  seen.add(agent)
  const model = `${agent.model.provider}/${agent.model.modelId}`
  if (!agent.dynamic.includes('model') && priceOf(model, prices) === undefined) return model
  for (const child of [...Object.values(agent.agents), ...(agent.handoffs?.known ?? [])]) {
    const unpriced = unpricedOf(registry?.get(child.id) ?? child, prices, seen, registry)
    if (unpriced !== undefined) return unpriced
  }
  return undefined
}
