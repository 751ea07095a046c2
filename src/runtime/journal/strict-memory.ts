/** The memory of a store, for external callers: their arguments are checked before the store is called. */
import { aName, anything, aText, listOf, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import { anObject, optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { aContent } from '../../actors/strict/content.ts'
import { keptContent, putAll } from '../files/kept-content.ts'
import { memoryNeeded, missingPort } from '../missing-port.ts'
import { heldBy, type BlobStorage } from '../files/blob-storage.ts'
import {
  resourceOf,
  type MemoryStorage,
  type ResourcePage,
  type ThreadFilter,
  type ThreadMessage,
  type TroupeMemory,
} from './memory-storage.ts'

const filterFields: Fields<ThreadFilter> = {
  threadId: optional(aText),
  resourceId: optional(aText),
  conversationId: optional(aText),
  messagesOf: optional(aText),
}

const pageFields: Fields<ResourcePage> = {
  limit: optional(positiveInteger),
  before: optional((given, where) => {
    const cursor = aText(given, where) as string
    resourceOf(cursor, where)
    return cursor
  }),
}

const messageFields: Fields<ThreadMessage> = {
  id: required(aName),
  role: required(oneOf('user', 'assistant')),
  content: required(aContent),
  internal: optional(oneOf('feedback', 'notice', 'said', 'scoring', 'partial')),
  agent: optional(aText),
  holder: optional(aText),
  conversationId: optional(aText),
  resourceId: optional(aText),
  at: required(anything),
}

const readMessages = listOf(anObject(messageFields, { word: 'field' }), 'a list of messages')

/**
 * Rejects with a `ConfigurationError`: a misspelt filter must not list all threads. `given`: `undefined` where the store has no
 * memory, which is refused too.
 */
export function strictMemory(given: MemoryStorage | undefined, blobs: BlobStorage | undefined): TroupeMemory {
  const known = (): MemoryStorage => {
    if (given === undefined) throw memoryNeeded()
    return given
  }
  return {
    thread: async (threadId) => (await known().threads({ threadId }))[0],
    threads: async (filter = {}) =>
      known().threads(readOptions<ThreadFilter>(filter, 'memory.threads', filterFields)),
    messages: async (threadId, last) => known().messages(threadId, { last }),
    save: async (threadId, messages, resourceId) => {
      const memory = known()
      const read = readMessages(messages, 'memory.save: messages') as readonly ThreadMessage[]
      const kept = read.map((message) => ({ message, ...keptContent(message.content) }))
      await putAll(
        kept.flatMap((one) => one.blobs),
        blobs && heldBy(blobs, { threadId }),
      )
      const of = resourceId === undefined || resourceId === '' ? {} : { resourceId }
      const stored = kept.map(({ message, content }) => ({ ...of, ...message, content }))
      return memory.save(threadId, stored, resourceId)
    },
    deleteThread: async (threadId) => known().remove({ threadId }),
    workingMemory: async (resourceId) => known().workingMemory(resourceId),
    setWorkingMemory: async (resourceId, content) => void (await known().workingMemory(resourceId, content)),
    async deleteWorkingMemory(resourceId) {
      const memory = known()
      if (memory.removeNotes === undefined)
        throw missingPort('memory.deleteWorkingMemory needs', 'memory.removeNotes')
      await memory.removeNotes(resourceId)
    },
    async resources(page = {}) {
      const memory = known()
      const read = readOptions<ResourcePage>(page, 'memory.resources', pageFields)
      if (memory.resources === undefined) throw missingPort('memory.resources needs', 'memory.resources')
      return memory.resources(read)
    },
  }
}
