/** The settings of a run: the JSON part of its options, which the journal keeps, with the names of their functions. */
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { RouteProfile } from '../../actors/task-types.ts'
import type {
  BackgroundProfile,
  CompactionProfile,
  CompletionProfile,
  DelegationProfile,
  FunctionName,
  MemoryProfile,
  ProcessorsProfile,
} from '../../machines/contract/profile.ts'
import type { SupervisorOptions } from './options.ts'
import type { PatternCaps } from './pattern-caps.ts'

/** The options that are JSON as they are. The table of options has exactly these rows of the kind `json`. */
export type JsonOption =
  | 'maxSteps'
  | 'toolGroups'
  | 'toolState'
  | 'onExhausted'
  | 'toolChoice'
  | 'toolCallConcurrency'
  | 'maxToolCallsPerStep'
  | 'retries'
  | 'hookErrors'
  | 'hookTimeout'
  | 'modelTimeout'
  | 'maxRepeatedCalls'
  | 'budget'
  | 'maxProcessorRetries'
  | 'bailStrategy'
  | 'scoreEvery'
  | 'maxDepth'
  | 'reviewSteps'

export interface RunSettings extends Pick<SupervisorOptions, Exclude<JsonOption, 'reviewSteps'>> {
  /** Of a planner. */
  readonly reviewSteps?: boolean
  readonly delegation?: Partial<DelegationProfile>
  readonly completion?: Omit<CompletionProfile, 'scope'>
  readonly responseFormat?: ResponseFormat
  /** Of a meta-router. */
  readonly route?: Partial<RouteProfile>
  /** The pattern's own. */
  readonly caps?: PatternCaps
  /** `null`: not in the background, also where the definition has a background task. */
  readonly background?: Readonly<Record<string, BackgroundProfile | null>>
  readonly memory?: MemoryProfile | false
  readonly compaction?: CompactionProfile
  readonly processors?: Partial<ProcessorsProfile>
  /** In place of the definition's. */
  readonly instructions?: string
  /** The functions that were given with the run. */
  readonly hooks: readonly FunctionName[]
}
