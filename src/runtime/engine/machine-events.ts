/**
 * Takes the events that the machines of a run emit: notes their delegations and errors, records them, and relays `held`
 * and `released` to the parent of the actor when the delivery that led to them has ended.
 */
import type { AnyActorRef } from 'xstate'
import { parentOf, statusOf } from '../../actors/xstate-internals.ts'
import type { ChildHeldEvent } from '../../machines/contract/agent.ts'
import type { MachineEvent } from '../../machines/contract/events.ts'
import { sourceOf } from '../actor-source.ts'
import type { EventRecorder } from '../handle/event-recorder.ts'
import type { RunErrors } from './run-errors.ts'
import type { OpenSignals } from './signals/open-signals.ts'

export interface MachineEventsOptions {
  readonly signals: OpenSignals
  readonly errors: RunErrors
  readonly recorder: EventRecorder
  /** Logical time. */
  readonly now: () => number
  /** Called when an actor is held by a signal, and when it no longer is. */
  readonly onHeld: (actor: AnyActorRef, what: 'held' | 'released') => void
}

export class MachineEvents {
  readonly #options: MachineEventsOptions
  #relayed: { readonly to: AnyActorRef; readonly event: ChildHeldEvent }[] = []

  constructor(options: MachineEventsOptions) {
    this.#options = options
  }

  listenTo(actor: AnyActorRef): void {
    const { signals, errors, recorder, now, onHeld } = this.#options
    const source = sourceOf(actor)
    actor.on('*', (event: MachineEvent) => {
      if (event.type === 'held' || event.type === 'released') {
        this.#relay(actor, event.type)
        onHeld(actor, event.type)
      } else {
        if (event.type === 'delegation-start') signals.delegationStarted(source.path)
        if (event.type === 'delegation-end') signals.delegationEnded(source.path)
        errors.emitted(source.path, event.payload)
        recorder.record(source, event, now())
      }
    })
  }

  #relay(child: AnyActorRef, what: 'held' | 'released'): void {
    const to = parentOf(child)
    if (to !== undefined) this.#relayed.push({ to, event: { type: `child.${what}`, child: child.id } })
  }

  /** Called when a delivery has ended. */
  tellParents(): void {
    while (this.#relayed.length > 0) {
      const relayed = this.#relayed
      this.#relayed = []
      for (const { to, event } of relayed) {
        if (statusOf(to) === 'active') to.send(event)
      }
    }
  }
}
