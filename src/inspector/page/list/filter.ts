/** The filter of the list of runs: words that a loaded run must have, and `agent:` and `status:` for the server. */
import type { RunRow, ServiceInfo } from '../../wire/routes.ts'

/** The part of the filter that the server applies. */
export interface ServerFilter {
  readonly status?: string
  readonly agent?: string
}

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
  const server: { agent?: string; status?: string } = {}
  const words: string[] = []
  for (const part of text.split(/\s+/).filter((part) => part !== '')) {
    const [, name, value = ''] = /^(agent|status):(.+)$/.exec(part) ?? []
    const isStatus = statusesOf[engine].includes(value)
    if (name === 'agent') server.agent = value
    else if (name === 'status' && isStatus) server.status = value
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
