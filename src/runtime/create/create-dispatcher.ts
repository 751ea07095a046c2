/** `createDispatcher`: the definition of an agent that chooses, once, the primitive that answers its task. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { dispatchMachine } from '../../machines/dispatch.ts'
import {
  defineAgent,
  type AnyConfig,
  type DefinitionFor,
  type Describing,
  type Identity,
  type ResultsOf,
  type ToolMap,
  type WorkflowMap,
} from './define-agent.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { DynamicRecord } from '../definition/dynamic-parts.ts'
import type { DispatcherOptions } from '../options/pattern-options.ts'
import { assertPrimitives, readDefinition } from '../definition/validate-options.ts'

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type DispatcherConfig<
  Key extends string = string,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> = Identity<Context, Tools, Workflows> &
  DispatcherOptions<NoInfer<Key>> & {
    /** Subagents; the model chooses them by their keys. */
    readonly agents?: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent whose model chooses, once, which agent, workflow or tool answers the task. An agent receives the
 * task unchanged, and its answer, or its failure, is the dispatcher's. With one agent alone no model is called. A
 * decision that is not valid goes back once; then the run is `failed`, code `INVALID_DECISION`.
 * Throws a `ConfigurationError` that names the error and its place; also with nothing to choose from.
 */
export function createDispatcher<
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
>(
  config: DispatcherConfig<Key, Context, Tools, Workflows> & Describing<Description>,
): DefinitionFor<
  DispatcherOptions<Key>,
  Schema<unknown, JsonValue | undefined>,
  Context,
  Description,
  ResultsOf<Tools, Workflows>
>
export function createDispatcher(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createDispatcher', 'dispatch')
  const definition = defineAgent({ pattern: 'dispatch', chart: dispatchMachine }, where, config)
  assertPrimitives(definition, where)
  return definition
}
