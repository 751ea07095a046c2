/**
 * The threads of forks. The agents of a fork name each thread as those of the run do that it descends from: all that the runs
 * share stays the same. What they name so is a thread of the fork's own, which begins with the messages that the other had.
 */
import type { Ancestor, RunStarted } from './journal.ts'
import { ownThread } from './run-summary.ts'

type Run = Pick<RunStarted, 'runId' | 'agent' | 'threadId' | 'lineage'>

/** The lineage of a fork that has the first `at` entries of a run; `until`: the time of the last of them. */
export function lineageOf({ runId, threadId, lineage = [] }: Run, at: number, until: number): Ancestor[] {
  const before = lineage.filter((ancestor) => ancestor.at < at)
  const last = lineage[before.length] ?? { runId, threadId }
  return [
    ...before,
    {
      runId: last.runId,
      at,
      until,
      ...(last.threadId === undefined ? {} : { threadId: last.threadId }),
    },
  ]
}

/** The names that the agents of a run know: those of the run that it descends from in the end. */
export function namesOf({ threadId, lineage }: Run): {
  readonly threadId?: string | undefined
  readonly origin?: string
} {
  const [first] = lineage ?? []
  return first === undefined ? { threadId } : { threadId: first.threadId, origin: first.runId }
}

/** Whether the run is a fork that keeps all it adds to itself: it was given no thread to go on with. */
export function isApart(run: Run): boolean {
  const root = rootName(run)
  if (root === undefined) return false
  return run.threadId === undefined || run.threadId === threadOfFork(run.runId, root)
}

/** The thread that the agents of a run name so. */
export function threadNamed(run: Run, name: string): string {
  const root = rootName(run)
  if (root === undefined) return name
  return name === root && run.threadId !== undefined ? run.threadId : threadOfFork(run.runId, name)
}

/** By ancestor, the last one first, the thread that its agents name so. */
export function formerThreads(
  { agent, lineage = [] }: Run,
  name: string,
): readonly { readonly ancestor: Ancestor; readonly threadId: string }[] {
  return lineage
    .map((ancestor, index) => ({
      ancestor,
      threadId: threadNamed({ ...ancestor, agent, lineage: lineage.slice(0, index) }, name),
    }))
    .toReversed()
}

/**
 * The thread of a fork's own for a name. A subagent's thread is below that of its conversation, also in a fork, so that a
 * later run in the fork's thread finds it.
 */
export function threadOfFork(runId: string, name: string): string {
  if (name.startsWith(`fork:${runId}/`)) return name // a hook has named it as it was told
  const below = /^thread:([^/]*)(\/.*)$/s.exec(name)
  const above = below?.[1] === undefined ? undefined : decoded(below[1])
  if (above === undefined) return `fork:${runId}/${name}`
  return `thread:${encodeURIComponent(threadOfFork(runId, above))}${below?.[2]}`
}

/** `undefined`: somebody has named a thread so. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The name of the root agent's thread; `undefined`: the run is no fork. */
export function rootName({ agent, lineage = [] }: Pick<Run, 'agent' | 'lineage'>): string | undefined {
  const [first] = lineage
  return first && (first.threadId ?? ownThread(first.runId, agent))
}
