/**
 * The account of a run: the usage of all its agents, which share a budget and are workflows of their own. Each workflow
 * tells its whole usage so far, so that a message that comes late does no harm.
 */
import { noRoom, sum, usageUnknown, type Spent } from '../../runtime/state/effects/budget.ts'
import type { BudgetOptions } from '../../runtime/options/budget-options.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'

/** The usage of a workflow so far. */
export interface AccountNews {
  readonly path: string
  /** Counts the messages of the workflow: an older message changes nothing. */
  readonly number: number
  /** Calls in progress, and the subagents that have ended, included. */
  readonly spent: Spent
  /** The paths of subagents that `spent` counts from now on. */
  readonly ended: readonly string[]
}

/** A question before a model call. */
export interface AccountQuestion extends AccountNews {
  readonly limits: BudgetOptions
  /** Whether `spent` counts the call. A last turn is made beyond the limits, but not where they cannot be checked. */
  readonly isCounted: boolean
}

/** `at`: logical time. Milliseconds since 1970. */
export interface AccountAnswer {
  readonly at: number
  readonly refusal?: ErrorData
}

/** The account as Restate keeps it. */
export interface AccountData {
  readonly parts: Readonly<Record<string, { readonly number: number; readonly spent: Spent }>>
  /** Paths of subagents that have ended, and that the workflow above each counts. */
  readonly ended: readonly string[]
}

export const emptyAccount: AccountData = { parts: {}, ended: [] }

/** The account with the news of a workflow. */
export function withNews({ parts, ended: before }: AccountData, news: AccountNews): AccountData {
  const { path, number, spent } = news
  const ended = [...before, ...news.ended.filter((one) => !isWithin(one, before))]
  const known = parts[path]
  const all = known !== undefined && known.number > number ? parts : { ...parts, [path]: { number, spent } }
  const counted = Object.entries(all).filter(([one]) => !isWithin(one, ended))
  return { parts: Object.fromEntries(counted), ended }
}

function isWithin(path: string, ended: readonly string[]): boolean {
  return ended.some((one) => path === one || path.startsWith(`${one}/`))
}

/** Answers the question of a workflow. A refused call does not count. */
export function answered(
  before: AccountData,
  question: AccountQuestion,
): { readonly account: AccountData; readonly refusal?: ErrorData } {
  const { path, number, spent, ended, limits, isCounted } = question
  const asked = { path, number, ended }
  const without = isCounted ? { ...spent, modelCalls: spent.modelCalls - 1 } : spent
  const account = withNews(before, { ...asked, spent: without })
  const all = Object.values(account.parts).map((part) => part.spent)
  const silentModel = all.find((one) => one.silentModel !== undefined)?.silentModel
  const error =
    silentModel === undefined
      ? isCounted
        ? noRoom(limits, sum(all))
        : undefined
      : usageUnknown(silentModel, limits)
  if (error !== undefined) return { account, refusal: toErrorData(error) }
  return { account: withNews(account, { ...asked, spent }) }
}

/** The handlers of the service. `close`: the run has ended. */
export const accountHandlers = { ask: 'ask', tell: 'tell', close: 'close' } as const
