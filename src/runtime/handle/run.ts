/** The handle of one run: watch it, wait for it, answer it, cancel it. */
import type { ActorRef, EventObject, Snapshot } from 'xstate'
import { aText } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields, type Reader } from '../../actors/strict/read-options.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import type { RunEvent } from './event-log.ts'
import type { FinalResult, RunResult } from './result.ts'

/** What any answer may say besides. The journal keeps it, and `history` shows it. */
export interface Answer {
  /** Who answers. */
  readonly by?: string
  /** Why, or on what condition; the model does not see it. */
  readonly note?: string
  /** Reserved: refused until a later release. */
  readonly args?: never
  /** Reserved: refused until a later release. */
  readonly always?: never
}

/** What a person, or a program, may tell a run. Plain data, so that it may come from anywhere. */
export type RunSignal =
  | ({ readonly type: 'approve'; readonly toolCallId: string } & Answer)
  | ({ readonly type: 'deny'; readonly toolCallId: string; readonly reason?: string } & Answer)
  | ({ readonly type: 'resume'; readonly toolCallId: string; readonly data?: JsonValue } & Answer)
  | { readonly type: 'cancel'; readonly reason?: string; readonly delegationId?: string }

export interface CancelOptions {
  /** As events bear it, and `taskId` in those of the background. */
  readonly delegationId?: string
}

/** The root actor of a run. Its one child is the root agent's machine; the child's id is the agent's. */
export type RunActor = ActorRef<
  Snapshot<unknown> & {
    readonly children: Readonly<Record<string, ActorRef<Snapshot<unknown>, EventObject>>>
  },
  { readonly type: 'cancel'; readonly cause: 'cancel'; readonly reason?: string }
>

const cancelFields: Fields<CancelOptions> = { delegationId: optional(aText) }

const reserved: Reader = (_, where) => {
  throw new ConfigurationError(`${where} is reserved for a later release and cannot be given yet.`)
}

export const answerFields: Fields<Answer> = {
  by: optional(aText),
  note: optional(aText),
  args: optional(reserved),
  always: optional(reserved),
}

/** Throws a `ConfigurationError` for a field that answers do not have. */
export function answerSignal(
  signal: Exclude<RunSignal, { readonly type: 'cancel' }>,
  answer: Answer = {},
): RunSignal {
  return { ...signal, ...readOptions<Answer>(answer, signal.type, answerFields) }
}

/** Throws a `ConfigurationError`: a misspelt `delegationId` must not cancel the whole run. */
export function cancelSignal(reason?: string, options: CancelOptions = {}): RunSignal {
  const { delegationId } = readOptions<CancelOptions>(options, 'cancel', cancelFields)
  return {
    type: 'cancel',
    ...(reason === undefined ? {} : { reason }),
    ...(delegationId === undefined ? {} : { delegationId }),
  }
}

/** `Object` is what `structuredOutput` makes of the answer. */
export interface Run<Object = unknown> {
  readonly id: string
  /**
   * All events from the first on; each reader is a cursor of its own. It ends with the run, whose last event is `final`;
   * when the handle can no longer follow the run it ends without that event, and `result` says why.
   */
  readonly events: AsyncIterable<RunEvent>
  /**
   * The text of the root agent as it is written; after a bail, the bailing agent's. What a failed attempt has said stands,
   * and the next one goes on from it if it begins with the same words. Throws at its end what `result` rejects with,
   * and the error of a run that has `failed`.
   */
  readonly textStream: AsyncIterable<string>
  /**
   * Settles at the end. Rejects when this handle can no longer follow the run, which has not ended by that and can be
   * resumed: with a `TroupeError` of the code `TROUPE_CLOSED` after `troupe.close()`, a `LeaseLostError`, a `StoreError`,
   * or a `TroupeError` of the code `ENGINE_FAILED`. Each has the `runId`.
   */
  readonly result: Promise<FinalResult<Object>>
  /** Settles at the end, or when only a person can go on. Rejects as `result`. */
  readonly whenIdle: Promise<RunResult<Object>>
  /** The root actor: its child is the root agent's machine. A run that was suspended and revived has a new one. */
  readonly actor: RunActor
  /**
   * Lets a held tool call run. Resolves when the answer is on record: it then stands, whatever happens to the process.
   * Rejects with a `SignalError` for an unknown, answered or late `toolCallId`, and with the cause when the run cannot
   * be told (`TROUPE_CLOSED`, `LEASE_LOST`, the store's code). A rejection that nothing handles is reported.
   */
  approve(toolCallId: string, answer?: Answer): Promise<void>
  /** Ends a held tool call without running it; the model is told the reason. Resolves and rejects as `approve`. */
  deny(toolCallId: string, reason?: string, answer?: Answer): Promise<void>
  /**
   * Goes on with a suspended tool call; `data` must be expressible as JSON. One that was interrupted by the end of its
   * process is told `{ retry: true }` or `{ result: … }`. Resolves and rejects as `approve`.
   */
  resume(toolCallId: string, data?: JsonValue, answer?: Answer): Promise<void>
  /**
   * Ends the run as `cancelled`: nothing starts afterwards, and whatever is under way is told. Resolves when the cancel
   * is on record, also for a run that is being cancelled or has ended. With a `delegationId` it ends that one
   * delegation, whose agent's model is told, and the run goes on; rejects with a `SignalError` for one that is not
   * under way.
   */
  cancel(reason?: string, options?: CancelOptions): Promise<void>
  /** Any of the four, as data. */
  signal(signal: RunSignal): Promise<void>
}
