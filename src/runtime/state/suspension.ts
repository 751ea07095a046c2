/**
 * Whether a run is suspended: no effect is in progress, and only signals are awaited. It depends on the journal alone.
 */
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { WantedEffects } from './effects/wanted-effects.ts'
import type { RunLimits } from './effects/run-limits.ts'
import type { OpenSignals } from './signals/open-signals.ts'

interface SuspendableRun {
  readonly signals: OpenSignals
  readonly effects: WantedEffects
  readonly limits: RunLimits
  /** Logical time. */
  readonly now: number
  wasSuspended(payload: EventPayloads['suspended']): void
  wasResumed(payload: EventPayloads['resumed']): void
}

export class Suspension {
  readonly #run: SuspendableRun
  #isSuspended = false

  constructor(run: SuspendableRun) {
    this.#run = run
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** The signals that the run waits for, also in subagents that run elsewhere. */
  awaiting(): AwaitedSignal[] {
    const { signals, effects } = this.#run
    const elsewhere = Array.from(effects.pending.values(), (effect) => effect.awaiting ?? [])
    return [...signals.awaiting(), ...elsewhere.flat()]
  }

  /** Called when a delivery has ended. Returns whether the delivery suspended the run. */
  notice(): boolean {
    const { effects, limits, now } = this.#run
    if (this.#isSuspended || effects.isBusy || this.awaiting().length === 0) return false
    this.#isSuspended = true
    limits.suspended(now)
    this.#run.wasSuspended({ awaiting: this.awaiting() })
    return true
  }

  resumed(by: EventPayloads['resumed']): void {
    if (!this.#isSuspended) return
    const { limits, now } = this.#run
    this.#isSuspended = false
    limits.resumed(now)
    this.#run.wasResumed(by)
  }

  /** The run is being cancelled: it waits for no signal any more. */
  cancelled(): void {
    this.#run.limits.stopped()
    this.#end()
  }

  /** The time of the run was up before it was suspended: it waits for no signal any more. */
  overtaken(): void {
    this.#end()
  }

  /** The wall clock stays as it is. */
  #end(): void {
    if (!this.#isSuspended) return
    this.#isSuspended = false
    this.#run.wasResumed({})
  }
}
