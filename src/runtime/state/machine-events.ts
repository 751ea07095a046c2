/**
 * Takes the events that the machines of a run emit: notes their tasks and errors, records them, and relays `held`
 * and `released` to the parent of the actor when the delivery that led to them has ended.
 */
import type { AnyActorRef } from 'xstate'
import { parentOf, statusOf } from '../../actors/xstate-internals.ts'
import type { ChildHeldEvent } from '../../machines/contract/agent.ts'
import type { MachineEvent } from '../../machines/contract/events.ts'
import { sourceOf } from '../actor-source.ts'
import type { EventRecorder } from '../handle/event-recorder.ts'
import { hear } from '../interpreter/lean-actor.ts'
import type { RunErrors } from './run-errors.ts'
import type { OpenSignals } from './signals/open-signals.ts'
import type { StandingDecisions } from './signals/standing-decisions.ts'
import type { TakenSayings } from './signals/taken-sayings.ts'

/** The run whose machines emit the events. */
interface EventsRun {
  readonly signals: OpenSignals
  readonly sayings: TakenSayings
  readonly standing: StandingDecisions
  readonly errors: RunErrors
  readonly recorder: EventRecorder
  /** Logical time. */
  readonly now: number
  /** Called with each event that is recorded. `path`: of the machine. */
  wasRecorded(path: string, event: MachineEvent): void
  /** Called when an actor is held by a signal, and when it no longer is. */
  wasHeld(actor: AnyActorRef, what: 'held' | 'released'): void
}

export class MachineEvents {
  readonly #run: EventsRun
  #relayed: { readonly to: AnyActorRef; readonly event: ChildHeldEvent }[] = []

  constructor(run: EventsRun) {
    this.#run = run
  }

  listenTo(actor: AnyActorRef): void {
    const run = this.#run
    const source = sourceOf(actor)
    hear(actor, (event: MachineEvent) => {
      if (event.type === 'held' || event.type === 'released') {
        this.#relay(actor, event.type)
        run.wasHeld(actor, event.type)
      } else {
        noteTask(event, source.path, run.signals)
        run.sayings.noted(event)
        run.standing.noted(event)
        run.errors.emitted(source.path, event.payload)
        run.recorder.record(source, event, run.now)
        run.wasRecorded(source.path, event)
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

/** Delegations, and tool calls in the background, may be cancelled one by one while they are under way. */
function noteTask(event: MachineEvent, path: string, signals: OpenSignals): void {
  switch (event.type) {
    case 'delegation-start':
      return signals.taskStarted(path)
    case 'delegation-end':
      return signals.taskEnded(path)
    case 'background-start':
      return event.payload.toolName === undefined ? undefined : signals.taskStarted(event.payload.taskId)
    case 'background-end':
      return event.payload.toolName === undefined ? undefined : signals.taskEnded(event.payload.taskId)
    default: // no task
  }
}
