/**
 * The thread of a delegated task. A model may name a thread to continue it. The name is scoped to the resource
 * (without one, to the thread of the delegating agent) and to the subagent: no name that a model makes up reaches the
 * thread of another resource, of another agent, or of its own supervisor.
 */
import type { DelegationArgs } from '../../actors/toolset/delegation-args.ts'

interface ThreadSource {
  readonly args: DelegationArgs
  /** The path of the delegation. */
  readonly path: string
  readonly runId: string
  /** As in the request of the agent. */
  readonly origin?: string
  /** The subagent's id. */
  readonly subagent: string
  /** The delegating agent's. */
  readonly threadId: string | undefined
  readonly resourceId: string | undefined
}

/**
 * The name: a fresh one unless the model gave one. Many models fill in every field, so an empty name counts as none.
 */
export function threadName({
  args,
  path,
  runId,
  origin = runId,
}: Pick<ThreadSource, 'args' | 'path' | 'runId' | 'origin'>): string {
  return args.threadId || `${origin}/${path}`
}

export function threadIdOf(source: ThreadSource): string {
  const { resourceId, runId, origin = runId, subagent, threadId } = source
  const scope =
    resourceId === undefined
      ? `thread:${encodeURIComponent(threadId ?? origin)}`
      : `resource:${encodeURIComponent(resourceId)}`
  return `${scope}/${subagent}/${threadName(source)}`
}
