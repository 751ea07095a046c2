/** Creates and restores the specification of a run from an agent, a prompt and the options of the caller. */
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { copyAsJson } from '../../actors/values/to-json.ts'
import type { Spending } from '../../actors/usage.ts'
import type { Prompt } from '../../actors/message.ts'
import { validate } from '../../actors/schemas/validate.ts'
import { traceIn, type TraceContext } from '../../actors/strict/trace-context.ts'
import { ConfigurationError } from '../../errors.ts'
import { budgetOf } from '../options/budget-options.ts'
import type { AsyncContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import type { OnError } from '../report.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Budget } from '../state/effects/budget.ts'
import { protocolVersion, type RunStarted } from '../journal/journal.ts'
import { assertKeepsThread, assertRemembers, assertRouterMemory } from '../options/memory-options.ts'
import type { CallOptions, SupervisorOptions } from '../options/options.ts'
import { optionTable } from '../options/option-table.ts'
import { memoryOf } from '../definition/profile.ts'
import { memoryNeeded } from '../missing-port.ts'
import { blobsNeeded } from '../files/kept-content.ts'
import type { Blob } from '../files/blob-storage.ts'
import type { BeginningRun } from '../engine/around/observer.ts'
import { taskOf } from './prompt.ts'
import { optionOf, settingsOf, type RunSettings } from '../options/settings.ts'
import { lookUp, type AgentRegistry } from '../definition/registry.ts'
import { assertClientTools, withClientTools } from '../agents/client-tools.ts'
import { assertKept } from '../agents/kept-options.ts'
import { resolveVersions } from '../agents/resolve-versions.ts'
import { recordedAgents } from '../program/program.ts'
import { registryOf, type RunRegistry } from '../agents/run-registry.ts'
import {
  assertPriced,
  assertBackground,
  assertFallsBack,
  assertHandsOff,
  assertToolChoice,
  readCall,
} from '../definition/validate-options.ts'
import { validateRoute } from '../definition/validate-task-types.ts'
import { selectorsOf, type Selectors } from '../options/version-selectors.ts'

/** A run in this process: its start, its agents, and the functions that no journal holds. */
export interface RunSpec {
  readonly started: RunStarted
  /** Whether the caller has chosen its id. Default: `false`. */
  readonly isIdChosen?: boolean
  /** The agents as the run sees them. */
  readonly registry: RunRegistry
  /** The options that were given with the run; they hold its functions. */
  readonly functions: SupervisorOptions
  /** The bytes of the files in its prompt, where it has some. */
  readonly blobs?: readonly Blob[]
  readonly signal?: AbortSignal | undefined
  readonly onError?: OnError | undefined
  /** The trace context of a run that is resumed, where it is given. */
  readonly trace?: TraceContext | undefined
  /** Of a run within another: the budget that counts it. `tell` gets the usage so far, now and at each change. */
  readonly spendsWithin?: { readonly budget: Budget; readonly tell: (spending: Spending) => void }
  /** The async context in which the run goes on; a new run works in that of its start. Default: none. */
  readonly context?: AsyncContext
  /** Set for a run in the actor system of an application. */
  readonly hosting?: Hosting
}

export interface Hosting {
  /** The actor of the application that is the root of the run. */
  readonly root: AnyActorRef
  readonly clock: Clock
  readonly inspect: ((event: InspectionEvent) => void) | undefined
}

/** What a troupe adds to the options of its runs. */
export interface RunDefaults {
  readonly registry: AgentRegistry
  /** Versions that the troupe selects. */
  readonly selectors: Selectors
  /** Milliseconds since 1970. */
  readonly now: number
  /** Makes the id of the run. */
  readonly newId: () => string
  /** The trace context of a run that is given none. */
  readonly traceOf?: (run: BeginningRun) => TraceContext | undefined
  /** Whether the store has blobs. */
  readonly hasBlobs: boolean
  /** Whether the store keeps threads. */
  readonly hasMemory: boolean
  /** Whether nothing of the run is kept after its end. Default: `false`. */
  readonly isAlone?: boolean
}

/** Throws a `ConfigurationError` for an empty prompt or a wrong option. */
export function createRun(
  given: AgentDefinition,
  prompt: Prompt,
  options: object,
  stream: boolean,
  { registry, selectors, now, newId, traceOf, hasBlobs, hasMemory, isAlone = false }: RunDefaults,
): RunSpec {
  const where = `options of a run of "${given.id}"`
  const asked = isRecord(options) ? selectorsOf(options['versions'], `${where}: versions`) : {}
  const { root: agent, recorded } = resolveVersions(registry, given, { ...selectors, ...asked }, where)
  const { call, functions } = split(agent, options, where)
  const {
    signal,
    runId = newId(),
    instructions,
    threadId,
    resourceId,
    conversationId,
    promptId,
    restored,
    clientTools,
    stream: streams = stream,
    onError,
  } = call
  const context = givenContext(agent, call.context, where)
  const settings = recordedSettings(agent, functions, instructions)
  const memory = memoryOf(agent.settings, settings)
  const { task, blobs } = taskOf(prompt)
  if (blobs.length > 0 && !hasBlobs) throw blobsNeeded()
  if (memory !== undefined && !hasMemory) throw memoryNeeded()
  const isMadeForRun = agent.dynamic.includes('memory') && settings.memory === undefined
  const trace = traceIn(call) ?? traceOf?.({ runId, agent: agent.id })
  const started: RunStarted = {
    type: 'run.started',
    at: now,
    protocol: protocolVersion,
    runId,
    agent: agent.id,
    ...(agent.version === undefined ? {} : { version: agent.version }),
    ...recorded,
    ...task,
    settings,
    stream: streams,
    ...(threadId === undefined ? {} : { threadId }),
    ...(memory === undefined || isMadeForRun ? {} : { remembers: true as const }),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(promptId === undefined ? {} : { promptId }),
    ...trace,
    ...(restored === true ? { restored } : {}),
    ...(context === undefined ? {} : { context }),
    ...(clientTools === undefined || clientTools.length === 0 ? {} : { clientTools }),
  }
  if (clientTools !== undefined) assertClientTools(clientTools, agent, where)
  if (agent.pattern === 'router' && !isMadeForRun) assertRouterMemory(memory, where)
  assertRemembers(memory, agent.tools, resourceId, where)
  if (isAlone) assertKeepsThread(memory, threadId, where)
  const agents = registryOf(registry, started)
  const begun: RunStarted = { ...started, agents: recordedAgents(agents, agent.id) }
  assertPriced(agent, budgetOf(agent.settings.budget, started.settings.budget), where, agents)
  const prompted = blobs.length === 0 ? {} : { blobs }
  const isIdChosen = call.runId !== undefined
  return { started: begun, isIdChosen, registry: agents, functions, ...prompted, signal, onError }
}

/** By agent, the settings of its runs without options of their own: the same object for all. */
const plainSettings = new WeakMap<AgentDefinition, RunSettings>()

/** The options that the journal holds. Without a `maxToolCallsPerStep` in it the agents of a run have none. */
function recordedSettings(
  agent: AgentDefinition,
  functions: SupervisorOptions,
  instructions: string | undefined,
): RunSettings {
  if (instructions !== undefined || Object.keys(functions).length > 0)
    return settingsWith(agent, functions, instructions)
  const known = plainSettings.get(agent)
  if (known !== undefined) return known
  const made = deepFreeze(settingsWith(agent, functions, undefined))
  plainSettings.set(agent, made)
  return made
}

function settingsWith(
  agent: AgentDefinition,
  functions: SupervisorOptions,
  instructions: string | undefined,
): RunSettings {
  const settings = settingsOf(functions)
  return {
    ...settings,
    maxToolCallsPerStep:
      settings.maxToolCallsPerStep ??
      agent.settings.maxToolCallsPerStep ??
      optionTable.maxToolCallsPerStep.default,
    ...(instructions === undefined ? {} : { instructions }),
  }
}

/**
 * Returns a frozen copy. Throws a `ConfigurationError` where it is not JSON, or does not fit the schema of the agent.
 */
function givenContext(agent: AgentDefinition, given: unknown, where: string): JsonValue | undefined {
  const copy = given === undefined ? undefined : copyAsJson(given, 'context')
  if (copy?.ok === false) throw new ConfigurationError(`${where}: context must be JSON, but ${copy.problem}.`)
  const context = deepFreeze(copy?.value)
  if (agent.contextSchema === undefined) return context
  const checked = validate(agent.contextSchema, context)
  if (checked instanceof Promise) {
    throw new ConfigurationError(`${where}: contextSchema must answer at once, not with a promise.`)
  }
  if (!checked.ok) throw new ConfigurationError(`${where}: context: ${checked.problem}`)
  return context
}

/** Creates a new run from the input of an earlier one. `now`: in milliseconds since 1970. */
export function repeatRun(spec: RunSpec, now: number, newId: () => string): RunSpec {
  const { forkedFrom: _forkedFrom, lineage: _lineage, uncounted: _uncounted, ...started } = spec.started
  return { ...spec, started: { ...started, at: now, protocol: protocolVersion, runId: newId() } }
}

/**
 * Restores a run that has begun before: its settings come from its journal, its functions from the caller. Throws a
 * `ConfigurationError` that names the functions that are missing, and the options that it does not take any more.
 */
export function restoreRun(
  registry: RunRegistry,
  started: RunStarted,
  options: object,
  where: string,
): RunSpec {
  const agent = lookUp(registry, started.agent)
  const { call, functions } = split(agent, options, where)
  assertKept(started, { ...call, ...functions }, where)
  const given = settingsOf(functions)
  const { hooks, completion } = started.settings
  const missing = hooks.filter((hook) => !given.hooks.includes(hook)).map(optionOf)
  if (completion !== undefined && given.completion === undefined) missing.push('completion.scorers')
  if (missing.length > 0) {
    throw new ConfigurationError(
      `The run "${started.runId}" began with functions of its own, which no journal can hold. Hand them in again: ${missing.join(', ')}.`,
      { runId: started.runId },
    )
  }
  const { signal, onError } = call
  return { started, registry, functions, signal, onError, trace: traceIn(call) }
}

function split(
  agent: AgentDefinition,
  options: object,
  where: string,
): { call: CallOptions; functions: SupervisorOptions } {
  const {
    signal,
    runId,
    instructions,
    threadId,
    resourceId,
    conversationId,
    promptId,
    restored,
    traceparent,
    tracestate,
    context,
    clientTools,
    stream,
    onError,
    ...more
  } = readCall(options, where, agent.pattern)
  const { versions, ...functions } = more
  if (agent.pattern === 'meta-router') validateRoute(functions, agent.agents, where)
  assertHandsOff(functions, agent, where)
  assertFallsBack(functions, agent.settings, where)
  const offering = clientTools === undefined ? agent : withClientTools(agent, clientTools)
  assertToolChoice({ ...agent.options, ...functions }, offering, where)
  if (!agent.dynamic.includes('agents'))
    assertBackground(functions.backgroundTasks, Object.keys(agent.agents), where)
  return {
    call: {
      ...(signal && { signal }),
      ...(runId !== undefined && { runId }),
      ...(instructions !== undefined && { instructions }),
      ...(threadId !== undefined && { threadId }),
      ...(resourceId !== undefined && { resourceId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(promptId !== undefined && { promptId }),
      ...(restored !== undefined && { restored }),
      ...(traceparent !== undefined && { traceparent }),
      ...(tracestate !== undefined && { tracestate }),
      ...(context !== undefined && { context }),
      ...(clientTools !== undefined && { clientTools }),
      ...(stream !== undefined && { stream }),
      ...(onError !== undefined && { onError }),
      ...(versions !== undefined && { versions }),
    },
    functions,
  }
}
