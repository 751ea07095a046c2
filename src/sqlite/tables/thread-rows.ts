/** The rows of threads: read whole or not at all. */
import type { ThreadFilter } from '../../index.ts'
import { toColumn } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { assertWhole } from '../connection/parse-stored.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'

export interface ThreadRow {
  readonly id: number
  readonly thread_id: string
  readonly resource_id: string | null
  readonly created_at: number
  readonly updated_at: number
  /** The number of its messages. */
  readonly messages: number
}

type StoredRow = ThreadRow & { readonly checksum: number }

export function threadRows(database: Database) {
  const one = new Query<StoredRow>(database, 'SELECT * FROM threads WHERE thread_id = ?')
  const again = new Query<StoredRow>(
    database,
    'SELECT * FROM threads INDEXED BY threads_again WHERE thread_id = ?',
  )
  const all = new Query<StoredRow>(database, 'SELECT * FROM threads ORDER BY id')
  const ofResource = new Query<StoredRow>(database, 'SELECT * FROM threads WHERE resource_id = ? ORDER BY id')
  const ofConversation = new Query<StoredRow>(
    database,
    'SELECT * FROM threads WHERE id IN (SELECT thread FROM messages WHERE conversation_id = ?) ORDER BY id',
  )
  const withMessagesOf = new Query<StoredRow>(
    database,
    `SELECT * FROM threads WHERE id IN (SELECT thread FROM messages WHERE resource_id = ?) ORDER BY id`,
  )
  const insert = new Query<{ id: number }>(
    database,
    `INSERT INTO threads (thread_id, resource_id, created_at, updated_at, messages, checksum)
     VALUES (?, ?, ?, ?, 0, 0) RETURNING id`,
  )
  const change = database.prepare(
    'UPDATE threads SET updated_at = ?, messages = ?, checksum = ? WHERE id = ?',
  )

  const whole = ({ checksum, ...row }: StoredRow): ThreadRow => {
    assertWhole(database, checksum, sealed(row), `the thread "${row.thread_id}"`)
    return row
  }

  const find = (threadId: string): ThreadRow | undefined => {
    const row = one.get(toColumn(threadId))
    if (row !== undefined) return whole(row)
    if (again.get(toColumn(threadId)) === undefined) return undefined
    throw corrupt(database.file, `the thread "${threadId}" is there, and its index does not have it.`)
  }

  return {
    find,
    all({ messagesOf, ...filter }: ThreadFilter): ThreadRow[] {
      if (messagesOf === undefined) return this.chosen(filter)
      const having = withMessagesOf.all(toColumn(messagesOf)).map(whole)
      if (Object.values(filter).every((one) => one === undefined)) return having
      const among = new Set(this.chosen(filter).map(({ id }) => id))
      return having.filter(({ id }) => among.has(id))
    },
    chosen({ threadId, resourceId, conversationId }: Omit<ThreadFilter, 'messagesOf'>): ThreadRow[] {
      const owner = resourceId === undefined ? undefined : toColumn(resourceId)
      if (threadId !== undefined) {
        const row = find(threadId)
        const isChosen =
          conversationId === undefined || this.chosen({ conversationId }).some(({ id }) => id === row?.id)
        return row === undefined || !isChosen || (owner !== undefined && row.resource_id !== owner)
          ? []
          : [row]
      }
      if (conversationId !== undefined) {
        const found = ofConversation.all(toColumn(conversationId)).map(whole)
        return owner === undefined ? found : found.filter(({ resource_id }) => resource_id === owner)
      }
      return (owner === undefined ? all.all() : ofResource.all(owner)).map(whole)
    },
    /** Adds a thread without messages. `update` writes its checksum. */
    add(threadId: string, owner: string | null, at: number): ThreadRow {
      const thread_id = toColumn(threadId)
      const { id } = insert.get(thread_id, owner, at, at) as { id: number }
      return { id, thread_id, resource_id: owner, created_at: at, updated_at: at, messages: 0 }
    },
    update(row: ThreadRow): void {
      change.run(row.updated_at, row.messages, checksumOf(...sealed(row)), row.id)
    },
  }
}

function sealed({ thread_id, resource_id, created_at, updated_at, messages }: ThreadRow) {
  return [thread_id, resource_id, created_at, updated_at, messages] as const
}
