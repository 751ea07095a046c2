/** The profile of an agent, which its machine reads: the definition's settings, overridden by those of the run. */
import { estimatedTokens } from '../../actors/messages/size.ts'
import { defaultFallbacks, type FallbackRule } from '../../actors/models/fallbacks.ts'
import type { RouteProfile } from '../../actors/task-types.ts'
import { defaultsOf } from '../../actors/strict/read-options.ts'
import type { AgentProfile } from '../../machines/contract/agent.ts'
import type {
  CapsProfile,
  CompactionProfile,
  CompletionProfile,
  FunctionName,
  HookTable,
  MemoryProfile,
} from '../../machines/contract/profile.ts'
import type { AgentDefinition } from './definition.ts'
import { modelIn, modelName } from './models.ts'
import type { ContextEditingOptions } from '../options/options.ts'
import { contextEditingFields, delegationFields } from '../options/option-fields.ts'
import { capDefaults, defaultSteps, optionTable } from '../options/option-table.ts'
import type { Pattern } from '../options/pattern.ts'
import type { RunSettings } from '../options/settings.ts'

const noSettings: RunSettings = { hooks: [] }

/** A router scores the result of each primitive. */
const routerDefaults = { scoreEvery: 'iteration' } as const

const defaults = defaultsOf(optionTable)

const delegationDefaults = defaultsOf(delegationFields)

interface Known {
  readonly settings: RunSettings
  readonly profile: AgentProfile
}

/** By definition, its last profile: runs without options of their own have the same settings, and subagents have none. */
const known = new WeakMap<AgentDefinition, Known>()

/** A definition as its machine sees it, under the settings of a run (for the root agent; subagents have none). */
export function profileOf(definition: AgentDefinition, settings: RunSettings = noSettings): AgentProfile {
  const last = known.get(definition)
  if (last?.settings === settings) return last.profile
  const profile = madeProfile(definition, settings)
  known.set(definition, { settings, profile })
  return profile
}

function madeProfile(definition: AgentDefinition, settings: RunSettings): AgentProfile {
  const own = definition.settings
  const caps = { ...capDefaults, ...own.caps, ...settings.caps }
  const options = {
    ...defaults,
    ...(definition.pattern === 'router' ? routerDefaults : {}),
    ...own,
    ...settings,
  }
  return {
    id: definition.id,
    instructions: settings.instructions ?? definition.instructions,
    model: modelName(definition.model),
    ...fallbacksOf(definition, options.fallbackOn),
    toolset: definition.toolset,
    dynamic: dynamicOf(definition, settings),
    toolGroups: options.toolGroups,
    toolState: options.toolState,
    maxSteps: maxStepsOf(definition.pattern, settings.maxSteps ?? own.maxSteps, caps),
    maxDepth: options.maxDepth,
    toolChoice: options.toolChoice,
    toolCallConcurrency: options.toolCallConcurrency,
    maxToolCallsPerStep: callsTools(definition) ? options.maxToolCallsPerStep : undefined,
    retries: options.retries,
    onExhausted: options.onExhausted,
    ...keptPartial(options.keepPartial),
    bailStrategy: options.bailStrategy,
    scoreEvery: options.scoreEvery,
    hookErrors: options.hookErrors,
    hookTimeout: options.hookTimeout,
    modelTimeout: options.modelTimeout,
    hooks: hookTable(own, settings),
    delegation: {
      ...delegationDefaults,
      timeout: undefined,
      ...own.delegation,
      ...settings.delegation,
    },
    completion: completionProfile(own, settings),
    background: { ...own.background, ...settings.background },
    ...(runsBackground(definition) ? { runsBackground: true as const } : {}),
    route: routeOf(own, settings),
    caps,
    reviewSteps: options.reviewSteps,
    ...(options.approvePlan === undefined ? {} : { approvePlan: options.approvePlan }),
    ...(options.bindsSteps === undefined ? {} : { bindsSteps: options.bindsSteps }),
    maxRepeatedCalls: options.maxRepeatedCalls,
    handoffs: definition.handoffs?.profile,
    memory: memoryOf(own, settings),
    ...(options.compaction === undefined
      ? {}
      : { compaction: { ...options.compaction, ...excessOf(definition, settings) } }),
    ...editingOf(options.contextEditing, excessOf(definition, settings)),
    processors: { input: [], output: [], stream: [], ...own.processors, ...settings.processors },
    maxProcessorRetries: options.maxProcessorRetries,
    responseFormat: options.responseFormat,
  }
}

function keptPartial(given: boolean | 'thread' | undefined): Pick<AgentProfile, 'keepPartial'> {
  if (given === undefined || given === false) return {}
  return { keepPartial: given === 'thread' ? 'thread' : 'result' }
}

/** By default an edit frees a tenth of what the request may have. */
const leastShare = 0.1

function editingOf(
  given: ContextEditingOptions | undefined,
  excess: Pick<CompactionProfile, 'excess'>,
): Pick<AgentProfile, 'contextEditing'> {
  if (given === undefined) return {}
  const atLeast = Math.ceil(leastShare * given.above)
  return { contextEditing: { ...defaultsOf(contextEditingFields), except: [], atLeast, ...given, ...excess } }
}

/** The models that follow the first one: as many as the run began with. Those of a function of the run are not known yet. */
function fallbacksOf(
  definition: AgentDefinition,
  on: readonly FallbackRule[] | undefined,
): Pick<AgentProfile, 'fallbacks'> {
  const { fallbackModels = 0 } = definition.settings
  if (definition.dynamic.includes('model')) return on === undefined ? {} : { fallbacks: { models: [], on } }
  if (fallbackModels === 0) return {}
  const models = Array.from({ length: fallbackModels }, (_, index) =>
    modelName(modelIn(definition, index + 1)),
  )
  return { fallbacks: { models, on: on ?? defaultFallbacks } }
}

/** A run keeps the sizes that it began with: an edit does not change when its conversation is summarised. */
function excessOf(
  { recordedExcess }: AgentDefinition,
  settings: RunSettings,
): Pick<CompactionProfile, 'excess'> {
  if (recordedExcess === undefined) return {}
  const { instructions, tools } = recordedExcess
  return { excess: estimatedTokens(tools + (settings.instructions === undefined ? instructions : 0)) }
}

/** Parts that the options of the run give are not made by functions. */
function dynamicOf(
  { dynamic }: AgentDefinition,
  { instructions, memory }: RunSettings,
): AgentProfile['dynamic'] {
  return dynamic.filter(
    (part) =>
      (part !== 'instructions' || instructions === undefined) && (part !== 'memory' || memory === undefined),
  )
}

/** The memory of an agent; `undefined`: it remembers nothing. */
export function memoryOf(own: RunSettings, settings: RunSettings): MemoryProfile | undefined {
  const { memory } = { ...own, ...settings }
  return memory === false ? undefined : memory
}

/** Milliseconds that a function of the user's may take. */
export function hookTimeoutOf(own: RunSettings, settings: RunSettings): number {
  return settings.hookTimeout ?? own.hookTimeout ?? optionTable.hookTimeout.default
}

/** The patterns whose charts go on while calls are at work. */
export const backgroundPatterns: readonly Pattern[] = ['react', 'supervisor']

function callsTools({ pattern }: AgentDefinition): boolean {
  const patterns: readonly Pattern[] = optionTable.maxToolCallsPerStep.patterns
  return patterns.includes(pattern)
}

/** The cap on the steps of an agent that gives this part of its settings, and no run another. */
export function stepCapOf(pattern: Pattern, { maxSteps, caps }: RunSettings): number {
  return maxStepsOf(pattern, maxSteps, { ...capDefaults, ...caps })
}

/** The steps of a router are its iterations. */
function maxStepsOf(pattern: Pattern, maxSteps: number | undefined, caps: CapsProfile): number {
  if (pattern !== 'router') return maxSteps ?? defaultSteps(pattern, caps)
  return Math.min(maxSteps ?? Number.POSITIVE_INFINITY, caps.maxIterations)
}

function hookTable(own: RunSettings, settings: RunSettings): HookTable {
  const table: Partial<Record<FunctionName, 'agent' | 'run'>> = {}
  for (const name of own.hooks) table[name] = 'agent'
  // A run that brings its own completion brings its own `onComplete`, or none; so it is with compaction and processors.
  if (settings.completion !== undefined) delete table.onComplete
  if (settings.compaction !== undefined) delete table.compaction
  if (settings.processors?.input !== undefined) delete table.processInput
  if (settings.processors?.output !== undefined) delete table.processOutput
  for (const name of settings.hooks) table[name] = 'run'
  return table
}

function routeOf(own: RunSettings, settings: RunSettings): RouteProfile | undefined {
  if (own.route === undefined) return undefined
  return { taskTypes: [], patterns: [], ...own.route, ...settings.route }
}

/** Agents of the other patterns wait for each of their calls. */
function runsBackground({ pattern }: AgentDefinition): boolean {
  return backgroundPatterns.includes(pattern)
}

function completionProfile(own: RunSettings, settings: RunSettings): CompletionProfile | undefined {
  if (settings.completion !== undefined) return { ...settings.completion, scope: 'run' }
  if (own.completion !== undefined) return { ...own.completion, scope: 'agent' }
  return undefined
}
