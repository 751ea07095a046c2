/** The settings of a run, made of its options, and the functions that settings name. */
import type { ApprovalPolicy } from '../../actors/message.ts'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type {
  BackgroundProfile,
  CompactionProfile,
  CompletionProfile,
  DelegationProfile,
  FunctionName,
  MemoryProfile,
  ProcessorsProfile,
} from '../../machines/contract/profile.ts'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { defaultsOf, jsonPartOf } from '../../actors/strict/read-options.ts'
import { memorySettings } from './memory-options.ts'
import {
  backgroundFields,
  compactionFields,
  completionFields,
  delegationFields,
  structuredOutputFields,
} from './option-fields.ts'
import { capOptions, jsonOptions, type AnyOptions, type KeptAs } from './option-table.ts'
import type {
  BackgroundTask,
  CompactionOptions,
  CompletionOptions,
  DelegationOptions,
  StructuredOutput,
  SupervisorOptions,
} from './options.ts'
import type { RouteOptions, PatternCaps } from './pattern-options.ts'
import type { RouteProfile } from '../../actors/task-types.ts'

/** The settings of a run: the JSON part of its options, which the journal keeps, with the names of their functions. */
export interface RunSettings extends Pick<AnyOptions, KeptAs<'json'>> {
  readonly delegation?: Partial<DelegationProfile>
  readonly completion?: Omit<CompletionProfile, 'scope'>
  readonly responseFormat?: ResponseFormat
  /** Of a meta-router. */
  readonly route?: Partial<RouteProfile>
  /** The pattern's own. */
  readonly caps?: PatternCaps
  /** `null`: not in the background, also where the definition has a background task. */
  readonly background?: Readonly<Record<string, BackgroundProfile | null>>
  /** Of a planner. */
  readonly approvePlan?: ApprovalPolicy
  /** Of a planner whose plans may be approved: a step calls the tool that its plan names alone. Absent in older journals. */
  readonly bindsSteps?: true
  readonly memory?: MemoryProfile | false
  readonly compaction?: CompactionProfile
  readonly processors?: Partial<ProcessorsProfile>
  /** In place of the definition's. */
  readonly instructions?: string
  /** How many models of the agent follow the first one in a row; absent: none. */
  readonly fallbackModels?: number
  /** The functions that were given with the run. */
  readonly hooks: readonly FunctionName[]
}

/** Makes the settings of validated options: these hold no field that is undefined. */
export function settingsOf(options: AnyOptions): RunSettings {
  const { delegation, completion, compaction, structuredOutput, backgroundTasks, memory, approvePlan } =
    options
  return {
    ...pick(options, jsonOptions),
    ...(delegation === undefined ? {} : { delegation: plainDelegation(delegation) }),
    ...(completion === undefined ? {} : { completion: plainCompletion(completion) }),
    ...(structuredOutput === undefined ? {} : { responseFormat: responseFormatOf(structuredOutput) }),
    ...(backgroundTasks === undefined ? {} : { background: plainBackground(backgroundTasks) }),
    ...(memory === undefined ? {} : { memory: memorySettings(memory) }),
    ...(compaction === undefined ? {} : { compaction: plainCompaction(compaction) }),
    ...plainProcessors(options),
    ...(approvePlan === undefined ? {} : { approvePlan: policyOf(approvePlan), bindsSteps: true as const }),
    caps: pick(options, capOptions),
    ...plainRoute(options),
    hooks: hookNames.filter((name) => functionOf(options, name) !== undefined),
  }
}

function pick<Name extends keyof AnyOptions>(
  options: AnyOptions,
  names: readonly Name[],
): Pick<AnyOptions, Name> {
  const given = names.filter((name) => options[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, options[name]])) as Pick<AnyOptions, Name>
}

/** A function that decides about approvals is kept by its name, as any other. */
function plainDelegation({ requireApproval, ...delegation }: DelegationOptions): Partial<DelegationProfile> {
  return {
    ...jsonPartOf(delegationFields, delegation),
    ...(requireApproval === undefined ? {} : { requireApproval: policyOf(requireApproval) }),
  }
}

function policyOf(given: boolean | ((...args: never) => unknown)): ApprovalPolicy {
  return typeof given === 'function' ? 'asks' : given
}

function plainBackground(
  tasks: NonNullable<SupervisorOptions['backgroundTasks']>,
): Record<string, BackgroundProfile | null> {
  return Object.fromEntries(
    Object.entries(tasks).flatMap(([key, task]) => (task === undefined ? [] : [[key, profileOfTask(task)]])),
  )
}

function plainRoute(options: RouteOptions): Pick<RunSettings, 'route'> {
  const { pattern, taskType, framing, signals } = options
  const route = {
    ...(pattern === undefined ? {} : { pattern }),
    ...(taskType === undefined ? {} : { taskType }),
    ...(framing === undefined ? {} : { framing }),
    ...(signals && { signals }),
  }
  return Object.keys(route).length === 0 ? {} : { route }
}

function profileOfTask(task: BackgroundTask): BackgroundProfile | null {
  const { enabled, concurrency, timeoutMs: timeout } = { ...defaultsOf(backgroundFields), ...task }
  return enabled ? { timeout, concurrency } : null
}

function plainCompletion(options: CompletionOptions): Omit<CompletionProfile, 'scope'> {
  const { onComplete: _function, scorers, ...plain } = options
  return {
    ...defaultsOf(completionFields),
    ...plain,
    scorers: scorers.map(({ id, threshold, timeout }) => ({
      id,
      threshold,
      ...(timeout === undefined ? {} : { timeout }),
    })),
  }
}

function plainCompaction({ window, at, model, summarize }: CompactionOptions): CompactionProfile {
  const named = model === undefined ? 'own' : ({ model: `${model.provider}/${model.modelId}` } as const)
  return { window, at: at ?? compactionFields.at.default, by: summarize === undefined ? named : 'function' }
}

/** A list that is given replaces that of the definition, also when it is empty. */
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

function responseFormatOf({
  schema,
  name = structuredOutputFields.name.default,
}: StructuredOutput): ResponseFormat {
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
  'handoffFilter',
  'requireDelegationApproval',
  'approvePlan',
  'compaction',
] as const satisfies readonly FunctionName[]

export type OptionHook = (typeof hookNames)[number]

/** The user's name for a hook: the option that holds its function. */
export function optionOf(hook: FunctionName): string {
  switch (hook) {
    case 'validateObject':
      return 'structuredOutput'
    case 'processInput':
      return 'inputProcessors'
    case 'processOutput':
      return 'outputProcessors'
    case 'requireDelegationApproval':
      return 'delegation.requireApproval'
    default:
      return hook
  }
}

/** Options that hold functions: those of every agent, and those of single patterns. */
type HookOptions = SupervisorOptions & { readonly approvePlan?: unknown }

/** The user's function behind a hook. */
export function functionOf(options: HookOptions, hook: OptionHook): unknown {
  switch (hook) {
    case 'onDelegationStart':
    case 'onDelegationComplete':
    case 'messageFilter':
      return options.delegation?.[hook]
    case 'requireDelegationApproval':
      return functionIn(options.delegation?.requireApproval)
    case 'approvePlan':
      return functionIn(options.approvePlan)
    case 'validateObject':
      return options.structuredOutput
    case 'processInput':
      return someOf(options.inputProcessors)
    case 'processOutput':
      return someOf(options.outputProcessors)
    case 'onComplete':
      return options.completion?.onComplete
    case 'compaction':
      return options.compaction?.model ?? options.compaction?.summarize
    case 'stopWhen':
    case 'onIterationComplete':
    case 'onStepFinish':
    case 'onFinish':
    case 'handoffFilter':
      return options[hook]
  }
}

function functionIn(given: unknown): unknown {
  return typeof given === 'function' ? given : undefined
}

/** Treats an empty list as absent. */
function someOf<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list?.length === 0 ? undefined : list
}
