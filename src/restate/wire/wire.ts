/** What goes over the wire: between client and workers, and from one workflow of a run to another. All of it is JSON. */
import type { Settlement } from '../../actors/effect.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentOutput, AgentRequest } from '../../machines/contract/agent.ts'
import type { JournalEntry, RunStarted, Signal } from '../../runtime/journal/journal.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import type { RunError } from '../../runtime/handle/run-error.ts'
import type { RunSignal } from '../../runtime/handle/run.ts'

/** What a workflow is started with. */
export interface RunRequest {
  readonly started: RunStarted
  /** Of a subagent, which is a part of a larger run. */
  readonly part?: AgentRequest
  /** The invocation that waits for a part. */
  readonly parent?: string
}

/** `errors`: of the subagent and of all below it; its parent keeps them with the outcome. */
export type PartOutput = AgentOutput & { readonly errors?: readonly RunError[] }

/** What a workflow ends with. */
export interface RunReport {
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** Of a subagent. */
  readonly output?: PartOutput
  /** Of the root agent. */
  readonly result?: FinalResult
  /** Why it has neither: it would be more than Restate takes. The journal has it all. */
  readonly excess?: ErrorData
  /** Of a part: what it leaves to its parent to keep. */
  readonly last?: LastTurn
}

/** What follows from one thing that came from outside. */
export interface Turn {
  readonly entries: readonly JournalEntry[]
  /** Of the parts that the turn tells the end of, by their paths. */
  readonly ends?: Readonly<Record<string, LastTurn>>
}

/** The end of a part's journal. */
export interface LastTurn extends Turn {
  /** How many turns the part has kept itself. */
  readonly after: number
}

/** What `ctx.run` keeps of an effect. */
export interface PerformedEffect {
  readonly at: number
  /** Of its input: Restate itself compares names alone. */
  readonly digest: string
  readonly settlement: Settlement
}

/** Somebody says something to a run. */
export interface Tell {
  readonly at: number
  readonly signal: RunSignal
}

/**
 * `answered`: the key of the question that was answered. `isTooEarly`: the workflow has not begun, and hears nothing yet.
 * `null`: a cancel was passed on.
 */
export type Told =
  { readonly refused: ErrorData } | { readonly answered: string } | { readonly isTooEarly: true } | null

/** What a workflow hears. */
export interface Said {
  readonly at: number
  readonly signal: Signal
}

/** Which turns of its journal a reader wants: those from `from` on, before `to` (default: all). */
export interface ReadRequest {
  readonly from: number
  readonly to?: number
}

/** As the state of a workflow has it. */
export interface KeptTurn extends Turn {
  /** With the first: that runs the workflow. */
  readonly invocation?: string
}

export interface ReadReply {
  /** None when it has not begun, or is forgotten. */
  readonly turns: readonly Turn[]
  /** There is more to be read at once. */
  readonly isMore?: true
}

export const handlerNames = { run: 'run', tell: 'tell', read: 'read' } as const

/** Names of durable promises and signals, and keys of a workflow's state. */
export const names = {
  cancel: 'cancel',
  answer: (key: string) => `answer ${key}`,
  said: 'said',
  signals: 'signals',
  turn: (index: number) => `turn ${index}`,
} as const
