/** What cannot be made durable on Restate is refused before anything runs. */
import { ConfigurationError } from '../errors.ts'
import { budgetLimits } from '../runtime/budget.ts'
import type { BudgetOptions } from '../runtime/budget-options.ts'
import type { AgentDefinition } from '../runtime/definition.ts'
import { AgentRegistry } from '../runtime/registry.ts'

/** The agents with those below them. Throws a `ConfigurationError`. */
export function registryOfAgents(agents: unknown, where: string): AgentRegistry {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new ConfigurationError(`${where}: agents must hold at least one agent.`)
  }
  const registry = new AgentRegistry()
  for (const agent of agents as readonly AgentDefinition[]) {
    registry.register(agent, where)
    assertBudget(agent, agent.settings.budget, where)
  }
  return registry
}

/** A budget is one number for the whole tree; on Restate each agent of a tree is a workflow of its own. */
export function assertBudget(
  { id, agents, dynamic }: AgentDefinition,
  budget: BudgetOptions | undefined,
  where: string,
): void {
  const limit = budgetLimits.find((name) => budget?.[name] !== undefined)
  const isAlone = Object.keys(agents).length === 0 && !dynamic.includes('agents')
  if (limit === undefined || isAlone) return
  throw new ConfigurationError(
    `${where}: the budget of "${id}" limits ${limit}. On Restate its subagents are workflows of their own, which share no count: limit each agent by maxSteps, or run it in a troupe of one process.`,
  )
}

/** Memory that only one worker has is none. */
export function assertMemory(registry: AgentRegistry, hasStore: boolean, where: string): void {
  if (hasStore) return
  for (const { id, settings } of registry.values()) {
    if (settings.memory === undefined || settings.memory === false) continue
    throw new ConfigurationError(
      `${where}: the agent "${id}" has memory. Give the endpoint a store that all workers share, for example { store: { memory, config } }.`,
    )
  }
}
