/**
 * An agent as actor logic for a machine of the application: `invoke`, `spawnChild` or `useActor` in any XState app, in
 * the actor system of that app, on its clock, with its inspector. It persists the run id alone and is restored from the
 * journal; stopping it cancels the run.
 */
import type {
  ActorLogic,
  ActorRef,
  ActorSystem,
  AnyActorRef,
  AnyEventObject,
  EventObject,
  Snapshot,
} from 'xstate'
import { markAgent } from '../../machines/contract/agent-mark.ts'
import type { Prompt } from '../../actors/message.ts'
import { clockOf, inspectorOf, parentOf, statusOf } from '../../actors/xstate-internals.ts'
import {
  ConfigurationError,
  RunNotFoundError,
  RunOwnedError,
  toErrorData,
  type ErrorData,
} from '../../errors.ts'
import type { AwaitedSignal } from '../../machines/contract/events.ts'
import { clockOn, type Clock } from '../clock.ts'
import type { RunHost } from '../run/run-host.ts'
import type { RunSpec } from '../run/create-run.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { RunEvent } from '../handle/event-log.ts'
import { hasEnded, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { closedError } from '../journal/lost-run.ts'
import { LiveRun } from '../run/live-run.ts'
import type { AgentOptions, CallOptions, SupervisorOptions } from '../options/options.ts'
import type { FinalResult } from '../handle/result.ts'
import { transitionRun, type RunSnapshot } from '../engine/run-logic.ts'
import type { RunSignal } from '../handle/run.ts'
import { safeObservers } from '../engine/safe-observers.ts'
import { undelivered } from '../run/inbound-signals.ts'
import type { Lease } from '../journal/store.ts'

/**
 * A prompt, and beside it any option of a run. Functions and a `signal` do not survive a restore: a run that was given
 * functions is then refused with a `ConfigurationError`. Functions of the agent's definition do survive.
 */
export type HostedInput<Options extends object> = { readonly prompt: Prompt } & Options &
  CallOptions & { readonly [Key in Exclude<SupervisorOnly, keyof Options>]?: never }

/** XState does not check an input for excess properties: this type refuses options that only other agents have. */
type SupervisorOnly = Exclude<keyof SupervisorOptions, keyof AgentOptions>

/** Emitted for an answer that the run does not wait for. */
export interface SignalRefused {
  readonly type: 'signal-refused'
  readonly signal: RunSignal
  readonly error: ErrorData
}

export type HostedSnapshot<Object = unknown> = RunSnapshot<FinalResult<Object>> & {
  /** The signals that the run waits for, if it waits for nothing else. */
  readonly awaiting: readonly AwaitedSignal[]
  /** Set until the start of the run is on record. */
  readonly beginning: RunStarted | undefined
}

/** Any system: the logic looks up no other actor. */
type AnySystem = ActorSystem<{ actors: Record<string, ActorRef<Snapshot<unknown>, EventObject>> }>

/**
 * Takes `approve`, `deny`, `resume` and `cancel` as events, emits the events of the run, and is done with its result.
 */
export type HostedLogic<Options extends object = object, Object = unknown> = ActorLogic<
  HostedSnapshot<Object>,
  RunSignal,
  HostedInput<Options>,
  AnySystem,
  RunEvent | SignalRefused
>

/** The events of an actor that is being restored, until its run is back. */
type Early = { readonly signals: RunSignal[]; isStopped: boolean }

const stopReason = 'The actor of the run was stopped.'

export function hostedLogic(host: RunHost, agent: AgentDefinition, hasOwnClock: boolean): HostedLogic {
  host.assertKnown(agent)
  const runs = new WeakMap<AnyActorRef, LiveRun>()
  const restoring = new WeakMap<AnyActorRef, Early>()

  const clock = (self: AnyActorRef): Clock => (hasOwnClock ? host.clock : clockOn(clockOf(self)))
  const enter = (self: AnyActorRef, spec: RunSpec, lease?: Lease): LiveRun => {
    const hosting = { root: self, clock: clock(self), inspect: inspectorOf(self) }
    const run = new LiveRun(host, { ...spec, hosting }, lease)
    runs.set(self, run)
    return run
  }

  /** Passes on the events of the run, and last its end, or the error for which it has none. */
  const follow = async (self: AnyActorRef, { run }: LiveRun): Promise<void> => {
    for await (const event of run.events) tell(self, { type: 'run.event', event })
    const last = await run.result.then(
      (result) => ({ type: 'run.ended', result }),
      (error: unknown) => ({ type: 'run.lost', error }),
    )
    // XState ends the process when an actor without subscribers fails.
    if (last.type === 'run.lost' && parentOf(self) === undefined && isActive(self)) self.subscribe({})
    tell(self, last)
  }

  const passOn = (self: AnyActorRef, signal: RunSignal): void => {
    const run = runs.get(self)
    run?.signal(signal).catch((error: unknown) => {
      if (isActive(self)) tell(self, { type: 'signal.refused', signal, error })
      else run.report(undelivered(run.id, error))
    })
  }

  const restore = async (
    self: AnyActorRef,
    { runId, beginning }: HostedSnapshot,
    early: Early,
  ): Promise<void> => {
    const reclaiming = reclaim(host, agent, { runId, beginning, isStopped: () => early.isStopped })
    host.awaitBeforeClose(reclaiming)
    const claim = await reclaiming
    if (claim === undefined) return
    const { lease, journal } = claim
    const run = enter(self, claim.beginning, lease)
    const children: HostedSnapshot['children'] = { [run.agent.id]: run.agent }
    tell(self, { type: 'run.restored', children })
    const tellEarly = (): void => {
      restoring.delete(self)
      for (const signal of early.signals) tell(self, signal)
      if (early.isStopped) void run.signal({ type: 'cancel', reason: stopReason })
    }
    try {
      if (journal === undefined) void run.start()
      else run.resume(journal, tellEarly)
    } catch (error) {
      if (lease !== undefined) await host.store.release([lease])
      throw error
    }
    if (restoring.has(self)) tellEarly() // the run has just begun, or has ended
    await follow(self, run)
  }

  const logic: HostedLogic = {
    getInitialSnapshot: ({ self }, input) => {
      if (typeof (input as unknown) !== 'object') {
        throw new ConfigurationError(
          `The input of the agent "${agent.id}" must be { prompt, … }, not ${typeof input}.`,
        )
      }
      const { prompt, ...options } = input
      const run = enter(self, host.begin(agent, prompt, options, true, clock(self)))
      return {
        status: 'active',
        output: undefined,
        error: undefined,
        runId: run.id,
        children: { [run.agent.id]: run.agent },
        awaiting: [],
        beginning: run.started,
      }
    },
    restoreSnapshot: (persisted, { self }) => {
      const snapshot = { ...(persisted as HostedSnapshot), children: {}, awaiting: [] }
      const place = { runId: snapshot.runId, agent: agent.id, path: agent.id }
      safeObservers(host.report, () => place)(self)
      return snapshot
    },
    start: (snapshot, { self }) => {
      const run = runs.get(self)
      if (run !== undefined) {
        void run.start() // the promises of the run reject with the error
        follow(self, run).catch((error: unknown) => {
          const message = `the run "${run.id}" lost its actor`
          run.report({ message, where: 'run', error, runId: run.id })
        })
        return
      }
      host.assertOpen()
      const early: Early = { signals: [], isStopped: false }
      restoring.set(self, early)
      // Not inside `start`: the actors that a replay starts must not be started by the actor that restores this one.
      queueMicrotask(() => {
        restore(self, snapshot, early).catch((error: unknown) => {
          if (isActive(self)) return tell(self, { type: 'run.failed', error })
          const { runId } = snapshot
          host.report({ message: `the run "${runId}" could not be cancelled`, where: 'run', error, runId })
        })
      })
    },
    transition: (snapshot, event: AnyEventObject, { self, emit }) => {
      const early = restoring.get(self)
      switch (event.type) {
        case 'run.event': {
          const happened = event['event'] as RunEvent
          emit(happened)
          return noticed(snapshot, happened)
        }
        case 'run.restored':
          return { ...snapshot, children: event['children'] as HostedSnapshot['children'] }
        case 'run.failed':
          return { ...snapshot, status: 'error', error: event['error'], output: undefined }
        case 'run.handedOver':
          return transitionRun(snapshot, event, self)
        case 'run.lost':
          return transitionRun({ ...snapshot, awaiting: [] }, event, self)
        case 'run.ended':
          return transitionRun({ ...snapshot, awaiting: [] }, event, self)
        case 'approve':
        case 'deny':
        case 'resume':
        case 'cancel': {
          const signal = event as RunSignal
          if (early !== undefined) early.signals.push(signal)
          else passOn(self, signal)
          return snapshot
        }
        case 'signal.refused':
          emit({
            type: 'signal-refused',
            signal: event['signal'] as RunSignal,
            error: toErrorData(event['error']),
          })
          return snapshot
        case 'xstate.stop':
          if (early !== undefined) early.isStopped = true
          else stop(runs.get(self))
          return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
        default:
          return snapshot
      }
    },
    getPersistedSnapshot: ({ status, runId, output, error, beginning }) =>
      ({
        status,
        runId,
        output,
        error: error === undefined ? undefined : toErrorData(error),
        ...(beginning && { beginning }),
      }) as object as Snapshot<unknown>,
  }
  return markAgent(logic, 'run')
}

function noticed(snapshot: HostedSnapshot, event: RunEvent): HostedSnapshot {
  if (event.type === 'run-start') return { ...snapshot, beginning: undefined }
  if (event.type === 'suspended') return { ...snapshot, awaiting: event.payload.awaiting }
  return event.type === 'resumed' ? { ...snapshot, awaiting: [] } : snapshot
}

/** Cancels the run, unless this process cannot follow it any more. */
function stop(run: LiveRun | undefined): void {
  if (run?.loss === undefined) void run?.signal({ type: 'cancel', reason: stopReason })
}

function isActive(self: AnyActorRef): boolean {
  return statusOf(self) === 'active'
}

function tell(self: AnyActorRef, event: AnyEventObject): void {
  if (isActive(self)) self.send(event)
}

interface Wanted {
  readonly runId: string
  /** Set for a run whose journal may not exist yet. */
  readonly beginning: RunStarted | undefined
  /** Whether the actor has been stopped meanwhile. */
  readonly isStopped: () => boolean
}

interface Reclaimed {
  readonly beginning: RunSpec
  /** Absent for a run that is still to start. */
  readonly journal?: readonly JournalEntry[]
  /** Absent for a run that is still to start, or has ended. */
  readonly lease?: Lease
}

/**
 * Reclaims a run whose actor is restored: its lease and its journal. The owner of the run may be about to release it, or
 * its process may just have ended: then the expiry of the lease is awaited.
 *
 * Resolves with `undefined` when the actor was stopped, and the run had not started or the troupe was closed. Rejects
 * with a `TroupeError` of the code `TROUPE_CLOSED` when the troupe is closed meanwhile; with a `RunNotFoundError`; and
 * with a `ConfigurationError` for a run of another agent, or with functions of its own.
 */
async function reclaim(
  host: RunHost,
  agent: AgentDefinition,
  { runId, beginning, isStopped }: Wanted,
): Promise<Reclaimed | undefined> {
  await host.committer.flushed()
  let hasToldOwner = false
  while (!host.isClosed) {
    const journal = await host.store.read(runId)
    if (journal === undefined) {
      if (beginning === undefined) throw new RunNotFoundError(runId)
      return isStopped() ? undefined : { beginning: restoredSpec(host, agent, [beginning]) }
    }
    const again = restoredSpec(host, agent, journal)
    if (hasEnded(journal)) return { beginning: again, journal }
    try {
      const lease = await host.claim(runId)
      if (!host.isClosed) return { beginning: again, journal: await host.journal(runId), lease }
      await host.store.release([lease])
      break
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
    }
    if (isStopped() && !hasToldOwner) {
      hasToldOwner = true
      await host.store.enqueueSignal(runId, { type: 'cancel', reason: stopReason })
    }
    await pause(host, isStopped())
  }
  if (isStopped()) return undefined
  throw closedError(runId)
}

/** Waits until the lease is polled again, or the troupe is closed. */
async function pause({ environment, keeper, closing }: RunHost, background: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const callOff = environment.clock.after(keeper.pollInterval, resolve, { background })
  const onClose = (): void => resolve()
  closing.addEventListener('abort', onClose, { once: true })
  await promise
  closing.removeEventListener('abort', onClose)
  callOff()
}

function restoredSpec(host: RunHost, agent: AgentDefinition, journal: readonly JournalEntry[]): RunSpec {
  const again = host.restoredSpec(journal, {})
  if (again.started.agent === agent.id) return again
  throw new ConfigurationError(
    `The run "${again.started.runId}" is one of the agent "${again.started.agent}", and this is the logic of "${agent.id}".`,
  )
}
