/** `createRouter`: the definition of an agent that decides explicitly which primitive works on its task next. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { routerMachine } from '../../machines/router.ts'
import {
  defineAgent,
  type AnyConfig,
  type DefinitionFor,
  type Describing,
  type Identity,
  type NoShape,
  type ResultsOf,
  type ShapedOptions,
  type ToolMap,
  type WorkflowMap,
} from './define-agent.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Dynamic, DynamicRecord } from '../definition/dynamic-parts.ts'
import { assertRouterMemory } from '../options/memory-options.ts'
import type { MemoryOptions } from '../options/options.ts'
import type { RouterOptions } from '../options/pattern-options.ts'
import { assertPrimitives, readDefinition } from '../definition/validate-options.ts'

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type RouterConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> = Omit<Identity<Context, Tools, Workflows>, 'memory'> &
  ShapedOptions<RouterOptions<NoInfer<Key>>, Given> & {
    /** Required: it keeps the conversation that the router routes by. `true`: with the defaults. */
    readonly memory: Dynamic<true | MemoryOptions, InferOutput<Context>>
    /** Subagents; the model chooses them by their keys. */
    readonly agents?: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent whose model decides, one primitive at a time, which agent, workflow or tool works on the task, and
 * when it is done: each decision is a `RoutingDecision`, checked before anything runs.
 * Throws a `ConfigurationError` that names the error and its place; also without memory, or without any primitive.
 */
export function createRouter<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
>(
  config: RouterConfig<Given, Key, Context, Tools, Workflows> & Describing<Description>,
): DefinitionFor<RouterOptions<Key>, Given, Context, Description, ResultsOf<Tools, Workflows>>
export function createRouter(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createRouter', 'router')
  const definition = defineAgent({ pattern: 'router', chart: routerMachine }, where, config)
  if (!definition.dynamic.includes('memory')) assertRouterMemory(definition.settings.memory, where)
  assertPrimitives(definition, where)
  return definition
}
