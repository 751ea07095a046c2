/**
 * Translates inspection events for an inspector: each actor is under its path, and has the definition of the machine
 * that it runs. Their content is outlined when it is read, which is after the step of the run.
 */
import { type OutlineLimits, outline } from '../kit/index.ts'
import { type EffectRequest, effectKindOf, hasDoor, parentOf } from '../kit/host.ts'
import type { ActorRefLike, AnyActorRef, AnyStateMachine, InspectionEvent, Snapshot } from 'xstate'

/** Data on an actor that the actor itself does not have. */
interface Note {
  /** Its first snapshot: by the time that the actor is shown, it may have gone on. */
  initial?: unknown
  /** For an effect: the number of times that its parent has started it, as in its key in the journal. */
  round?: number
}

interface AnySnapshot {
  readonly status: Snapshot<unknown>['status']
  readonly machine?: AnyStateMachine
  readonly value?: unknown
  readonly context?: unknown
  readonly tags?: ReadonlySet<string>
  readonly output?: unknown
  readonly error?: unknown
  readonly request?: EffectRequest
}

export class InspectedActors {
  readonly #notes = new WeakMap<AnyActorRef, Note>()
  readonly #rounds = new WeakMap<AnyActorRef, Map<string, number>>()

  /** `undefined` for the events that inspectors do not show. */
  translate(event: InspectionEvent): InspectionEvent | undefined {
    const actor = event.actorRef as AnyActorRef
    const { rootId } = event
    switch (event.type) {
      case '@xstate.actor':
        return { type: event.type, rootId, actorRef: this.#seen(actor) }
      case '@xstate.event':
        if (event.event.type === 'xstate.init') this.#starts(actor)
        return {
          type: event.type,
          rootId,
          actorRef: event.actorRef,
          sourceRef: event.sourceRef,
          get event() {
            return outlineEvent(event.event)
          },
        }
      case '@xstate.snapshot':
        return {
          type: event.type,
          rootId,
          actorRef: event.actorRef,
          get event() {
            return outlineEvent(event.event)
          },
          get snapshot() {
            return outlineSnapshot(actor, event.snapshot)
          },
        }
      default:
        return undefined
    }
  }

  #starts(actor: AnyActorRef): void {
    const note: Note = { initial: actor.getSnapshot() }
    const parent = parentOf(actor)
    if (parent !== undefined && effectKindOf(logicOf(actor)) !== undefined) {
      const rounds = this.#rounds.get(parent) ?? new Map<string, number>()
      this.#rounds.set(parent, rounds)
      note.round = (rounds.get(actor.id) ?? 0) + 1
      rounds.set(actor.id, note.round)
    }
    this.#notes.set(actor, note)
  }

  /** The actor as `@statelyai/inspect` reads it: name, definition, parent, snapshot. */
  #seen(actor: AnyActorRef) {
    const name = () => this.#nameOf(actor)
    const snapshot = () => (this.#notes.get(actor)?.initial ?? actor.getSnapshot()) as AnySnapshot | undefined
    const seen = {
      sessionId: actor.sessionId,
      _parent: parentOf(actor),
      get id() {
        return name()
      },
      get logic() {
        return { config: definitionOf(actor, name(), snapshot()) }
      },
      getSnapshot: () => outlineSnapshot(actor, snapshot()),
      send: () => undefined,
    }
    return seen as ActorRefLike
  }

  /** Its path, as in the events of the run; for an effect its key, as in the journal. */
  #nameOf(actor: AnyActorRef): string {
    const path = pathOf(actor)
    if (hasDoor(actor)) return `run ${path}`
    const round = this.#notes.get(actor)?.round
    return round === undefined ? path : `${path}#${round}`
  }
}

/** The ids of the actors from the root agent, or from the root of the system, to this one. */
function pathOf(actor: AnyActorRef): string {
  const parent = parentOf(actor)
  const own = ownName(actor)
  return parent === undefined || hasDoor(parent) ? own : `${pathOf(parent)}/${own}`
}

/** An actor that was given no id has that of its session: then the machine has a better one. */
function ownName(actor: AnyActorRef): string {
  if (actor.id !== actor.sessionId) return actor.id
  return (actor.getSnapshot() as AnySnapshot | undefined)?.machine?.id ?? actor.id
}

function logicOf(actor: AnyActorRef): unknown {
  return Reflect.get(actor, 'logic')
}

/** An agent's logic dispatches to a machine: only the snapshot shows which one runs. */
function definitionOf(
  actor: AnyActorRef,
  name: string,
  snapshot: AnySnapshot | undefined,
): object | undefined {
  const machine = snapshot?.machine
  if (machine !== undefined) return definitionOfMachine(machine)
  const kind = effectKindOf(logicOf(actor))
  if (kind !== undefined) {
    return { id: name, description: `An effect of the kind "${kind}": performed outside of the machines.` }
  }
  return hasDoor(actor) ? { id: name, description: 'A run: its child is the root agent.' } : undefined
}

const definitions = new WeakMap<object, object>()
const whole: OutlineLimits = { text: 10_000, items: 1_000, depth: 60, values: 50_000 }

function definitionOfMachine({ config }: AnyStateMachine): object {
  const known = definitions.get(config)
  if (known !== undefined) return known
  const definition = outline(config, whole) as object
  definitions.set(config, definition)
  return definition
}

function outlineEvent(event: { readonly type: string }): { readonly type: string } {
  return { ...(outline(event) as object), type: event.type }
}

/** Only the fields that a snapshot has in common with others, and the request of an effect. */
function outlineSnapshot(actor: AnyActorRef, snapshot: AnySnapshot | undefined): Snapshot<unknown> {
  const asked = effectKindOf(logicOf(actor)) === undefined ? undefined : snapshot?.request
  return outline({
    status: snapshot?.status ?? 'active',
    value: snapshot?.value,
    context: asked === undefined ? snapshot?.context : { kind: asked.kind, input: asked.input },
    tags: snapshot?.tags?.size === 0 ? undefined : snapshot?.tags,
    output: snapshot?.output,
    error: snapshot?.error,
  }) as object as Snapshot<unknown>
}
