/** Settings are the JSON part of options, which the journal keeps, with the names of the functions among them. */
import type { ResponseFormat } from '../actors/chat-model.ts'
import type { HookName } from '../actors/effect-kinds.ts'
import type { RouteProfile } from '../actors/task-types.ts'
import type {
  BackgroundProfile,
  CompletionProfile,
  DelegationProfile,
  MemoryProfile,
  ProcessorsProfile,
} from '../machines/agent.ts'
import { toJsonSchema } from '../actors/schema.ts'
import type { BudgetOptions } from './budget-options.ts'
import { capsOf, type PatternCaps } from './pattern-options.ts'
import { memorySettings } from './memory-options.ts'
import type {
  BackgroundTask,
  CompletionOptions,
  DelegationOptions,
  StructuredOutput,
  SupervisorOptions,
  MetaRouterOptions,
  PlannerOptions,
} from './options.ts'

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
  | 'hookTimeout'
  | 'modelTimeout'
  | 'maxRepeatedCalls'
  | 'maxProcessorRetries'
  | 'toolState'
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
  'hookTimeout',
  'modelTimeout',
  'maxRepeatedCalls',
  'maxProcessorRetries',
  'toolState',
] as const satisfies readonly (keyof Plain)[]

export interface RunSettings extends Plain {
  readonly delegation?: Partial<DelegationProfile>
  readonly completion?: Omit<CompletionProfile, 'scope'>
  readonly responseFormat?: ResponseFormat
  readonly budget?: BudgetOptions
  /** Of a meta-router. */
  readonly route?: Partial<RouteProfile>
  /** The pattern's own. */
  readonly caps?: PatternCaps
  readonly reviewSteps?: boolean
  /** `null`: not in the background, whatever the definition says. */
  readonly background?: Readonly<Record<string, BackgroundProfile | null>>
  readonly toolGroups?: readonly string[]
  readonly memory?: MemoryProfile | false
  readonly processors?: Partial<ProcessorsProfile>
  /** In place of the definition's. */
  readonly instructions?: string
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
    ...(options.structuredOutput === undefined
      ? {}
      : { responseFormat: responseFormatOf(options.structuredOutput) }),
    ...(options.backgroundTasks === undefined
      ? {}
      : { background: plainBackground(options.backgroundTasks) }),
    ...(options.budget === undefined ? {} : { budget: plainBudget(options.budget) }),
    ...(options.toolGroups === undefined ? {} : { toolGroups: [...options.toolGroups] }),
    ...(options.memory === undefined ? {} : { memory: memorySettings(options.memory) }),
    ...plainProcessors(options),
    caps: capsOf(options as PatternCaps),
    ...plainRoute(options),
    ...reviewing(options),
    hooks: hookNames.filter((name) => functionOf(options, name) !== undefined),
  }
}

function reviewing({ reviewSteps }: PlannerOptions): Pick<RunSettings, 'reviewSteps'> {
  return reviewSteps === undefined ? {} : { reviewSteps }
}

function plainDelegation(options: DelegationOptions): Partial<DelegationProfile> {
  const { onDelegationStart: _s, onDelegationComplete: _c, messageFilter: _f, ...plain } = options
  return plain
}

/** What is undefined here is not in JSON: it must not hide what stands on the definition. */
function plainBudget(options: BudgetOptions): BudgetOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function plainBackground(
  tasks: NonNullable<SupervisorOptions['backgroundTasks']>,
): Record<string, BackgroundProfile | null> {
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([key, task]) => (task === undefined ? [] : [[key, profileOfTask(task)]])),
  )
}

function plainRoute({ pattern, signals }: MetaRouterOptions): Pick<RunSettings, 'route'> {
  if (pattern === undefined && signals === undefined) return {}
  return { route: { ...(pattern === undefined ? {} : { pattern }), ...(signals && { signals }) } }
}

function profileOfTask({ enabled, timeoutMs, concurrency }: BackgroundTask): BackgroundProfile | null {
  return enabled === false ? null : { timeout: timeoutMs, concurrency: concurrency ?? 10 }
}

function plainCompletion(options: CompletionOptions): Omit<CompletionProfile, 'scope'> {
  return {
    scorers: options.scorers.map(({ id, threshold, timeout }) => ({
      id,
      threshold,
      ...(timeout === undefined ? {} : { timeout }),
    })),
    strategy: options.strategy ?? 'all',
    parallel: options.parallel ?? true,
    continueOnFail: options.continueOnFail ?? true,
    feedbackToLLM: options.feedbackToLLM ?? true,
    timeout: options.timeout ?? 30_000,
  }
}

/** A list that is given takes the place of another, an empty one too. */
function plainProcessors(options: SupervisorOptions): Pick<RunSettings, 'processors'> {
  const { inputProcessors: input, outputProcessors: output } = options
  if (input === undefined && output === undefined) return {}
  const having = (name: 'processOutput' | 'processOutputStream') =>
    (output ?? []).filter((processor) => processor[name] !== undefined).map(({ id }) => id)
  return {
    processors: {
      ...(input === undefined ? {} : { input: input.map(({ id }) => id) }),
      ...(output === undefined
        ? {}
        : { output: having('processOutput'), stream: having('processOutputStream') }),
    },
  }
}

function responseFormatOf({ schema, name = 'answer' }: StructuredOutput): ResponseFormat {
  return { name, schema: toJsonSchema(schema, 'structuredOutput') }
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
  'validateObject',
  'processInput',
  'processOutput',
] as const satisfies readonly HookName[]

export type OptionHook = (typeof hookNames)[number]

/** What the user calls it: the option in which its function stands. */
export function optionOf(hook: HookName): string {
  switch (hook) {
    case 'validateObject':
      return 'structuredOutput'
    case 'processInput':
      return 'inputProcessors'
    case 'processOutput':
      return 'outputProcessors'
    default:
      return hook
  }
}

/** The user's function behind a hook. */
export function functionOf(options: SupervisorOptions, hook: OptionHook): unknown {
  switch (hook) {
    case 'onDelegationStart':
    case 'onDelegationComplete':
    case 'messageFilter':
      return options.delegation?.[hook]
    case 'validateObject':
      return options.structuredOutput
    case 'processInput':
      return someOf(options.inputProcessors)
    case 'processOutput':
      return someOf(options.outputProcessors)
    case 'onComplete':
      return options.completion?.onComplete
    case 'stopWhen':
    case 'onIterationComplete':
    case 'onStepFinish':
    case 'onFinish':
      return options[hook]
  }
}

/** An empty list is as good as none. */
function someOf<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list?.length === 0 ? undefined : list
}
