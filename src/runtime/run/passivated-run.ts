/** The rest of a passivated run in memory: data alone, so that its actors can be collected. */
import { createActor, fromTransition, type AnyActorRef } from 'xstate'
import type { Engine } from '../engine/engine.ts'
import type { OpenSignals } from '../engine/signals/open-signals.ts'
import type { EventRecorder } from '../handle/event-recorder.ts'

export class PassivatedRun {
  readonly signals: OpenSignals
  readonly recorder: EventRecorder
  /** The number of entries that its journal had. */
  readonly entries: number
  /** The time at which it must be revived at the latest. */
  readonly until: { readonly wakeAt?: number }
  readonly #runId: string
  readonly #root: WeakRef<AnyActorRef>

  constructor({ runId, signals, recorder, delivered, effects, root }: Engine) {
    const { wakeAt } = effects
    this.signals = signals
    this.recorder = recorder
    this.entries = delivered
    this.until = wakeAt === undefined ? {} : { wakeAt }
    this.#runId = runId
    this.#root = new WeakRef(root)
  }

  /** The root actor; once its actors are gone, an actor that does nothing. */
  get root(): AnyActorRef {
    const idle = fromTransition((nothing) => nothing, null)
    return this.#root.deref() ?? createActor(idle, { id: this.#runId })
  }
}
