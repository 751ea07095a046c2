/**
 * The events of a run, by type, with their payloads. Machines emit them as named actions; the runtime adds the time, the
 * run, the agent and its path. `message` names the message of the emitting agent that an event belongs to.
 */
import type { Passage } from '../../actors/processor.ts'
import type { FilePart } from '../../actors/content/content.ts'
import type { Source } from '../../actors/content/source.ts'
import type { FinishReason } from '../../actors/chat-model.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { RequestSignals } from '../../actors/task-types.ts'
import type { Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type {
  DecisionRecord,
  DelegationOutcome,
  SubagentOutcome,
  Outcome,
  ScorerResult,
  ScoringRecord,
  HandoffRecord,
} from './records.ts'
import type { SayRefusal, Saying } from './sayings.ts'
import type { PlanRecord } from './plan.ts'

/** The payload of an event that says nothing more. */
export interface Nothing {
  readonly [none: string]: never
}

/** A call of a tool, by its id and the name of the tool. */
export interface ToolCallPayload {
  /** Unique in the run: the id that `run.approve`, `run.deny` and `run.resume` take. */
  readonly toolCallId: string
  readonly toolName: string
}

/** The answer to a question. */
export interface AnswerPayload {
  /** The kind of the question. */
  readonly type: AwaitedSignal['type']
  /** `false`: the call was denied. */
  readonly approved: boolean
  readonly by?: string
  readonly note?: string
  /** The id that its sender has given the answer. */
  readonly answerId?: string
  /** Of a denial. */
  readonly reason?: string
  /** Of a suspended or interrupted call: the data of the answer. */
  readonly data?: JsonValue
  /** Of an approval that has changed the arguments: those that the call has now. */
  readonly args?: JsonValue
  /** The decision holds for later calls of the tool by the agent. */
  readonly always?: true
}

/** What events of a delegation have in common. */
export interface DelegationPayload {
  /** The key under which the supervisor knows the subagent. */
  readonly agentName: string
  /** The subagent's id. */
  readonly agentId: string
}

/** A candidate of a choice: an agent, workflow or tool by its key, or `none`: the task is done. */
export interface Primitive {
  readonly primitiveId: string
  readonly primitiveType: 'agent' | 'workflow' | 'tool' | 'none'
}

/** What events of a routing decision have in common. */
export interface RoutingPayload extends Primitive {
  /** From 1. */
  readonly iteration: number
  /** The candidates. */
  readonly candidates: readonly Primitive[]
  /** For an agent its task, for a workflow or tool its input as JSON, for `none` the answer. */
  readonly prompt: string
  readonly selectionReason: string
  /** `onlyCandidate`: there was nothing to choose, and no model was called. */
  readonly criterion: 'model' | 'onlyCandidate'
}

/**
 * The names on offer to a model: tools and workflows by name, subagents as `agent-<key>`. Absent: there is no choice.
 */
export interface Offer {
  readonly offered?: readonly string[]
}

/** What events of a fan-out have in common. */
export interface FanOutPayload {
  /** Of the round: the same in all of its events, and in no other round's. */
  readonly correlationId: string
  /** From 1. */
  readonly round: number
}

/** A task in the background: it has one of the two names. */
export interface BackgroundPayload {
  readonly taskId: string
  /** The key of the subagent. */
  readonly agentName?: string
  /** The name of the tool. */
  readonly toolName?: string
}

/** How a delegation or a tool call in the background has ended. */
export type BackgroundOutcome = DelegationOutcome | 'denied'

/**
 * How a message has ended. `complete`: the agent has taken the reply. `cut`: the reply did not come to its end, for its
 * call failed, was cancelled or was made again. `rejected`: the agent did not take the reply, for a processor refused or
 * changed it.
 */
export type MessageStatus = 'complete' | 'cut' | 'rejected'

/** Work that a run has begun and of which its journal has no end: nothing was told to stop it. */
export interface LeftWork {
  /** `remote`: a task of another system. `tool`: the call of a tool or a workflow. `custom`: an effect of an adapter. */
  readonly kind: 'remote' | 'tool' | 'custom'
  /** The path of the actor that has begun it. */
  readonly path: string
  /** The key of the effect that has begun it, in the journal. */
  readonly key: string
  /** Of a task: its names at the other system. Absent where that has not named the task. */
  readonly task?: { readonly id: string; readonly contextId: string }
}

/** The payloads of events, by their types. */
export interface EventPayloads {
  'run-start': {
    readonly task: string
    /** The id that its sender has given the prompt. */
    readonly promptId?: string
    /**
     * The thread that the run begins with. Absent where none was given, and its agent has no memory, or a function of the
     * run decides on the memory.
     */
    readonly threadId?: string
    /** The names of the tools of the client; absent: it has none. */
    readonly clientTools?: readonly string[]
    /** Of the root agent, if it has one. */
    readonly version?: string
    /** Of the agents below it, by their ids, where there was a choice; `null`: without a version. */
    readonly versions?: Readonly<Record<string, string | null>>
  }
  'run-finish': {
    readonly outcome: Outcome
    readonly text: string
    /** The files of the answer. */
    readonly files?: readonly FilePart[]
    readonly reason?: string
    readonly by?: string
    readonly handoffs?: readonly HandoffRecord[]
    readonly error?: ErrorData
    /** Messages of people that were taken and that no model has read. */
    readonly unheard?: readonly Saying[]
    /** The run could not go on, and was ended without its charts (`cancel` with `force`). */
    readonly forced?: true
    /** Of a forced end: what goes on elsewhere, or may do so, as far as the journal tells. Absent: nothing. */
    readonly left?: readonly LeftWork[]
    readonly usage: Usage
  }
  /** An agent has handed its conversation to another, which goes on in its place. */
  handoff: HandoffRecord
  /** The model of an agent has failed, and the next one of its row is called. */
  'model-fallback': {
    /** Provider and model id. */
    readonly from: string
    readonly to: string
    readonly error: ErrorData
  }
  'step-start': Offer & { readonly step: number }
  'step-finish': {
    readonly step: number
    /** Without a reply: `error` where the model call failed, `aborted` where the agent ended before the reply. */
    readonly finishReason: FinishReason | 'error' | 'aborted'
    readonly usage: Usage
    /** How many tool calls and delegations the step made. */
    readonly toolCalls: number
    /** The handoffs among them, by the names of their tools. */
    readonly handoffs?: readonly string[]
    /** Of an agent with models in a row: the one that has answered, by provider and model id. */
    readonly model?: string
  }
  'text-start': Nothing
  'text-delta': { readonly text: string }
  'text-end': {
    /** Of a message that is not `complete`: what was streamed of it. */
    readonly text: string
    readonly status: MessageStatus
    /** What a complete message cites; absent: nothing. */
    readonly sources?: readonly Source[]
    /** How many calls the reply makes beside its text; absent: none. */
    readonly toolCalls?: number
  }
  'reasoning-start': Nothing
  'reasoning-delta': { readonly text: string }
  'reasoning-end': { readonly text: string; readonly status: MessageStatus }
  /**
   * A piece of the arguments of a call, as JSON text, while the model streams it; live only. The call may still be cut,
   * rejected or invalid: it is made where its `tool-call`, or the `delegation-start` of this id, follows.
   */
  'tool-call-delta': ToolCallPayload & { readonly text: string }
  'tool-call': ToolCallPayload & { readonly args: JsonValue }
  /** What the tool reports while it is at work; live only. */
  'tool-progress': ToolCallPayload & { readonly value: JsonValue }
  'tool-result': ToolCallPayload & { readonly result: JsonValue }
  'tool-error': ToolCallPayload & {
    readonly outcome: 'failed' | 'denied' | 'cancelled'
    readonly error?: ErrorData
  }
  /** A search has found deferred tools: they are offered from the next call of the model on. */
  'tools-found': ToolCallPayload & { readonly found: readonly string[] }
  /** A call has succeeded and changed the tool state of its agent, which selects the tools on offer. */
  'tool-state': ToolCallPayload & { readonly state: string; readonly previousState: string }
  'tool-call-approval': ToolCallPayload & { readonly args: JsonValue }
  'tool-call-suspended': ToolCallPayload & {
    readonly suspendPayload: JsonValue
    /** Set for a tool of the client: the client performs the call, and answers with its result. */
    readonly isClient?: true
  }
  /** A person, or a program, has answered the question about a call or a delegation. */
  'tool-call-answered': ToolCallPayload & AnswerPayload
  /** A message of a person was taken: the model reads it with its next request. */
  said: Saying
  /** A message of a person is in the prompt of the model now. */
  heard: { readonly id: string }
  /** A message of a person was not taken; or was, and then refused by an input processor, whose reason it has. */
  'say-refused': { readonly id: string; readonly code: SayRefusal; readonly reason?: string }
  'delegation-start': DelegationPayload & {
    readonly prompt: string
    /** The thread that the subagent works in. */
    readonly threadId: string
    /** The delegation that the delegating agent works for. */
    readonly parentDelegationId?: string
    /** The id of the call in the conversation of the delegating agent; absent where no model has made the call. */
    readonly modelCallId?: string
    /** The groups whose tools the subagent may be offered, where groups were named. */
    readonly toolGroups?: readonly string[]
  }
  'delegation-end': DelegationPayload & {
    readonly outcome: DelegationOutcome
    /** How the subagent ended, where its delegation ended otherwise: by a bail, a hook, a cancel or a limit. */
    readonly subagentOutcome?: SubagentOutcome
    readonly text: string
    readonly error?: ErrorData
    readonly hookError?: ErrorData
    /** After a handoff: the agent that the outcome belongs to. */
    readonly by?: string
    /** Milliseconds from `delegation-start`; 0 where the subagent never ran: the start is announced with the end. */
    readonly duration?: number
  }
  /** `onDelegationComplete` has given feedback, which is in the very next prompt of the delegating agent. */
  'delegation-feedback': DelegationPayload & { readonly message: string }
  'delegation-rejected': DelegationPayload & { readonly reason: string }
  'delegation-bail': DelegationPayload
  'iteration-start': { readonly iteration: number }
  'iteration-end': { readonly iteration: number; readonly continue: boolean }
  'iteration-feedback': { readonly iteration: number; readonly message: string }
  'scoring-start': { readonly scorerIds: readonly string[] }
  'scorer-result': ScorerResult
  'scoring-complete': {
    readonly complete: boolean
    readonly outcome: ScoringRecord['outcome']
    readonly results: readonly ScorerResult[]
  }
  /** An agent's critique of its own step. */
  critique: { readonly step: number; readonly satisfied: boolean; readonly critique: string }
  /** The pattern for a task, chosen among those that its type allows. */
  'pattern-selected': {
    readonly taskType?: string
    readonly pattern: string
    readonly terminationCriteria?: string
    readonly signals?: RequestSignals
    readonly decisions: readonly DecisionRecord[]
  }
  'routing-decision': RoutingPayload
  /** A plan that may run. */
  'plan-created': PlanRecord & Offer
  /** The unfinished steps were planned again; finished steps are among the steps, unchanged. */
  'plan-revised': PlanRecord & Offer & { readonly reason: string }
  'plan-step-start': {
    readonly stepId: string
    readonly revision: number
    readonly goal: string
    readonly toolHint?: string
  }
  'plan-step-end': {
    readonly stepId: string
    readonly revision: number
    /** `skipped`: earlier results made the step pointless. */
    readonly status: 'complete' | 'failed' | 'skipped'
    readonly result?: JsonValue
    readonly error?: ErrorData
  }
  /** A round of goals is registered, and is now delegated. */
  'fan-out': FanOutPayload & {
    readonly goals: readonly (DelegationPayload & {
      /** The id of the delegation that works on it. */
      readonly id: string
      readonly goal: string
      readonly context?: string
      /** The groups of tools that the model chose. */
      readonly toolGroups?: readonly string[]
    })[]
  }
  /** All goals of a round have their outcome, by the ids of the children. */
  'fan-in': FanOutPayload & { readonly completions: Readonly<Record<string, DelegationOutcome>> }
  /**
   * The results are combined into an answer; in a fan-out, the results of a round. `missing`: ids of steps of a plan
   * that were not carried out, or of children of a fan-out without a complete result.
   */
  'synthesis-start': Partial<FanOutPayload> & { readonly missing: readonly string[] }
  /**
   * A delegation to `agentName`, or a call of `toolName`, has begun in the background. Its `taskId` is the `delegationId`
   * of the events within the delegation, or the `toolCallId` of the call.
   */
  'background-start': BackgroundPayload
  'background-end': BackgroundPayload & { readonly outcome: BackgroundOutcome }
  /** The earlier messages of the agent's conversation are to be summarised, before it calls its model. */
  'compaction-start': { readonly reason: CompactionReason } & ConversationSize
  /** The conversation goes on with this size. `usage`: of the model that has written the summaries. */
  'compaction-end': {
    readonly outcome: 'compacted' | 'failed' | 'cancelled'
    readonly summaries: number
    readonly usage: Usage
    readonly error?: ErrorData
  } & ConversationSize
  /** An input processor has looked up texts for the task; an empty list: it has found none. */
  recalled: { readonly passages: readonly Passage[] }
  /** Under `keepPartial`: the text so far of an answer that the end of its agent has cut. */
  'partial-answer': { readonly text: string }
  /** Old results, thoughts and files were cleared from what the model is sent: in `cleared` messages. */
  'context-edited': {
    readonly cleared: number
    /** Of the request, estimated, with the tools on offer. */
    readonly tokens: number
    /** Tokens that the edit has saved, estimated. */
    readonly freed: number
  }
  /** A limit of the run's budget has come near. */
  /** The run goes on by agents whose content was edited: recorded outcomes stand. */
  drift: { readonly edits: readonly { readonly agent: string; readonly part: string }[] }
  /**
   * The run goes on from an earlier point: its store was restored to `epoch`, or, without one, it was imported or begun again.
   * Calls from here on may have been performed before, and ask first.
   */
  restored: { readonly epoch?: number }
  'budget-warning': {
    readonly limit: string
    readonly used: number
    readonly max: number
    /** Of the budget of a tenant: whose it is. */
    readonly tenant?: string
    /** Of the budget of a tenant: the period, such as `day 2026-11-30`. */
    readonly account?: string
  }
  suspended: { readonly awaiting: readonly AwaitedSignal[] }
  /** By the call that was answered, the delegation that was cancelled, or the message of a person. */
  resumed: { readonly toolCallId?: string; readonly delegationId?: string; readonly sayId?: string }
  abort: { readonly reason: string }
  error: { readonly error: ErrorData; readonly willRetry: boolean; readonly failures?: number }
}

/** `window`: the request would take more than its share of the window. `refused`: it was too long for the server. */
export type CompactionReason = 'window' | 'refused'

/** The size of a conversation. */
export interface ConversationSize {
  readonly messages: number
  /** Estimated, with the tools on offer. */
  readonly tokens: number
}

/** A signal that a suspended run waits for. */
export interface AwaitedSignal {
  readonly toolCallId: string
  /** `interruption`: the process ended while the tool was at work. Resume it with `{ retry: true }` or `{ result }`. */
  readonly type: 'approval' | 'suspension' | 'interruption'
  readonly agent: string
  readonly toolName: string
  readonly args: JsonValue
  /** The data that the tool passed to `suspend`. */
  readonly payload?: JsonValue
  /** Set for a tool of the client: the client performs the call, and answers with its result. */
  readonly isClient?: true
  /**
   * The run was restored from an earlier point: it may have been answered before, and its call performed. Of an
   * `interruption`: nobody knows whether the call was performed.
   */
  readonly restored?: true
}

/** The type of an event. */
export type EventType = keyof EventPayloads

/** An event for the user, by its type. */
export interface EmittedEvent<Type extends EventType> {
  readonly type: Type
  readonly payload: EventPayloads[Type]
  readonly message?: string
}

/** An event that a machine emits: `held` and `released` for its parent, all others for the user. */
export type MachineEvent =
  | { [Type in EventType]: EmittedEvent<Type> }[EventType]
  | { readonly type: 'held' }
  | { readonly type: 'released' }

/** One event, checked against the payload of its type. */
export function event<Type extends EventType>(
  type: Type,
  payload: EventPayloads[Type],
  message?: string,
): Extract<MachineEvent, { type: Type }> {
  const made = message === undefined ? { type, payload } : { type, payload, message }
  return made as Extract<MachineEvent, { type: Type }>
}
