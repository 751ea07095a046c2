/** All that was said in a run, nested: the rows of each agent in their order, with those of its subagents in between. */
import { agentOf, agentPath, lastId, parentPath } from '../../../kit/index.ts'
import type { Row } from '../../wire/rows.ts'

/** What one agent, and those below it, said and were told. */
export interface AgentThread {
  /** The path of the agent. */
  readonly path: string
  readonly agent: string
  /** The prompt in one line, where it was told. */
  readonly task: string
  readonly parts: readonly ThreadPart[]
}

/** A row, or the thread of a subagent, in the place of its first row. */
export type ThreadPart =
  | { readonly row: Row; readonly thread?: undefined }
  | { readonly thread: AgentThread; readonly row?: undefined }

interface Growing extends AgentThread {
  readonly parts: ThreadPart[]
}

/** The threads of the root agent, and of the agents that went on in its place. */
export function threadsOf(rows: readonly Row[]): readonly AgentThread[] {
  const roots: AgentThread[] = []
  const threads = new Map<string, Growing>()
  /** By the path of a delegation, its agent and prompt. */
  const tasks = new Map<string, string>()
  const threadAt = (path: string): Growing => {
    const known = threads.get(path)
    if (known !== undefined) return known
    const id = lastId(path)
    const agent = agentOf(id) ?? id
    const told = tasks.get(parentPath(path)) ?? ''
    const task = told.startsWith(`${agent} `) ? told.slice(agent.length + 1) : told
    const thread: Growing = { path, agent, task, parts: [] }
    threads.set(path, thread)
    const above = agentPath(parentPath(path))
    if (above === '') roots.push(thread)
    else threadAt(above).parts.push({ thread })
    return thread
  }
  for (const row of rows) {
    for (const { type, path, line } of row.events) if (type === 'delegation-start') tasks.set(path, line)
    if (isSaid(row)) threadAt(agentPath(row.path ?? row.journal) || row.journal).parts.push({ row })
  }
  return roots
}

const told: ReadonlySet<string> = new Set(['model', 'tool', 'remote', 'agent', 'compaction', 'custom'])

/** Events by which the outcome of a hook is a part of the conversation. */
const hookTold: ReadonlySet<string> = new Set([
  'delegation-rejected',
  'delegation-feedback',
  'delegation-bail',
  'iteration-feedback',
  'tools-found',
])

/** A context of traces that came with a signal is no word of anybody. */
const trace = /^00-[0-9a-f]{32}-/

function isSaid({ type, kind, error, events, line }: Row): boolean {
  switch (type) {
    case 'run.started':
    case 'run.settled':
      return true
    case 'signal.received':
      return !trace.test(line) && line !== 'released'
    case 'effect.settled':
      if (error !== undefined || (kind !== undefined && told.has(kind))) return true
      return events.some((event) => hookTold.has(event.type))
    default:
      return false
  }
}
