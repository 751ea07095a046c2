/** The options of `stream`, `generate` and `network`, and the options of this library that they become. */
import {
  ConfigurationError,
  type CallOptions,
  type FinishContext,
  type Schema,
  type StepFinishContext,
  type SupervisorOptions,
  type ToolMap,
  type VersionOverrides,
  type WorkflowMap,
} from '../index.ts'
import {
  aBoolean,
  aFunction,
  anObject,
  anything,
  type Fields,
  isRecord,
  optional,
  readOptions,
} from '../kit/index.ts'
import type { AgentsOfRecord, BackgroundTasksConfig } from './agent-config.ts'
import {
  completionOf,
  delegationHooks,
  iterationHook,
  networkHook,
  type CompletionConfig,
  type DelegationConfig,
  type IterationCompleteContext,
  type IterationCompleteResult,
  type Keys,
  type NetworkIterationContext,
  type StopCondition,
} from './hooks.ts'
import { Memory } from './memory.ts'

type Awaitable<Value> = Value | Promise<Value>

/** The thread and the resource of a run. */
export interface MemoryOfRun {
  readonly thread?: string | { readonly id: string }
  readonly resource?: string
}

/** Values that functions of the run and tools read: a map, or an object of JSON. */
export type RequestContext = ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>

/** Options of any run. `Output` is the type of its object under `structuredOutput`. */
interface CommonOptions<Output> {
  readonly instructions?: string
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  readonly structuredOutput?: { readonly schema: Schema<unknown, Output> }
  readonly memory?: MemoryOfRun
  /** The conversation to go on with. */
  readonly threadId?: string
  /** The user or entity that the run works for. */
  readonly resourceId?: string
  readonly delegation?: DelegationConfig
  readonly onDelegationStart?: DelegationConfig['onDelegationStart']
  readonly onDelegationComplete?: DelegationConfig['onDelegationComplete']
  readonly onStepFinish?: (step: StepFinishContext) => Awaitable<void>
  readonly onFinish?: (result: FinishContext) => Awaitable<void>
  readonly versions?: VersionOverrides
  readonly requestContext?: RequestContext
  /** As `requestContext`. */
  readonly runtimeContext?: RequestContext
  readonly abortSignal?: AbortSignal
  readonly runId?: string
}

/** The options of `stream` and `generate`. `Output` is the type of the object under `structuredOutput`. */
export interface StreamOptions<Output = undefined> extends CommonOptions<Output> {
  /** Model calls: no other follows, also none for an answer. Default: 5. */
  readonly maxSteps?: number
  /** Default: 10. */
  readonly toolCallConcurrency?: number
  readonly toolChoice?: SupervisorOptions['toolChoice']
  /** Scorers of an answer. An unmet one ends the run, unless `continueOnFail`. */
  readonly completion?: CompletionConfig
  /** Scorers of an answer. An unmet one asks for another iteration. */
  readonly isTaskComplete?: CompletionConfig
  readonly onIterationComplete?: (
    context: IterationCompleteContext,
  ) => Awaitable<IterationCompleteResult | undefined | void>
  /** Default: `'first'`. */
  readonly bailStrategy?: 'first' | 'last'
}

/** The options of `network`. `Output` is the type of the object under `structuredOutput`. */
export interface NetworkOptions<Output = undefined> extends Omit<CommonOptions<Output>, 'memory'> {
  /** Where the agent has no memory, a `Memory` for this run; else its thread and resource. */
  readonly memory?: MemoryOfRun | Memory
  /** Beside those of the agent. */
  readonly agents?: AgentsOfRecord
  /** Beside those of the agent. */
  readonly tools?: ToolMap
  /** Beside those of the agent. */
  readonly workflows?: WorkflowMap
  /** Decisions of the routing agent. Default: 10. */
  readonly maxIterations?: number
  readonly completion?: CompletionConfig
  readonly onIterationComplete?: (
    context: NetworkIterationContext,
  ) => Awaitable<IterationCompleteResult | undefined | void>
}

const delegationFields: Fields<DelegationConfig> = {
  onDelegationStart: optional(aFunction),
  onDelegationComplete: optional(aFunction),
  messageFilter: optional(aFunction),
  includeSubAgentToolResultsInModelContext: optional(aBoolean),
}

const completionFields: Fields<CompletionConfig> = {
  scorers: optional(anything),
  strategy: optional(anything),
  continueOnFail: optional(anything),
  feedbackToLLM: optional(anything),
  timeout: optional(anything),
  parallel: optional(anything),
  onComplete: optional(aFunction),
}

/** What is passed on is read by the library. */
const commonFields: Fields<CommonOptions<unknown>> = {
  instructions: optional(anything),
  stopWhen: optional(anything),
  structuredOutput: optional(anything),
  memory: optional(anything),
  threadId: optional(anything),
  resourceId: optional(anything),
  delegation: optional(anObject(delegationFields)),
  onDelegationStart: optional(aFunction),
  onDelegationComplete: optional(aFunction),
  onStepFinish: optional(anything),
  onFinish: optional(anything),
  versions: optional(anything),
  requestContext: optional(anything),
  runtimeContext: optional(anything),
  abortSignal: optional(anything),
  runId: optional(anything),
}

const streamFields: Fields<StreamOptions<unknown>> = {
  ...commonFields,
  maxSteps: optional(anything),
  toolCallConcurrency: optional(anything),
  toolChoice: optional(anything),
  completion: optional(anObject(completionFields)),
  isTaskComplete: optional(anObject(completionFields)),
  onIterationComplete: optional(aFunction),
  bailStrategy: optional(anything),
}

const networkFields: Fields<NetworkOptions<unknown>> = {
  ...commonFields,
  agents: optional(anything),
  tools: optional(anything),
  workflows: optional(anything),
  maxIterations: optional(anything),
  completion: optional(anObject(completionFields)),
  onIterationComplete: optional(aFunction),
}

/** Throws a `ConfigurationError` for an unknown option, or one of another kind. */
export function readStreamOptions(given: unknown, where: string): StreamOptions<unknown> {
  return readOptions<StreamOptions<unknown>>(given ?? {}, where, streamFields)
}

/** Throws a `ConfigurationError` for an unknown option, or one of another kind. */
export function readNetworkOptions(given: unknown, where: string): NetworkOptions<unknown> {
  return readOptions<NetworkOptions<unknown>>(given ?? {}, where, networkFields)
}

/** Options of a run, or of a definition, as this library takes them. */
export function streamOptionsOf(
  options: StreamOptions<unknown>,
  keys: Keys,
  where: string,
): SupervisorOptions & CallOptions {
  const { completion, isTaskComplete, onIterationComplete, ...rest } = options
  assertOne(where, { completion, isTaskComplete })
  const scored = completion ?? isTaskComplete
  return {
    ...commonOf(rest, keys, where),
    ...(scored && { completion: completionOf(scored, isTaskComplete !== undefined) }),
    ...(onIterationComplete && { onIterationComplete: iterationHook(onIterationComplete, keys) }),
  }
}

/** Options of a run of a network, as this library takes them. */
export function networkOptionsOf(options: NetworkOptions<unknown>, keys: Keys, where: string) {
  const { completion, onIterationComplete, agents: _, tools: _tools, workflows: _flows, ...rest } = options
  const { memory, ...more } = rest
  return {
    ...commonOf(memory === undefined || memory instanceof Memory ? more : { ...more, memory }, keys, where),
    ...(completion && { completion: completionOf(completion, true) }),
    ...(onIterationComplete && { onIterationComplete: networkHook(onIterationComplete, keys) }),
  }
}

function commonOf<Rest extends object>(
  options: CommonOptions<unknown> & Rest,
  keys: Keys,
  where: string,
): Omit<Rest, keyof CommonOptions<unknown>> & CallOptions & SupervisorOptions {
  const { memory, delegation = {}, onDelegationStart, onDelegationComplete, ...others } = options
  const { requestContext, runtimeContext, abortSignal, stopWhen, structuredOutput, ...rest } = others
  assertOne(where, { onDelegationStart, 'delegation.onDelegationStart': delegation.onDelegationStart })
  assertOne(where, {
    onDelegationComplete,
    'delegation.onDelegationComplete': delegation.onDelegationComplete,
  })
  const hooks = {
    ...delegation,
    ...(onDelegationStart && { onDelegationStart }),
    ...(onDelegationComplete && { onDelegationComplete }),
  }
  const context = requestContext ?? runtimeContext
  return {
    ...rest,
    ...(stopWhen && { stopWhen }),
    ...(structuredOutput && { structuredOutput }),
    ...(Object.keys(hooks).length > 0 && { delegation: delegationHooks(hooks, keys) }),
    ...threadOf(memory, where),
    ...(abortSignal && { signal: abortSignal }),
    ...(context && { context: context instanceof Map ? Object.fromEntries(context) : context }),
  } as Omit<Rest, keyof CommonOptions<unknown>> & CallOptions & SupervisorOptions
}

function threadOf(memory: unknown, where: string): Pick<CallOptions, 'threadId' | 'resourceId'> {
  if (memory === undefined) return {}
  const { thread, resource } = readOptions<MemoryOfRun>(memory, `${where}: memory`, {
    thread: optional(anything),
    resource: optional(anything),
  })
  const threadId = isRecord(thread) ? (thread['id'] as string) : (thread as string | undefined)
  return {
    ...(threadId === undefined ? {} : { threadId }),
    ...(resource === undefined ? {} : { resourceId: resource }),
  }
}

/** Two names of one option must not both be given: one of them would be without effect. */
function assertOne(where: string, named: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(named).filter((name) => named[name] !== undefined)
  if (given.length < 2) return
  throw new ConfigurationError(`${where}: ${given.join(' and ')} are one option; give one of them.`)
}

/** `backgroundTasks` by the keys of subagents, as this library takes them, and by the names of tools. */
export function backgroundOf(
  { tools = {} }: BackgroundTasksConfig,
  agents: readonly string[],
): Pick<SupervisorOptions, 'backgroundTasks'> {
  const tasks = Object.entries(tools).filter(([name]) => agents.includes(name))
  return tasks.length === 0 ? {} : { backgroundTasks: Object.fromEntries(tasks) }
}
