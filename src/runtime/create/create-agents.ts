/** `createAgent` and `createSupervisor`: definitions of the two patterns with a think-act loop. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { reactMachine } from '../../machines/react.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
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
import type { FilteringHandoffs, HandoffAgents, HandoffOptions } from '../definition/handoff-options.ts'
import type { AgentOptions, SupervisorOptions } from '../options/options.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** The configuration of `createAgent`. */
export type AgentConfig<
  Given extends Schema = Schema,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
  Handed extends HandoffAgents = HandoffAgents,
> = Identity<Context, Tools, Workflows> &
  HandoffOptions<InferOutput<Context>, Handed> &
  ShapedOptions<FilteringHandoffs<AgentOptions, Handed>, Given>

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type SupervisorConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Handed extends HandoffAgents = HandoffAgents,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> = Identity<Context, Tools, Workflows> &
  HandoffOptions<InferOutput<Context>, Handed> &
  ShapedOptions<FilteringHandoffs<SupervisorOptions<NoInfer<Key>>, Handed>, Given> & {
    /** Subagents; the model sees each as the tool `agent-<key>`. */
    readonly agents?: DynamicRecord<Key, AgentDefinition, InferOutput<Context>>
  }

/**
 * Defines an agent that thinks and acts with tools until it has an answer.
 * Throws a `ConfigurationError` that names the error and its place.
 */
export function createAgent<
  Given extends Schema = NoShape,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
  Handed extends HandoffAgents = never,
>(
  config: AgentConfig<Given, Context, Tools, Workflows, Handed> & Describing<Description>,
): DefinitionFor<AgentOptions, Given, Context, Description, ResultsOf<Tools, Workflows, Handed>>
export function createAgent(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createAgent', 'react')
  return defineAgent({ pattern: 'react', chart: reactMachine }, where, config)
}

/**
 * Defines an agent that delegates to other agents; it may have tools of its own too.
 * Throws a `ConfigurationError` that names the error and its place.
 */
export function createSupervisor<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Handed extends HandoffAgents = never,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
>(
  config: SupervisorConfig<Given, Key, Context, Handed, Tools, Workflows> & Describing<Description>,
): DefinitionFor<SupervisorOptions<Key>, Given, Context, Description, ResultsOf<Tools, Workflows, Handed>>
export function createSupervisor(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createSupervisor', 'supervisor')
  return defineAgent({ pattern: 'supervisor', chart: supervisorMachine }, where, config)
}
