/**
 * The filter of the list of runs: words that a loaded run must have, and `agent:`, `status:`, `outcome:` and `since:` for the
 * server.
 */
import type { RunRow, ServiceInfo } from '../../wire/routes.ts'

/** The part of the filter that the server applies. */
export interface ServerFilter {
  readonly status?: string
  readonly agent?: string
  readonly outcome?: string
  /** Milliseconds before now in which a run must have had an entry. */
  readonly within?: number
}

/** The filter of the runs that have failed of late. */
export const failedOfLate = 'outcome:failed since:1h'

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export interface Filter {
  readonly server: ServerFilter
  /** In lower case. */
  readonly words: readonly string[]
}

type Engine = ServiceInfo['engine']

/** The statuses of runs that lists can choose, in the words of each engine. */
export const statusesOf: Readonly<Record<Engine, readonly string[]>> = {
  embedded: ['unfinished', 'running', 'suspended', 'settled'],
  recording: ['unfinished', 'settled'],
  restate: ['running', 'suspended', 'backing-off', 'paused', 'completed'],
}

/** Whether a run has ended, in the words of any engine. */
export function hasEnded({ status, outcome }: Pick<RunRow, 'status' | 'outcome'>): boolean {
  return outcome !== undefined || status === 'settled' || status === 'completed'
}

/** Reads a filter such as `agent:lead status:suspended refund`. A status that does not exist is a word. */
export function readFilter(text: string, engine: Engine = 'embedded'): Filter {
  const server: { agent?: string; status?: string; outcome?: string; within?: number } = {}
  const words: string[] = []
  for (const part of text.split(/\s+/).filter((part) => part !== '')) {
    const [, name, value = ''] = /^(agent|status|outcome|since):(.+)$/.exec(part) ?? []
    const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(value) ?? []
    const isStatus = statusesOf[engine].includes(value)
    if (name === 'agent') server.agent = value
    else if (name === 'status' && isStatus) server.status = value
    else if (name === 'outcome' && engine !== 'restate') server.outcome = value
    else if (name === 'since' && count !== '' && engine !== 'restate')
      server.within = Number(count) * (units[unit] ?? 0)
    else words.push(part.toLowerCase())
  }
  return { server, words }
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
