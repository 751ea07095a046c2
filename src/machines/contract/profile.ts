/** The parts of an agent's profile: its resolved options as plain data. */
import type { ApprovalPolicy } from '../../actors/message.ts'
import type { HookName } from '../../actors/effects/effect-names.ts'

/** The names of options that hold functions, or objects with functions. */
export type FunctionName = HookName | 'compaction'

/** The scope of each hook: a function of the agent's definition, or one given with the options of this run. */
export type HookTable = Readonly<Partial<Record<FunctionName, 'agent' | 'run'>>>

/** What a chart reads of the option `delegation`. */
export interface DelegationProfile {
  readonly includeConversationHistory: boolean
  readonly filterInternalMessages: boolean
  readonly maxMessages: number
  readonly includeSubAgentToolResultsInModelContext: boolean
  /** Milliseconds; `undefined`: no timeout. */
  readonly timeout: number | undefined
  /** Whether a person must approve each delegation. Absent: no. */
  readonly requireApproval?: ApprovalPolicy
  /** Milliseconds after which a delegation that waits for approval is rejected. */
  readonly approvalTimeout?: number
}

/** What a chart reads of the option `completion`. */
export interface CompletionProfile {
  /** `timeout`: in milliseconds; absent: the agent's `hookTimeout`. */
  readonly scorers: readonly { readonly id: string; readonly threshold: number; readonly timeout?: number }[]
  /** Whether the definition or the options of the run gave the scorers. */
  readonly scope: 'agent' | 'run'
  readonly strategy: 'all' | 'any'
  readonly parallel: boolean
  readonly continueOnFail: boolean
  readonly feedbackToLLM: boolean
  /** Milliseconds, shared by all scorers. */
  readonly timeout: number
}

/** What a chart reads of the option `memory`. */
export interface MemoryProfile {
  /** How many messages of its thread the opening prompt holds. */
  readonly lastMessages: number
  /** Absent: the agent neither sees nor writes a note on the resource. */
  readonly workingMemory?: { readonly template?: string }
}

/** When and by whom the conversation of an agent is summarised. */
export interface CompactionProfile {
  /** The tokens that the model can read and write in one call. */
  readonly window: number
  /** The share of the window above which earlier messages are summarised. */
  readonly at: number
  /** Who writes the summaries: the agent's own model, a model of the options (provider and model id), or a function. */
  readonly by: 'own' | 'function' | { readonly model: string }
  /** The estimated tokens by which the words that the run began with are more than those of today. Absent: none. */
  readonly excess?: number
}

/** What the model is no longer sent of a long conversation. */
export interface ContextEditingProfile {
  /** The tokens of a request above which it is edited. */
  readonly above: number
  /** The newest replies that stay as they are, with all that follows them. */
  readonly keep: number
  readonly clear: readonly ClearedPart[]
  /** Names of tools whose results stay. */
  readonly except: readonly string[]
  /** The fewest tokens that an edit frees. */
  readonly atLeast: number
  /** As that of `CompactionProfile`. */
  readonly excess?: number
}

/** A part of messages that is cleared: results of calls, thoughts of the model, files. */
export type ClearedPart = 'results' | 'thoughts' | 'files'

/** How the calls of one tool, or the delegations to one subagent, are run in the background. */
export interface BackgroundProfile {
  /** Milliseconds, of a delegation; absent: as other delegations. */
  readonly timeout?: number | undefined
  /** How many at a time. */
  readonly concurrency: number
}

/** The caps of all patterns: each machine reads its own. */
export interface CapsProfile {
  readonly maxIterations: number
  readonly maxReplans: number
  readonly maxPlanSteps: number
  readonly maxGoals: number
  readonly maxRounds: number
  /** Milliseconds. */
  readonly goalTimeout: number
  readonly maxCritiques: number
  readonly rounds: number
  /** Absent: all participants but one. */
  readonly quorum?: number
}

/** How an agent hands its conversation to others. */
export interface HandoffProfile {
  /** How many handoffs may follow one another; `undefined`: as many as the previous agent allows. */
  readonly max: number | undefined
  /** A run goes on with the agent that holds the conversation of its thread. */
  readonly keep?: true
}

/** The parts of an agent that may depend on the run. */
export type DynamicPart = 'instructions' | 'model' | 'tools' | 'workflows' | 'agents' | 'handoffs' | 'memory'

/** The ids of an agent's processors, in the order in which they are called. */
export interface ProcessorsProfile {
  readonly input: readonly string[]
  /** Processors of whole replies. */
  readonly output: readonly string[]
  /** Processors of replies as they are streamed. */
  readonly stream: readonly string[]
}
