/** The types of an agent that is actor logic of an application. */
import type { ActorLogic, ActorRef, ActorSystem, AnyActorRef, EventObject, Snapshot } from 'xstate'
import type { Prompt } from '../../actors/message.ts'
import type { ErrorData } from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import type { RunSnapshot } from '../state/run-logic.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { FinalResult } from '../handle/result.ts'
import type { RunSignal } from '../handle/run.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { AgentOptions, CallOptions, SupervisorOptions } from '../options/options.ts'

/**
 * A prompt, and beside it any option of a run. Functions and a `signal` do not survive a restore: a run that was given
 * functions is then refused with a `ConfigurationError`. Functions of the agent's definition do survive.
 */
export type HostedInput<Options extends object> = { readonly prompt: Prompt } & Options &
  CallOptions & { readonly [Key in Exclude<SupervisorOnly, keyof Options>]?: never }

/** XState does not check an input for excess properties: this type refuses options that only other agents have. */
export type SupervisorOnly = Exclude<keyof SupervisorOptions, keyof AgentOptions>

/** Emitted for an answer that the run does not wait for. */
export interface SignalRefused {
  readonly type: 'signal-refused'
  readonly signal: RunSignal
  readonly error: ErrorData
}

/** How an agent is actor logic. */
export interface LogicOptions {
  /**
   * What a run with the outcome `failed` is to the app. `'done'`: the actor is done, and its output says so. `'error'`: the actor
   * fails with the `TroupeError` of the run, so that `onError` is taken, and `onDone` only for runs that have not failed.
   * Default: `'done'`.
   */
  readonly failed?: 'done' | 'error'
}

/** The result of a run that has not failed: the output under `failed: 'error'`. */
export type UnfailedResult<Object = unknown> = Exclude<FinalResult<Object>, { readonly outcome: 'failed' }>

/** The snapshot of the actor. Its `children` holds the root agent by its id; a list of its keys is empty. */
export type HostedSnapshot<Object = unknown, Output = FinalResult<Object>> = RunSnapshot<Output> & {
  /** The signals that the run waits for, if it waits for nothing else. */
  readonly awaiting: readonly AwaitedSignal[]
  /** Set until the start of the run is on record. */
  readonly beginning: RunStarted | undefined
}

/** Any system: the logic looks up no other actor. */
export type AnySystem = ActorSystem<{ actors: Record<string, ActorRef<Snapshot<unknown>, EventObject>> }>

/**
 * Takes `approve`, `deny`, `resume` and `cancel` as events, emits the events of the run, and is done with its result.
 */
export type HostedLogic<
  Options extends object = object,
  Object = unknown,
  Output = FinalResult<Object>,
> = ActorLogic<
  HostedSnapshot<Object, Output>,
  RunSignal,
  HostedInput<Options>,
  AnySystem,
  RunEvent | SignalRefused
>

/** The part of a snapshot that names its run. */
export type RunOfSnapshot = Pick<HostedSnapshot, 'runId' | 'children' | 'beginning' | 'awaiting'>

/** The runs of the actors of one hosted logic, as the logic uses them. */
export interface RunsOfActors {
  /** Creates the run of a new actor. Throws a `ConfigurationError`. */
  create(self: AnyActorRef, prompt: Prompt, options: object): RunOfSnapshot
  /** The actor starts. Throws a `TroupeError` of the code `TROUPE_CLOSED`. */
  start(self: AnyActorRef, snapshot: HostedSnapshot): void
  /** The actor was sent a signal for its run. */
  signal(self: AnyActorRef, signal: RunSignal): void
  /** The actor is stopped: its run is cancelled, unless this process cannot follow the run any more. */
  stop(self: AnyActorRef): void
  /** The children of the actor: the root agent of its run. */
  childrenOf(self: AnyActorRef): HostedSnapshot['children']
}
