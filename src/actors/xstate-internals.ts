/** Knowledge of the private fields of XState's actors; that of its actions is in runtime/interpreter. They were verified on xstate 5.33. */
import type { Timers } from './values/timer.ts'
import {
  createActor,
  toObserver,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type AnyTransitionDefinition,
  type InspectedMicrostepEvent,
  type InspectionEvent,
  type Observer,
  type Snapshot,
} from 'xstate'
import { TroupeError } from '../errors.ts'

/** The parent of an actor; `undefined` for the root of a system. */
export function parentOf(actor: AnyActorRef): AnyActorRef | undefined {
  return (actor as { _parent?: AnyActorRef })._parent
}

/** The status of an actor: whether it is active, has ended, or was stopped. */
export function statusOf(actor: AnyActorRef): Snapshot<unknown>['status'] {
  return (actor.getSnapshot() as Snapshot<unknown>).status
}

/** Whether an actor has subscribers. */
export function isObserved(actor: AnyActorRef): boolean {
  return (actor as AnyActorRef & { readonly observers: ReadonlySet<unknown> }).observers.size > 0
}

/** An actor that lives under `parent`, in its system, and reports to it. It is created, not started. */
export function createChild(
  logic: AnyActorLogic,
  parent: AnyActorRef,
  options: { id: string; input: unknown; src?: string },
): AnyActorRef {
  // `parent` is honoured by `createActor`, though its options do not show it.
  const withParent = { ...options, parent } as object
  return createActor(logic, withParent)
}

/** A clock of XState. Simulated clocks have `now` too. */
export interface HostClock extends Timers {
  now?(): number
}

/** The clock of the system that an actor lives in. */
export function clockOf(actor: AnyActorRef): HostClock {
  return (actor as AnyActorRef & { readonly clock: HostClock }).clock
}

/** Passes the output or error of the child `id` of `actor` to `take`, also when `actor` has been stopped. */
export function takeReports(actor: AnyActorRef, id: string, take: (report: ChildReport) => void): void {
  const receiver = actor as AnyActorRef & { _send: (this: AnyActorRef, event: AnyEventObject) => void }
  const send = receiver._send
  const receive = (event: AnyEventObject): void => {
    if (event.type === `xstate.done.actor.${id}`) take({ output: event['output'] as unknown })
    else if (event.type === `xstate.error.actor.${id}`) take({ error: event['error'] as unknown })
    else send.call(receiver, event)
  }
  receiver._send = receive
}

type ChildReport = { readonly output: unknown } | { readonly error: unknown }

/** Keeps an actor that is not started yet from sending its snapshots to its parent (`onSnapshot`). */
export function hideSnapshots(actor: AnyActorRef): void {
  ;(actor as { _syncSnapshot?: boolean })._syncSnapshot = false
}

/** Sends inspection events of another system to the inspectors of an actor's system. */
export function inspectorOf(actor: AnyActorRef): (event: InspectionEvent) => void {
  const system = actor.system as AnyActorRef['system'] & {
    _sendInspectionEvent(event: InspectionEvent): void
  }
  return (event) => system._sendInspectionEvent(event)
}

/** Has the inspectors that an app adds to a system of XState made safe. */
export function guardInspectors(
  system: AnyActorRef['system'],
  guard: { guarded(inspector: Observer<InspectionEvent>): Observer<InspectionEvent> },
): void {
  const inspected = system as { inspect: AnyActorRef['system']['inspect'] }
  const { inspect } = inspected
  inspected.inspect = (inspector) => inspect(guard.guarded(toObserver(inspector)))
}

/** The transitions of one step of a machine: several only where regions of a parallel state take one each. */
export function transitionsOf({
  _transitions: transitions,
}: InspectedMicrostepEvent): readonly AnyTransitionDefinition[] {
  if (Array.isArray(transitions)) return transitions
  throw new TroupeError(
    'ENGINE_FAILED',
    'This version of xstate does not tell which transitions a step takes.',
  )
}
