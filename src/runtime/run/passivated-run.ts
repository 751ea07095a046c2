/** The rest of a passivated run in memory: data alone, so that its actors can be collected. */
import { createActor, type ActorLogic, type AnyActorRef, type Snapshot } from 'xstate'
import type { Engine } from '../engine/engine.ts'
import type { OpenSignals } from '../engine/signals/open-signals.ts'
import type { RunSnapshot } from '../engine/run-logic.ts'
import type { EventRecorder } from '../handle/event-recorder.ts'

/** Shown in place of a root whose actors are gone: a reader of the children of a run finds none. */
const idle: ActorLogic<RunSnapshot, { readonly type: string }, { readonly runId: string }> = {
  getInitialSnapshot: (_, { runId }) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    runId,
    children: {},
  }),
  transition: (snapshot) => snapshot,
  getPersistedSnapshot: ({ children: _, ...snapshot }) => snapshot as object as Snapshot<unknown>,
}

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

  /** The root actor; once its actors are gone, an actor that does nothing and has no children. */
  get root(): AnyActorRef {
    const runId = this.#runId
    return this.#root.deref() ?? createActor(idle, { id: runId, input: { runId } })
  }
}
