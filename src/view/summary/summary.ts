/** The summary of a run: what people ask of it, in sentences and two tables. All texts of others in it are cut and escaped. */
import type { DelegationOutcome, Outcome, TrailEntry, Usage } from '../../index.ts'

/**
 * What a summary reads of an entry: those of a `Trail` fit. `events` may be empty where the run cannot be replayed. `asked`
 * and `actorsAdded` may be absent.
 */
export type SummarisedEntry = Pick<TrailEntry, 'journal' | 'recorded' | 'events'> &
  Partial<Pick<TrailEntry, 'asked' | 'actorsAdded' | 'actorsEnded'>>

/** The options of `summarise`. */
export interface SummaryOptions {
  /** The most items of each list; `more` counts the others. Default: 100. */
  readonly most?: number
}

/** A part of a sentence: words, or the number of an entry that the page links to. */
export type Phrase = string | { readonly entry: number }

/** A sentence in its parts. */
export type Sentence = readonly Phrase[]

/** Something that went wrong, or was refused. */
export interface SummaryFailure {
  /** The number of entries with which it had happened, from 1: as `replay({ until })` and the page count. */
  readonly entry: number
  readonly kind: 'tool' | 'delegation' | 'rejection' | 'denial' | 'model' | 'hook' | 'step' | 'other'
  /** The agent that it happened to: of a delegation the agent that delegates. */
  readonly agent: string
  /** The path of the actor. */
  readonly path: string
  /** The tool, subagent, hook or step. */
  readonly subject: string
  /** The reason, in one line. */
  readonly reason: string
  /** Of an error. */
  readonly code?: string
}

/** What a hook, or a person, has changed. */
export interface SummaryChange {
  readonly entry: number
  readonly agent: string
  readonly path: string
  /** The name of the hook; `answer`: a person has changed the arguments of a call. */
  readonly hook: string
  /** What was changed: `prompt`, `messages`, `answer`, `feedback` … */
  readonly what: string
  /** Absent where there was nothing, or it is not on record. */
  readonly before?: string
  readonly after: string
}

/** A choice of a router, dispatcher or meta-router. */
export interface SummaryChoice {
  readonly entry: number
  readonly agent: string
  readonly path: string
  readonly choice: string
  readonly candidates: readonly string[]
  /** The words of the model, or why there was nothing to choose. */
  readonly reason: string
}

/** A scoring of an answer. */
export interface SummaryScoring {
  readonly entry: number
  readonly agent: string
  readonly path: string
  readonly outcome: 'passed' | 'failed' | 'errored'
  /** The scorers with their scores and reasons. */
  readonly scores: string
}

/** A question to a person or program. */
export interface SummaryQuestion {
  /** Absent where the run cannot be replayed: only the answer is on record. */
  readonly askedAt?: number
  /** When it was asked. Milliseconds since 1970. */
  readonly since?: number
  readonly agent: string
  readonly path: string
  /** The tool, or the subagent of a delegation. */
  readonly subject: string
  readonly type: 'approval' | 'suspension' | 'interruption'
  readonly answer?: {
    readonly entry: number
    readonly approved: boolean
    /** Absent where the answer names nobody. */
    readonly by?: string
    readonly note?: string
    readonly reason?: string
    /** The arguments before and after, where the answer has changed them. */
    readonly changed?: { readonly before?: string; readonly after: string }
  }
}

/** The work of one agent, by its id. */
export interface SummaryAgent {
  readonly agent: string
  /** Provider and model id, where it is on record. Of an agent with several models: those that it has called. */
  readonly model?: string
  /** Model calls that were made, failed ones included. */
  readonly calls: number
  readonly toolCalls: number
  readonly usage: Usage
  /** Milliseconds that its model and tool calls took together. */
  readonly time: number
  /** Its part of the cost, or of the tokens where no cost is known, from 0 to 1. */
  readonly share: number
}

/** One delegation, with the agents below it. */
export interface SummaryDelegation {
  /** The entry with which it began, and the one with which it ended. */
  readonly entry: number
  readonly endedAt?: number
  readonly path: string
  /** The agent that delegates. */
  readonly from: string
  /** The key of the subagent. */
  readonly to: string
  /** The first words of the prompt. */
  readonly prompt: string
  /** Absent while it is under way. */
  readonly outcome?: DelegationOutcome
  /** Why it was rejected, or has failed. */
  readonly reason?: string
  /** Milliseconds. */
  readonly duration?: number
  /** Of the subagent and all below it. */
  readonly calls: number
  readonly usage: Usage
}

/** An effect that has begun and has no outcome yet. */
export interface SummaryWork {
  readonly entry: number
  readonly agent: string
  readonly path: string
  readonly kind: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** The summary of a run. */
export interface Summary {
  readonly runId: string
  readonly agent: string
  readonly task: string
  /** The number of entries. */
  readonly entries: number
  readonly status: 'pending' | 'running' | 'suspended' | 'settled'
  readonly outcome?: Outcome
  /** Milliseconds since 1970: of the first entry, and of the last one. */
  readonly startedAt: number
  readonly updatedAt: number
  /** How it ended, or what it does, in a sentence. */
  readonly ending: Sentence
  /** The answer; absent where there is none. */
  readonly answer?: string
  /** What is to be known beside it: failures under a success, limits that came near, edits, work that was left. */
  readonly notes: readonly Sentence[]
  readonly failures: readonly SummaryFailure[]
  readonly changes: readonly SummaryChange[]
  readonly choices: readonly SummaryChoice[]
  readonly scorings: readonly SummaryScoring[]
  readonly questions: readonly SummaryQuestion[]
  readonly underWay: readonly SummaryWork[]
  /** Those that have cost the most first. */
  readonly agents: readonly SummaryAgent[]
  /** The sums of `agents`. */
  readonly total: {
    readonly calls: number
    readonly toolCalls: number
    readonly usage: Usage
    readonly time: number
  }
  /** In the order in which they began. */
  readonly delegations: readonly SummaryDelegation[]
  /** The currency of the costs, where the budget of the run names it. */
  readonly currency?: string
  /** How many items the lists do not have, by their names. Empty: they are whole. */
  readonly more: Readonly<Record<string, number>>
  /** What the summary cannot tell, and why. Empty: nothing. */
  readonly missing: readonly string[]
}
