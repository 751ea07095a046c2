/** Whether a run is suspended: nothing is in flight, and only people are awaited. It depends on the journal alone. */
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { Budget } from './effects/budget.ts'
import type { EffectRunner } from './effects/effect-runner.ts'
import type { WallClock } from './effects/wall-clock.ts'
import type { OpenSignals } from './signals/open-signals.ts'

interface Suspendable {
  readonly signals: OpenSignals
  readonly effects: EffectRunner
  readonly budget: Budget | undefined
  readonly wallClock: WallClock | undefined
  /** Logical time. */
  readonly now: () => number
  readonly onSuspended: (payload: EventPayloads['suspended']) => void
  readonly onResumed: (payload: EventPayloads['resumed']) => void
}

export class Suspension {
  readonly #run: Suspendable
  #isSuspended = false

  constructor(run: Suspendable) {
    this.#run = run
  }

  get isSuspended(): boolean {
    return this.#isSuspended
  }

  /** What people are waited for, also by subagents that run elsewhere. */
  awaiting(): AwaitedSignal[] {
    const { signals, effects } = this.#run
    const elsewhere = Array.from(effects.pending.values(), (effect) => effect.awaiting ?? [])
    return [...signals.awaiting(), ...elsewhere.flat()]
  }

  /** When a delivery has ended. Gives whether the run has come to rest by it. */
  notice(): boolean {
    const { effects, budget, wallClock, now, onSuspended } = this.#run
    if (this.#isSuspended || effects.isBusy || this.awaiting().length === 0) return false
    this.#isSuspended = true
    budget?.suspended(now())
    wallClock?.pause(now())
    onSuspended({ awaiting: this.awaiting() })
    return true
  }

  resumed(by: EventPayloads['resumed']): void {
    if (!this.#isSuspended) return
    const { budget, wallClock, now, onResumed } = this.#run
    this.#isSuspended = false
    budget?.resumed(now())
    wallClock?.resume(now())
    onResumed(by)
  }

  /** The run is being cancelled, and tells of that. */
  cancelled(): void {
    this.#isSuspended = false
    this.#run.wallClock?.stop()
  }

  /** The time of the run was up before it was suspended: what it waits for is let go. */
  overtaken(): void {
    this.#isSuspended = false
  }
}
