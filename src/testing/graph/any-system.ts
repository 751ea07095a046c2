import type { ActorRef, ActorSystem, EventObject, Snapshot } from 'xstate'

/** The system of a logic that looks up no other actor. */
export type AnySystem = ActorSystem<{ actors: Record<string, ActorRef<Snapshot<unknown>, EventObject>> }>
