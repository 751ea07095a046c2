/** Reads and checks the options of definitions, and those of runs. */
import {
  aBoolean,
  anything,
  aName,
  aText,
  aFunction,
  either,
  listOf,
  oneOf,
  positiveInteger,
  aSchema,
} from '../../actors/strict/checks.ts'
import {
  isObject,
  optional,
  readOptions,
  required,
  show,
  type Field,
} from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { RunSettings } from '../options/settings.ts'
import { byKey } from './agents-given.ts'
import type { AgentDefinition } from './definition.ts'
import { modelNames } from './models.ts'
import { mayCall, type Callable } from './may-call.ts'
import { callHint, definitionHint } from './option-hints.ts'
import { readMemory } from '../options/option-fields.ts'
import { callOptionsOf, optionsOf, type AnyOptions } from '../options/option-table.ts'
import type { CallOptions, SupervisorOptions } from '../options/options.ts'
import type { Pattern } from '../options/pattern.ts'
import { agentStatuses } from '../options/version-selectors.ts'
import { priceOf, type PriceTable } from '../../actors/pricing.ts'
import { assertTrace } from '../../actors/strict/trace-context.ts'
import type { BudgetOptions } from '../options/budget-options.ts'
import type { Registry } from './registry.ts'

/** Reads the options of a run. Throws a `ConfigurationError` for one that its pattern lacks, and for a wrong value. */
export function readCall(options: unknown, where: string, pattern: Pattern): AnyOptions & CallOptions {
  const call: AnyOptions & CallOptions = readOptions<object>(
    options,
    where,
    callOptionsOf[pattern],
    callHint(pattern, definitionParts),
  )
  assertTrace(call, where)
  return call
}

/** The fields of every agent; those that are `anything` here are checked with the parts of the agent. */
const identity = {
  id: required(anything),
  version: optional(aName),
  status: optional(oneOf(...agentStatuses)),
  onDrift: optional(oneOf('continue', 'refuse')),
  description: optional(aText),
  instructions: optional(anything),
  model: required(anything),
  contextSchema: optional(aSchema),
}
const tools = { tools: optional(anything), workflows: optional(anything) }
const agents = { agents: optional(anything) }
const handoffs = {
  handoffs: optional(anything),
  maxHandoffs: optional(positiveInteger),
  keepHandoff: optional(aBoolean),
}
const choices = { taskTypes: optional(listOf(anything)), patterns: optional(listOf(anything)) }

export const definitionParts: Readonly<Record<Pattern, Readonly<Record<string, Field>>>> = {
  react: { ...identity, ...tools, ...handoffs },
  supervisor: { ...identity, ...tools, ...agents, ...handoffs },
  router: { ...identity, ...tools, ...agents },
  'plan-then-execute': { ...identity, ...tools, ...agents },
  'fan-out': { ...identity, ...agents },
  'meta-router': { ...identity, ...agents, ...choices },
  reflexion: { ...identity, ...tools, ...handoffs },
  debate: { ...identity, ...agents },
  dispatch: { ...identity, ...tools, ...agents },
  remote: identity,
  custom: identity,
  program: { ...identity, ...tools },
}

export interface ReadDefinition<Config> {
  readonly where: string
  readonly config: Config
}

/** Reads the argument of a `create…` function. Throws a `ConfigurationError`. */
export function readDefinition<Config extends { readonly id: string }>(
  given: Config,
  create: string,
  pattern: Pattern,
): ReadDefinition<Config> {
  const id: unknown = isObject(given) ? Reflect.get(given, 'id') : undefined
  const where = id === undefined ? create : `${create}(${show(id)})`
  const fields = {
    ...definitionParts[pattern],
    ...optionsOf[pattern],
    memory: optional(either(isFunction, aFunction, readMemory)),
  }
  const config = readOptions<object>(given, where, fields, definitionHint(pattern, definitionParts))
  const listed: unknown = Reflect.get(config, 'agents')
  const agents = Array.isArray(listed) ? { agents: byKey(listed, where) } : {}
  return { where, config: { ...config, ...agents } as Config }
}

/** Throws a `ConfigurationError` for a background task of an agent that the supervisor does not have. */
export function assertBackground(
  tasks: SupervisorOptions['backgroundTasks'],
  /** The keys of its agents. */
  agents: readonly string[],
  where: string,
): void {
  for (const key of Object.keys(tasks ?? {})) {
    if (agents.includes(key)) continue
    throw new ConfigurationError(
      `${where}: backgroundTasks names "${key}", which is no key of agents. It has: ${agents.join(', ') || 'none'}.`,
    )
  }
}

/** Throws a `ConfigurationError` when there is no primitive to choose from, unless each run may bring some. */
export function assertPrimitives(agent: AgentDefinition, where: string): void {
  const { toolset, dynamic } = agent
  const mayBringSome = dynamic.some((part) => part === 'agents' || part === 'tools' || part === 'workflows')
  if (mayBringSome || toolset.descriptions.length > 0) return
  throw new ConfigurationError(
    `${where}: expected at least one of agents, workflows and tools to choose from.`,
  )
}

/** Throws a `ConfigurationError` for rules that are given where no other model can follow. */
export function assertFallsBack(
  { fallbackOn }: Pick<SupervisorOptions, 'fallbackOn'>,
  { fallbackModels, fallbackOn: ofDefinition }: Pick<RunSettings, 'fallbackModels' | 'fallbackOn'>,
  where: string,
): void {
  if (fallbackOn === undefined || fallbackModels !== undefined || ofDefinition !== undefined) return
  throw new ConfigurationError(`${where}: fallbackOn means nothing here, for the agent has one model alone.`)
}

/** Throws a `ConfigurationError` for an option about handoffs that is given to a run of an agent without them. */
export function assertHandsOff(
  { handoffFilter }: Pick<SupervisorOptions, 'handoffFilter'>,
  agent: AgentDefinition,
  where: string,
): void {
  const { id, handoffs } = agent
  if (handoffFilter === undefined || handoffs !== undefined) return
  throw new ConfigurationError(`${where}: handoffFilter means nothing here, for "${id}" has no handoffs.`)
}

/** Throws a `ConfigurationError` for a required call that the agent can never be offered. */
export function assertToolChoice(
  { toolChoice = 'auto' }: Pick<SupervisorOptions, 'toolChoice'>,
  agent: Callable,
  where: string,
): void {
  if (mayCall(agent, toolChoice)) return
  const { names } = agent.toolset.whole
  const wanted = typeof toolChoice === 'object' ? `the tool "${toolChoice.tool}"` : 'a tool'
  throw new ConfigurationError(
    `${where}: toolChoice requires ${wanted}, and the agent offers: ${names.join(', ') || 'none'}.`,
  )
}

function isFunction(given: unknown): boolean {
  return typeof given === 'function'
}

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
  if (!agent.dynamic.includes('model')) {
    const unpriced = modelNames(agent).find((model) => priceOf(model, prices) === undefined)
    if (unpriced !== undefined) return unpriced
  }
  for (const child of [...Object.values(agent.agents), ...(agent.handoffs?.known ?? [])]) {
    const unpriced = unpricedOf(registry?.get(child.id) ?? child, prices, seen, registry)
    if (unpriced !== undefined) return unpriced
  }
  return undefined
}
