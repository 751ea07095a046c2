/** `createReflexion`: an agent that criticises itself. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { reflexionMachine } from '../../machines/reflexion.ts'
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
import type { FilteringHandoffs, HandoffAgents, HandoffOptions } from '../definition/handoff-options.ts'
import type { AgentOptions } from '../options/options.ts'
import type { PatternCaps } from '../options/pattern-caps.ts'
import { readDefinition } from '../definition/validate-options.ts'

/** The options of a reflexion, and of a run of it. */
export interface ReflexionOptions extends AgentOptions, Pick<PatternCaps, 'maxCritiques'> {}

/** The configuration of `createReflexion`. */
export type ReflexionConfig<
  Given extends Schema = Schema,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
  Handed extends HandoffAgents = HandoffAgents,
> = Identity<Context, Tools, Workflows> &
  HandoffOptions<InferOutput<Context>, Handed> &
  ShapedOptions<FilteringHandoffs<ReflexionOptions, Handed>, Given>

/**
 * Defines an agent that reviews each of its actions and answers strictly, at most `maxCritiques` (3) times, and adds
 * the critique to its next prompt. An answer that it objects to is not the end, unless a cap is reached. A critique is
 * a model call and no step; one that is invalid, also after one repair, is left out.
 * Throws a `ConfigurationError` that names the error and its place.
 * Source: the pattern of this name in TrustGraph's orchestration specification.
 */
export function createReflexion<
  Given extends Schema = NoShape,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
  Handed extends HandoffAgents = never,
>(
  config: ReflexionConfig<Given, Context, Tools, Workflows, Handed> & Describing<Description>,
): DefinitionFor<ReflexionOptions, Given, Context, Description, ResultsOf<Tools, Workflows, Handed>>
export function createReflexion(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createReflexion', 'reflexion')
  return defineAgent({ pattern: 'reflexion', chart: reflexionMachine }, where, config)
}
