/** The parts of an agent's work, in the order in which they began. Each has an `id` that is unique among them. */
import type {
  AwaitedSignal,
  DelegationOutcome,
  ErrorData,
  EventPayloads,
  FinishReason,
  HandoffRecord,
  JsonValue,
  Part as ContentPart,
  PlanStep,
  RunEvent,
  ScorerResult,
  Source,
  Usage,
  AnswerPayload,
  MessageStatus,
} from '../../index.ts'

/** The base of the parts of an agent's work, and the questions about them. */
export interface Part {
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
}

/** A question that waits for a person or a program. */
export interface QuestionView extends AwaitedSignal {
  /** The path of the agent that asks. */
  readonly path: string
  /** When it was asked, in milliseconds since 1970. */
  readonly since: number
  /** Set for a call of a tool of the client: the client gives its result. */
  readonly isClient?: true
}

/** The fields that tool calls and delegations share. */
export interface Call extends Part {
  /** The arguments as the model writes them, as JSON text that is not complete; absent once the call is made. */
  readonly argsText?: string
  /** The message of the agent that makes the call, where the call was seen streamed. */
  readonly messageId?: string
  /** While the call waits for an answer. */
  readonly question?: QuestionView
  /** The last answer to a question about the call. */
  readonly answer?: AnswerPayload
  /** No step waits for it: `running`, and `ended` when its result is there. */
  readonly background?: 'running' | 'ended'
  /** When it ended, in milliseconds since 1970. */
  readonly endedAt?: number
}

/** A message of the model, or its reasoning. A live view also has those that were cut or rejected. */
export interface MessagePart extends Part {
  readonly type: 'text' | 'reasoning'
  readonly messageId: string
  /** So far, while `streaming`. */
  readonly text: string
  readonly status: 'streaming' | MessageStatus
  /** 2 or more for a message that was begun again after a crash. */
  readonly attempt?: number
  /** What a complete message cites. */
  readonly sources?: readonly Source[]
}

/** A call of a tool or workflow. Its `id` is the `toolCallId`, which is unique in the run. */
export interface ToolPart extends Call {
  readonly type: 'tool'
  readonly toolName: string
  readonly args?: JsonValue
  /**
   * `streaming`: the model writes the arguments; `cut`: the reply ended without the call. `waiting`: for an answer.
   */
  readonly status:
    'streaming' | 'cut' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'denied' | 'cancelled'
  /** The newest report of the tool, while it is at work. */
  readonly progress?: JsonValue
  readonly result?: JsonValue
  readonly error?: ErrorData
  /** The tool state of the agent that the call has led to. */
  readonly toolState?: string
}

/** A step: it stands before the parts that it led to. */
export interface StepPart extends Part {
  readonly type: 'step'
  readonly step: number
  readonly status: 'running' | 'ended'
  readonly offered?: readonly string[]
  readonly finishReason?: FinishReason | 'error' | 'aborted'
  readonly usage?: Usage
  readonly endedAt?: number
}

/** An iteration of a supervisor or router: it stands before the parts that it led to. */
export interface IterationPart extends Part {
  readonly type: 'iteration'
  readonly iteration: number
  readonly status: 'running' | 'ended'
  /** Whether another iteration follows. */
  readonly continue?: boolean
  /** To the model, before the next iteration. */
  readonly feedback?: string
  readonly endedAt?: number
}

/** A scoring of an answer. */
export interface ScoringPart extends Part {
  readonly type: 'scoring'
  readonly status: 'running' | EventPayloads['scoring-complete']['outcome']
  readonly scorerIds: readonly string[]
  /** So far, while it is `running`. */
  readonly results: readonly ScorerResult[]
}

/** The plan of a planner, as it stands. */
export interface PlanPart extends Part {
  readonly type: 'plan'
  readonly revision: number
  /** The steps of all revisions, with their statuses. */
  readonly steps: readonly PlanStep[]
  /** Of the last revision. */
  readonly reason?: string
  /** Ids of steps that were not carried out, once the answer is written. */
  readonly missing?: readonly string[]
}

/** A round of goals, delegated side by side. Its `id` is the `correlationId`. */
export interface FanOutPart extends Part {
  readonly type: 'fan-out'
  readonly round: number
  readonly goals: EventPayloads['fan-out']['goals']
  /** By the ids of the delegations, once all have ended. */
  readonly completions?: Readonly<Record<string, DelegationOutcome>>
  /** Ids of delegations without a complete result, once the results are combined. */
  readonly missing?: readonly string[]
}

/** A message of a person. */
export interface SayingPart extends Part {
  readonly type: 'saying'
  readonly sayingId: string
  readonly message: string
  readonly content?: readonly ContentPart[]
  readonly by?: string
  /** `heard`: it is in the prompt of the model. */
  readonly status: 'waiting' | 'heard'
}

/** A compaction of the agent's conversation. */
export interface CompactionPart extends Part {
  readonly type: 'compaction'
  readonly status: 'running' | EventPayloads['compaction-end']['outcome']
  readonly start: EventPayloads['compaction-start']
  readonly end?: EventPayloads['compaction-end']
}

/** An error, and whether the work is tried again. */
export interface ErrorPart extends Part {
  readonly type: 'error'
  readonly agent: string
  /** Of the actor that it happened to. */
  readonly path: string
  readonly error: ErrorData
  readonly willRetry: boolean
}

/** The agent has handed its conversation to another. */
export interface HandoffPart extends Part, Omit<HandoffRecord, 'id' | 'at'> {
  readonly type: 'handoff'
}

/** A choice of a router or dispatcher. */
export interface RoutingPart extends Part {
  readonly type: 'routing'
  readonly decision: EventPayloads['routing-decision']
}

/** The choice of a meta-router. */
export interface PatternPart extends Part {
  readonly type: 'pattern'
  readonly selection: EventPayloads['pattern-selected']
}

/** An agent's critique of its own step. */
export interface CritiquePart extends Part {
  readonly type: 'critique'
  readonly critique: EventPayloads['critique']
}

/** Any other event, unchanged; also one of a type that this release does not know. */
export interface EventPart extends Part {
  readonly type: 'event'
  readonly event: RunEvent
}

/** A part that has no agents below it: any but a delegation. */
export type LeafPart =
  | MessagePart
  | ToolPart
  | StepPart
  | IterationPart
  | ScoringPart
  | PlanPart
  | FanOutPart
  | SayingPart
  | CompactionPart
  | ErrorPart
  | HandoffPart
  | RoutingPart
  | PatternPart
  | CritiquePart
  | EventPart
