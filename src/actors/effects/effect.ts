/**
 * The effect door: the one `ActorLogic` through which a machine reaches everything outside of it. On start an
 * effect passes itself to the door of its run and then waits; it is done, or in error, only when the engine
 * delivers the outcome. A machine cannot tell which engine performs the effect, nor when, nor whether it is replayed.
 */
import type { ActorLogic, AnyActorRef, Snapshot } from 'xstate'
import { ConfigurationError, type ErrorData } from '../../errors.ts'
import type { EffectInput, EffectOutcome } from './effect-kinds.ts'
import type { OwnPerform } from './custom-call.ts'
import type { EffectKind } from './effect-names.ts'
import { parentOf } from '../xstate-internals.ts'

/**
 * Why a machine lets an effect go before it has settled. `abort`: its signal fires, and a later outcome is dropped.
 * `expire`: its signal fires, and a later value is recorded as late. `detach`: it may finish, and its outcome is
 * recorded as late.
 */
export type LetGoReason = 'abort' | 'expire' | 'detach'

export type Settlement<Kind extends EffectKind = EffectKind> =
  | { readonly value: EffectOutcome<Kind>; readonly error?: undefined }
  | { readonly error: ErrorData; readonly value?: undefined }

/** One requested effect; the engine wraps it to keep its own data on it. */
export interface EffectRequest<Kind extends EffectKind = EffectKind> {
  readonly kind: Kind
  readonly input: EffectInput<Kind>
  readonly ref: AnyActorRef
  /** Of an effect that an adapter brings. */
  readonly perform?: OwnPerform
}

/** The position of the root of a subrun in the whole run. */
export interface Origin {
  /** Ids of the actors from the root agent of the whole to the parent of the subrun's root, joined with "/". */
  readonly path: string
  /** The delegation that the subrun works for. */
  readonly delegationId: string
}

/** Takes the effects of one run to its engine. */
export interface Door {
  /** Set for a subrun: a part of a run whose root is elsewhere. */
  readonly origin?: Origin | undefined
  request(effect: EffectRequest): void
  /** `cause`: for the abort signal of the effect. */
  letGo(effect: EffectRequest, reason: LetGoReason, cause?: ErrorData): void
  /** Stops and continues the clock of a timer. */
  pause(effect: EffectRequest): void
  unpause(effect: EffectRequest): void
}

export type EffectEvent =
  | { readonly type: 'effect.settled'; readonly settlement: Settlement }
  | { readonly type: 'effect.abort' | 'effect.expire'; readonly cause?: ErrorData }
  | { readonly type: 'effect.detach' }
  | { readonly type: 'effect.pause' }
  | { readonly type: 'effect.unpause' }
  | { readonly type: 'xstate.stop' }

export type EffectSnapshot<Kind extends EffectKind> = Snapshot<EffectOutcome<Kind>> & {
  readonly request: EffectRequest<Kind>
  readonly reason: LetGoReason
  readonly cause?: ErrorData | undefined
}

export type EffectLogic<Kind extends EffectKind> = ActorLogic<
  EffectSnapshot<Kind>,
  EffectEvent,
  EffectInput<Kind>
>

const doorKey = Symbol.for('troupe.door')
const effectMark = Symbol.for('troupe.effect')

/** Makes `root` the root of a run: effects of all its descendants go through `door`. */
export function openDoor(root: AnyActorRef, door: Door): void {
  Object.defineProperty(root, doorKey, { value: door, configurable: true })
}

/** Whether `actor` is the root of a run. */
export function hasDoor(actor: AnyActorRef): boolean {
  return doorKey in actor
}

/** The door of the run that `actor` belongs to: that of its nearest ancestor which has one. */
export function doorOf(actor: AnyActorRef): Door {
  const door = doorAbove(actor)
  if (door !== undefined) return door
  throw new ConfigurationError(
    `The actor "${actor.id}" asked for an effect outside of a run. Start its machine with createTroupe().start(), or through troupe.logic(); without a run, use the machines of troupe/machines.`,
  )
}

/** As `doorOf`; `undefined` outside of a run. */
function doorAbove(actor: AnyActorRef): Door | undefined {
  for (let ref: AnyActorRef | undefined = actor; ref !== undefined; ref = parentOf(ref)) {
    const door = (ref as { [doorKey]?: Door })[doorKey]
    if (door !== undefined) return door
  }
  return undefined
}

/**
 * The actor logic of one kind of effect. Output: the outcome. Error: `ErrorData`.
 * It never fails by itself, except when it is started outside of a run.
 */
export function effect<Kind extends EffectKind>(kind: Kind): EffectLogic<Kind> {
  return effectBehind(kind, doorOf)
}

const nobody: Door = {
  request: () => undefined,
  letGo: () => undefined,
  pause: () => undefined,
  unpause: () => undefined,
}

/** As `effect`; outside of a run nobody performs it, and it waits until it is settled by hand. */
export function waitingEffect<Kind extends EffectKind>(kind: Kind): EffectLogic<Kind> {
  return effectBehind(kind, (actor) => doorAbove(actor) ?? nobody)
}

function effectBehind<Kind extends EffectKind>(
  kind: Kind,
  doorOf: (actor: AnyActorRef) => Door,
): EffectLogic<Kind> {
  const logic: EffectLogic<Kind> & { [effectMark]: Kind } = {
    [effectMark]: kind,
    config: { effect: kind },
    getInitialSnapshot: ({ self }, input) => ({
      status: 'active',
      output: undefined,
      error: undefined,
      request: { kind, input, ref: self },
      reason: 'detach',
    }),
    start: ({ request }, { self }) => doorOf(self).request(request),
    transition: (snapshot, event, { self }) => {
      switch (event.type) {
        case 'effect.settled': {
          const { value, error } = event.settlement
          return error === undefined
            ? { ...snapshot, status: 'done', output: value as EffectOutcome<Kind>, error: undefined }
            : { ...snapshot, status: 'error', error, output: undefined }
        }
        case 'effect.abort':
          return { ...snapshot, reason: 'abort', cause: event.cause }
        case 'effect.expire':
          return { ...snapshot, reason: 'expire', cause: event.cause }
        case 'effect.detach':
          return { ...snapshot, reason: 'detach' }
        case 'effect.pause':
          doorOf(self).pause(snapshot.request)
          return snapshot
        case 'effect.unpause':
          doorOf(self).unpause(snapshot.request)
          return snapshot
        case 'xstate.stop':
          doorOf(self).letGo(snapshot.request, snapshot.reason, snapshot.cause)
          return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
        default:
          return snapshot // any other event that a machine may send to a child
      }
    },
    getPersistedSnapshot: ({ request: _request, ...rest }) => rest,
  }
  return logic
}

/** The kind of an effect logic, or `undefined` for any other logic. */
export function effectKindOf(logic: unknown): EffectKind | undefined {
  return typeof logic === 'object' && logic !== null
    ? (logic as { [effectMark]?: EffectKind })[effectMark]
    : undefined
}

/**
 * Sends the running effects of `self` the reason why they are about to be let go. It must run in the very transition
 * that leaves their state: custom actions run before a left child is stopped, `sendTo` after.
 */
export function sendToEffects(self: AnyActorRef, reason: LetGoReason, cause?: ErrorData): void {
  const snapshot = self.getSnapshot() as { children?: Record<string, AnyActorRef | undefined> }
  for (const child of Object.values(snapshot.children ?? {})) {
    if (child === undefined || effectKindOf(Reflect.get(child, 'logic')) === undefined) continue
    if ((child.getSnapshot() as Snapshot<unknown>).status === 'active')
      child.send({ type: `effect.${reason}`, ...(cause === undefined ? {} : { cause }) })
  }
}
