/** Actors as data: the state, the context and the children of each. */
import type { AnyActorRef, StateValue } from 'xstate'
import { AppendLog } from '../../actors/values/append-log.ts'
import { effectKindOf } from '../../actors/effects/effect.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'
import type { Message } from '../../actors/message.ts'
import { sourceOf } from '../actor-source.ts'

/** An actor of a replayed run, as it was at the end of the replay. */
export interface ActorView {
  readonly id: string
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  /** The id of its chart, for example `supervisor`; absent for an effect. */
  readonly machine?: string
  /** Of an effect: its kind. */
  readonly effect?: EffectKind
  readonly status: string
  /** The state of its chart. */
  readonly state?: StateValue
  /** The context of its chart; of an effect, its input. */
  readonly context?: unknown
  /** Of an agent: the conversation so far. */
  readonly messages?: readonly Message[]
  readonly children: readonly ActorView[]
}

interface AnySnapshot {
  readonly status: string
  readonly machine?: { readonly id: string }
  readonly value?: StateValue
  readonly context?: { readonly messages?: unknown }
  readonly children?: Readonly<Record<string, AnyActorRef | undefined>>
  readonly request?: { readonly input: unknown }
}

/** The part of a view that stays the same as long as the actor lives. */
export interface ActorIdentity {
  readonly id: string
  readonly path: string
  readonly effect: EffectKind | undefined
}

/** The part of a view that an event may change. None of it is ever altered: a change makes another. */
export interface ActorFrame<Child = AnyActorRef> {
  readonly status: string
  readonly machine: string | undefined
  readonly state: StateValue | undefined
  /** The context of its chart; of an effect, its input. */
  readonly context: unknown
  readonly children: readonly Child[]
}

export function identityOf(actor: AnyActorRef): ActorIdentity {
  return { id: actor.id, path: sourceOf(actor).path, effect: effectKindOf(Reflect.get(actor, 'logic')) }
}

export function frameOf(actor: AnyActorRef): ActorFrame {
  const { status, machine, value, context, children, request } = actor.getSnapshot() as AnySnapshot
  return {
    status,
    machine: machine?.id,
    state: value,
    context: request === undefined ? context : request.input,
    children: children === undefined ? [] : presentIn(children),
  }
}

function presentIn(children: Readonly<Record<string, AnyActorRef | undefined>>): readonly AnyActorRef[] {
  return Object.values(children).filter((child) => child !== undefined)
}

/** The id of the chart of an actor; `undefined` for an effect. */
export function machineOf(actor: AnyActorRef): string | undefined {
  return (actor.getSnapshot() as AnySnapshot).machine?.id
}

/** `children`: the views of the children of the frame. */
export function viewOf(
  { id, path, effect }: ActorIdentity,
  { status, machine, state, context }: ActorFrame<unknown>,
  children: readonly ActorView[],
): ActorView {
  const messages = effect === undefined ? (context as AnySnapshot['context'])?.messages : undefined
  return {
    id,
    path,
    status,
    ...(machine === undefined ? {} : { machine }),
    ...(effect === undefined ? {} : { effect }),
    ...(state === undefined ? {} : { state }),
    ...(context === undefined ? {} : { context: plain(context) }),
    ...(messages instanceof AppendLog ? { messages: (messages as AppendLog<Message>).toArray() } : {}),
    children,
  }
}

/** The views of actors, each with the actors below it; an actor that no longer exists has none. */
export function actorViews(...actors: readonly (AnyActorRef | undefined)[]): ActorView[] {
  return actors.flatMap((actor) => {
    if (actor === undefined) return []
    const frame = frameOf(actor)
    return viewOf(identityOf(actor), frame, actorViews(...frame.children))
  })
}

/** Data alone: lists are arrays, functions are left out, and nothing of it can reach into the actor. */
function plain(context: unknown): unknown {
  return JSON.parse(JSON.stringify(context))
}
