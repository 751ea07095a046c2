/** Threads and their messages, and the working memory of resources. */

export interface Thread {
  readonly id: string
  /** The user or entity that the thread belongs to. */
  readonly resourceId?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

export interface ThreadMessage {
  /** Unique in the thread. */
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  /** Put there by the library or a hook, and not said by the user or an agent. */
  readonly internal?: 'feedback' | 'notice' | 'scoring'
  /** The agent that spoke. */
  readonly agent?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** How memory is kept. An agent reaches it through `memory` effects. */
export interface MemoryStorage {
  thread(threadId: string): Promise<Thread | undefined>
  /** Oldest first. */
  threads(filter?: { readonly resourceId?: string }): Promise<readonly Thread[]>
  /** The last `last` messages (default: all), oldest first; none for an unknown thread. */
  messages(threadId: string, last?: number): Promise<readonly ThreadMessage[]>
  /**
   * Adds messages, and makes the thread where there is none. A message whose id the thread has takes the place of
   * the old one, so that saving twice is saving once.
   */
  save(threadId: string, messages: readonly ThreadMessage[], resourceId?: string): Promise<void>
  deleteThread(threadId: string): Promise<void>
  /** What agents noted about a resource; `undefined`: nothing yet. */
  workingMemory(resourceId: string): Promise<string | undefined>
  setWorkingMemory(resourceId: string, content: string): Promise<void>
}
