/** What goes over the wire: between client and workers, and from one workflow of a run to another. All of it is JSON. */
import type { Settlement, Origin } from '../actors/effect.ts'
import type { EffectOutcome } from '../actors/effect-kinds.ts'
import type { ErrorData } from '../errors.ts'
import type { AgentOutput, AgentRequest } from '../machines/agent.ts'
import type { CancelEvent } from '../machines/cancel.ts'
import type { JournalEntry, RunStarted, Signal } from '../runtime/journal.ts'
import type { FinalResult } from '../runtime/result.ts'
import type { RunSignal } from '../runtime/run.ts'

/** A run of a subagent, which is a part of a larger run. */
export interface PartRequest {
  readonly request: AgentRequest
  readonly origin: Origin
  /** The invocation that waits for it. */
  readonly parent: string
}

/** What a workflow is started with. */
export interface RunRequest {
  readonly started: RunStarted
  readonly part?: PartRequest
}

/** What a workflow ends with. */
export interface RunReport {
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** Of a subagent. */
  readonly output?: AgentOutput
  /** Of the root agent. */
  readonly result?: FinalResult
  /** Why it has neither: it would be more than Restate takes. The journal has it all. */
  readonly excess?: ErrorData
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
  /** Of a cancel. Default: `cancel`. */
  readonly cause?: CancelEvent['cause']
}

/** `answered`: the key of the question that was answered. `null`: a cancel was passed on. */
export type Told = { readonly refused: ErrorData } | { readonly answered: string } | null

export interface CancelOrder {
  readonly at: number
  readonly reason?: string
  readonly cause?: CancelEvent['cause']
}

export interface GivenAnswer {
  readonly at: number
  readonly id: string
  readonly answer: EffectOutcome<'signal'>
}

/** A subagent waits for people, or no longer does. */
export interface HeldNotice {
  readonly at: number
  readonly signal: Extract<Signal, { readonly type: 'held' | 'released' }>
}

/** Which turns of its journal a reader wants: those from `from` on, before `to` (default: all). */
export interface ReadRequest {
  readonly from: number
  readonly to?: number
}

/** What follows from one thing that came from outside, as the state of a workflow has it. */
export interface KeptTurn {
  readonly entries: readonly JournalEntry[]
  /** With the first: what the workflow was started with, and the invocation that runs it. */
  readonly begun?: { readonly request: RunRequest; readonly invocation: string }
}

export interface ReadReply {
  /** With the first turn: what the workflow was started with. Absent when it has not begun, or is forgotten. */
  readonly request?: RunRequest
  /** Entries by the turns in which they were delivered. */
  readonly turns: readonly (readonly JournalEntry[])[]
  /** There is more to be read at once. */
  readonly isMore?: true
}

export const handlerNames = { run: 'run', tell: 'tell', read: 'read' } as const

/** Names of durable promises and signals, and keys of a workflow's state. */
export const names = {
  cancel: 'cancel',
  answer: (key: string) => `answer ${key}`,
  cancelDelegation: (id: string) => `cancel ${id}`,
  held: (path: string, count: number) => `held ${path} ${count}`,
  signals: 'signals',
  turn: (index: number) => `turn ${index}`,
} as const
