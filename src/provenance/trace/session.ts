/** One agent at work: what it has done so far, as far as what comes next derives from it. */
import type { Usage } from '../../actors/usage.ts'

/** When something happened: by the clock of the run, and by its place among the run's events. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly seq: number
}

/** An iteration that is under way. What it says is known when the model has replied. */
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

/** What a delegation came to: the completion, and the answer where the subagent had one. */
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
  /** By their places: their URIs, and those of the steps whose results they need. */
  readonly steps: readonly { readonly uri: string; readonly needs: readonly string[] }[]
}

export interface ToolCall {
  readonly uri: string
  readonly name: string
  readonly session: Session
  readonly from: readonly string[]
  needsApproval: boolean
  endedAt: number | undefined
  observation: string | undefined
}

/** The calls by which a step would hand the conversation on, and what else was on offer. */
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
  /** What it was asked. */
  readonly goal: string
  /** The entity of that. */
  readonly question: string
  /** Who has delegated to it, or to the first of its line; the root agent has nobody. */
  readonly parent: Session | undefined
  /** In a fan-out, where it has one goal of several. */
  readonly correlationId: string | undefined
  /** How many handoffs have led to it. */
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
  /** What the agent goes on from: its last iteration, and what came of it since. */
  frontier: readonly string[]
  step: OpenStep | undefined
  lastStep = 0
  readonly steps = new Map<number, string>()
  /** The routing decision in force. */
  decision: string | undefined
  plan: Plan | undefined
  /** What plan steps gave, by the URIs of the steps. */
  readonly results = new Map<string, string>()
  /** By the ids of the delegations, over all rounds. */
  readonly goals = new Map<string, Goal>()
  /** By the ids of the delegations. */
  readonly conclusions = new Map<string, Conclusion>()
  /** Scores that nobody was told of yet. */
  scores: readonly string[] = []
  /** The completion that the agent has bailed out with. */
  bail: string | undefined
  /** Of the last step. */
  transfers: Transfers = { asked: [], offered: [] }
  /** Who goes on with the conversation, once it is handed on. */
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

  /** Where everything of it is said. */
  get graph(): string {
    return `${this.uri}/graph`
  }

  /** Whoever has the conversation now: itself, unless it was handed on. */
  get lastOfLine(): Session {
    return this.successor?.lastOfLine ?? this
  }

  goOn(...uris: readonly string[]): void {
    this.frontier = [...this.frontier, ...uris]
  }

  /** Something came of `uris`: of an iteration, that is to say that its model has replied. */
  ledTo(uris: readonly string[], at: number): void {
    if (this.step !== undefined && uris.includes(this.step.uri)) this.spoke(at)
  }

  /** Its model has replied. */
  spoke(at: number): void {
    if (this.step !== undefined) this.step.repliedAt ??= at
  }
}
