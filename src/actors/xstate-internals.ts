/** All knowledge of XState's private fields. They were verified on xstate 5.33. */
import {
  createActor,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type InspectionEvent,
  type Snapshot,
} from 'xstate'

/** The parent of an actor; `undefined` for the root of a system. */
export function parentOf(actor: AnyActorRef): AnyActorRef | undefined {
  return (actor as { _parent?: AnyActorRef })._parent
}

/** Whether an actor is at work, has ended, or was stopped. */
export function statusOf(actor: AnyActorRef): Snapshot<unknown>['status'] {
  return (actor.getSnapshot() as Snapshot<unknown>).status
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

/** What XState calls a clock. Simulated ones tell the time too. */
export interface HostClock {
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(id: unknown): void
  now?(): number
}

/** The clock of the system that an actor lives in. */
export function clockOf(actor: AnyActorRef): HostClock {
  return (actor as AnyActorRef & { readonly clock: HostClock }).clock
}

/** Hands to `take` what the child `id` of `actor` ends with, also when `actor` has been stopped and hears nothing. */
export function takeReports(actor: AnyActorRef, id: string, take: (report: ChildReport) => void): void {
  const receiver = actor as AnyActorRef & { _send(event: AnyEventObject): void }
  const send = receiver._send.bind(receiver)
  receiver._send = (event) => {
    if (event.type === `xstate.done.actor.${id}`) take({ output: event['output'] as unknown })
    else if (event.type === `xstate.error.actor.${id}`) take({ error: event['error'] as unknown })
    else send(event)
  }
}

type ChildReport = { readonly output: unknown } | { readonly error: unknown }

/** Keeps the parent of an actor that is not started yet from being told of its snapshots (`onSnapshot`). */
export function hideSnapshots(actor: AnyActorRef): void {
  ;(actor as { _syncSnapshot?: boolean })._syncSnapshot = false
}

/** Shows events of another system to whoever inspects the system of an actor. */
export function inspectorOf(actor: AnyActorRef): (event: InspectionEvent) => void {
  const system = actor.system as AnyActorRef['system'] & {
    _sendInspectionEvent(event: InspectionEvent): void
  }
  return (event) => system._sendInspectionEvent(event)
}
