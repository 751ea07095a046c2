/** All knowledge of XState's private fields. They were verified on xstate 5.33. */
import { createActor, type AnyActorLogic, type AnyActorRef } from 'xstate'

/** The parent of an actor; `undefined` for the root of a system. */
export function parentOf(actor: AnyActorRef): AnyActorRef | undefined {
  return (actor as { _parent?: AnyActorRef })._parent
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
