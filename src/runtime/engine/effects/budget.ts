/**
 * The budget of a run, shared by all its agents: what was used, and whether another model call may start. It is
 * counted from what the journal delivers, so that a replay counts alike.
 */
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import { priced, priceOf, type PriceTable } from '../../../actors/pricing.ts'
import type { Usage } from '../../../actors/usage.ts'
import type { BudgetOptions } from '../../options/budget-options.ts'
import { BudgetExceededError, TroupeError } from '../../../errors.ts'
import { estimatedUsage } from './estimate.ts'
import type { EffectSettled } from '../../journal/journal.ts'
import { budgetFields } from '../../options/option-fields.ts'
import { isKind, type PendingEffect } from './pending-effect.ts'

export const budgetLimits = ['tokens', 'cost', 'wallClock', 'modelCalls'] as const

export type BudgetLimit = (typeof budgetLimits)[number]

export interface BudgetShare {
  readonly limit: BudgetLimit
  readonly used: number
  readonly max: number
}

/** Errors of calls that were refused before they were made. */
const notMade: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED', 'MODEL_NOT_PRICED', 'USAGE_UNKNOWN'])

export class Budget {
  readonly #options: BudgetOptions
  readonly #warned = new Set<BudgetLimit>()
  readonly #used = { tokens: 0, cost: 0, modelCalls: 0 }
  /** Model calls that are under way. */
  #inFlight = 0
  #startedAt = 0
  #suspendedAt: number | undefined
  #suspendedFor = 0
  /** The first model of which a reply did not report its usage, where that ends the run. */
  #silentModel: string | undefined

  constructor(options: BudgetOptions) {
    this.#options = options
  }

  get prices(): PriceTable | undefined {
    return this.#options.prices
  }

  /**
   * Takes a place for a call of the model (`provider/id`). Throws a `BudgetExceededError` when a limit is reached, and
   * a `TroupeError` where a cost is to be limited that nobody can tell.
   */
  take(model: string, now: number): void {
    const { cost, prices } = this.#options
    if (cost !== undefined && priceOf(model, prices) === undefined) {
      const message = `The budget limits the cost, and its prices do not name the model "${model}".`
      throw new TroupeError('MODEL_NOT_PRICED', message)
    }
    this.assertKnown()
    const reached = this.#shares(now, this.#inFlight).find(({ used, max }) => used >= max)
    if (reached !== undefined) throw new BudgetExceededError(reached.limit, reached.used, reached.max)
    this.#inFlight++
  }

  /** Throws a `TroupeError` where a limit cannot be checked any more: then not even a final turn is had. */
  assertKnown(): void {
    if (this.#silentModel === undefined) return
    const limit = this.#options.tokens === undefined ? 'cost' : 'tokens'
    throw new TroupeError(
      'USAGE_UNKNOWN',
      `The model "${this.#silentModel}" did not report its usage, so that the limit of ${limit} cannot be checked. budget.onUnknownUsage may be "estimate" or "ignore".`,
    )
  }

  /** The call that had taken the place has come back, or was let go. */
  giveBack(): void {
    this.#inFlight--
  }

  /** Counts a model call that the journal records. `effect`: of one that the run had let go of, it is `wanted` no more. */
  note({ kind, settlement }: EffectSettled, effect: PendingEffect | undefined, wanted: boolean): void {
    if (kind !== 'model' || notMade.has(settlement.error?.code ?? '')) return
    if (effect === undefined || !isKind(effect, 'model')) return
    if (wanted) this.#count(effect)
    if (settlement.error !== undefined) return // of what a failed attempt used nothing is known
    const usage = this.#usageOf(settlement.value as ModelReply, effect.request.input)
    this.#used.tokens += usage.totalTokens
    this.#used.cost += usage.cost ?? 0
  }

  #usageOf(reply: ModelReply, input: EffectInput<'model'>): Usage {
    const { tokens, cost, onUnknownUsage = budgetFields.onUnknownUsage.default, prices } = this.#options
    const isLimited = tokens !== undefined || cost !== undefined
    if (reply.usage.incomplete !== true || !isLimited || onUnknownUsage === 'ignore') return reply.usage
    if (onUnknownUsage === 'estimate') return priced(estimatedUsage(input, reply), input.model, prices)
    this.#silentModel ??= input.model
    return reply.usage
  }

  /** Counts a model call that is cut short: of what it cost nobody tells. */
  letGo(effect: PendingEffect): void {
    this.#count(effect)
  }

  /** A final turn costs what it costs, and is no call of the budget. */
  #count(effect: PendingEffect): void {
    if (isKind(effect, 'model') && effect.request.input.finalTurn !== true) this.#used.modelCalls++
  }

  /** The beginning is on record. */
  started(at: number): void {
    this.#startedAt = at
  }

  suspended(at: number): void {
    this.#suspendedAt = at
  }

  resumed(at: number): void {
    this.#suspendedFor += at - (this.#suspendedAt ?? at)
    this.#suspendedAt = undefined
  }

  /** The error of a run whose time is up. */
  outOfTime(now: number): BudgetExceededError {
    const share = this.#shares(now, 0).find(({ limit }) => limit === 'wallClock')
    return new BudgetExceededError('wallClock', share?.used ?? 0, share?.max ?? 0)
  }

  /** Limits that have come near since it was asked last; each is told once. */
  warnings(now: number): BudgetShare[] {
    const { warnAt = budgetFields.warnAt.default } = this.#options
    const near = this.#shares(now, 0).filter(
      ({ limit, used, max }) => !this.#warned.has(limit) && used >= max * warnAt,
    )
    for (const { limit } of near) this.#warned.add(limit)
    return near
  }

  #shares(now: number, inFlight: number): BudgetShare[] {
    const waited = this.#suspendedFor + (this.#suspendedAt === undefined ? 0 : now - this.#suspendedAt)
    const used: Readonly<Record<BudgetLimit, number>> = {
      ...this.#used,
      modelCalls: this.#used.modelCalls + inFlight,
      wallClock: now - this.#startedAt - waited,
    }
    return budgetLimits.flatMap((limit) => {
      const max = this.#options[limit]
      return max === undefined ? [] : [{ limit, used: used[limit], max }]
    })
  }
}
