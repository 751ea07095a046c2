/** Performs the effects of one run, each in a context of its own. */
import type { EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { SparseMap } from '../../../actors/values/sparse.ts'
import type { SpokenTexts } from '../perform/spoken-so-far.ts'
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import type { TraceContext } from '../../../actors/strict/trace-context.ts'
import type { Clock } from '../../clock.ts'
import { isOutage } from '../../store-outage.ts'
import { systemEnvironment, type Environment } from '../../environment.ts'
import type { Edit } from '../../program/recorded.ts'
import { isKind, modelCalledBy, type PendingEffect } from '../../state/effects/pending-effect.ts'
import { LeaseLostError, StoreError } from '../../../errors.ts'
import type { TenantGrant } from '../../tenants/tenant-charge.ts'
import type { TenantDesk } from './tenant-meter.ts'
import type { RunState } from '../../state/run-state.ts'
import type { Around } from '../around/around.ts'
import type { PerformedKind } from '../perform/kinds.ts'
import { EffectContext, type ContextOptions, type EngineParts } from './effect-context.ts'
import type { EffectPerformer } from './effect-runner.ts'
import type { Perform } from './perform.ts'

/** The run that the effects belong to. */
interface PerformedRun {
  readonly state: RunState
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void
  /** The store has failed. */
  broke(error: unknown): void
}

/** The options of the engine that performing needs. */
interface Options extends ContextOptions {
  readonly environment?: Environment
  readonly recordsStart?: (effect: PendingEffect) => boolean
  readonly performKeepsDeadlines?: boolean
  readonly partTrace?: TraceContext | undefined
  readonly tenants?: TenantDesk | undefined
}

/** What is made of its other options. */
interface Made {
  readonly perform: Perform
  readonly around: readonly Around[]
  readonly clock: Clock
}

export class Performer implements EffectPerformer, EngineParts {
  readonly options: Options
  readonly state: RunState
  readonly around: readonly Around[]
  readonly clock: Clock
  readonly spoken: SpokenTexts = new SparseMap()
  readonly #perform: Perform
  readonly #run: PerformedRun
  readonly now = (): number => this.state.now

  constructor(options: Options, run: PerformedRun, made: Made) {
    this.options = options
    this.#run = run
    this.state = run.state
    this.#perform = made.perform
    this.around = made.around
    this.clock = made.clock
  }

  perform(effect: PendingEffect): PromiseLike<EffectOutcome<PerformedKind>> {
    const { tenants } = this.options
    if (tenants === undefined || modelCalledBy(effect) === undefined) return this.#performNow(effect)
    return this.#performGranted(effect, tenants)
  }

  /** The call reserves first. Without its entry, the ledger is told how the call has ended. */
  async #performGranted(effect: PendingEffect, tenants: TenantDesk): Promise<EffectOutcome<PerformedKind>> {
    const grant = await this.#granted(effect, tenants)
    if (!isWanted(effect)) {
      await tenants.release(effect)
      throw effect.signal.reason
    }
    effect.grant = grant
    const { signal } = effect
    const settle = (): void => {
      if (effect.state !== 'aborted') return
      tenants.release(effect, grant).catch((error: unknown) => this.failed(effect, error))
    }
    signal.addEventListener('abort', settle)
    try {
      return await this.#performNow(effect)
    } finally {
      signal.removeEventListener('abort', settle)
    }
  }

  /** A ledger that fails is a store that fails: the run can be resumed, and its model has not failed. */
  async #granted(effect: PendingEffect, tenants: TenantDesk): Promise<TenantGrant> {
    try {
      return await tenants.reserve(effect, this.state.registry)
    } catch (error) {
      const isOfStore = error instanceof StoreError || error instanceof LeaseLostError
      if (isOfStore && isWanted(effect)) this.#run.broke(error)
      throw error
    }
  }

  #performNow(effect: PendingEffect): PromiseLike<EffectOutcome<PerformedKind>> {
    const perform = this.#perform
    return perform(effect.request as EffectRequest<PerformedKind>, new EffectContext(effect, this), effect)
  }

  /** A store that fails for a moment ends no agent: the run stops at its last entry, and can be resumed. */
  threw(effect: PendingEffect, thrown: unknown): void {
    if (readsStore(effect) && isWanted(effect) && isPassing(thrown)) this.#run.broke(thrown)
  }

  failed(effect: PendingEffect, thrown: unknown): void {
    new EffectContext(effect, this).failed(thrown)
  }

  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void {
    this.#run.madeOtherwise(agent, edits, digest)
  }

  recordsStart(effect: PendingEffect): boolean {
    return this.options.recordsStart?.(effect) ?? true
  }

  get keepsDeadlines(): boolean {
    return this.options.performKeepsDeadlines ?? false
  }

  get environment(): Environment {
    return this.options.environment ?? systemEnvironment
  }

  get trace(): TraceContext | undefined {
    return this.options.partTrace ?? this.state.trace
  }
}

/** Whether a store has failed that may answer again. Never throws: a store of a user may throw anything, a revoked proxy too. */
function isPassing(thrown: unknown): boolean {
  try {
    return thrown instanceof StoreError && isOutage(thrown)
  } catch {
    return false
  }
}

/** Whether the agent cannot begin without what the store has. */
function readsStore(effect: PendingEffect): boolean {
  return isKind(effect, 'memory') && effect.request.input.operation === 'recall'
}

/** Whether the entry of the effect is still to come. */
function isWanted({ state }: PendingEffect): boolean {
  return state === 'performing' || state === 'detached'
}
