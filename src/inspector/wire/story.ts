/**
 * A story: a run as a file that a page plays without a server and without an engine. The first line is its head, and each line
 * after it is a row of the run, with its entry, and with what the entry has changed in each actor.
 */
import type { Chart, ErrorData, JournalMismatch, JsonValue, Message } from '../../index.ts'
import type { RowDetail, RunRow } from './routes.ts'
import type { Row } from './rows.ts'

/** Raised when a reader of today could not read a file. */
export const storyVersion = 1

export interface StoryHead {
  readonly type: 'troupe-story'
  readonly version: number
  readonly run: RunRow
  /** The charts of the actors of the run. */
  readonly charts: readonly Chart[]
  /** Why the rows have no transitions, and the story no actors. */
  readonly untold?: ErrorData
  /** The first entry that the agents would not have asked for. */
  readonly diverged?: JournalMismatch
}

export interface StoryLine {
  readonly row: Row
  /** `null`: it is withheld. */
  readonly detail: RowDetail | null
  readonly actors: readonly ActorChange[]
}

/** What an entry has changed in an actor: the fields that are given replace those of before. */
export interface ActorChange {
  readonly path: string
  /** It was not there before: nothing of an actor of the same path holds any more. */
  readonly isNew?: true
  /** It is withheld from here on. */
  readonly isWithheld?: true
  readonly machine?: string
  readonly status?: string
  readonly state?: JsonValue
  /** The context as a whole, where it is no object. */
  readonly whole?: JsonValue
  /** Fields of the context, and the names of those that it has no more. */
  readonly context?: Readonly<Record<string, JsonValue>>
  readonly gone?: readonly string[]
  /** Of the conversation: how many messages stay, from the first that is kept, and those behind them. */
  readonly messages?: { readonly from: number; readonly keep: number; readonly add: readonly Message[] }
  /** The number of messages before those that are kept. */
  readonly earlier?: number
  readonly isCut?: boolean
}
