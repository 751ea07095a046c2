/** The create functions of the patterns: each defines an agent, whose options the table of options names. */
import type { AnyContext, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import {
  initialPatterns,
  initialTaskTypes,
  type PatternItem,
  type TaskType,
} from '../../actors/task-types.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import { debateMachine } from '../../machines/debate.ts'
import { dispatchMachine } from '../../machines/dispatch.ts'
import { fanOutMachine } from '../../machines/fan-out.ts'
import { metaRouterMachine } from '../../machines/meta-router.ts'
import { planThenExecuteMachine } from '../../machines/plan-then-execute.ts'
import { reactMachine } from '../../machines/react.ts'
import { reflexionMachine } from '../../machines/reflexion.ts'
import { routerMachine } from '../../machines/router.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Dynamic, DynamicAgents } from '../definition/dynamic-parts.ts'
import type { FilteringHandoffs, HandoffAgents, HandoffOptions } from '../definition/handoff-options.ts'
import { readDefinition, assertPrimitives } from '../definition/validate-options.ts'
import { validateRoute, validateTaskTypes } from '../definition/validate-task-types.ts'
import { assertRouterMemory } from '../options/memory-options.ts'
import type { OptionsFor } from '../options/option-table.ts'
import type { AgentOptions, SupervisorOptions, MemoryOptions, DelegationOptions } from '../options/options.ts'
import type { PatternCaps } from '../options/pattern-options.ts'
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
    readonly agents?: DynamicAgents<Key, InferOutput<Context>>
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

/** The options of a planner. It has no loop of its own, so nothing to stop or to repeat. */
export interface PlannerOptions<Key extends string = string> extends OptionsFor<'plan-then-execute', Key> {
  /** Model calls that make the answer of the steps' results. Default: 5. */
  readonly maxSteps?: number
  /** Steps that run concurrently; a held one does not count. Default: 10. */
  readonly toolCallConcurrency?: number
}

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
    readonly agents?: DynamicAgents<Key, InferOutput<Context>>
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

/** The options of a router. `scoreEvery` is `'iteration'` by default: the scorers see each primitive's result. */
export interface RouterOptions<Key extends string = string> extends OptionsFor<'router', Key> {
  /** A router always has memory: `createRouter` refuses one without. */
  readonly memory?: true | MemoryOptions
  /**
   * Decisions, each with the primitive that it leads to. Where `maxSteps` is given too, the smaller holds.
   * Default: 10.
   */
  readonly maxIterations?: number
}

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
    readonly agents?: DynamicAgents<Key, InferOutput<Context>>
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

/** The options of a fan-out. Its `maxSteps` counts rounds and answers; default: `maxRounds` + 2. */
export interface FanOutOptions<Key extends string = string> extends OptionsFor<'fan-out', Key> {
  readonly delegation?: DelegationOptions<Key>
  /** Levels of delegation that are allowed below the root. A fan-out below it can only lower this. Default: 5. */
  readonly maxDepth?: number
}

/** `Key`: the keys of `agents`. A fan-out calls no tools itself. */
export type FanOutConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
> = Omit<Identity<Context>, 'tools' | 'workflows'> &
  ShapedOptions<FanOutOptions<NoInfer<Key>>, Given> & {
    /** The agents that may work on a goal, of any pattern; the model sees their keys and descriptions. At least one. */
    readonly agents: DynamicAgents<Key, InferOutput<Context>>
  }

/**
 * Defines an agent that divides its task into independent goals, has other agents work on them concurrently, and
 * answers from all results, those that are missing included; until then it may ask for more rounds of goals.
 * Throws a `ConfigurationError` that names the error and its place.
 */
export function createFanOut<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
>(
  config: FanOutConfig<Given, Key, Context> & Describing<Description>,
): DefinitionFor<FanOutOptions<Key>, Given, Context, Description>
export function createFanOut(given: AnyConfig): AgentDefinition {
  const { where, config } = readDefinition(given, 'createFanOut', 'fan-out')
  const { agents = {} } = config
  if (typeof agents !== 'function' && Object.keys(agents).length === 0) {
    throw new ConfigurationError(`${where}: agents must hold at least one agent.`)
  }
  return defineAgent({ pattern: 'fan-out', chart: fanOutMachine }, where, config)
}

/** The options of a reflexion, and of a run of it. */
export interface ReflexionOptions extends OptionsFor<'reflexion'> {}

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

/**
 * The options of a debate, and of a run of it. Its `maxSteps` counts rounds and answers; default: `rounds` + 3, at
 * least 5.
 */
export interface DebateOptions<Key extends string = string> extends OptionsFor<'debate', Key> {}

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type DebateConfig<
  Given extends Schema = Schema,
  Key extends string = string,
  Context extends Schema = AnyContext,
> = Omit<Identity<Context>, 'tools' | 'workflows'> &
  ShapedOptions<DebateOptions<NoInfer<Key>>, Given> & {
    /** The agents that take part, of any pattern: two at least. The model of the debate itself reconciles them. */
    readonly agents: Readonly<Record<Key, AgentDefinition>> | readonly AgentDefinition[]
  }

/**
 * Defines an agent that has several others answer its task independently of each other, then, `rounds` (1) times,
 * criticise each other and answer again, and makes one answer of their proposals. An agent that fails is left out, or
 * keeps its previous proposal, as long as there are `quorum` proposals (all but one); else the run is `failed`, code
 * `NO_QUORUM`. Throws a `ConfigurationError` that names the error and its place; also with fewer than two agents, or a
 * `quorum` above their number.
 * Source: the pattern "Debate/Ensemble" of TrustGraph's orchestration specification.
 */
export function createDebate<
  Given extends Schema = NoShape,
  Key extends string = string,
  Context extends Schema = AnyContext,
  Description extends string | undefined = undefined,
>(
  config: DebateConfig<Given, Key, Context> & Describing<Description>,
): DefinitionFor<DebateOptions<Key>, Given, Context, Description>
export function createDebate(given: AnyConfig & Pick<PatternCaps, 'quorum'>): AgentDefinition {
  const { where, config } = readDefinition(given, 'createDebate', 'debate')
  const count = Object.keys(config.agents ?? {}).length
  if (count < 2) throw new ConfigurationError(`${where}: agents must hold two agents at least, not ${count}.`)
  if (config.quorum !== undefined && config.quorum > count) {
    throw new ConfigurationError(`${where}: quorum is ${config.quorum}, and there are ${count} agents.`)
  }
  return defineAgent({ pattern: 'debate', chart: debateMachine }, where, config)
}

/** The options of a dispatcher. Its answer is that of the primitive that it chooses, so it shapes and screens none. */
export interface DispatcherOptions<Key extends string = string> extends OptionsFor<'dispatch', Key> {}

/** `Key`: the keys of `agents`, by which its delegation hooks distinguish them. */
export type DispatcherConfig<
  Key extends string = string,
  Context extends Schema = AnyContext,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> = Identity<Context, Tools, Workflows> &
  DispatcherOptions<NoInfer<Key>> & {
    /** Subagents; the model chooses them by their keys. */
    readonly agents?: DynamicAgents<Key, InferOutput<Context>>
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

/** The options of a meta-router, and of a run of it. It has no loop, and writes no answer of its own. */
export interface MetaRouterOptions<Key extends string = string> extends OptionsFor<'meta-router', Key> {}

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
    readonly agents: Readonly<Record<Key, AgentDefinition>> | readonly AgentDefinition[]
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
  const agents = config.agents as Readonly<Record<string, AgentDefinition>> // a list is read as an object
  validateRoute(config, agents, where)
  const { taskTypes = initialTaskTypes, patterns = initialPatterns, ...more } = config
  const { pattern, taskType, framing, signals, ...rest } = more
  const route = {
    ...validateTaskTypes({ taskTypes, patterns }, agents, where),
    ...(pattern === undefined ? {} : { pattern }),
    ...(taskType === undefined ? {} : { taskType }),
    ...(framing === undefined ? {} : { framing }),
    ...(signals === undefined ? {} : { signals }),
  }
  return defineAgent({ pattern: 'meta-router', chart: metaRouterMachine }, where, rest, { route })
}
