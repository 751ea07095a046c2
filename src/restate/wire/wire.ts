/** The messages between client and workers, and between the workflows of a run. All of it is JSON. */
import type { RunSummary } from '../../runtime/journal/run-index.ts'
import type { Usage } from '../../actors/usage.ts'
import type { Settlement } from '../../actors/effects/effect.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { JournalEntry, RunStarted, Signal } from '../../runtime/journal/journal.ts'
import { threadIn } from '../../runtime/journal/run-summary.ts'
import type { Spent } from '../../runtime/state/effects/budget.ts'
import type { FinalResult, RunError } from '../../runtime/handle/result.ts'
import type { RunSignal } from '../../runtime/handle/run.ts'

/** The request that starts a workflow; with the trace context of the agent that requests a part, where an observer gave one. */
export interface RunRequest extends Partial<TraceContext> {
  readonly started: RunStarted
  /** The request for a subagent, which is a part of a larger run. */
  readonly part?: AgentRequest
  /** The invocation that waits for a part. */
  readonly parent?: string
}

/**
 * `errors`: of the subagent and of all below it. `spent`: its usage and theirs, where a budget counts it. Its parent keeps
 * both with the outcome.
 */
export type PartOutput = AgentOutput & { readonly errors?: readonly RunError[]; readonly spent?: Spent }

/** The outcome of a workflow. */
export interface RunReport {
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** The output of a subagent. */
  readonly output?: PartOutput
  /** The result of the root agent. */
  readonly result?: FinalResult
  /** The error of a report that has neither: it would be larger than Restate takes. The journal has it all. */
  readonly excess?: ErrorData
  /** Of a part: the entries that it leaves to its parent to keep. */
  readonly last?: LastTurn
}

/** The entries that follow from one input. */
export interface Turn {
  readonly entries: readonly JournalEntry[]
  /** The ends of the parts that the turn settles, by their paths. */
  readonly ends?: Readonly<Record<string, LastTurn>>
}

/** The end of a part's journal. */
export interface LastTurn extends Turn {
  /** The number of turns that the part has kept itself. */
  readonly after: number
}

/**
 * The record of an effect that `ctx.run` keeps; with the trace context for subagents of its agent, where an observer gave
 * one: it is on record, as all requests must be.
 */
export interface PerformedEffect extends Partial<TraceContext> {
  readonly at: number
  /** The digest of its input: Restate itself compares names alone. */
  readonly digest: string
  readonly settlement: Settlement
}

/** A signal of a client to a run. */
export interface Tell {
  readonly at: number
  readonly signal: RunSignal | Extract<Signal, { readonly type: 'trace' }>
}

/**
 * `answered`: the key of the question that was answered. `isTooEarly`: the workflow has not begun, and takes no signal
 * yet. `null`: a cancel, or a trace context, was passed on.
 */
export type Told =
  | { readonly refused: ErrorData }
  | { readonly answered: string }
  /** The id of a message that was sent to the workflow. */
  | { readonly said: string }
  | { readonly isTooEarly: true }
  | null

/** A signal as a workflow receives it. */
export interface Said {
  readonly at: number
  readonly signal: Signal
}

/** How the durable promise of a question resolves: with the answer, or as closed by another input of the workflow. */
export type QuestionEnd = Said | { readonly closed: true }

export const closed = { closed: true } as const

/** The turns of its journal that a reader requests: those from `from` on, before `to` (default: all). */
export interface ReadRequest {
  readonly from: number
  readonly to?: number
}

/** A turn in the state of a workflow. */
export interface KeptTurn extends Turn {
  /** With the first turn: the invocation that runs the workflow. */
  readonly invocation?: string
}

/** The facts about a run that lists filter by, as its workflow keeps them. */
export type RunFacts = Pick<RunSummary, 'threadId' | 'resourceId' | 'conversationId'>

export function factsIn(started: RunStarted): RunFacts {
  const { resourceId, conversationId } = started
  return {
    ...threadIn(started),
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}

/** What a workflow adds to the sums of its run, which lists show. */
export interface RunSums {
  /** The journal entries that it keeps, up to the last end of a model call. */
  readonly entries: number
  /** Logical time of the last of them. */
  readonly at: number
  /** Of its model calls; with `outcome` that of the whole run. */
  readonly usage?: Usage
  /** Of a run that has ended, with its root agent. */
  readonly outcome?: string
}

/** The entries of a run that a worker has read. */
export interface ReadReply {
  /** Empty when the workflow has not begun, or is forgotten. */
  readonly turns: readonly Turn[]
  /** Set when more turns can be read at once. */
  readonly isMore?: true
}

export const handlerNames = { run: 'run', tell: 'tell', read: 'read' } as const

/** Names of durable promises and signals, and keys of a workflow's state. */
export const names = {
  cancel: 'cancel',
  answer: (key: string) => `answer ${key}`,
  said: 'said',
  signals: 'signals',
  facts: 'facts',
  sums: 'sums',
  turn: (index: number) => `turn ${index}`,
} as const

/** The handlers of a workflow as a client calls them: a type, since the client takes no interface. */
export type AgentHandlers = {
  run(context: unknown, request: RunRequest): Promise<RunReport>
  tell(context: unknown, told: Tell): Promise<Told>
  read(context: unknown, request: ReadRequest): Promise<ReadReply>
}
