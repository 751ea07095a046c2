/** Checks task types and patterns, in code or in configuration. */
import {
  assertKeyIsName,
  initialPatterns,
  patternKind,
  readPattern,
  readTaskType,
  taskTypeKind,
  unknownPatterns,
  type CheckedPattern,
  type CheckedTaskType,
} from '../../actors/task-types.ts'
import { ConfigurationError } from '../../errors.ts'
import { optionsOf } from '../options/option-table.ts'
import type { RouteOptions } from '../options/pattern-options.ts'
import type { AgentDefinition } from './definition.ts'

export function validateTaskTypes(
  given: { readonly taskTypes: readonly unknown[]; readonly patterns: readonly unknown[] },
  agents: Readonly<Record<string, AgentDefinition>>,
  where: string,
): { readonly taskTypes: readonly CheckedTaskType[]; readonly patterns: readonly CheckedPattern[] } {
  const patterns = given.patterns.map((item, i) => readPattern(item, `${where}: patterns[${i}]`))
  for (const [i, { name, settings = {} }] of patterns.entries()) {
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent === undefined) continue // it may be added while the troupe runs
    assertSettings(settings, agent, `${where}: patterns[${i}]`)
  }
  const taskTypes = given.taskTypes.map((type, i) => readTaskType(type, `${where}: taskTypes[${i}]`))
  const known = [...Object.keys(agents), ...[...initialPatterns, ...patterns].map(({ name }) => name)]
  for (const [i, type] of taskTypes.entries()) {
    const [unknown] = unknownPatterns(type, known)
    if (unknown === undefined) continue
    throw new ConfigurationError(`${where}: taskTypes[${i}].valid_patterns: ${unknown}`)
  }
  return { taskTypes, patterns }
}

function assertSettings(settings: object, agent: AgentDefinition, where: string): void {
  const known = optionsOf[agent.pattern]
  const unknown = Object.keys(settings).find((option) => !Object.hasOwn(known, option))
  if (unknown === undefined) return
  throw new ConfigurationError(`${where}.settings.${unknown}: the agent "${agent.id}" has no such option.`)
}

/** An item of the live configuration. */
interface Item {
  readonly kind: string
  readonly key: string
  readonly value: unknown
}

/**
 * Holds items that are set against the meta-routers that will choose from them. `patterns`: the names of the patterns that are
 * configured, those that are set with the item included. A process without a meta-router cannot tell, and refuses none.
 * Throws a `ConfigurationError` for a pattern that nobody knows, and for a cap that its agent does not have.
 */
export function holdAgainst(
  agents: readonly AgentDefinition[],
  { kind, key, value }: Item,
  patterns: readonly string[],
): void {
  const routers = agents.filter(({ pattern }) => pattern === 'meta-router')
  if (routers.length === 0) return
  const where = `config: ${kind} "${key}"`
  if (kind === patternKind) {
    const { name, settings = {} } = readPattern(value, where)
    for (const { agents } of routers) {
      const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
      if (agent !== undefined) assertSettings(settings, agent, where)
    }
  }
  if (kind !== taskTypeKind) return
  const own = routers.flatMap(({ agents, settings: { route } }) => [
    ...Object.keys(agents),
    ...(route?.patterns ?? []).map(({ name }) => name),
  ])
  const known = [...own, ...initialPatterns.map(({ name }) => name), ...patterns]
  const [unknown] = unknownPatterns(readTaskType(value, where), known)
  if (unknown !== undefined) throw new ConfigurationError(`${where}: valid_patterns: ${unknown}`)
}

const readers: Readonly<Record<string, (given: unknown, where: string) => { readonly name: string }>> = {
  [taskTypeKind]: readTaskType,
  [patternKind]: readPattern,
}

/**
 * Throws a `ConfigurationError` for an item of a kind that the library knows, and that does not have its shape, or has
 * another key than its name.
 */
export function validateItem(kind: string, key: string, value: unknown): void {
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
  if (read === undefined) return
  const where = `config: ${kind} "${key}"`
  assertKeyIsName(key, read(value, where), where)
}

/** Throws a `ConfigurationError` for a pattern that has no agent. */
export function validateRoute(
  { pattern }: Pick<RouteOptions, 'pattern'>,
  agents: Readonly<Record<string, unknown>>,
  where: string,
): void {
  if (pattern !== undefined && !Object.hasOwn(agents, pattern)) {
    throw new ConfigurationError(
      `${where}: no agent stands for the pattern "${pattern}". There are: ${Object.keys(agents).join(', ')}.`,
    )
  }
}
