/**
 * The filter of the list of runs: `agent:`, `resource:`, `status:`, `outcome:`, `code:`, `since:` and `started:`, and words of the
 * task or the id. The server applies all of it; on Restate the words are looked for in the loaded runs.
 */
import type { RunRow, ServiceInfo } from '../../wire/routes.ts'

/** The part of the filter that the server applies. */
export interface ServerFilter {
  readonly status?: string
  readonly agent?: string
  readonly resourceId?: string
  readonly outcome?: string
  readonly code?: string
  readonly text?: string
  /** Milliseconds before now in which a run must have had an entry, or have begun. */
  readonly within?: number
  readonly begunWithin?: number
}

/** The filter of the runs that have failed of late. */
export const failedOfLate = 'outcome:failed since:1h'

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export interface Filter {
  readonly server: ServerFilter
  /** In lower case: words for the loaded runs. */
  readonly words: readonly string[]
}

type Engine = ServiceInfo['engine']

/** The statuses of runs that lists can choose, in the words of each engine. */
export const statusesOf: Readonly<Record<Engine, readonly string[]>> = {
  embedded: ['unfinished', 'running', 'suspended', 'settled'],
  recording: ['unfinished', 'settled'],
  restate: ['running', 'suspended', 'backing-off', 'paused', 'completed'],
}

/** The orders of the list, by their names in the address, with words. */
const orders = {
  newest: 'newest first',
  oldest: 'oldest first',
  changed: 'last change first',
  costliest: 'most expensive first',
  longest: 'longest first',
} as const

export type ListOrder = keyof typeof orders

export function ordersOf(engine: Engine): readonly (readonly [order: ListOrder, words: string])[] {
  const all = Object.entries(orders) as [ListOrder, string][]
  return engine === 'restate' ? all.slice(0, 2) : all
}

/** The order of that name; else the newest first. */
export function orderNamed(name: string | undefined, engine: Engine): ListOrder {
  return ordersOf(engine).find(([order]) => order === name)?.[0] ?? 'newest'
}

/** Whether a run has ended, in the words of any engine. */
export function hasEnded({ status, outcome }: Pick<RunRow, 'status' | 'outcome'>): boolean {
  return outcome !== undefined || status === 'settled' || status === 'completed'
}

/**
 * Reads a filter such as `agent:lead status:suspended refund`. A value with spaces stands in quotes. A status that does not exist is
 * a word.
 */
export function readFilter(text: string, engine: Engine = 'embedded'): Filter {
  const server: { -readonly [Name in keyof ServerFilter]: ServerFilter[Name] } = {}
  const words: string[] = []
  const isSearched = engine !== 'restate'
  for (const [part] of text.matchAll(/[a-z]+:"[^"]*"|\S+/g)) {
    const [, name, quoted, plain] = /^([a-z]+):(?:"([^"]+)"|([^"].*))$/.exec(part) ?? []
    const value = quoted ?? plain ?? ''
    const span = spanOf(value)
    if (name === 'agent') server.agent = value
    else if (name === 'resource') server.resourceId = value
    else if (name === 'status' && statusesOf[engine].includes(value)) server.status = value
    else if (name === 'outcome' && isSearched) server.outcome = value
    else if (name === 'code' && isSearched) server.code = value
    else if (name === 'since' && span !== undefined && isSearched) server.within = span
    else if (name === 'started' && span !== undefined && isSearched) server.begunWithin = span
    else words.push(part)
  }
  if (isSearched && words.length > 0) server.text = words.join(' ')
  return { server, words: isSearched ? [] : words.map((word) => word.toLowerCase()) }
}

function spanOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 0)
}

const texts = new WeakMap<RunRow, string>()

/** Whether a run has each of the words somewhere. */
export function hasWords(run: RunRow, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const text = texts.get(run) ?? textOf(run)
  texts.set(run, text)
  return words.every((word) => text.includes(word))
}

function textOf(run: RunRow): string {
  const { runId, agent, status, outcome, threadId, resourceId, conversationId, forkedFrom, awaiting } = run
  const questions = awaiting.flatMap((question) => [question.agent, question.toolName, 'waiting'])
  return [runId, agent, status, outcome, threadId, resourceId, conversationId, forkedFrom, ...questions]
    .join('\n')
    .toLowerCase()
}
