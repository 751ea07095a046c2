/** An actor while the trail of its run is recorded. */
import type { AnyActorRef } from 'xstate'
import { frameOf, identityOf, machineOf } from '../replay/actor-view.ts'
import { ActorHistory } from './actor-history.ts'
import type { StateNames } from './state-names.ts'
import type { EndedActor, TrailActor } from './trail.ts'

const recordKey = Symbol.for('troupe.trail')

export class RecordedActor {
  readonly ref: AnyActorRef
  readonly history: ActorHistory
  /** The name of its state; absent before its first step. */
  state?: string
  /** Whether something has happened to it since the last entry. */
  isTouched = false
  #snapshot: unknown
  #started: TrailActor | undefined
  #hasEnded = false

  private constructor(ref: AnyActorRef) {
    this.ref = ref
    this.history = new ActorHistory(identityOf(ref))
  }

  /** The record of an actor, which the actor itself holds: it goes with the actor. */
  static of(ref: AnyActorRef): RecordedActor {
    const holder = ref as { [recordKey]?: RecordedActor }
    return (holder[recordKey] ??= new RecordedActor(ref))
  }

  get path(): string {
    return this.history.identity.path
  }

  /** `key`: of an effect. */
  started(key: string | undefined): TrailActor {
    const { path, effect } = this.history.identity
    const machine = machineOf(this.ref)
    const started: { -readonly [Name in keyof TrailActor]: TrailActor[Name] } = { path }
    if (machine !== undefined) started.machine = machine
    if (effect !== undefined) started.effect = effect
    if (key !== undefined) started.key = key
    this.#started = started
    return started
  }

  /** Keeps its snapshot if it is another; returns the actor if it has ended by it. */
  changed(after: number, states: StateNames): EndedActor | undefined {
    this.isTouched = false
    const snapshot: unknown = this.ref.getSnapshot()
    if (this.#snapshot === snapshot) return undefined
    this.#snapshot = snapshot
    const { status, machine, state, context, children } = frameOf(this.ref)
    this.history.changed(after, {
      status,
      machine,
      state: state === undefined ? undefined : states.of(state).value,
      context,
      children: children.map((child) => RecordedActor.of(child).history),
    })
    if (this.#started === undefined || this.#hasEnded || !isEnd(status)) return undefined
    this.#hasEnded = true
    return { ...this.#started, status }
  }
}

function isEnd(status: string): status is EndedActor['status'] {
  return status === 'done' || status === 'error' || status === 'stopped'
}
