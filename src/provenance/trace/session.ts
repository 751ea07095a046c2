/** The session of one agent: its work so far, as far as later entities derive from it. */
import type { Usage, AnswerPayload } from '../../index.ts'

/** The moment of an event: by the clock of the run, and by its position among the run's events. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly seq: number
}

/** An iteration that has not ended. Its text is known when the model has replied. */
export interface OpenStep {
  readonly number: number
  readonly uri: string
  readonly begun: Moment
  readonly from: readonly string[]
  readonly offered: readonly string[]
  readonly actions: string[]
  /** When its model had replied; `undefined` until then. */
  repliedAt: number | undefined
  text: string | undefined
  thought: string | undefined
  usage: Usage | undefined
  finishReason: string | undefined
  failedAttempts: number
}

/** The result of a delegation: the completion, and the answer where the subagent had one. */
export interface Conclusion {
  readonly completion: string
  readonly answer: string | undefined
}

export interface Goal {
  readonly uri: string
  readonly goal: string
  readonly correlationId: string
  readonly agentId: string
}

export interface Plan {
  readonly uri: string
  readonly revision: number
  /** By position: their URIs, and those of the steps whose results they need. */
  readonly steps: readonly { readonly uri: string; readonly needs: readonly string[] }[]
}

export interface ToolCall {
  readonly uri: string
  readonly name: string
  readonly session: Session
  readonly from: readonly string[]
  needsApproval: boolean
  /** The answer to its approval. */
  approval: AnswerPayload | undefined
  /** The data that people have given for it. */
  readonly answers: string[]
  endedAt: number | undefined
  observation: string | undefined
}

/** The calls by which a step would hand the conversation on, and the tools on offer. */
export interface Transfers {
  readonly asked: readonly string[]
  readonly offered: readonly string[]
}

export interface Origin {
  /** As in chunks of TrustGraph's protocol: the run for the root agent, the run and its path for any other. */
  readonly id: string
  readonly uri: string
  /** The path of its agent. */
  readonly path: string
  readonly agent: string
  /** The text of its question. */
  readonly goal: string
  /** The entity of its question. */
  readonly question: string
  /** The session that delegated to it, or to the first of its handoff chain; `undefined` for the root agent. */
  readonly parent: Session | undefined
  /** In a fan-out, where it has one goal of several. */
  readonly correlationId: string | undefined
  /** The number of handoffs that led to it. */
  readonly handoffs: number
}

export class Session implements Origin {
  readonly id: string
  readonly uri: string
  readonly path: string
  readonly agent: string
  readonly goal: string
  readonly question: string
  readonly parent: Session | undefined
  readonly correlationId: string | undefined
  readonly handoffs: number
  /** The entities that the agent goes on from: its last iteration, and those that resulted from it since. */
  frontier: readonly string[]
  step: OpenStep | undefined
  lastStep = 0
  readonly steps = new Map<number, string>()
  /** The routing decision in force. */
  decision: string | undefined
  plan: Plan | undefined
  /** The results of plan steps, by the URIs of the steps. */
  readonly results = new Map<string, string>()
  /** By the ids of the delegations, over all rounds. */
  readonly goals = new Map<string, Goal>()
  /** By the ids of the delegations. */
  readonly conclusions = new Map<string, Conclusion>()
  /** Feedback on delegations that have not ended yet, by their ids. */
  readonly delegationFeedback = new Map<string, string>()
  /** The approvals of delegations, by their ids. */
  readonly approvals = new Map<string, string>()
  /** Scores that no feedback has used yet. */
  scores: readonly string[] = []
  /** The completion that the agent has bailed out with. */
  bail: string | undefined
  /** The transfers of the last step. */
  transfers: Transfers = { asked: [], offered: [] }
  /** The session that goes on with the conversation, once it is handed on. */
  successor: Session | undefined

  constructor(origin: Origin) {
    this.id = origin.id
    this.uri = origin.uri
    this.path = origin.path
    this.agent = origin.agent
    this.goal = origin.goal
    this.question = origin.question
    this.parent = origin.parent
    this.correlationId = origin.correlationId
    this.handoffs = origin.handoffs
    this.frontier = [origin.question]
  }

  /** The graph of all its statements. */
  get graph(): string {
    return `${this.uri}/graph`
  }

  /** The session that has the conversation now: itself, unless the conversation was handed on. */
  get lastOfLine(): Session {
    return this.successor?.lastOfLine ?? this
  }

  goOn(...uris: readonly string[]): void {
    this.frontier = [...this.frontier, ...uris]
  }

  /** Notes that an entity derives from `uris`: where the open iteration is among them, its model has replied. */
  ledTo(uris: readonly string[], at: number): void {
    if (this.step !== undefined && uris.includes(this.step.uri)) this.spoke(at)
  }

  /** Notes that its model has replied. */
  spoke(at: number): void {
    if (this.step !== undefined) this.step.repliedAt ??= at
  }
}
