/** Threads with their messages, and the working memory of resources. */
import type { Thread, ThreadMessage, ThreadReader } from '../runtime/memory-storage.ts'
import { fromColumn, toColumn, toOptionalColumn } from './column-text.ts'
import type { Database } from './database.ts'
import { parseStored } from './parse-stored.ts'
import { Query } from './query.ts'
import { threadClaims } from './thread-claims.ts'

interface ThreadRow {
  readonly thread_id: string
  readonly resource_id: string | null
  readonly created_at: number
  readonly updated_at: number
}

export function threads(database: Database) {
  const one = new Query<ThreadRow>(database, 'SELECT * FROM threads WHERE thread_id = ?')
  const all = new Query<ThreadRow>(database, 'SELECT * FROM threads ORDER BY id')
  const ofResource = new Query<ThreadRow>(database, 'SELECT * FROM threads WHERE resource_id = ? ORDER BY id')
  const lastMessages = new Query<{ message: string }>(
    database,
    `SELECT message FROM messages WHERE thread = (SELECT id FROM threads WHERE thread_id = ?)
     ORDER BY id DESC LIMIT ?`,
  )
  /** Newest first, as one statement sees the thread and its messages. */
  const opened = new Query<{ resource_id: string | null; message: string | null }>(
    database,
    `SELECT threads.resource_id, messages.message
     FROM threads LEFT JOIN messages ON messages.thread = threads.id
     WHERE threads.thread_id = ? ORDER BY messages.id DESC LIMIT ?`,
  )
  const touch = new Query<{ id: number }>(
    database,
    `INSERT INTO threads (thread_id, resource_id, created_at, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (thread_id) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)
     RETURNING id`,
  )
  const put = database.prepare(
    `INSERT INTO messages (thread, message_id, message) VALUES (?, ?, ?)
     ON CONFLICT (thread, message_id) DO UPDATE SET message = excluded.message`,
  )
  const remove = database.prepare('DELETE FROM threads WHERE thread_id = ?')
  const memory = new Query<{ content: string }>(
    database,
    'SELECT content FROM working_memory WHERE resource_id = ?',
  )
  const setMemory = database.prepare(
    `INSERT INTO working_memory (resource_id, content) VALUES (?, ?)
     ON CONFLICT (resource_id) DO UPDATE SET content = excluded.content`,
  )
  const ofThread = threadClaims(database)

  const parse = (message: string, threadId: string): ThreadMessage =>
    parseStored(database, message, `a message of the thread "${threadId}"`) as ThreadMessage

  /** What is there; `undefined`: no thread, `null`: it belongs to another. */
  const lookInto = (threadId: string, resource: string | null, last: number | undefined) => {
    const rows = opened.all(toColumn(threadId), last === undefined ? -1 : Math.max(1, last))
    const [row] = rows
    if (row === undefined) return undefined
    if (row.resource_id !== null && row.resource_id !== resource) return null
    const messages = rows.flatMap(({ message }) => (message === null ? [] : [parse(message, threadId)]))
    return last === 0 ? [] : messages.toReversed()
  }

  return {
    thread(threadId: string): Thread | undefined {
      const row = one.get(toColumn(threadId))
      return row === undefined ? undefined : threadOf(row)
    },
    threads(resourceId: string | undefined): Thread[] {
      const rows = resourceId === undefined ? all.all() : ofResource.all(toColumn(resourceId))
      return rows.map(threadOf)
    },
    messages(threadId: string, last: number | undefined): ThreadMessage[] {
      return lastMessages
        .all(toColumn(threadId), last ?? -1)
        .toReversed()
        .map(({ message }) => parse(message, threadId))
    },
    /** `null`: the thread belongs to another resource. */
    recall(threadId: string, { runId, resourceId, last }: ThreadReader): ThreadMessage[] | null {
      const resource = toOptionalColumn(resourceId || undefined)
      const known = lookInto(threadId, resource, last)
      if (known !== undefined) return known
      return database.write(() => {
        const made = lookInto(threadId, resource, last) // by another process, meanwhile
        if (made !== undefined) return made
        return ofThread.claim(threadId, runId, resource) ? [] : null
      })
    },
    releaseThreads(runId: string): void {
      database.write(() => ofThread.release(runId))
    },
    /** `false`: the thread belongs to another resource. Nothing was saved. */
    save(threadId: string, messages: readonly ThreadMessage[], resourceId: string | undefined): boolean {
      const at = messages.at(-1)?.at ?? 0
      const resource = toOptionalColumn(resourceId || undefined)
      return database.write(() => {
        const { resource_id: owner } = one.get(toColumn(threadId)) ??
          ofThread.ownerOf(threadId) ?? { resource_id: resource }
        if (owner !== null && owner !== resource) return false
        const { id } = touch.get(toColumn(threadId), owner, at, at) as { id: number }
        for (const message of messages) put.run(id, toColumn(message.id), JSON.stringify(message))
        return true
      })
    },
    deleteThread(threadId: string): void {
      database.write(() => remove.run(toColumn(threadId)))
    },
    workingMemory(resourceId: string): string | undefined {
      const row = memory.get(toColumn(resourceId))
      return row === undefined ? undefined : fromColumn(row.content)
    },
    setWorkingMemory(resourceId: string, content: string): void {
      database.write(() => setMemory.run(toColumn(resourceId), toColumn(content)))
    },
  }
}

function threadOf(row: ThreadRow): Thread {
  return {
    id: fromColumn(row.thread_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.resource_id === null ? {} : { resourceId: fromColumn(row.resource_id) }),
  }
}
