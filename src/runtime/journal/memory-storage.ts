/** Threads and their messages, and the working memory of resources. */
import type { Content } from '../../actors/content/content.ts'
import { TerminalError } from '../../errors.ts'
import type { RunHolder } from '../files/blob-storage.ts'
import { wrongCursor, type Expiry, type Page, type PageOptions } from './run-index.ts'

/** A conversation that an agent with memory keeps. */
export interface Thread {
  readonly id: string
  /** The user or entity that the thread belongs to. */
  readonly resourceId?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A message that a thread keeps. */
export interface ThreadMessage {
  /** Unique in the thread. */
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly content: Content
  /** Added by the library or a hook, and not written by the user or an agent; `partial`: an answer that was cut. */
  readonly internal?: 'feedback' | 'notice' | 'said' | 'scoring' | 'partial'
  /** The agent that wrote it. */
  readonly agent?: string
  /** The agent that held the conversation, where another one has written the message. */
  readonly holder?: string
  /** The conversation of the run that saved it. */
  readonly conversationId?: string
  /** The resource for which it was saved. Absent: it was saved for none. */
  readonly resourceId?: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A resource that has threads, messages in other threads, or notes. */
export interface MemoryResource {
  readonly resourceId: string
  /** How many threads belong to it. */
  readonly threads: number
  /** When its notes were last written, milliseconds since 1970. Absent: there are none. */
  readonly notedAt?: number
}

/** How the messages of a thread are read. */
export interface ThreadReading {
  /** How many of the last messages. Default: all. */
  readonly last?: number | undefined
  /** The run that recalls the thread. Default: none, the thread is only looked at. */
  readonly runId?: string
  /** As `RunHolder.hasBegun`: a run that was deleted recalls nothing, and claims no thread. */
  readonly hasBegun?: true
  /** The resource of the run; the thread is for it alone. Default: none, the thread is open to every run. */
  readonly resourceId?: string | undefined
}

/** What is removed: a thread, or the claims of a run that has ended. */
export type ThreadRemoval =
  | {
      readonly threadId: string
      /**
       * The thread goes only where no unfinished run begins with it, and it was last changed before: milliseconds since
       * 1970. Default: it goes.
       */
      readonly unusedSince?: number
      /** Also the bytes that a caller has put of late go, where nothing else names them. */
      readonly atOnce?: true
    }
  | { readonly runId: string }

/** Chooses threads by their id, the resource that owns them, or a conversation. */
export interface ThreadFilter {
  /** The one thread of this id. */
  readonly threadId?: string
  /** Threads of this resource alone. Default: of all. */
  readonly resourceId?: string
  /** Threads with messages of this conversation alone. Default: all. */
  readonly conversationId?: string
  /** Threads that do not belong to this resource, and have messages of it. Default: all. */
  readonly messagesOf?: string
}

/** Stores threads and working memory: an optional port of a store. An agent reaches it through `memory` effects. */
export interface MemoryStorage {
  /** Oldest first. */
  threads(filter: ThreadFilter): Promise<readonly Thread[]>
  /**
   * The last messages of a thread, oldest first; none for an unknown thread.
   *
   * With `runId` the run recalls it. A thread that is not there yet is claimed for the run's resource until the claims of the run
   * are removed: the first claim of a thread decides its owner, and further claims of runs that may have it join. Owner, claim
   * and messages are of one transaction. A repeated claim changes nothing. The run holds the blobs that the messages name.
   * Rejects with a `TerminalError`, `THREAD_OF_ANOTHER_RESOURCE`, and with a `RunNotFoundError` for a run that was deleted
   * (`hasBegun`).
   */
  messages(threadId: string, reading: ThreadReading): Promise<readonly ThreadMessage[]>
  /**
   * Adds messages, and makes the thread where there is none. A message whose id the thread has takes the place of
   * the old one, so that a repeated save changes nothing. Checks the owner in the same transaction: a thread that
   * belongs to a resource, or is claimed for one, is saved for that resource alone, and a thread that is claimed
   * without a resource begins without one. An empty `resourceId` is none. The time of the last message is the time of
   * the update, and of a new thread that of its creation; without messages it is 0. Rejects with a `TerminalError`, `THREAD_OF_ANOTHER_RESOURCE`.
   * `by`: the run that saves. For one that was deleted (`hasBegun`) it saves nothing, and rejects with a `RunNotFoundError`: that
   * is checked in the same transaction.
   */
  save(
    threadId: string,
    messages: readonly ThreadMessage[],
    resourceId?: string,
    by?: RunHolder,
  ): Promise<void>
  /**
   * Removes a thread with its messages, and each blob that only they name: claims of runs on it stay. An unknown thread is
   * ignored, and so is one in use where `unusedSince` is given: that is checked in the transaction of the removal. Or removes the
   * claims of a run that has ended: a store of runs does so with `run.settled`, in its transaction.
   */
  remove(removal: ThreadRemoval): Promise<void>
  /** The notes of agents about a resource; `undefined`: none yet. With `content` they are replaced first; `by` as in `save`. */
  workingMemory(resourceId: string, content?: string, by?: RunHolder): Promise<string | undefined>
  /**
   * Removes the notes about a resource; those written at `unusedSince` or later stay. Resolves with whether it removed some.
   * Absent: notes are never removed, and with it `oldNotes`, `removeMessages` and `resources` are absent.
   */
  removeNotes?(resourceId: string, unusedSince?: number): Promise<boolean>
  /** The resources whose notes a retention deletes, in the order in which they were last written. */
  oldNotes?(expiry: Expiry): Promise<readonly string[]>
  /**
   * Removes the messages of a resource from a thread that does not belong to it, with each blob that only they name; a caller's
   * bytes too. The thread goes with its last message. Resolves with the number of messages that it removed.
   */
  removeMessages?(threadId: string, resourceId: string): Promise<number>
  /** A page of the resources, in an order of their ids. */
  resources?(page: ResourcePage): Promise<Page<MemoryResource>>
}

/** The part of the list of resources to return. */
export type ResourcePage = Pick<PageOptions, 'limit' | 'before'>

/** The threads and the working memory of a troupe, as an application reads, fills and deletes them. */
export interface TroupeMemory {
  /** `undefined`: there is no such thread. */
  thread(threadId: string): Promise<Thread | undefined>
  /** Oldest first. */
  threads(filter?: ThreadFilter): Promise<readonly Thread[]>
  /** The last `last` messages (default: all), oldest first; none for an unknown thread. */
  messages(threadId: string, last?: number): Promise<readonly ThreadMessage[]>
  /**
   * Adds messages, and makes the thread where there is none. A message whose id the thread has takes the place of the old one.
   * A thread that belongs to a resource is saved for it alone. Rejects with a `TerminalError`, `THREAD_OF_ANOTHER_RESOURCE`.
   */
  save(threadId: string, messages: readonly ThreadMessage[], resourceId?: string): Promise<void>
  /** Deletes a thread with its messages, and each blob that only they name. An unknown thread is ignored. */
  deleteThread(threadId: string): Promise<void>
  /** The notes of agents about a resource; `undefined`: none yet. */
  workingMemory(resourceId: string): Promise<string | undefined>
  setWorkingMemory(resourceId: string, content: string): Promise<void>
  /** Deletes the notes about a resource. Those of an unknown resource are ignored. Rejects with `STORE_LACKS_PORT`. */
  deleteWorkingMemory(resourceId: string): Promise<void>
  /**
   * A page of the resources that have threads, messages in other threads, or notes. Rejects with a `ConfigurationError` for a
   * wrong page, and with `STORE_LACKS_PORT`.
   */
  resources(page?: ResourcePage): Promise<Page<MemoryResource>>
}

/** The cursor of a resource in the list of resources. */
export function resourceCursor(resourceId: string): string {
  return `m${resourceId}`
}

/** The resource of a cursor; for none the text before all ids. Throws a `ConfigurationError` for a text that is no cursor. */
export function resourceOf(cursor: string | undefined, where = 'before'): string {
  if (cursor === undefined) return ''
  if (cursor.startsWith('m') && cursor.length > 1) return cursor.slice(1)
  throw wrongCursor('resources', cursor, where)
}

/** The error for a thread that belongs to another resource. */
export function threadOfAnother(threadId: string): TerminalError {
  return new TerminalError(`The thread "${threadId}" does not belong to the resource of this run.`, {
    code: 'THREAD_OF_ANOTHER_RESOURCE',
  })
}
