/**
 * The rows of a run, as the server of the inspector sends them to its page: one row for each entry of the journal, in
 * the order of delivery. A page that has all rows knows, for each number of entries, which actors there were and in
 * which states, and asks for nothing more but the content of single entries.
 */
import type { EventType, JournalEntry, Usage } from '../../index.ts'
import type { EffectKind, EndedActor, TrailActor, TrailTransition } from '../../kit/host.ts'

/** A journal entry, in short, with all that it led to. */
export interface Row {
  /** Position among the rows of the run, from 0. */
  readonly row: number
  /** The path of the agent whose journal has the entry; on Restate each subagent has a journal of its own. */
  readonly journal: string
  /** Position in that journal, from 0. */
  readonly entry: number
  readonly type: JournalEntry['type']
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** The actor that asked for the effect, or that the timer belongs to. */
  readonly path?: string
  /** The key of the effect, of the timer, or of the question that was answered. */
  readonly key?: string
  readonly kind?: EffectKind | 'timer'
  /** Of the outcome of an effect: milliseconds that the effect took. */
  readonly duration?: number
  /** Milliseconds before it in which nobody worked on the run: between the entries that a fork shares and its own. */
  readonly gap?: number
  readonly usage?: Usage
  /** The code of the error, where the effect failed. */
  readonly error?: string
  /** The outcome came after the run had let go of the effect. */
  readonly late?: true
  /** Of a dry fork: the outcome was given by a person or a script. */
  readonly scripted?: true
  /** One line of at most 200 characters: the task, the tool, the answer, the first words of a reply, the outcome. */
  readonly line: string
  readonly transitions: readonly RowTransition[]
  readonly events: readonly RowEvent[]
  readonly actorsAdded: readonly TrailActor[]
  readonly actorsEnded: readonly EndedActor[]
}

/** A transition; the chart has its description, by `source` and `position`. */
export type RowTransition = Omit<TrailTransition, 'description'>

/** An event of the run in short. */
export interface RowEvent {
  readonly type: EventType
  /** Counts the events of the run from 1. */
  readonly seq?: number
  /** The agent's id. */
  readonly agent: string
  readonly path: string
  readonly delegationId?: string
  readonly toolCallId?: string
  /** One line of at most 200 characters. */
  readonly line: string
  /** Of a call or a delegation: the tool, or the subagent. */
  readonly name?: string
  /** Of a router or a meta-router: what was decided. */
  readonly choices?: readonly RowChoice[]
  /** Of a scoring. */
  readonly scores?: readonly RowScore[]
}

/** A decision. Each text is one line of at most 200 characters. */
export interface RowChoice {
  readonly choice: string
  /** At most 20. */
  readonly candidates: readonly string[]
  /** The words of the model, or how it was settled without one. */
  readonly reason: string
  /** No model was asked. */
  readonly isGiven?: true
}

export interface RowScore {
  readonly id: string
  /** Absent where the scorer failed. */
  readonly score?: number
  readonly passed: boolean
  readonly reason?: string
}
