/** Input and output of every agent machine, for all patterns. */
import type { ActorLogic, Snapshot } from 'xstate'
import { markAgent } from './agent-mark.ts'
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { ModelReply, ResponseFormat, ToolChoice } from '../../actors/chat-model.ts'
import type { Part } from '../../actors/content/content.ts'
import type { ApprovalPolicy, Message, ToolCall } from '../../actors/message.ts'
import type { PatternSettings, RouteProfile } from '../../actors/task-types.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { ConfigurationError } from '../../errors.ts'
import type { CancelEvent } from './cancel.ts'
import type { FallbackProfile } from './model-row.ts'
import type { Handoff, HandoffChain } from './handoff-chain.ts'
import type {
  HookTable,
  DelegationProfile,
  CompactionProfile,
  ContextEditingProfile,
  CompletionProfile,
  MemoryProfile,
  BackgroundProfile,
  CapsProfile,
  HandoffProfile,
  DynamicPart,
  ProcessorsProfile,
} from './profile.ts'
import type { AgentOutput, AgentParts, DelegationRecord, StepRecord, ToolResultRecord } from './records.ts'

/** The profile of an agent: its resolved options as data, without user functions. */
export interface AgentProfile {
  readonly id: string
  /** Provider and model id. */
  readonly model: string
  /** Absent: the agent has no other model. */
  readonly fallbacks?: FallbackProfile | undefined
  readonly instructions: string
  /** The tools on offer now, by its groups and its tool state. */
  readonly toolset: Toolset
  /** The parts that are still to be computed for the run. `configure` computes all, and leaves none. */
  readonly dynamic: readonly DynamicPart[]
  /** The groups whose tools are on offer; `undefined`: no groups were named, so the default group is. */
  readonly toolGroups: readonly string[] | undefined
  /** The tool state of the agent: tools that succeed change it. */
  readonly toolState: string
  /** Deferred tools that its searches have found, the last one last. Absent: none. */
  readonly foundTools?: readonly string[]
  readonly maxSteps: number
  readonly maxDepth: number
  readonly toolCallConcurrency: number
  /** How many calls of one reply are carried out; `undefined`: all, in a run that began before this cap existed. */
  readonly maxToolCallsPerStep: number | undefined
  readonly retries: number
  readonly onExhausted: 'finalTurn' | 'stop'
  /** Where the text so far of a cut answer is kept: in the result alone, or in the thread too. Absent: nowhere. */
  readonly keepPartial?: 'result' | 'thread'
  readonly bailStrategy: 'first' | 'last'
  readonly scoreEvery: 'answer' | 'iteration'
  readonly hookErrors: 'fail' | 'ignore'
  /** Milliseconds that a user function may take. */
  readonly hookTimeout: number
  /** Milliseconds that a call of the model may take; `undefined`: the timeout of its driver. */
  readonly modelTimeout: number | undefined
  readonly hooks: HookTable
  readonly delegation: DelegationProfile
  readonly completion: CompletionProfile | undefined
  /** By the keys of the subagents whose delegations are run in the background; `null`: they are waited for in any case. */
  readonly background: Readonly<Record<string, BackgroundProfile | null>>
  /** Set for a pattern that goes on while tools, and subagents with such tools, work in the background. */
  readonly runsBackground?: true
  /** The caps of its pattern, by the names of the options. */
  readonly caps: CapsProfile
  /** Of a meta-router: the task types and patterns to choose from. */
  readonly route: RouteProfile | undefined
  /** Of a planner: whether the result of each step is reviewed before the plan goes on. */
  readonly reviewSteps: boolean
  /** Of a planner: whether a person must approve a plan. Absent: no. */
  readonly approvePlan?: ApprovalPolicy
  /** Where a plan may be approved: a step calls the tool that its plan names alone. Absent in older journals. */
  readonly bindsSteps?: true
  /** A call that is required is required until it was made. */
  readonly toolChoice: ToolChoice
  /** How often the same call may be made in a row; `undefined`: any number of times. */
  readonly maxRepeatedCalls: number | undefined
  /** Of an agent that may hand its conversation to others. */
  readonly handoffs?: HandoffProfile | undefined
  /** `undefined`: the agent remembers nothing. */
  readonly memory: MemoryProfile | undefined
  /** Absent: the conversation is never summarised. */
  readonly compaction?: CompactionProfile | undefined
  /** Absent: nothing is cleared. */
  readonly contextEditing?: ContextEditingProfile
  readonly processors: ProcessorsProfile
  /** How often the model is called again within one step after a processor has refused its reply. */
  readonly maxProcessorRetries: number
  /** The shape of the answer; `undefined`: text. */
  readonly responseFormat: ResponseFormat | undefined
}

/** A request to run an agent, as JSON: it may be sent to another process. */
export interface AgentRequest {
  readonly agent: string
  /** The text of the task. */
  readonly task: string
  /** The task with its files, where it has some. */
  readonly content?: readonly Part[]
  /** The messages of the conversation before the task. */
  readonly history: readonly Message[]
  /** Instructions that a meta-router adds for the whole tree below it. */
  readonly framing?: string
  /** Appended to the agent's own instructions. */
  readonly addedInstructions: readonly string[]
  /** Set by a meta-router: replace the agent's own caps. */
  readonly settings?: PatternSettings
  /** Set by a delegation hook: replaces the agent's own cap. */
  readonly maxSteps?: number
  /** Requested by a model: can only lower the cap. */
  readonly maxStepsLimit?: number
  /** The delegating agent's cap, for the whole tree below it. */
  readonly maxDepth?: number
  /**
   * The delegating agent's groups, narrowed for this delegation: an upper bound for the agent and all agents below
   * it.
   */
  readonly toolGroups?: readonly string[]
  /** The delegation is in the background: the agent waits for tools that otherwise run there. */
  readonly awaitsTools?: true
  readonly depth: number
  readonly path: string
  readonly runId: string
  /**
   * Of a fork: the id of the run that it descends from in the end. Names of threads are made with it, so that all that the
   * runs share stays the same.
   */
  readonly origin?: string
  readonly threadId?: string
  readonly resourceId?: string
  /** Set after a handoff: `history` holds the whole conversation, the task included. */
  readonly line?: HandoffChain
}

/** The input of the machine of an agent. */
export interface AgentInput {
  readonly profile: AgentProfile
  readonly runId: string
  /** As in the request. */
  readonly origin?: string
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  readonly task: string
  readonly messages: AppendLog<Message>
  /** The sources of `messages`, besides the profile and the task. */
  readonly opening: Pick<AgentRequest, 'content' | 'history' | 'framing' | 'addedInstructions' | 'line'>
  /** 0 for the root agent. */
  readonly depth: number
  readonly maxSteps: number
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
  /** The agent that holds the conversation of the thread, where this is another one: it goes on in place of this agent. */
  readonly holder?: string
  /** As in the request. */
  readonly awaitsTools?: true
}

/** The part of an agent's context that its hooks are shown. The context itself is one: nothing is copied for it. */
export interface LoopView {
  readonly input: Pick<AgentInput, 'profile' | 'path' | 'task' | 'maxSteps' | 'threadId' | 'resourceId'>
  /** The present step, from 1. */
  readonly step: number
  readonly messages: AppendLog<Message>
  readonly reply: ModelReply | undefined
  /** The calls of the present step. */
  readonly calls: readonly { readonly child: string; readonly call: ToolCall }[]
  /** The outcomes that these calls have so far. */
  readonly settled: AppendLog<{ readonly result: ToolResultRecord }>
  readonly ledger: {
    readonly steps: AppendLog<StepRecord>
    readonly delegations: AppendLog<DelegationRecord>
  }
}

/** The output of an agent that has handed its conversation to another agent. */
export interface HandedOff extends AgentParts {
  readonly outcome: 'handedOff'
  readonly handoff: Handoff
}

/** The output of every agent machine. */
export type AgentReport = AgentOutput | HandedOff

export type AgentOutcome = AgentReport['outcome']

export type AgentLogic = ActorLogic<Snapshot<AgentReport>, CancelEvent, AgentRequest>

/**
 * A placeholder for any agent, in a machine that spawns agents; the runtime provides the logic that dispatches on
 * `agent`.
 */
export const agentSource: AgentLogic = /* @__PURE__ */ markAgent<AgentLogic>(
  {
    getInitialSnapshot: (_scope, input) => {
      throw new ConfigurationError(
        `No runtime provides the agent "${input.agent}": its machine was started outside of a run.`,
      )
    },
    transition: (snapshot) => snapshot,
    getPersistedSnapshot: (snapshot) => snapshot,
  },
  'subagent',
)

/** The runtime relays these events when a child begins or ceases to wait for a signal. */
export type ChildHeldEvent = { readonly type: 'child.held' | 'child.released'; readonly child: string }
