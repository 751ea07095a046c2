/**
 * From options to what a machine knows: `RunSettings` are the JSON part of the options of one run, which the
 * journal keeps; a profile is a definition's options with the settings of the run laid over them.
 */
import type { HookName } from '../actors/effect-kinds.ts'
import type { AgentProfile, CompletionProfile, DelegationProfile, HookTable } from '../machines/agent.ts'
import type { AgentDefinition } from './definition.ts'
import type { CompletionOptions, DelegationOptions, SupervisorOptions } from './options.ts'

type Plain = Pick<
  SupervisorOptions,
  | 'maxSteps'
  | 'maxDepth'
  | 'toolCallConcurrency'
  | 'retries'
  | 'onExhausted'
  | 'bailStrategy'
  | 'scoreEvery'
  | 'hookErrors'
>

const plainNames = [
  'maxSteps',
  'maxDepth',
  'toolCallConcurrency',
  'retries',
  'onExhausted',
  'bailStrategy',
  'scoreEvery',
  'hookErrors',
] as const satisfies readonly (keyof Plain)[]

export interface RunSettings extends Plain {
  readonly delegation?: Partial<DelegationProfile>
  readonly completion?: Omit<CompletionProfile, 'scope'>
  /** The functions that were given with the run. */
  readonly hooks: readonly HookName[]
}

export function settingsOf(options: SupervisorOptions): RunSettings {
  const plain = Object.fromEntries(
    plainNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  ) as Plain
  return {
    ...plain,
    ...(options.delegation === undefined ? {} : { delegation: plainDelegation(options.delegation) }),
    ...(options.completion === undefined ? {} : { completion: plainCompletion(options.completion) }),
    hooks: hookNames.filter((name) => functionOf(options, name) !== undefined),
  }
}

function plainDelegation(options: DelegationOptions): Partial<DelegationProfile> {
  const { onDelegationStart: _s, onDelegationComplete: _c, messageFilter: _f, ...plain } = options
  return plain
}

function plainCompletion(options: CompletionOptions): Omit<CompletionProfile, 'scope'> {
  return {
    scorers: options.scorers.map(({ id, threshold }) => ({ id, threshold })),
    strategy: options.strategy ?? 'all',
    parallel: options.parallel ?? true,
    continueOnFail: options.continueOnFail ?? true,
    feedbackToLLM: options.feedbackToLLM ?? true,
    timeout: options.timeout ?? 30_000,
  }
}

/** Hooks that are found in options; the others belong to tools. */
const hookNames = [
  'onDelegationStart',
  'messageFilter',
  'onDelegationComplete',
  'onIterationComplete',
  'stopWhen',
  'onStepFinish',
  'onFinish',
  'onComplete',
] as const satisfies readonly HookName[]

export type OptionHook = (typeof hookNames)[number]

/** The user's function behind a hook. */
export function functionOf(options: SupervisorOptions, hook: OptionHook): unknown {
  switch (hook) {
    case 'onDelegationStart':
    case 'onDelegationComplete':
    case 'messageFilter':
      return options.delegation?.[hook]
    case 'onComplete':
      return options.completion?.onComplete
    case 'stopWhen':
    case 'onIterationComplete':
    case 'onStepFinish':
    case 'onFinish':
      return options[hook]
  }
}

const noSettings: RunSettings = { hooks: [] }

/** A definition as its machine sees it, under the settings of a run (for the root agent; subagents have none). */
export function profileOf(definition: AgentDefinition, settings: RunSettings = noSettings): AgentProfile {
  const own = definition.settings
  const options = { ...own, ...settings }
  return {
    id: definition.id,
    instructions: definition.instructions,
    model: `${definition.model.provider}/${definition.model.modelId}`,
    toolset: definition.toolset,
    maxSteps: options.maxSteps ?? 5,
    maxDepth: options.maxDepth ?? 5,
    toolCallConcurrency: options.toolCallConcurrency ?? 10,
    retries: options.retries ?? 3,
    onExhausted: options.onExhausted ?? 'finalTurn',
    bailStrategy: options.bailStrategy ?? 'first',
    scoreEvery: options.scoreEvery ?? 'answer',
    hookErrors: options.hookErrors ?? 'fail',
    hooks: hookTable(own, settings),
    delegation: {
      includeConversationHistory: true,
      filterInternalMessages: true,
      maxMessages: 20,
      timeout: undefined,
      ...own.delegation,
      ...settings.delegation,
    },
    completion: completionProfile(own, settings),
  }
}

function hookTable(own: RunSettings, settings: RunSettings): HookTable {
  const table: Partial<Record<HookName, 'agent' | 'run'>> = {}
  for (const name of own.hooks) table[name] = 'agent'
  // A run that brings its own completion brings its own `onComplete`, or none.
  if (settings.completion !== undefined) delete table.onComplete
  for (const name of settings.hooks) table[name] = 'run'
  return table
}

function completionProfile(own: RunSettings, settings: RunSettings): CompletionProfile | undefined {
  if (settings.completion !== undefined) return { ...settings.completion, scope: 'run' }
  if (own.completion !== undefined) return { ...own.completion, scope: 'agent' }
  return undefined
}
