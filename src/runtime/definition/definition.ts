/** The definition of an agent, from a `create…` function. It has no state and may be used in many troupes. */
import type { AnyStateMachine } from 'xstate'
import type { ChatModel } from '../../actors/chat-model.ts'
import type { Prompt } from '../../actors/message.ts'
import type { RemoteServer } from '../../actors/remote/remote-server.ts'
import type { InferOutput, Schema } from '../../actors/schemas/schema.ts'
import type { Tool } from '../../actors/tool.ts'
import type { Successor } from '../../actors/handoff-tools.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import type { Workflow } from '../../actors/workflow.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { DynamicPart, HandoffProfile, MemoryProfile } from '../../machines/contract/profile.ts'
import type { ToolResultOf, ToolResults } from '../../machines/contract/records.ts'
import type { CallOptions, MemoryOptions, StructuredOutput, SupervisorOptions } from '../options/options.ts'
import type { Pattern } from '../options/pattern.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { RunResult } from '../handle/result.ts'
import type { Run } from '../handle/run.ts'
import type { RunSettings } from '../options/settings.ts'
import type { AgentStatus } from '../options/version-selectors.ts'

/** The argument of a function of the run. */
export interface RunContext<Context> {
  /** As the `contextSchema` of the agent outputs it; without one it is JSON, if the run was given any. */
  readonly context: Context
  readonly runId: string
}

/** Options that define the shape of an answer. */
export interface Shaped<Given extends Schema> {
  readonly structuredOutput: StructuredOutput<Given>
}

/** The parts of an agent, as they are given. */
export interface Parts {
  readonly instructions: string
  readonly model: ChatModel | readonly ChatModel[]
  readonly tools: Readonly<Record<string, Tool>>
  readonly workflows: Readonly<Record<string, Workflow>>
  readonly agents: Readonly<Record<string, AgentDefinition>>
  /** Set where a function of the run makes it. */
  readonly memory?: boolean | MemoryOptions
}

/** The parts of an agent, checked. */
export interface AgentParts {
  readonly instructions: string
  readonly model: ChatModel
  /**
   * The models that follow it in a row; absent without any.
   * @internal
   */
  readonly fallbacks?: readonly ChatModel[]
  /** Workflows included: to a model they are tools. */
  readonly tools: Readonly<Record<string, Tool>>
  readonly agents: Readonly<Record<string, AgentDefinition>>
  /** @internal */
  readonly toolset: Toolset
  /**
   * The agents that it may hand its conversation to; set where a function of the run names them.
   * @internal
   */
  readonly successors?: Readonly<Record<string, AgentDefinition>>
  /**
   * Set where a function of the run makes it.
   * @internal
   */
  readonly memory?: MemoryProfile | false
}

/** The parts of agents by their ids, where functions of a run make them. */
export interface AgentPartsOf {
  of(agentId: string): Promise<AgentParts>
}

/** The successors of an agent by their keys: their definitions, and as a model sees them. */
export interface HandoffTargets {
  readonly agents: Readonly<Record<string, AgentDefinition>>
  readonly offered: Readonly<Record<string, Successor>>
}

/** The agents to which an agent may hand its conversation. */
export interface Handoffs {
  readonly profile: HandoffProfile
  /** The agents that are known by now. */
  readonly known: readonly AgentDefinition[]
  /** The agents by their keys; none where a function of the run names them. Throws a `ConfigurationError`. */
  agents(): Readonly<Record<string, AgentDefinition>>
  /** Their ids, descriptions and inputs for the model, by their keys. */
  offered(): Readonly<Record<string, Successor>>
  /** Names the agents of a run; absent where they are the same in all runs. */
  readonly ofRun: ((run: RunContext<unknown>) => Promise<HandoffTargets>) | undefined
}

/** The characters of a part of each request: they decide whether a conversation is summarised. */
export interface ContentSize {
  readonly instructions: number
  /** Of the descriptions of all tools and agents. */
  readonly tools: number
}

/**
 * An agent: run it, or give it to a troupe or to a supervisor. `Options` are those that a run of this agent takes; `Object`
 * is the type of an answer under `structuredOutput`; `Args` tells whether options must be given; `Description` is
 * `undefined` for an agent without a description, which cannot be a subagent; `Results`
 * are the types of the results of its tools, where these are known: in the steps of its runs, and in their events, unless it
 * has subagents.
 */
export interface AgentDefinition<
  Options extends object = object,
  Object = unknown,
  Args extends readonly unknown[] = [options?: Options & CallOptions],
  Description extends string | undefined = string,
  Results extends ToolResults = ToolResults,
> extends AgentParts {
  readonly id: string
  /** A model chooses the agent by it. */
  readonly description: Description
  /** Versions of an id stand side by side in a troupe. */
  readonly version: string | undefined
  /** A draft is taken only when it is asked for. */
  readonly status: AgentStatus
  /**
   * What becomes of a waiting run when this agent is edited; `undefined`: the troupe decides.
   * @internal
   */
  readonly onDrift: 'continue' | 'refuse' | undefined
  readonly pattern: Pattern
  /** Makes the agent's chart, once: a bundle of only some patterns contains the charts of these alone. */
  readonly chart: () => AnyStateMachine
  /**
   * Which parts are functions of the run. On the definition these are blank.
   * @internal
   */
  readonly dynamic: readonly DynamicPart[]
  /** @internal */
  readonly contextSchema: Schema | undefined
  /**
   * The server of an agent that another system serves; absent for all others.
   * @internal
   */
  readonly remote?: RemoteServer
  /**
   * The agents that it may hand its conversation to; absent where there are none.
   * @internal
   */
  readonly handoffs: Handoffs | undefined
  /**
   * Makes all parts for a run; absent where none depends on it.
   * @internal
   */
  readonly configure: ((run: RunContext<JsonValue | undefined>) => Promise<AgentParts>) | undefined
  /**
   * The options of the definition, and their JSON part.
   * @internal
   */
  readonly options: SupervisorOptions
  /** @internal */
  readonly settings: RunSettings
  /**
   * The settings as they are defined now, where `settings` are those that a run has on record.
   * @internal
   */
  readonly settingsToday?: RunSettings
  /**
   * The characters by which the content that a run began with is longer than that of today; negative: shorter.
   * @internal
   */
  readonly recordedExcess?: ContentSize
  /**
   * Runs to the end, or until the run is suspended, in a troupe of its own that keeps its journal in memory.
   * Rejects with a `ConfigurationError`, and, for a fault of the library alone, with a `TroupeError` of the code
   * `ENGINE_FAILED`; everything else is an `outcome`.
   */
  generate<Given extends Schema>(
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Promise<RunResult<InferOutput<Given>, ToolResultOf<Results>>>
  generate(prompt: Prompt, ...options: Args): Promise<RunResult<Object, ToolResultOf<Results>>>
  /** As `generate`, and emits the events of the run as they happen. */
  stream<Given extends Schema>(
    prompt: Prompt,
    options: Options & CallOptions & Shaped<Given>,
  ): Run<InferOutput<Given>, ToolResultOf<Results>, RunEvent<EventResults<Options, Results>>>
  stream(
    prompt: Prompt,
    ...options: Args
  ): Run<Object, ToolResultOf<Results>, RunEvent<EventResults<Options, Results>>>
}

/** The results that the events of a run have: the tools of subagents are not known. `Options`: those of the agent. */
export type EventResults<Options, Results extends ToolResults> = 'delegation' extends keyof Options
  ? ToolResults
  : Results

/** Any agent, also one without a description, which cannot be a subagent. */
export type AnyAgent<
  Options extends object = object,
  Object = unknown,
  Args extends readonly unknown[] = [options?: Options & CallOptions],
  Results extends ToolResults = ToolResults,
> = AgentDefinition<Options, Object, Args, string | undefined, Results>

/** Within the library every agent is one type: its description is checked where an agent becomes a subagent. */
export function asDefinition(agent: AnyAgent): AgentDefinition {
  return agent as AgentDefinition
}

/** The members that a person sees: listed and printed, where they are given. */
const shown: ReadonlySet<string> = new Set<keyof AgentDefinition>([
  'id',
  'version',
  'status',
  'description',
  'pattern',
  'instructions',
  'model',
  'tools',
  'agents',
])

/** The members that a test of a user's may put a function of its own in the place of. */
const replaceable: ReadonlySet<string> = new Set<keyof AgentDefinition>(['generate', 'stream'])

/** The agent as an object whose internals are neither listed, printed, copied nor changed. */
export function withHiddenInternals(agent: AgentDefinition): AgentDefinition {
  const hidden = Object.entries(Object.getOwnPropertyDescriptors(agent)).map(([name, member]) => {
    const enumerable = shown.has(name) && member.value !== undefined
    if (enumerable || replaceable.has(name)) return [name, { ...member, enumerable }] as const
    const fixed = member.get === undefined ? { writable: false } : {}
    return [name, { ...member, enumerable, configurable: false, ...fixed }] as const
  })
  // New members with attributes of their own: to change those of old ones makes an object slow.
  return Object.defineProperties({}, Object.fromEntries(hidden)) as AgentDefinition
}

/** A copy of an agent with other members, and with the internals, which a spread leaves out. */
export function changedAgent<Parts extends AgentParts>(
  parts: Parts,
  changes: Partial<AgentDefinition>,
): Parts {
  const members = Object.getOwnPropertyNames(parts).map((name) => [name, Reflect.get(parts, name)] as const)
  return { ...Object.fromEntries(members), ...changes } as Parts
}
