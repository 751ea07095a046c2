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
  aName,
  anObject,
  anything,
  either,
  type Fields,
  is,
  isObject,
  optional,
  readOptions,
  required,
} from '../kit/index.ts'
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
import type { AgentsOfRecord } from './registration.ts'

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
  /** In place of the agent's own. Default: these. */
  readonly instructions?: string
  /** Ends the run after a step for which one of them answers `true`. Default: none. */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /** The answer is data of this shape. Default: text. */
  readonly structuredOutput?: { readonly schema: Schema<unknown, Output> }
  /** The thread and the resource of the run. Default: new ones. */
  readonly memory?: MemoryOfRun
  /** The conversation to go on with. Default: that of `memory`. */
  readonly threadId?: string
  /** The user or entity that the run works for. Default: that of `memory`. */
  readonly resourceId?: string
  /** The hooks of delegations. Default: none. */
  readonly delegation?: DelegationConfig
  /** As that of `delegation`; give one of them. Default: none. */
  readonly onDelegationStart?: DelegationConfig['onDelegationStart']
  /** As that of `delegation`; give one of them. Default: none. */
  readonly onDelegationComplete?: DelegationConfig['onDelegationComplete']
  /** Observes each reply of the model. Default: none. */
  readonly onStepFinish?: (step: StepFinishContext) => Awaitable<void>
  /** Observes the end. Default: none. */
  readonly onFinish?: (result: FinishContext) => Awaitable<void>
  /** The versions of agents that the run takes, by their ids. Default: those of the `Mastra`. */
  readonly versions?: VersionOverrides
  /** What functions of the run and tools read. Default: nothing. */
  readonly requestContext?: RequestContext
  /** As `requestContext`. Default: nothing. */
  readonly runtimeContext?: RequestContext
  /** Cancels the run. Default: none. */
  readonly abortSignal?: AbortSignal
  /** The id of the run. Default: a new one. */
  readonly runId?: string
}

/** The options of `stream` and `generate`. `Output` is the type of the object under `structuredOutput`. */
export interface StreamOptions<Output = undefined> extends CommonOptions<Output> {
  /** Model calls: no other follows, also none for an answer. Default: 5. */
  readonly maxSteps?: number
  /** Calls of one step that run concurrently. Default: 10. */
  readonly toolCallConcurrency?: number
  /** As that of `createAgent`. Default: `'auto'`. */
  readonly toolChoice?: SupervisorOptions['toolChoice']
  /** Scorers of an answer. An unmet one ends the run, unless `continueOnFail`. Default: none. */
  readonly completion?: CompletionConfig
  /** Scorers of an answer. An unmet one asks for another iteration. Default: none. */
  readonly isTaskComplete?: CompletionConfig
  /** Reviews each iteration. Default: none. */
  readonly onIterationComplete?: (
    context: IterationCompleteContext,
  ) => Awaitable<IterationCompleteResult | undefined | void>
  /** `'last'`: the last bail of a step wins. Default: `'first'`. */
  readonly bailStrategy?: 'first' | 'last'
}

/** The options of `network`. `Output` is the type of the object under `structuredOutput`. */
export interface NetworkOptions<Output = undefined> extends Omit<CommonOptions<Output>, 'memory'> {
  /** A `Memory` for this run, or its thread and resource. Default: the memory of the agent. */
  readonly memory?: MemoryOfRun | Memory
  /** Subagents beside those of the agent. Default: none. */
  readonly agents?: AgentsOfRecord
  /** Tools beside those of the agent. Default: none. */
  readonly tools?: ToolMap
  /** Workflows beside those of the agent. Default: none. */
  readonly workflows?: WorkflowMap
  /** Decisions of the routing agent. Default: 10. */
  readonly maxIterations?: number
  /** Scorers of each result. An unmet one asks for another iteration. Default: none. */
  readonly completion?: CompletionConfig
  /** Reviews each iteration. Default: none. */
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

const aThread = either(isObject, anObject<{ readonly id: string }>({ id: required(aName) }), aName)

const memoryFields: Fields<MemoryOfRun> = { thread: optional(aThread), resource: optional(aName) }

const aContext = either((given) => given instanceof Map, anything, is('a map or an object', isObject))

/** What is passed on is read by the library. */
const commonFields: Fields<CommonOptions<unknown>> = {
  instructions: optional(anything),
  stopWhen: optional(anything),
  structuredOutput: optional(anything),
  memory: optional(anObject(memoryFields)),
  threadId: optional(anything),
  resourceId: optional(anything),
  delegation: optional(anObject(delegationFields)),
  onDelegationStart: optional(aFunction),
  onDelegationComplete: optional(aFunction),
  onStepFinish: optional(anything),
  onFinish: optional(anything),
  versions: optional(anything),
  requestContext: optional(aContext),
  runtimeContext: optional(aContext),
  abortSignal: optional(is('an AbortSignal', (given) => given instanceof AbortSignal)),
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

const aRecord = is('an object by name', isObject)

const networkFields: Fields<NetworkOptions<unknown>> = {
  ...commonFields,
  memory: optional(either((given) => given instanceof Memory, anything, anObject(memoryFields))),
  agents: optional(aRecord),
  tools: optional(aRecord),
  workflows: optional(aRecord),
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

/** Options that this library takes of a run alone. */
const ofRunAlone = [
  'instructions',
  'memory',
  'threadId',
  'resourceId',
  'versions',
  'requestContext',
  'runtimeContext',
  'abortSignal',
  'runId',
] as const satisfies readonly (keyof CommonOptions<unknown>)[]

/** The options that go into a definition (`false`), or into each run of it (`true`). */
export function defaultsFor(isOfRun: boolean, options: StreamOptions<unknown> = {}): StreamOptions<unknown> {
  const entries = Object.entries(options).filter(
    ([name]) => ofRunAlone.some((one) => one === name) === isOfRun,
  )
  return Object.fromEntries(entries)
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
    ...threadOf(memory),
    ...(abortSignal && { signal: abortSignal }),
    ...(context && { context: recordOf(context) }),
  } as Omit<Rest, keyof CommonOptions<unknown>> & CallOptions & SupervisorOptions
}

function threadOf({ thread, resource }: MemoryOfRun = {}): Pick<CallOptions, 'threadId' | 'resourceId'> {
  return {
    ...(thread === undefined ? {} : { threadId: typeof thread === 'string' ? thread : thread.id }),
    ...(resource === undefined ? {} : { resourceId: resource }),
  }
}

function recordOf(context: RequestContext): Readonly<Record<string, unknown>> {
  const isMap = (given: RequestContext): given is ReadonlyMap<string, unknown> => given instanceof Map
  return isMap(context) ? Object.fromEntries(context) : context
}

/** Two names of one option must not both be given: one of them would be without effect. */
function assertOne(where: string, named: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(named).filter((name) => named[name] !== undefined)
  if (given.length < 2) return
  throw new ConfigurationError(`${where}: ${given.join(' and ')} are one option; give one of them.`)
}
