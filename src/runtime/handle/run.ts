/** The handle of one run: watch it, wait for it, answer it, cancel it. */
import type { ActorRef, EventObject, Snapshot } from 'xstate'
import type { Content } from '../../actors/content/content.ts'
import { aBoolean, aName, anything, aText } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ToolResultRecord } from '../../machines/contract/records.ts'
import type { RunEvent } from './run-event.ts'
import type { FinalResult, RunResult } from './result.ts'

/** Fields that any answer may have. The journal keeps them; `tool-call-answered` and `history` show them. */
export interface Answer {
  /** The person or program that answers. */
  readonly by?: string
  /** The reason or condition of the answer; the model does not see it. */
  readonly note?: string
  /** The id of the answer, as `tool-call-answered` shows it: of the message that gives it, for example. Default: none. */
  readonly answerId?: string
}

/** The answer to a question for approval. */
export interface ApprovalAnswer extends Answer {
  /**
   * The decision holds for the rest of the run: later calls of this tool by this agent, or later delegations of it to
   * this subagent, are not held. Calls that wait already are answered one by one. On Restate it holds within the one run
   * of the agent. Default: `false`.
   */
  readonly always?: boolean
}

/** The answer that approves. */
export interface ApproveAnswer extends ApprovalAnswer {
  /**
   * The arguments with which the call runs in place of those of the model; JSON. They are checked by the schema of the
   * tool; `SIGNAL_ARGS_INVALID`: they do not fit, and the question stays open. The model reads them with the result. The
   * files of a delegation cannot be changed. Under `always`, later calls run with their own arguments.
   */
  readonly args?: JsonValue
}

/** A signal that a person or a program sends to a run. Plain data, so that it may come from any source. */
export type RunSignal =
  | ({ readonly type: 'approve'; readonly toolCallId: string } & ApproveAnswer)
  | ({ readonly type: 'deny'; readonly toolCallId: string; readonly reason?: string } & ApprovalAnswer)
  | ({ readonly type: 'resume'; readonly toolCallId: string; readonly data?: JsonValue } & Answer)
  | ({ readonly type: 'say'; readonly message: Content } & SayOptions)
  | {
      readonly type: 'cancel'
      readonly reason?: string
      readonly delegationId?: string
      readonly by?: string
    }

/** The options of a message. */
export interface SayOptions {
  /** The person or program that says it; the model does not see it. */
  readonly by?: string
  /**
   * The id of the message in the run, as events show it. A message with an id that the run knows is not told again: it
   * resolves or rejects as the first one, so that a sender may repeat it after a lost connection. Default: a new id.
   */
  readonly id?: string
}

/** The options of a cancel. */
export interface CancelOptions {
  /** The `delegationId` of events, or the `taskId` of a background task. */
  readonly delegationId?: string
  /** The person or program that cancels, for the record. */
  readonly by?: string
}

/** The options of `troupe.cancel`. */
export interface CancelRunOptions extends CancelOptions {
  /**
   * Ends the run also where it cannot go on: nothing of it is performed, and its end is `cancelled` with `forced`. Rejects
   * with a `RunOwnedError` while another process has the run. Default: `false`.
   */
  readonly force?: boolean
}

/** The options of `troupe.delete`. */
export interface DeleteRunOptions {
  /**
   * Ends an unfinished run by force, and deletes it: a run that cannot go on. Rejects with a `RunOwnedError` while another
   * process has the run, and with a `RunNotEndedError` while this one works on it. Default: `false`.
   */
  readonly force?: boolean
}

/** The root actor of a run. Its one child is the root agent's machine; the child's id is the agent's. */
export type RunActor = ActorRef<
  Snapshot<unknown> & {
    readonly children: Readonly<Record<string, ActorRef<Snapshot<unknown>, EventObject>>>
  },
  { readonly type: 'cancel'; readonly cause: 'cancel'; readonly reason?: string }
>

const cancelFields: Fields<CancelOptions> = { delegationId: optional(aText), by: optional(aText) }

const cancelRunFields: Fields<CancelRunOptions> = { ...cancelFields, force: optional(aBoolean) }

/** Throws a `ConfigurationError`, also for a delegation that is to be ended by force. */
export function readCancel(options: CancelRunOptions = {}): CancelRunOptions {
  const read = readOptions<CancelRunOptions>(options, 'cancel', cancelRunFields)
  if (read.force !== true || read.delegationId === undefined) return read
  throw new ConfigurationError('cancel: force ends a whole run; leave out delegationId.')
}

const deleteFields: Fields<DeleteRunOptions> = { force: optional(aBoolean) }

/** Throws a `ConfigurationError`. */
export function readDelete(options: DeleteRunOptions = {}): DeleteRunOptions {
  return readOptions<DeleteRunOptions>(options, 'delete', deleteFields)
}

export const answerFields: Fields<Answer> = {
  by: optional(aText),
  note: optional(aText),
  answerId: optional(aName),
}

export const approvalFields: Fields<ApprovalAnswer> = { ...answerFields, always: optional(aBoolean) }

/** The run itself checks the arguments. */
export const approveFields: Fields<ApproveAnswer> = { ...approvalFields, args: optional(anything) }

const fieldsOf = { approve: approveFields, deny: approvalFields, resume: answerFields } as const

/** Throws a `ConfigurationError` for a field that answers do not have. */
export function answerSignal(
  signal: Exclude<RunSignal, { readonly type: 'cancel' | 'say' }>,
  answer: ApproveAnswer = {},
): RunSignal {
  return { ...signal, ...readOptions<Answer>(answer, signal.type, fieldsOf[signal.type]) }
}

export const sayFields: Fields<SayOptions> = { by: optional(aText), id: optional(aName) }

/** Throws a `ConfigurationError`. */
export function saySignal(message: Content, options: SayOptions = {}): RunSignal {
  return { type: 'say', message, ...readOptions<SayOptions>(options, 'say', sayFields) }
}

/** Throws a `ConfigurationError`: a misspelt `delegationId` must not cancel the whole run. */
export function cancelSignal(reason?: string, options: CancelOptions = {}): RunSignal {
  const { delegationId, by } = readOptions<CancelOptions>(options, 'cancel', cancelFields)
  return {
    type: 'cancel',
    ...(reason === undefined ? {} : { reason }),
    ...(delegationId === undefined ? {} : { delegationId }),
    ...(by === undefined ? {} : { by }),
  }
}

/** `Object` is the type of the answer under `structuredOutput`. */
export interface Run<
  Object = unknown,
  Result extends ToolResultRecord = ToolResultRecord,
  Event extends RunEvent = RunEvent,
> {
  readonly id: string
  /**
   * All events from the first on; each reader is a cursor of its own. It ends with the run, whose last event is
   * `final`; when the handle can no longer follow the run it ends without that event, and `result` rejects.
   */
  readonly events: AsyncIterable<Event>
  /**
   * As `events`, from behind the event with this `cursor` on: of this handle, of another, or of `watch`. A message whose
   * beginning was handed out goes on where it was; where it was made again with another text, that is a new attempt.
   * Throws a `ConfigurationError` for a text that is no cursor, and for a cursor of another run.
   */
  eventsAfter(cursor: string): AsyncIterable<Event>
  /**
   * The text of the root agent as it is written; after a bail, the bailing agent's. The text of a failed attempt
   * stands, and the next one goes on from it if it begins with the same words. Throws at its end the error that
   * `result` rejects with, and the error of a run that has `failed`.
   */
  readonly textStream: AsyncIterable<string>
  /**
   * Settles at the end. Rejects when this handle can no longer follow the run, which has not ended by that and can be
   * resumed: with a `TroupeError` of the code `TROUPE_CLOSED` after `troupe.close()`, a `LeaseLostError`, a
   * `StoreError`, or a `TroupeError` of the code `ENGINE_FAILED`. Each has the `runId`.
   */
  readonly result: Promise<FinalResult<Object, Result>>
  /** Settles at the end, or when the run is suspended. Rejects as `result`. */
  readonly whenIdle: Promise<RunResult<Object, Result>>
  /**
   * The root actor: its child is the root agent's machine. A run that was passivated and revived has a new one; who holds or
   * observes the one before still learns the end from it, and cancels the run by it. One that is observed, or read while the
   * run is passivated, stays in memory until the run ends.
   */
  readonly actor: RunActor
  /**
   * Lets a held tool call, or a held delegation, run. Resolves when the answer is on record: it then outlives the process. Rejects with a
   * `SignalError` for an unknown, answered or late `toolCallId`, and with the cause when the signal cannot be delivered
   * (`TROUPE_CLOSED`, `LEASE_LOST`, the store's code). A rejection that nothing handles is reported.
   */
  approve(toolCallId: string, answer?: ApproveAnswer): Promise<void>
  /** Ends a held tool call or delegation without running it; the model receives the reason. Resolves and rejects as `approve`. */
  deny(toolCallId: string, reason?: string, answer?: ApprovalAnswer): Promise<void>
  /**
   * Goes on with a suspended tool call; `data` must be expressible as JSON. A call that was interrupted by the end of
   * its process takes `{ retry: true }` or `{ result: … }`. Resolves and rejects as `approve`.
   */
  resume(toolCallId: string, data?: JsonValue, answer?: Answer): Promise<void>
  /**
   * Ends the run as `cancelled`: no work starts afterwards, and that under way is aborted. Under `keepPartial` the text so
   * far is kept. Resolves when the cancel is on record, also for a run that is being cancelled or has ended. With a
   * `delegationId` it ends that one delegation, or tool call in the background, reports that to the model of its agent, and
   * the run goes on; rejects with a `SignalError` for one that is not under way.
   */
  cancel(reason?: string, options?: CancelOptions): Promise<void>
  /**
   * Says something to the agent that holds the conversation, while the run is under way: its model reads the message with
   * its next request, and an answer that it gives meanwhile does not end the run. The message is a text, or text and files
   * as in a prompt. Resolves when the message is on record and the agent has taken it, in whichever process the run is.
   * Rejects with a `SignalError`: `SIGNAL_TOO_LATE` from the final turn on, `SIGNAL_NOT_SUPPORTED` for a pattern without a
   * loop of its model, `SIGNAL_TOO_MANY` while eight messages wait; with a `ConfigurationError` for bytes of files where
   * the store has no blobs. `result.unheard` has the messages that no model has read in the end.
   */
  say(message: Content, options?: SayOptions): Promise<void>
  /** Sends any of the signals, as data. */
  signal(signal: RunSignal): Promise<void>
}
