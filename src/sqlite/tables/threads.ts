/** Threads with their messages: recalled and saved for the resource that they belong to. */
import type {
  MemoryResource,
  Page,
  ResourcePage,
  RunHolder,
  Thread,
  ThreadFilter,
  ThreadMessage,
  ThreadReading,
  ThreadRemoval,
} from '../../index.ts'
import { blobRefsIn } from '../../kit/index.ts'
import {
  fromColumn,
  resourceOf,
  resourcePage,
  resourcesSql,
  sqlite,
  toColumn,
  toOptionalColumn,
  type Refusal,
  type ResourceRow,
} from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { parseStored } from '../connection/parse-stored.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'
import { blobHolders } from './blob-holders.ts'
import { threadClaims } from './thread-claims.ts'
import { threadRows, type ThreadRow } from './thread-rows.ts'

interface MessageRow {
  readonly seq: number
  readonly message_id: string
  readonly conversation_id: string | null
  readonly resource_id: string | null
  readonly message: string
  readonly checksum: number
}

const tables = { threads: 'threads', messages: 'messages', workingMemory: 'working_memory' }

export function threads(database: Database) {
  const rows = threadRows(database)
  const claims = threadClaims(database)
  const holders = blobHolders(database)
  const lastMessages = new Query<MessageRow>(
    database,
    `SELECT seq, message_id, conversation_id, resource_id, message, checksum FROM messages
     WHERE thread = ? ORDER BY id DESC LIMIT ?`,
  )
  const put = new Query<{ seq: number }>(
    database,
    `INSERT INTO messages (thread, seq, message_id, conversation_id, resource_id, message, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (thread, message_id) DO UPDATE SET conversation_id = excluded.conversation_id,
       resource_id = excluded.resource_id, message = excluded.message
     RETURNING seq`,
  )
  const removeMessage = database.prepare('DELETE FROM messages WHERE thread = ? AND message_id = ?')
  const move = database.prepare(
    'UPDATE messages SET seq = ?, checksum = ? WHERE thread = ? AND message_id = ?',
  )
  const seal = database.prepare('UPDATE messages SET checksum = ? WHERE thread = ? AND message_id = ?')
  const remove = database.prepare('DELETE FROM threads WHERE thread_id = ?')
  const resources = new Query<ResourceRow>(database, resourcesSql(tables, sqlite))

  const using = new Query<{ id: number }>(
    database,
    'SELECT id FROM runs WHERE thread_id = ? AND outcome IS NULL LIMIT 1',
  )
  const isUnused = (threadId: string, unusedSince: number): boolean =>
    using.get(toColumn(threadId)) === undefined && (rows.find(threadId)?.updated_at ?? 0) < unusedSince

  /** Oldest first. Throws `STORE_CORRUPT` where the thread has fewer messages than its row states. */
  const messagesOf = (threadId: string, row: ThreadRow, last: number | undefined): ThreadMessage[] => {
    const expected = Math.min(row.messages, last ?? row.messages)
    const found = lastMessages.all(row.id, expected)
    const isComplete =
      found.length === expected && found.every(({ seq }, index) => seq === row.messages - 1 - index)
    if (!isComplete) throw corrupt(database.file, `messages of the thread "${threadId}" are missing.`)
    return found.toReversed().map(({ seq, checksum, ...columns }) => {
      const what = `the message "${columns.message_id}" of the thread "${threadId}"`
      return parseStored(database, checksum, sealed(row, seq, columns), what) as ThreadMessage
    })
  }

  /** The messages; `undefined`: no thread. */
  const lookInto = (
    threadId: string,
    resource: string | null,
    last: number | undefined,
  ): ThreadMessage[] | 'ofAnother' | undefined => {
    const row = rows.find(threadId)
    if (row === undefined) return undefined
    const isOpen = row.resource_id === null || row.resource_id === resource
    return isOpen ? messagesOf(threadId, row, last) : 'ofAnother'
  }

  const columnsOf = (row: ThreadRow, message: ThreadMessage) => {
    const resource = toOptionalColumn(message.resourceId || undefined)
    return {
      message_id: toColumn(message.id),
      conversation_id: toOptionalColumn(message.conversationId),
      resource_id: resource === row.resource_id ? null : resource,
      message: JSON.stringify(message),
    }
  }

  const saveInto = (row: ThreadRow, messages: readonly ThreadMessage[]): number => {
    let count = row.messages
    for (const message of messages) {
      const columns = columnsOf(row, message)
      const { message_id, conversation_id, resource_id, message: text } = columns
      const checksum = checksumOf(...sealed(row, count, columns))
      const place = [row.id, count, message_id, conversation_id, resource_id, text] as const
      const { seq } = put.get(...place, checksum) as { seq: number }
      if (seq === count) count++
      else seal.run(checksumOf(...sealed(row, seq, columns)), row.id, message_id) // it keeps its place
    }
    return count
  }

  return {
    threads(filter: ThreadFilter): Thread[] {
      return rows.all(filter).map(threadOf)
    },
    messages(
      threadId: string,
      { last, runId, resourceId, hasBegun }: ThreadReading,
    ): ThreadMessage[] | Refusal {
      if (runId === undefined) {
        return database.atOnce(() => {
          const row = rows.find(threadId)
          return row === undefined ? [] : messagesOf(threadId, row, last)
        })
      }
      const resource = toOptionalColumn(resourceId || undefined)
      const by: RunHolder = { runId, ...(hasBegun === undefined ? {} : { hasBegun }) }
      const known = database.atOnce(() => (holders.isGone(by) ? 'gone' : lookInto(threadId, resource, last)))
      if (known !== undefined && (typeof known === 'string' || refsOf(known).length === 0)) return known
      return database.write(() => {
        if (holders.isGone(by)) return 'gone'
        const made = lookInto(threadId, resource, last) // by another process, meanwhile
        if (made === undefined) return claims.claim(threadId, runId, resource) ? [] : 'ofAnother'
        if (typeof made !== 'string') holders.hold(refsOf(made), { runId })
        return made
      })
    },
    save(
      threadId: string,
      messages: readonly ThreadMessage[],
      resourceId: string | undefined,
      by: RunHolder | undefined,
    ): Refusal | undefined {
      const at = messages.at(-1)?.at ?? 0
      const resource = toOptionalColumn(resourceId || undefined)
      return database.write(() => {
        if (holders.isGone(by)) return 'gone'
        const known = rows.find(threadId)
        const { resource_id: owner } = known ?? claims.ownerOf(threadId) ?? { resource_id: resource }
        if (owner !== null && owner !== resource) return 'ofAnother'
        const row = known ?? rows.add(threadId, owner, at)
        holders.hold(refsOf(messages), { threadId })
        if (known === undefined) holders.begun({ threadId })
        rows.update({ ...row, updated_at: Math.max(row.updated_at, at), messages: saveInto(row, messages) })
        return undefined
      })
    },
    removeMessages(threadId: string, resourceId: string, now: number): number {
      return database.write(() => {
        const row = rows.find(threadId)
        if (row === undefined) return 0
        const all = messagesOf(threadId, row, undefined)
        const stay = all.filter((message) => message.resourceId !== resourceId)
        const gone = all.filter((message) => message.resourceId === resourceId)
        if (gone.length === 0) return 0
        for (const { id } of gone) removeMessage.run(row.id, toColumn(id))
        for (const [seq, message] of stay.entries()) {
          const columns = columnsOf(row, message)
          move.run(seq, checksumOf(...sealed(row, seq, columns)), row.id, columns.message_id)
        }
        const named = new Set(refsOf(stay))
        const refs = new Set(refsOf(gone).filter((ref) => !named.has(ref)))
        holders.releaseRefs(refs, { threadId }, now)
        if (stay.length === 0) remove.run(row.thread_id)
        else rows.update({ ...row, messages: stay.length })
        return gone.length
      })
    },
    resources({ limit, before }: ResourcePage): Page<MemoryResource> {
      const after = toColumn(resourceOf(before))
      const found = resources.all(after, after, after, limit === undefined ? -1 : limit + 1)
      return resourcePage(found, limit)
    },
    removeThread(removal: ThreadRemoval, now: number): void {
      database.write(() => {
        if ('runId' in removal) return claims.release(removal.runId)
        const { threadId, unusedSince, atOnce } = removal
        if (unusedSince !== undefined && !isUnused(threadId, unusedSince)) return
        remove.run(toColumn(threadId))
        holders.release({ threadId }, now, atOnce)
      })
    },
  }
}

/** The columns of a message that its checksum covers. */
function sealed(
  { thread_id }: ThreadRow,
  seq: number,
  columns: Pick<MessageRow, 'message_id' | 'conversation_id' | 'resource_id' | 'message'>,
) {
  const { message_id, conversation_id, resource_id, message } = columns
  return [thread_id, seq, message_id, conversation_id, resource_id, message] as const
}

function refsOf(messages: readonly ThreadMessage[]): readonly string[] {
  return blobRefsIn(JSON.stringify(messages))
}

function threadOf(row: ThreadRow): Thread {
  return {
    id: fromColumn(row.thread_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.resource_id === null ? {} : { resourceId: fromColumn(row.resource_id) }),
  }
}
