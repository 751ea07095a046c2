/** What the sentences about a run are made of. */
import type { JournalEntry } from '../../index.ts'
import type {
  SummaryDelegation,
  SummaryFailure,
  SummaryQuestion,
  SummaryScoring,
  SummaryWork,
} from './summary.ts'

export type Started = Extract<JournalEntry, { readonly type: 'run.started' }>
export type Ended = Extract<JournalEntry, { readonly type: 'run.settled' }>

/** Something that an entry tells. */
export interface Told {
  readonly entry: number
  readonly text: string
}

export interface Facts {
  readonly entries: number
  readonly started: Started | undefined
  readonly ended: Ended | undefined
  /** By kinds and codes, the entries of the last failures. */
  readonly lastFailures: {
    readonly byKind: ReadonlyMap<string, number>
    readonly byCode: ReadonlyMap<string, number>
  }
  readonly delegations: readonly SummaryDelegation[]
  /** By their kinds, how many failures there were in all. */
  readonly counts: Readonly<Record<SummaryFailure['kind'], number>>
  readonly failedDelegations: number
  readonly openQuestions: readonly SummaryQuestion[]
  readonly underWay: readonly SummaryWork[]
  readonly isSuspended: boolean
  /** The cancel of the whole run. */
  readonly cancel: { readonly entry: number; readonly by?: string; readonly reason?: string } | undefined
  /** The agents whose model calls the budget has refused, with the entry of the first refusal. */
  readonly cutOff: readonly { readonly agent: string; readonly entry: number; readonly message: string }[]
  /** By the paths of agents, the number of their last step. */
  readonly steps: ReadonlyMap<string, number>
  /** The last one. */
  readonly scoring: SummaryScoring | undefined
  readonly bailedAt: number | undefined
  /** A function has ended the loop of an agent. */
  readonly stoppedAt: number | undefined
  readonly warnings: readonly Told[]
  readonly edits: readonly Told[]
  /** Answers that an end has cut, with their text so far. */
  readonly cutAnswers: readonly (Told & { readonly agent: string })[]
  /** How many runs its tools began. */
  readonly nested: number
  /** How many model calls were for a last answer, which no budget counts. */
  readonly finalTurns: number
}
