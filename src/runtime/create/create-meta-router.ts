/** `createMetaRouter`: an agent that chooses, within configuration, the pattern and agent for its task. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { AnyContext, Schema } from '../../actors/schemas/schema.ts'
import {
  initialPatterns,
  initialTaskTypes,
  type PatternItem,
  type TaskType,
} from '../../actors/task-types.ts'
import { ConfigurationError } from '../../errors.ts'
import { metaRouterMachine } from '../../machines/meta-router.ts'
import { defineAgent, type DefinitionFor, type Describing, type Identity } from './define-agent.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { MetaRouterOptions } from '../options/pattern-options.ts'
import { validateRoute, validateTaskTypes } from '../definition/validate-task-types.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** `Key`: the names of the patterns. */
export type MetaRouterConfig<Key extends string = string, Context extends Schema = AnyContext> = Omit<
  Identity<Context>,
  'tools' | 'workflows'
> &
  Omit<MetaRouterOptions<NoInfer<Key>>, 'memory'> & {
    /**
     * The agents that do the task, each by the name of its pattern: `react`, `plan-then-execute`, `supervisor`, or one
     * of yours. At least one; each needs a `description`.
     */
    readonly agents: Readonly<Record<Key, AgentDefinition>>
    /** Default: those of the TrustGraph specification. Those in the troupe's `config` are added, by name. */
    readonly taskTypes?: readonly TaskType[]
    /** Descriptions of the patterns for the model. Default and additions: as for `taskTypes`. */
    readonly patterns?: readonly PatternItem[]
  }

/**
 * Defines an agent that chooses the type of its task, then one of the patterns that are valid for this type, and passes
 * the task to the agent of that pattern: its outcome is the meta-router's, with the object of its answer where it makes
 * one. The model chooses among the configured types and patterns (`troupe.config`), and is not called where there is
 * one candidate. Where its choice is invalid, also after one repair, or the model is down, the type is `general` and
 * the pattern `react`, or the first that is valid. Each choice is on record in `result.decisions`.
 * Throws a `ConfigurationError` that names the error and its place; also without agents, and for a type or pattern that
 * is not of its shape.
 * Source: the meta-router of TrustGraph's orchestration specification.
 */
export function createMetaRouter<
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
>(
  config: MetaRouterConfig<Key, Context> & Describing<Description>,
): DefinitionFor<MetaRouterOptions<Key>, Schema<unknown, JsonValue | undefined>, Context, Description>
export function createMetaRouter(given: MetaRouterConfig<string, Schema>): AgentDefinition {
  const { where, config } = readDefinition(given, 'createMetaRouter', 'meta-router')
  if (Object.keys(config.agents ?? {}).length === 0) {
    throw new ConfigurationError(`${where}: agents must hold at least one agent, by the name of its pattern.`)
  }
  validateRoute(config, config.agents, where)
  const { taskTypes = initialTaskTypes, patterns = initialPatterns, ...more } = config
  const { pattern, taskType, framing, signals, ...rest } = more
  const route = {
    ...validateTaskTypes({ taskTypes, patterns }, config.agents, where),
    ...(pattern === undefined ? {} : { pattern }),
    ...(taskType === undefined ? {} : { taskType }),
    ...(framing === undefined ? {} : { framing }),
    ...(signals === undefined ? {} : { signals }),
  }
  return defineAgent({ pattern: 'meta-router', chart: metaRouterMachine }, where, rest, { route })
}
