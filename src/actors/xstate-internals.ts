/** All knowledge of XState's private fields. They were verified on xstate 5.33. */
import {
  createActor,
  type AnyActorLogic,
  type AnyActorRef,
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

interface HostClock {
  setTimeout(callback: () => void, delay: number): unknown
  clearTimeout(id: unknown): void
  /** Simulated clocks have one. */
  now?(): number
}

/** The clock of the system that an actor lives in. */
export function clockOf(actor: AnyActorRef): {
  now(): number
  after(delay: number, callback: () => void): () => void
} {
  const { clock } = actor as AnyActorRef & { readonly clock: HostClock }
  return {
    now: () => clock.now?.() ?? Date.now(),
    after(delay, callback) {
      const id = clock.setTimeout(callback, delay)
      return () => clock.clearTimeout(id)
    },
  }
}

/** Shows events of another system to whoever inspects the system of an actor. */
export function inspectorOf(actor: AnyActorRef): (event: InspectionEvent) => void {
  const system = actor.system as AnyActorRef['system'] & {
    _sendInspectionEvent(event: InspectionEvent): void
  }
  return (event) => system._sendInspectionEvent(event)
}
