/** Token accounting: of one model call, of one agent, of a whole tree. */
import { isRecord } from './values/json.ts'

/** Tokens that model calls have used. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** The part of `inputTokens` that the provider served from its cache. */
  readonly cachedInputTokens?: number
  /** The part of `inputTokens` that the provider wrote to its cache. */
  readonly cacheWriteTokens?: number
  /** The part of `outputTokens` that was spent on reasoning. */
  readonly reasoningTokens?: number
  /** In the currency of the budget's price table; absent without one. */
  readonly cost?: number
  /** A reply did not report its usage, or not in a form that can be read: the counts are too low. */
  readonly incomplete?: true
}

/** Usage by agent id. */
export type UsageByAgent = Readonly<Record<string, Usage>>

/** No tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** The usage that a reply of a model reports. It is `incomplete` unless both counts, and a given total, can be read. */
export function reportedUsage(given: unknown): Usage {
  const reported = isRecord(given) ? given : {}
  const inputTokens = countOf(reported['inputTokens'])
  const outputTokens = countOf(reported['outputTokens'])
  const sum = (inputTokens ?? 0) + (outputTokens ?? 0)
  const total = reported['totalTokens'] ?? undefined
  const totalTokens = total === undefined ? sum : countOf(total)
  const isIncomplete = inputTokens === undefined || outputTokens === undefined || totalTokens === undefined
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: Math.max(totalTokens ?? 0, sum),
    ...optional('cachedInputTokens', reported),
    ...optional('cacheWriteTokens', reported),
    ...optional('reasoningTokens', reported),
    ...optional('cost', reported),
    ...(isIncomplete || reported['incomplete'] === true ? { incomplete: true } : {}),
  }
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

function optional<Key extends 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens' | 'cost'>(
  key: Key,
  reported: Readonly<Record<string, unknown>>,
): { readonly [K in Key]?: number } {
  const count = countOf(reported[key])
  return (count === undefined ? {} : { [key]: count }) as { readonly [K in Key]?: number }
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0)
  const written = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0)
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
    ...(a.cost === undefined && b.cost === undefined ? {} : { cost: (a.cost ?? 0) + (b.cost ?? 0) }),
    ...(a.incomplete === true || b.incomplete === true ? { incomplete: true } : {}),
  }
}

/** The usage of one agent. Its id may be the name of a property that every object has, such as `constructor`. */
export function usageOf(byAgent: UsageByAgent, agent: string): Usage {
  return Object.hasOwn(byAgent, agent) ? (byAgent[agent] ?? noUsage) : noUsage
}

export function mergeUsage(a: UsageByAgent, b: UsageByAgent): UsageByAgent {
  const merged: Record<string, Usage> = { ...a }
  for (const [agent, usage] of Object.entries(b)) merged[agent] = addUsage(usageOf(merged, agent), usage)
  return merged
}

export function totalUsage(byAgent: UsageByAgent): Usage {
  return Object.values(byAgent).reduce(addUsage, noUsage)
}

/** Usage that counts against a budget. */
export interface Spending {
  readonly tokens: number
  readonly cost: number
  readonly modelCalls: number
}
