/** The handle of one run: watch it, wait for it, answer it, cancel it. */
import type { ActorRef, EventObject, Snapshot } from 'xstate'
import { aName } from '../actors/checks.ts'
import { optional, readOptions, type Fields } from '../actors/strict.ts'
import type { JsonValue } from '../actors/json.ts'
import type { RunEvent } from './event-log.ts'
import type { FinalResult, RunResult } from './result.ts'

/** What a person, or a program, may tell a run. Plain data, so that it may come from anywhere. */
export type RunSignal =
  | { readonly type: 'approve'; readonly toolCallId: string }
  | { readonly type: 'deny'; readonly toolCallId: string; readonly reason?: string }
  | { readonly type: 'resume'; readonly toolCallId: string; readonly data?: JsonValue }
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

const cancelFields: Fields<CancelOptions> = { delegationId: optional(aName) }

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
  /** All events from the first on; each reader is a cursor of its own. */
  readonly events: AsyncIterable<RunEvent>
  /**
   * The text of the root agent as it is written; after a bail, the bailing agent's. What a failed attempt has said stands,
   * and the next one goes on from it if it begins with the same words.
   */
  readonly textStream: AsyncIterable<string>
  /** Settles at the end. Rejects with a `ConfigurationError` only. */
  readonly result: Promise<FinalResult<Object>>
  /** Settles at the end, or when only a person can go on. */
  readonly whenIdle: Promise<RunResult<Object>>
  /** The root actor: its child is the root agent's machine. A run that was suspended and revived has a new one. */
  readonly actor: RunActor
  /** Lets a held tool call run. Throws a `SignalError` for an unknown, answered or late `toolCallId`. */
  approve(toolCallId: string): void
  /** Ends a held tool call without running it; the model is told the reason. Errors as `approve`. */
  deny(toolCallId: string, reason?: string): void
  /**
   * Goes on with a suspended tool call; `data` must be expressible as JSON. One that was interrupted by the end of its
   * process is told `{ retry: true }` or `{ result: … }`. Errors as `approve`.
   */
  resume(toolCallId: string, data?: JsonValue): void
  /**
   * Ends the run as `cancelled`: nothing starts afterwards, and whatever is under way is told. With a `delegationId`
   * it ends that one delegation, whose agent's model is told, and the run goes on; throws a `SignalError` for one that
   * is not under way.
   */
  cancel(reason?: string, options?: CancelOptions): void
  /** Any of the four, as data. */
  signal(signal: RunSignal): void
}
