/** Shared by the create functions of all patterns: the configuration of an agent, and the making of its definition. */
import type { AnyStateMachine } from 'xstate'
import type { ChatModel } from '../../actors/chat-model.ts'
import type { AsJson, JsonValue } from '../../actors/values/json.ts'
import type { Prompt } from '../../actors/message.ts'
import type { RemoteServer } from '../../actors/remote/remote-server.ts'
import type { InferInput, InferOutput, Schema } from '../../actors/schemas/schema.ts'
import { contextFor } from '../../actors/schemas/validate.ts'
import { assertId } from '../../actors/strict/ids.ts'
import type { Tool } from '../../actors/tool.ts'
import type { Workflow } from '../../actors/workflow.ts'
import { handingTo, partsOf } from '../definition/parts.ts'
import {
  asDefinition,
  withHiddenInternals,
  type AgentDefinition,
  type AgentParts,
  type Parts,
  type Shaped,
} from '../definition/definition.ts'
import { ConfigurationError } from '../../errors.ts'
import type { ToolResults } from '../../machines/contract/records.ts'
import type { Pattern } from '../options/pattern.ts'
import {
  dynamicPartsOf,
  fixedPartsOf,
  partsOfRun,
  type Dynamic,
  type DynamicParts,
  type DynamicAgents,
  type RecordOfRun,
} from '../definition/dynamic-parts.ts'
import type { HandoffAgents, HandoffOptions } from '../definition/handoff-options.ts'
import { handoffsOf, offering } from '../definition/handoffs.ts'
import { assertKeepsHandoff, assertNoClash } from '../options/memory-options.ts'
import type { DynamicPart } from '../../machines/contract/profile.ts'
import type { CallOptions, MemoryOptions, SupervisorOptions } from '../options/options.ts'
import { settingsOf, type RunSettings } from '../options/settings.ts'
import {
  assertFallsBack,
  assertPriced,
  assertBackground,
  assertToolChoice,
} from '../definition/validate-options.ts'
import type { AgentStatus } from '../options/version-selectors.ts'
import { generateAlone, streamAlone } from './run-alone.ts'

/** Tools, by the names that the model sees. */
export type ToolMap = Readonly<Record<string, Tool>>

/** Workflows, by the names that the model sees. */
export type WorkflowMap = Readonly<Record<string, Workflow>>

/** The names of tools and workflows; of those that functions of the run make they are not known. */
export type NamesOf<Tools extends ToolMap, Workflows extends WorkflowMap> =
  keyof Tools | (string extends keyof Workflows ? never : keyof Workflows)

/** The type of the results of a tool or a workflow. */
export type OutputOf<Given> = Given extends Tool<infer Output> ? AsJson<Output> : JsonValue

/**
 * The results of tools and workflows, by the names that the model sees. `Handed`: the agents that a conversation may be
 * handed to, whose tools are not known.
 */
export type ResultsOf<
  Tools extends ToolMap,
  Workflows extends WorkflowMap,
  Handed extends HandoffAgents = never,
> = [Handed] extends [never]
  ? { readonly [Name in NamesOf<Tools, Workflows>]: OutputOf<(Tools & Workflows)[Name]> }
  : ToolResults

/** The properties of every agent. */
export interface Identity<
  Context extends Schema,
  Tools extends ToolMap = ToolMap,
  Workflows extends WorkflowMap = WorkflowMap,
> {
  /** A letter, then at most 54 letters, digits, "_" or "-". Unique in a troupe. */
  readonly id: string
  /** Versions of an agent stand side by side in a troupe; a run goes on with the one that it began with. */
  readonly version?: string
  /**
   * A draft is taken only when it is asked for: by `versions`, or by starting a run of it. As a subagent it gives way
   * to the newest published version. Default: `'published'`.
   */
  readonly status?: AgentStatus
  /**
   * `'refuse'`: a run that waits does not go on after this agent was edited (`PROGRAM_CHANGED`). Default: as the troupe
   * has it.
   */
  readonly onDrift?: 'continue' | 'refuse'
  /** Describes to a supervisor the agent's task, its result and when to use it. */
  readonly description?: string
  /**
   * The system prompt. Each of the parts may be a function of the run instead, which is called once a run. Default: none.
   */
  readonly instructions?: Dynamic<string, InferOutput<Context>>
  /** Several models in a row: the next one is called where one has failed for good (`fallbackOn`). */
  readonly model: Dynamic<ChatModel | readonly ChatModel[], InferOutput<Context>>
  /** By the names that the model sees. */
  readonly tools?: Tools | RecordOfRun<string, Tool, InferOutput<Context>>
  /** XState logic of yours, by the names that the model sees. */
  readonly workflows?: Workflows | RecordOfRun<string, Workflow, InferOutput<Context>>
  /**
   * The agent keeps prompts and answers in a thread, and sees the thread's earlier messages; `true`: with the defaults.
   * It is the agent's own: its subagents remember where they have this option too. Default: `false`.
   */
  readonly memory?: Dynamic<boolean | MemoryOptions, InferOutput<Context>>
  /** The schema of the `context` that functions of the run receive. A run of the agent then requires a context. */
  readonly contextSchema?: Context
}

/** Options of a definition whose answers have the shape of `Given`. */
export type ShapedOptions<Options, Given extends Schema> = Omit<Options, 'structuredOutput' | 'memory'> &
  Partial<Shaped<Given>>

/** Without `structuredOutput` an answer has no object. */
export type NoShape = Schema<unknown, undefined>

/** A definition whose runs take a `context`, where its schema requires one. With a description it can be a subagent. */
export type DefinitionFor<
  Options extends object,
  Given extends Schema,
  Context extends Schema,
  Description extends string | undefined,
  Results extends ToolResults = ToolResults,
> =
  JsonValue extends InferInput<Context>
    ? AgentDefinition<
        Options,
        InferOutput<Given>,
        [options?: Options & CallOptions],
        Told<Description>,
        Results
      >
    : undefined extends InferInput<Context>
      ? AgentDefinition<
          Options & { readonly context?: InferInput<Context> },
          InferOutput<Given>,
          [options?: Options & { readonly context?: InferInput<Context> } & CallOptions],
          Told<Description>,
          Results
        >
      : AgentDefinition<
          Options & { readonly context: InferInput<Context> },
          InferOutput<Given>,
          [options: Options & { readonly context: InferInput<Context> } & CallOptions],
          Told<Description>,
          Results
        >

export type Told<Description> = [Description] extends [string] ? string : undefined

/** The description that a configuration is given with, or `undefined`. */
export interface Describing<Description extends string | undefined> {
  /** Describes to a supervisor the agent's task, its result and when to use it. Required of a subagent. */
  readonly description?: Description
}

/** The configuration that every create function takes, of any pattern. */
export type AnyConfig = Identity<Schema> &
  HandoffOptions &
  ShapedOptions<SupervisorOptions, Schema> & {
    readonly agents?: DynamicAgents<string, unknown>
  }

/** The pattern of an agent and its chart. */
export interface Kind {
  readonly pattern: Pattern
  readonly chart: () => AnyStateMachine
  /** Of an agent that another system serves. */
  readonly remote?: RemoteServer
}

/** Makes the definition of an agent whose options have been checked. Throws a `ConfigurationError`. */
export function defineAgent(
  { pattern, chart, remote }: Kind,
  where: string,
  config: AnyConfig,
  /** Settings that are not found among options. */
  added: Partial<RunSettings> = {},
): AgentDefinition {
  const { id, version, status = 'published', onDrift, description, contextSchema, ...given } = config
  const { handoffs, maxHandoffs, keepHandoff, ...rest } = given
  const { instructions = '', model, tools = {}, workflows = {}, agents = {}, memory, ...more } = rest
  const options: SupervisorOptions =
    memory === undefined || typeof memory === 'function' ? more : { ...more, memory }
  assertId(id, where)
  if (typeof agents !== 'function') assertBackground(options.backgroundTasks, Object.keys(agents), where)
  const settings = { ...settingsOf(options), ...rowSettings(model), ...added }
  if (typeof model !== 'function') assertFallsBack(options, rowSettings(model), where)
  const handing = handoffsOf(id, { handoffs, maxHandoffs, keepHandoff }, options.handoffFilter, where)
  if (keepHandoff === true) assertKeepsHandoff(memory, where)
  const made = (parts: Parts): AgentParts => {
    const made = partsOf(parts, where)
    assertNoClash(made.memory ?? settings.memory, made.tools, where)
    return made
  }
  const parts: DynamicParts = { instructions, model, tools, workflows, agents, memory }
  const dynamic: DynamicPart[] = dynamicPartsOf(parts)
  if (handing?.ofRun !== undefined) dynamic.push('handoffs')
  const agent = asDefinition({
    id,
    version,
    status,
    onDrift,
    description,
    pattern,
    chart,
    ...(remote === undefined ? {} : { remote }),
    ...made(fixedPartsOf(parts)),
    dynamic,
    contextSchema,
    handoffs: handing,
    configure:
      dynamic.length === 0
        ? undefined
        : async ({ runId, context }) => {
            const given = await contextFor(contextSchema, context, where)
            const run = { runId, context: given }
            const ofRun = made(await partsOfRun(parts, run))
            assertMayFallBack(ofRun, settings, where)
            const successors = await handing?.ofRun?.(run)
            return successors === undefined ? offering(ofRun, handing) : handingTo(ofRun, successors)
          },
    options,
    settings,
    generate: (prompt: Prompt, callOptions?: object) => generateAlone(definition, prompt, callOptions),
    stream: (prompt: Prompt, callOptions?: object) => streamAlone(definition, prompt, callOptions),
  })
  const definition: AgentDefinition = withHiddenInternals(offering(agent, handing))
  assertPriced(definition, settings.budget, where)
  // The agents that it hands to may be defined after it: a run checks the choice of such an agent.
  if (handing === undefined) assertToolChoice(options, definition, where)
  return definition
}

/** Throws a `ConfigurationError` for several models of a function, where the definition does not tell of them. */
function assertMayFallBack({ fallbacks }: AgentParts, { fallbackOn }: RunSettings, where: string): void {
  if (fallbacks === undefined || fallbackOn !== undefined) return
  throw new ConfigurationError(
    `${where}: model: a function may give several models where the definition has fallbackOn, such as ['error'].`,
  )
}

/** How many models follow the first one, which the journal keeps; `model` is not checked yet. */
function rowSettings(model: unknown): Pick<RunSettings, 'fallbackModels'> {
  return Array.isArray(model) && model.length > 1 ? { fallbackModels: model.length - 1 } : {}
}
