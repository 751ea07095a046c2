/** `createPlanner`: definitions of agents that plan first and then carry the plan out. */
import type { AnyContext } from '../../actors/run-context.ts'
import type { InferOutput, Schema } from '../../actors/schema.ts'
import { planThenExecuteMachine } from '../../machines/plan-then-execute.ts'
import {
  defineAgent,
  type AnyConfig,
  type DefinitionFor,
  type Identity,
  type NoShape,
  type ShapedOptions,
} from './define-agent.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { DynamicRecord } from '../definition/dynamic-parts.ts'
import type { PlannerOptions } from '../options/options.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** `Key`: the keys of `agents`, which its delegation hooks tell apart. */
export type PlannerConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
> = Identity<Context> &
  ShapedOptions<PlannerOptions<NoInfer<Key>>, Given> & {
    /** Subagents that a step may be delegated to; the model sees each as `agent-<key>`. */
    readonly agents?: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent that lays out its task as steps, carries them out with its tools and subagents, those that do not
 * depend on one another side by side, and makes an answer of what they gave. What remains is planned anew when a step
 * fails, at most `maxReplans` times; then the run is `exhausted`, reason `maxReplans`, with an answer of what there is.
 * Throws a `ConfigurationError` that says what is wrong, and where.
 */
export function createPlanner<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
>(config: PlannerConfig<Given, Key, Context>): DefinitionFor<PlannerOptions<Key>, Given, Context>
export function createPlanner(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createPlanner', 'plan-then-execute')
  return defineAgent({ pattern: 'plan-then-execute', chart: planThenExecuteMachine }, where, config)
}
