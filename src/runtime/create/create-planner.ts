/** `createPlanner`: definitions of agents that plan first and then carry the plan out. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { planThenExecuteMachine } from '../../machines/plan-then-execute.ts'
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
import type { DynamicRecord } from '../definition/dynamic-parts.ts'
import type { PlannerOptions } from '../options/pattern-options.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type PlannerConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> = Identity<Context, Tools, Workflows> &
  ShapedOptions<PlannerOptions<NoInfer<Key>>, Given> & {
    /** Subagents that a step may be delegated to; the model sees each as `agent-<key>`. */
    readonly agents?: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent that plans its task as steps, carries them out with its tools and subagents, concurrently where they
 * do not depend on one another, and makes an answer of their results. The remaining steps are planned anew when a step
 * fails, at most `maxReplans` times; then the run is `exhausted`, reason `maxReplans`, with an answer of the results so
 * far. Throws a `ConfigurationError` that names the error and its place.
 */
export function createPlanner<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
>(
  config: PlannerConfig<Given, Key, Context, Tools, Workflows> & Describing<Description>,
): DefinitionFor<PlannerOptions<Key>, Given, Context, Description, ResultsOf<Tools, Workflows>>
export function createPlanner(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createPlanner', 'plan-then-execute')
  return defineAgent({ pattern: 'plan-then-execute', chart: planThenExecuteMachine }, where, config)
}
