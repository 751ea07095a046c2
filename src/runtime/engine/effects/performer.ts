/** Performs the effects of one run, each in a context of its own. */
import type { InspectionEvent } from 'xstate'
import type { EffectOutcome } from '../../../actors/effect-kinds.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import type { PriceTable } from '../../../actors/pricing.ts'
import type { Clock } from '../../clock.ts'
import { systemEnvironment, type Environment } from '../../environment.ts'
import type { EventRecorder } from '../../handle/event-recorder.ts'
import type { Edit } from '../../program/recorded.ts'
import type { Reporter } from '../../report.ts'
import type { Around } from '../around/around.ts'
import type { PerformContext } from '../perform/context.ts'
import type { PerformedKind } from '../perform/kinds.ts'
import { EffectContext, type ContextOptions, type EngineParts } from './effect-context.ts'
import type { EffectPerformer } from './effect-runner.ts'
import type { Budget } from '../../state/effects/budget.ts'
import type { Perform } from './perform.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'

/** The run that the effects belong to. */
interface PerformedRun {
  readonly recorder: EventRecorder
  /** Logical time. */
  readonly now: number
  readonly traceparent: string | undefined
  madeOtherwise(agent: string, edits: readonly Edit[], digest: string): void
  readonly limits: { readonly budget: Budget | undefined }
  readonly descent: PerformContext['descent']
}

/** The options of the engine that performing needs. */
interface Options extends ContextOptions {
  readonly environment?: Environment
  readonly recordsStart?: (effect: PendingEffect) => boolean
  readonly performKeepsDeadlines?: boolean
  readonly partTraceparent?: string | undefined
}

/** What is made of its other options. */
interface Made {
  readonly perform: Perform
  readonly report: Reporter
  readonly around: readonly Around[]
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly prices: PriceTable | undefined
  readonly clock: Clock
}

export class Performer implements EffectPerformer, EngineParts {
  readonly options: Options
  readonly report: Reporter
  readonly around: readonly Around[]
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly prices: PriceTable | undefined
  readonly clock: Clock
  readonly #perform: Perform
  readonly #run: PerformedRun
  readonly now = (): number => this.#run.now

  constructor(options: Options, run: PerformedRun, made: Made) {
    this.options = options
    this.#run = run
    this.#perform = made.perform
    this.report = made.report
    this.around = made.around
    this.inspect = made.inspect
    this.prices = made.prices
    this.clock = made.clock
  }

  perform(effect: PendingEffect): PromiseLike<EffectOutcome<PerformedKind>> {
    const perform = this.#perform
    return perform(effect.request as EffectRequest<PerformedKind>, this.#contextOf(effect), effect)
  }

  failed(effect: PendingEffect, thrown: unknown): void {
    this.#contextOf(effect).failed(thrown)
  }

  #contextOf(effect: PendingEffect): EffectContext {
    return new EffectContext(effect, this, this.#run.recorder)
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

  get budget(): Budget | undefined {
    return this.#run.limits.budget
  }

  get descent(): PerformContext['descent'] {
    return this.#run.descent
  }

  get traceparent(): string | undefined {
    return this.options.partTraceparent ?? this.#run.traceparent
  }
}
