/** What requests ask of `authorize`, and what it answers. */
import type { ErrorCode, OpenQuestion, Schedule } from '../../index.ts'

/** The right that a request asks for. `read`: runs, events and questions. `answer`: a question of a run. */
export type Right = 'read' | 'start' | 'answer' | 'say' | 'cancel' | 'delete'

/** A question as clients see it. */
export type ServedQuestion = Pick<
  OpenQuestion,
  'runId' | 'toolCallId' | 'type' | 'agent' | 'toolName' | 'args' | 'payload' | 'path' | 'since' | 'leftAt'
>

/** A run as clients see it. */
export interface ServedRun {
  readonly runId: string
  /** The id of its root agent. */
  readonly agent: string
  /** `waiting`: it has questions that wait for an answer. `ended`: it has its outcome. */
  readonly status: 'running' | 'waiting' | 'ended'
  /** Of an ended run; absent on Restate. */
  readonly outcome?: string
  readonly threadId?: string
  readonly resourceId?: string
  readonly conversationId?: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970; absent on Restate. */
  readonly updatedAt?: number
  /** Milliseconds since 1970; set once workers leave the run, since three have died of it in a row. */
  readonly leftAt?: number
  /** The questions that wait for an answer, the oldest first. */
  readonly awaiting: readonly ServedQuestion[]
}

/** A schedule as clients see it. */
export interface ServedSchedule extends Pick<
  Schedule,
  | 'key'
  | 'agent'
  | 'resourceId'
  | 'status'
  | 'plan'
  | 'missed'
  | 'overlap'
  | 'next'
  | 'started'
  | 'last'
  | 'skipped'
  | 'createdAt'
  | 'endedAt'
> {
  /** The code of the error for which its run could not be started. */
  readonly error?: string
}

/** What a request asks for. */
export type AccessRequest =
  | {
      readonly of: 'run'
      readonly right: Exclude<Right, 'start'>
      readonly runId: string
      /** `undefined`: there is no such run, and every answer but a `Response` leads to the status 404. */
      readonly run: ServedRun | undefined
    }
  /** A list: of runs, of the questions that wait, or of schedules. `Access` says which of them the list may show. */
  | { readonly of: 'runs' | 'questions' | 'schedules'; readonly right: 'read' }
  /** A pause, a resumption or a removal of a schedule. `undefined`: there is none of this key, and the status is 404. */
  | {
      readonly of: 'schedule'
      readonly right: 'cancel'
      readonly key: string
      readonly schedule: ServedSchedule | undefined
    }
  /** The numbers of all runs, and whether the troupe is well: only an `Access` with `resource: null` shows them. */
  | { readonly of: 'stats'; readonly right: 'read' }
  /** The start of a run. */
  | { readonly of: 'agent'; readonly right: 'start'; readonly agent: string }

/** What a request may do. */
export interface Access {
  /**
   * The resource of the caller: it sees the runs of this resource alone, and a run that it starts belongs to it. `null`: the
   * runs of all resources; a run that is started has the resource that `runOptions` gives.
   */
  readonly resource: string | null
  /** Only runs of this thread. */
  readonly threadId?: string
  /** Only runs of this conversation. */
  readonly conversationId?: string
  /** The person or program, for the record: on answers and messages. A client cannot set it. */
  readonly by?: string
  /**
   * At a start: which tools of the client the model may be offered, by their names. `'all'`: each that is well formed. Others are
   * left out. Default: none.
   */
  readonly clientTools?: 'all' | readonly string[]
}

/**
 * Decides about a request. `false`: refused. A run that the caller may not read is answered as one that does not exist; one that
 * it may read, a list or a start with the status 403. A `Response` is the answer itself, for example with the status 401. A throw, or an answer
 * of another shape, is the status 500, and is reported.
 */
export type Authorize = (
  request: Request,
  asked: AccessRequest,
) => Access | Response | false | Promise<Access | Response | false>

/** An error as clients see it: in the body of a refusal, and as the data of the event `failure`. */
export interface ServedError {
  readonly code: ErrorCode
  readonly message: string
}
