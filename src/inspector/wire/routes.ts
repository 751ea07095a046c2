/**
 * The requests of the page and the answers of the server. Each address is below `/api`, takes the token as
 * `Authorization: Bearer`, and answers JSON; a refusal has a status of 400 or more and a `Refusal`.
 *
 *     GET    /api/service
 *     GET    /api/health                                     Numbers
 *     GET    /api/runs?limit&before&order&agent&resourceId&status&outcome&code&text&startedSince&changedSince   RunPage
 *     GET    /api/awaiting?limit&before&runId                QuestionPage
 *     GET    /api/runs/:id                                   RunRow, as the list has it
 *     GET    /api/runs/:id/charts                            Chart[], of the agents of today and of those on record
 *     GET    /api/runs/:id/summary                           Summary, of the entries so far
 *     GET    /api/runs/:id/stream?from&series                StreamMessage, one a line, until the run has ended
 *     GET    /api/runs/:id/rows/:row                         RowDetail
 *     GET    /api/runs/:id/details?from&to                   (RowDetail | null)[], null where one is withheld; at most 100
 *     GET    /api/runs/:id/view/:row?path                    ViewDetail
 *     GET    /api/runs/:id/search?text&from                  SearchPage
 *     GET    /api/runs/:id/compare/:other                    Comparison
 *     GET    /api/runs/:id/why                               Why
 *     GET    /api/runs/:id/recording | mermaid?machine | turtle      text
 *     GET    /api/blobs/:ref?type                            the bytes of a file, images alone
 *     POST   /api/runs/:id/signal                            RunSignal → 204
 *     POST   /api/runs/:id/end                               EndRequest → 204, by force
 *     POST   /api/runs/:id/fork                              ForkRequest → Forked
 *     POST   /api/runs/:id/dry                               DryRequest → Forked, of this inspector alone
 *     POST   /api/runs/:id/script                            ScriptRequest → 204, of a dry fork
 *     DELETE /api/runs/:id                                   204
 */
import type {
  ErrorData,
  JournalEntry,
  JournalMismatch,
  JsonValue,
  Message,
  OpenQuestion,
  Page,
  RunEvent,
  Usage,
} from '../../index.ts'
import type { DryFunctions } from '../../kit/host.ts'
import type { DryState } from './dry.ts'
import type { Row } from './rows.ts'

/** Actions that a page may offer. */
export type Action =
  'signal' | 'end' | 'fork' | 'dry' | 'delete' | 'why' | 'turtle' | 'recording' | 'blobs' | 'stats'

/** What the page is told of the service. */
export interface ServiceInfo {
  readonly engine: 'embedded' | 'restate' | 'recording'
  /** The name of the store or file, for the head of the page; empty: none. */
  readonly title: string
  /** The name that the server gives to each answer; absent: the page asks for one. */
  readonly by?: string
  /** For each action that is not available: the reason, as a sentence. */
  readonly unavailable: Readonly<Partial<Record<Action, string>>>
}

/** Numbers of one subject, each with its name, as texts. */
export interface NumberGroup {
  readonly title: string
  readonly rows: readonly (readonly [name: string, text: string])[]
}

/** How the runs of a service are, in numbers, and what is wrong. */
export interface Numbers {
  /** One sentence, or empty. */
  readonly state: string
  readonly problems: readonly string[]
  readonly groups: readonly NumberGroup[]
}

/** `reason`: of the end. */
export interface EndRequest {
  readonly reason?: string
}

/** A run in the list. */
export interface RunRow {
  readonly runId: string
  readonly agent: string
  readonly status: string
  readonly outcome?: string
  /** The code of the error that ended it. */
  readonly code?: string
  /** The first line of its task. */
  readonly task?: string
  readonly entries?: number
  readonly usage?: Usage
  readonly startedAt: number
  readonly updatedAt?: number
  readonly endedAt?: number
  /** Milliseconds to its end, or to its last entry. */
  readonly duration?: number
  readonly threadId?: string
  readonly resourceId?: string
  readonly conversationId?: string
  readonly forkedFrom?: string
  /** Workers leave the run from then on: three have died of it in a row. */
  readonly leftAt?: number
  readonly awaiting: readonly OpenQuestion[]
}

export type RunPage = Page<RunRow>
export type QuestionPage = Page<OpenQuestion>

/** One line of the stream of a run. */
export type StreamMessage =
  /**
   * The first line. `series` names the run file of the server: rows of another series are not to be joined. A request
   * with another `series` is answered from the first row on, one without from `from` on.
   */
  | { readonly type: 'run'; readonly run: RunRow; readonly series: string }
  /** Rows that follow those that the page has. */
  | { readonly type: 'rows'; readonly rows: readonly Row[] }
  /** All rows that are on record were sent; those that follow are new. Before it the run is told as far as it was replayed. */
  | { readonly type: 'live' }
  /** The text or the reasoning of a message that is being written, whole; empty: nothing of it is being written. */
  | {
      readonly type: 'speech'
      readonly path: string
      readonly messageId: string
      readonly kind: 'text' | 'reasoning'
      readonly text: string
    }
  /** Status, questions or usage have changed. */
  | { readonly type: 'summary'; readonly run: RunRow }
  /** The run is a dry fork: what it asks has changed. */
  | { readonly type: 'dry'; readonly dry: DryState }
  /** The first entry that the agents of today would not have asked for. */
  | { readonly type: 'diverged'; readonly mismatch: JournalMismatch }
  /** The agents are not here, or are others: the rows are told by those that the journal has on record. */
  | { readonly type: 'recorded'; readonly error: ErrorData }
  /** The agents are not here, or the journal cannot be replayed: rows from here on are without transitions. */
  | { readonly type: 'untold'; readonly error: ErrorData }
  /** The run cannot be followed at the moment; the server tries again. Absent error: it can again. */
  | { readonly type: 'outage'; readonly error?: ErrorData }
  /** The run has ended, and all rows were sent. */
  | { readonly type: 'end' }

/** The content of one entry. Long texts and lists are cut, and say so in their place. */
export interface RowDetail {
  readonly entry: JournalEntry
  readonly events: readonly RunEvent[]
  /** Of a reply of a model: the tools on offer and the parameters of the call, where the run was replayed. */
  readonly asked?: JsonValue
  /** Something was cut: it is not the outcome to begin a patch with. */
  readonly isCut?: true
}

/** An entry that has the words of a search. */
export interface SearchHit {
  readonly row: number
  /** The fields of the entry that lead to the text. */
  readonly where: string
  /** A part of the text, in one line. */
  readonly excerpt: string
  /** The places of the words in it: from, and until. */
  readonly marks: readonly (readonly [from: number, until: number])[]
}

/** Some of the entries that have the words, in their order. */
export interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** The row from which the search goes on; absent: all rows were searched. */
  readonly next?: number
}

/** One actor after a number of rows. */
export interface ViewDetail {
  readonly path: string
  readonly machine?: string
  readonly status: string
  readonly state?: JsonValue
  readonly context?: JsonValue
  /** The latest of its conversation. */
  readonly messages?: readonly Message[]
  /** The number of messages before them. */
  readonly earlier?: number
  /** A long text or list was cut, and says so in its place. */
  readonly isCut?: true
}

/** The first row in which two runs differ; absent: one is the beginning of the other. */
export interface Comparison {
  readonly runId: string
  readonly otherRunId: string
  readonly firstDifference?: number
  readonly rows: number
  readonly otherRows: number
  readonly entry?: JournalEntry
  readonly otherEntry?: JournalEntry
}

/** The explanation of the answer of a run. */
export interface Why {
  readonly lines: readonly string[]
}

export interface ForkRequest {
  /** The number of entries that the runs share, from 1. */
  readonly at: number
  readonly patch?: { readonly value: JsonValue } | { readonly error: ErrorData }
  /** The fork is checked, and not begun. */
  readonly isTrial?: boolean
}

export interface DryRequest extends ForkRequest {
  /** Default: `run`. */
  readonly functions?: DryFunctions
}

/** `runId` is absent after a trial. */
export interface Forked {
  readonly runId?: string
}

export interface Refusal {
  readonly error: ErrorData
}
