/** The rest of a passivated run in memory: data alone, so that its actors can be collected. */
import { createActor, type AnyActorRef } from 'xstate'
import { openDoor, type Door } from '../../actors/effects/effect.ts'
import { isObserved } from '../../actors/xstate-internals.ts'
import type { RunState } from '../state/run-state.ts'
import type { OpenSignals } from '../state/signals/open-signals.ts'
import type { RootCalls } from '../state/run-door.ts'
import { idleRunLogic } from '../state/run-logic.ts'
import { safeObservers } from '../state/safe-observers.ts'
import type { EventRecorder } from '../handle/event-recorder.ts'
import type { Reporter } from '../report.ts'
import type { TroupeError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'

/** A run that has left memory. */
interface LeftRun {
  readonly id: string
  readonly started: { readonly agent: string }
  readonly report: Reporter
  /** A root of the run was told to cancel, or was stopped. */
  onRootCancelled(reason: string): void
}

export class PassivatedRun {
  readonly signals: OpenSignals
  readonly recorder: EventRecorder
  /** The number of entries that its journal had. */
  readonly entries: number
  /** The time at which it must be revived at the latest. */
  readonly until: { readonly wakeAt?: number }
  readonly #run: LeftRun
  readonly #root: WeakRef<AnyActorRef>
  /** A root whose end somebody waits for: it is observed, or a caller was given it meanwhile. */
  #kept: AnyActorRef | undefined

  constructor(run: LeftRun, { signals, recorder, delivered, effects, root }: RunState) {
    const { wakeAt } = effects
    this.signals = signals
    this.recorder = recorder
    this.entries = delivered
    this.until = wakeAt === undefined ? {} : { wakeAt }
    this.#run = run
    this.#root = new WeakRef(root)
    this.#kept = isObserved(root) ? root : undefined
  }

  /** The root actor; once its actors are gone, another one without children. */
  get root(): AnyActorRef {
    this.#kept ??= this.#root.deref() ?? idleRoot(this.#run)
    return this.#kept
  }

  /** The root, where there is one still. */
  get present(): AnyActorRef | undefined {
    return this.#kept ?? this.#root.deref()
  }

  /** Whether somebody waits for the end of the root. */
  get isAwaited(): boolean {
    return this.#kept !== undefined
  }
}

function idleRoot(run: LeftRun): AnyActorRef {
  const { id: runId, report, started } = run
  const { agent } = started
  const root = createActor(idleRunLogic, { id: runId, input: { runId } })
  const door: RootCalls = { cancelled: (reason = 'cancelled') => run.onRootCancelled(reason) }
  openDoor(root, door as Door & RootCalls) // no effect goes through the door of a root without children
  safeObservers(report, () => ({ runId, agent, path: agent }))(root)
  return root.start()
}

/** The phase of a run in this process. */
export type RunPhase =
  /** Its engine is in memory: the run goes on, or waits for signals. */
  | { readonly name: 'live'; readonly work: Engine }
  /** Only its open signals and its events are in memory. */
  | { readonly name: 'passivated'; readonly work: PassivatedRun }
  /** It is on its way back into memory. */
  | { readonly name: 'reviving'; readonly work: PassivatedRun; readonly revival: Promise<void> }
  | { readonly name: 'ended'; readonly work: Engine }
  /** It had ended in another process when it was loaded: nothing of it goes on here. */
  | { readonly name: 'endedBefore'; readonly work: Engine }
  /** This process cannot follow it any more; the run has no end here. */
  | { readonly name: 'lost'; readonly work: Engine | PassivatedRun; readonly error: TroupeError }
