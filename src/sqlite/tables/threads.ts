/** Threads with their messages: recalled and saved for the resource that they belong to. */
import type { Thread, ThreadFilter, ThreadMessage, ThreadReading, ThreadRemoval } from '../../index.ts'
import { blobRefsIn } from '../../kit/index.ts'
import { fromColumn, toColumn, toOptionalColumn } from '../../kit/sql/index.ts'
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
  readonly message: string
  readonly checksum: number
}

export function threads(database: Database) {
  const rows = threadRows(database)
  const claims = threadClaims(database)
  const holders = blobHolders(database)
  const lastMessages = new Query<MessageRow>(
    database,
    'SELECT seq, message_id, conversation_id, message, checksum FROM messages WHERE thread = ? ORDER BY id DESC LIMIT ?',
  )
  const put = new Query<{ seq: number }>(
    database,
    `INSERT INTO messages (thread, seq, message_id, conversation_id, message, checksum) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (thread, message_id) DO UPDATE SET conversation_id = excluded.conversation_id, message = excluded.message
     RETURNING seq`,
  )
  const seal = database.prepare('UPDATE messages SET checksum = ? WHERE thread = ? AND message_id = ?')
  const remove = database.prepare('DELETE FROM threads WHERE thread_id = ?')

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
    return found.toReversed().map(({ seq, message_id, conversation_id, message, checksum }) => {
      const columns = [row.thread_id, seq, message_id, conversation_id, message] as const
      const what = `the message "${message_id}" of the thread "${threadId}"`
      return parseStored(database, checksum, columns, what) as ThreadMessage
    })
  }

  /** The messages; `undefined`: no thread, `null`: it belongs to another resource. */
  const lookInto = (threadId: string, resource: string | null, last: number | undefined) => {
    const row = rows.find(threadId)
    if (row === undefined) return undefined
    return row.resource_id === null || row.resource_id === resource ? messagesOf(threadId, row, last) : null
  }

  const saveInto = (row: ThreadRow, messages: readonly ThreadMessage[]): number => {
    let count = row.messages
    for (const message of messages) {
      const messageId = toColumn(message.id)
      const columns = [messageId, toOptionalColumn(message.conversationId), JSON.stringify(message)] as const
      const checksum = checksumOf(row.thread_id, count, ...columns)
      const { seq } = put.get(row.id, count, ...columns, checksum) as { seq: number }
      if (seq === count) count++
      else seal.run(checksumOf(row.thread_id, seq, ...columns), row.id, messageId) // it keeps its place
    }
    return count
  }

  return {
    threads(filter: ThreadFilter): Thread[] {
      return rows.all(filter).map(threadOf)
    },
    /** `null`: the thread belongs to another resource. */
    messages(threadId: string, { last, runId, resourceId }: ThreadReading): ThreadMessage[] | null {
      if (runId === undefined) {
        return database.atOnce(() => {
          const row = rows.find(threadId)
          return row === undefined ? [] : messagesOf(threadId, row, last)
        })
      }
      const resource = toOptionalColumn(resourceId || undefined)
      const known = database.atOnce(() => lookInto(threadId, resource, last))
      if (known !== undefined && refsOf(known ?? []).length === 0) return known
      return database.write(() => {
        const made = lookInto(threadId, resource, last) // by another process, meanwhile
        holders.hold(refsOf(made ?? []), { runId })
        if (made !== undefined) return made
        return claims.claim(threadId, runId, resource) ? [] : null
      })
    },
    /** `false`: the thread belongs to another resource. Nothing was saved. */
    save(threadId: string, messages: readonly ThreadMessage[], resourceId: string | undefined): boolean {
      const at = messages.at(-1)?.at ?? 0
      const resource = toOptionalColumn(resourceId || undefined)
      return database.write(() => {
        const known = rows.find(threadId)
        const { resource_id: owner } = known ?? claims.ownerOf(threadId) ?? { resource_id: resource }
        if (owner !== null && owner !== resource) return false
        const row = known ?? rows.add(threadId, owner, at)
        holders.hold(refsOf(messages), { threadId })
        if (known === undefined) holders.begun({ threadId })
        rows.update({ ...row, updated_at: Math.max(row.updated_at, at), messages: saveInto(row, messages) })
        return true
      })
    },
    removeThread(removal: ThreadRemoval, now: number): void {
      database.write(() => {
        if ('runId' in removal) return claims.release(removal.runId)
        const { threadId, unusedSince } = removal
        if (unusedSince !== undefined && !isUnused(threadId, unusedSince)) return
        remove.run(toColumn(threadId))
        holders.release({ threadId }, now)
      })
    },
  }
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
