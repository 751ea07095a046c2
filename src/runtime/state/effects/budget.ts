/**
 * The budget of a run, shared by all its agents: the usage so far, and whether another model call may start. It counts
 * the entries that the journal delivers, so that a replay counts alike.
 */
import { SparseMap } from '../../../actors/values/sparse.ts'
import { isRecord } from '../../../actors/values/json.ts'
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { Message } from '../../../actors/message.ts'
import { priced, priceOf, type PriceTable } from '../../../actors/pricing.ts'
import type { Spending, Usage } from '../../../actors/usage.ts'
import type { BudgetOptions } from '../../options/budget-options.ts'
import { BudgetExceededError, TroupeError, type CalledModel } from '../../../errors.ts'
import type { EffectSettled } from '../../journal/journal.ts'
import { wasRefused } from '../../tenants/refused-call.ts'
import { budgetFields } from '../../options/option-fields.ts'
import { countsAsModelCall, isKind, type PendingEffect } from './pending-effect.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import { charactersOf, charactersOfCalls, estimatedTokens } from '../../../actors/messages/size.ts'

export const budgetLimits = ['tokens', 'cost', 'wallClock', 'modelCalls'] as const

export type BudgetLimit = (typeof budgetLimits)[number]

/** The limits that the agents of a tree share by a count, wherever they run. */
export const countedLimits = ['tokens', 'cost', 'modelCalls'] as const

/** The usage of an agent and of those below it that have ended. `silentModel`: a reply did not report its usage, and that ends the run. */
export type Spent = Spending & { readonly silentModel?: string }

export interface BudgetShare {
  readonly limit: BudgetLimit
  readonly used: number
  readonly max: number
}

export class Budget {
  readonly #options: BudgetOptions
  /** For calls that are not made yet. */
  readonly #strictest: BudgetOptions
  readonly #warned = new Set<BudgetLimit>()
  readonly #used = { tokens: 0, cost: 0, modelCalls: 0 }
  /** Model calls in progress. */
  #inFlight = 0
  #startedAt = 0
  #suspendedAt: number | undefined
  #suspendedFor = 0
  /** The usage of nested runs, by their ids: as the journal has it, and as this process knows it by now. */
  readonly #recorded = new SparseMap<string, Spending>()
  readonly #present = new SparseMap<string, Spending>()
  /** Told of each change: the budget of the run that began this one counts it too. */
  #outer: { readonly budget: Budget; readonly tell: (spending: Spending) => void } | undefined
  /** The paths of the subagents that ran elsewhere and have ended, in their order. */
  readonly #ended: string[] = []
  /** The first model of which a reply did not report its usage, where that ends the run. */
  #silentModel: string | undefined

  /**
   * `options`: as they are on record. `today`: as they are defined now. A call that is not made yet has the stricter limit of
   * both; warnings and the time limit are those on record.
   */
  constructor(options: BudgetOptions, today: BudgetOptions = {}) {
    this.#options = options
    this.#strictest = strictestOf(options, today)
  }

  /** The usage so far that counts against the limits. */
  get used(): Readonly<Record<'tokens' | 'cost' | 'modelCalls', number>> {
    return { ...this.#used }
  }

  /** The limits on record. */
  get limits(): BudgetOptions {
    return this.#options
  }

  /** The usage that is known here, calls in progress included. */
  get spent(): Spent {
    const spending = sum([this.spending, ...this.#nested()])
    return this.#silentModel === undefined ? spending : { ...spending, silentModel: this.#silentModel }
  }

  /** The paths of the subagents that ran elsewhere, and that `spent` counts. */
  get ended(): readonly string[] {
    return this.#ended
  }

  get prices(): PriceTable | undefined {
    return this.#strictest.prices
  }

  /**
   * Reserves a call of the model (`provider/id`). Throws a `BudgetExceededError` when a limit is reached, and a
   * `TroupeError` when a limit cannot be checked: the model has no price, or a reply did not report its usage.
   */
  take(model: string, now: number): void {
    const { cost, prices } = this.#strictest
    if (cost !== undefined && priceOf(model, prices) === undefined) {
      const message = `The budget limits the cost, and its prices do not name the model "${model}".`
      throw new TroupeError('MODEL_NOT_PRICED', message)
    }
    this.assertKnown()
    this.#assertRoom(now)
    this.#inFlight++
    this.#changed()
  }

  /** `now`: absent for a call of a nested run, which has a time limit of its own. */
  #assertRoom(now?: number): void {
    const reached = this.#sharesInProgress(now).find(({ used, max }) => used >= max)
    if (reached !== undefined) throw new BudgetExceededError(reached.limit, reached.used, reached.max)
    if (this.#outer !== undefined) this.#outer.budget.#assertRoom()
  }

  /** The shares with all that is under way, nested runs included. */
  #sharesInProgress(now?: number): BudgetShare[] {
    const { tokens, cost, modelCalls } = sum([this.spending, ...this.#nested()])
    const wallClock = now === undefined ? 0 : this.#elapsed(now)
    return sharesOf(this.#strictest, { tokens, cost, modelCalls, wallClock })
  }

  /** The usage of the run itself, calls in progress included. */
  get spending(): Spending {
    return { ...this.#used, modelCalls: this.#used.modelCalls + this.#inFlight }
  }

  /** That of its nested runs: what this process knows is the newer. */
  *#nested(): Iterable<Spending> {
    yield* this.#present.values()
    for (const [runId, spending] of this.#recorded) if (!this.#present.has(runId)) yield spending
  }

  /**
   * The options for a run that begins now within this one: at most what is left of each limit, and `own` as far as it is
   * lower. Throws a `BudgetExceededError` where nothing is left.
   */
  within(own: BudgetOptions | undefined, now: number): BudgetOptions {
    const { tokens: _tokens, cost: _cost, modelCalls: _calls, wallClock: _time, ...rules } = this.#strictest
    const prices = rules.prices && own?.prices ? { ...rules.prices, ...own.prices } : undefined
    const left = this.#sharesInProgress(now).map(({ limit, used, max }) => {
      if (used >= max) throw new BudgetExceededError(limit, used, max)
      const rest = limit === 'wallClock' ? Math.ceil(max - used) : max - used
      return [limit, Math.min(rest, own?.[limit] ?? rest)] as const
    })
    return { ...rules, ...own, ...(prices && { prices }), ...Object.fromEntries(left) }
  }

  /** Counts this budget in that of the run that began it. `tell` gets the usage so far, now and at each change. */
  countIn(budget: Budget, runId: string, tell: (spending: Spending) => void): void {
    this.#outer = {
      budget,
      tell: (spending) => {
        budget.#present.set(runId, spending)
        budget.#changed()
        tell(spending)
      },
    }
    this.#changed()
  }

  #changed(): void {
    this.#outer?.tell(sum([this.spending, ...this.#nested()]))
  }

  /** Throws a `TroupeError` when a limit can no longer be checked: then not even a final turn is made. */
  assertKnown(): void {
    if (this.#silentModel === undefined) return
    throw usageUnknown(this.#silentModel, this.#strictest)
  }

  /** Releases the reservation of a call that has settled, or was let go. */
  giveBack(): void {
    this.#inFlight--
    this.#changed()
  }

  /** Counts a model call that the journal records. `wanted` is `false` for a call that the run had let go of. */
  note({ settlement, nested = [] }: EffectSettled, effect: PendingEffect | undefined, wanted: boolean): void {
    if (effect !== undefined && isKind(effect, 'agent')) this.#noteAgent(effect, settlement.value)
    for (const { runId, ...spending } of nested) this.#recorded.set(runId, spending)
    const call = effect === undefined ? undefined : modelCallOf(effect)
    if (effect === undefined || call === undefined || wasRefused(settlement)) return
    if (wanted) this.#count(effect)
    if (settlement.error !== undefined) return // the usage of a failed attempt is unknown
    const usage = this.#usageOf(settlement.value as Written, call)
    this.#used.tokens += usage.totalTokens
    this.#used.cost += usage.cost ?? 0
    this.#changed()
  }

  /** Counts the usage of a subagent that ran elsewhere. */
  #noteAgent({ request: { input } }: PendingEffect<'agent'>, output: unknown): void {
    const spent = isRecord(output) ? (output['spent'] as Spent | undefined) : undefined
    if (spent === undefined || input.operation !== 'run') return
    const { silentModel, ...spending } = spent
    const path = String(input.request['path'])
    this.#recorded.set(path, spending)
    this.#ended.push(path)
    this.#silentModel ??= silentModel
    this.#changed()
  }

  #usageOf(reply: Written, input: ModelCall): Usage {
    const { tokens, cost, onUnknownUsage = budgetFields.onUnknownUsage.default, prices } = this.#strictest
    const isLimited = tokens !== undefined || cost !== undefined
    if (reply.usage.incomplete !== true || !isLimited || onUnknownUsage === 'ignore') return reply.usage
    const model = reply.called?.model ?? input.model
    if (onUnknownUsage === 'estimate') return priced(estimatedUsage(input, reply), model, prices)
    this.#silentModel ??= model
    return reply.usage
  }

  /** Counts a model call that is cut short; its usage is unknown. */
  letGo(effect: PendingEffect): void {
    this.#count(effect)
  }

  #count(effect: PendingEffect): void {
    if (countsAsModelCall(effect)) this.#used.modelCalls++
  }

  /** The start of the run is on record. */
  started(at: number): void {
    this.#startedAt = at
  }

  /** Time passes that does not count. */
  postpone(span: number): void {
    if (this.#suspendedAt === undefined) this.#suspendedFor += span
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
    const share = this.#shares(now).find(({ limit }) => limit === 'wallClock')
    return new BudgetExceededError('wallClock', share?.used ?? 0, share?.max ?? 0)
  }

  /** Returns the limits that have come near since the last call; each is returned once. */
  warnings(now: number): BudgetShare[] {
    const { warnAt = budgetFields.warnAt.default } = this.#options
    const near = this.#shares(now).filter(
      ({ limit, used, max }) => !this.#warned.has(limit) && used >= max * warnAt,
    )
    for (const { limit } of near) this.#warned.add(limit)
    return near
  }

  /** The shares by what the journal has. */
  #shares(now: number): BudgetShare[] {
    return sharesOf(this.#options, {
      ...sum([this.#used, ...this.#recorded.values()]),
      wallClock: this.#elapsed(now),
    })
  }

  #elapsed(now: number): number {
    const waited = this.#suspendedFor + (this.#suspendedAt === undefined ? 0 : now - this.#suspendedAt)
    return now - this.#startedAt - waited
  }
}

// Estimates the usage of a model call whose reply does not report it: one token for each four characters.

/** A reply to a model call, or the summary that a model has written. */
type Written = Pick<ModelReply, 'text' | 'usage'> &
  Partial<Pick<ModelReply, 'reasoning' | 'toolCalls'>> & { readonly called?: CalledModel | undefined }

/** Depends on nothing but the input and the reply, so that a replay estimates alike. */
function estimatedUsage({ messages }: { readonly messages: AppendLog<Message> }, reply: Written): Usage {
  const { text, reasoning = '', toolCalls = [], usage } = reply
  const written = text.length + reasoning.length + charactersOfCalls(toolCalls)
  // A reported count is kept where it is higher.
  const inputTokens = Math.max(usage.inputTokens, tokensOf(messages.sum(charactersOf)))
  const outputTokens = Math.max(usage.outputTokens, tokensOf(written))
  return { inputTokens, outputTokens, totalTokens: Math.max(usage.totalTokens, inputTokens + outputTokens) }
}

function tokensOf(characters: number): number {
  return Math.ceil(estimatedTokens(characters))
}

/** The error of a call that the limits leave no room for, `spent` being used; `undefined`: there is room. */
export function noRoom(
  options: BudgetOptions,
  { tokens, cost, modelCalls }: Spending,
): TroupeError | undefined {
  const shares = sharesOf(options, { tokens, cost, modelCalls, wallClock: 0 })
  const reached = shares.find(({ limit, used, max }) => limit !== 'wallClock' && used >= max)
  return reached && new BudgetExceededError(reached.limit, reached.used, reached.max)
}

/** The error of a call after a reply of `model` that did not report its usage. */
export function usageUnknown(model: string, { tokens }: BudgetOptions): TroupeError {
  const limit = tokens === undefined ? 'cost' : 'tokens'
  return new TroupeError(
    'USAGE_UNKNOWN',
    `The model "${model}" did not report its usage, so that the limit of ${limit} cannot be checked. budget.onUnknownUsage may be "estimate" or "ignore".`,
  )
}

function sharesOf(options: BudgetOptions, used: Readonly<Record<BudgetLimit, number>>): BudgetShare[] {
  return budgetLimits.flatMap((limit) => {
    const max = options[limit]
    return max === undefined ? [] : [{ limit, used: used[limit], max }]
  })
}

/** The time limit stays as it is on record: the clock of the run keeps to it. */
function strictestOf(recorded: BudgetOptions, today: BudgetOptions): BudgetOptions {
  const limits = countedLimits.flatMap((limit) => {
    const max = Math.min(recorded[limit] ?? Infinity, today[limit] ?? Infinity)
    return max === Infinity ? [] : [[limit, max] as const]
  })
  const prices = recorded.prices ?? today.prices
  return { ...recorded, ...(prices && { prices }), ...Object.fromEntries(limits) }
}

export function sum(all: Iterable<Spending>): Spending {
  const total = { tokens: 0, cost: 0, modelCalls: 0 }
  for (const { tokens, cost, modelCalls } of all) {
    total.tokens += tokens
    total.cost += cost
    total.modelCalls += modelCalls
  }
  return total
}

interface ModelCall {
  readonly model: string
  readonly messages: AppendLog<Message>
}

/** `undefined`: the effect calls no model. */
function modelCallOf(effect: PendingEffect): ModelCall | undefined {
  if (isKind(effect, 'model')) return effect.request.input
  if (!isKind(effect, 'compaction')) return undefined
  const { model, messages } = effect.request.input
  return model === undefined ? undefined : { model, messages }
}
