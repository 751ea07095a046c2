/** Begins a thread of a fork's own: with the messages that the thread of the run before it had by the entry of the fork. */
import { formerThreads, threadNamed, threadOfFork } from '../../journal/lineage.ts'
import type { Ancestor, RunStarted } from '../../journal/journal.ts'
import { threadOfAnother, type MemoryStorage, type ThreadMessage } from '../../journal/memory-storage.ts'

type Storage = Pick<MemoryStorage, 'threads' | 'messages' | 'save'>

/** The fork. */
interface Branching {
  readonly started: RunStarted
  /** Whether a message that this ancestor has saved was in its thread by the entry of the fork. */
  shares(messageId: string, ancestor: Ancestor): boolean
}

/**
 * Returns the id of the thread that the agents of a fork name so, and begins the thread where it is not there yet. A repeated
 * call changes nothing, also when another one is under way. Rejects with a `TerminalError`, `THREAD_OF_ANOTHER_RESOURCE`.
 */
export async function branchThread(memory: Storage, fork: Branching, name: string): Promise<string> {
  const { started } = fork
  const threadId = threadNamed(started, name)
  if (threadId !== threadOfFork(started.runId, name)) return threadId // the caller has chosen it
  if ((await memory.threads({ threadId })).length > 0) return threadId
  for (const former of formerThreads(started, name)) {
    const [thread] = await memory.threads({ threadId: former.threadId })
    if (thread === undefined) continue
    const { resourceId } = thread
    if (resourceId !== undefined && resourceId !== started.resourceId) throw threadOfAnother(former.threadId)
    const shared = sharedOf(await memory.messages(former.threadId, {}), former.ancestor, fork)
    if (shared.length > 0) await memory.save(threadId, shared, resourceId)
    break
  }
  return threadId
}

/**
 * The messages that were there by the entry of the fork. A thread is in the order in which messages came: what is behind an
 * exchange that the run saved later came later too, whatever its time says.
 */
function sharedOf(messages: readonly ThreadMessage[], ancestor: Ancestor, fork: Branching): ThreadMessage[] {
  const later = messages.findIndex(({ id }) => !fork.shares(id, ancestor))
  const before = later === -1 ? messages : messages.slice(0, later)
  return before.filter(({ at }) => at <= ancestor.until)
}
