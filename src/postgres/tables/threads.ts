/** Threads with their messages: recalled and saved for the resource that they belong to. */
import type { Thread, ThreadFilter, ThreadMessage, ThreadReading, ThreadRemoval } from '../../index.ts'
import { blobRefsIn } from '../../kit/index.ts'
import { fromColumn, toColumn, toOptionalColumn } from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'
import { blobHolders } from './blob-holders.ts'

interface ThreadRow {
  readonly thread_id: string
  readonly resource_id: string | null
  readonly created_at: number
  readonly updated_at: number
}

interface Known {
  readonly id: string
  readonly resource_id: string | null
  readonly next_seq: number
}

const columns = 'thread_id, resource_id, created_at, updated_at'

export function threads(connections: Connections, tables: Tables) {
  const { schema, messages, runs, threads: rows, threadClaims } = tables
  const holders = blobHolders(tables)

  const rowsWhere = (where: string, values: readonly string[]): Promise<readonly ThreadRow[]> =>
    connections.query<ThreadRow>(`SELECT ${columns} FROM ${rows} ${where}`, values)

  /** Until the transaction ends, no other one begins, claims or saves the thread. */
  const lock = (session: Session, threadId: string): Promise<unknown> =>
    session.query('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 1))', [
      toColumn(`${schema}:${threadId}`),
    ])

  /** The messages; `undefined`: no thread, `null`: it belongs to another resource. */
  const lookInto = async (
    session: Session,
    threadId: string,
    resource: string | null,
    last: number | undefined,
  ): Promise<ThreadMessage[] | null | undefined> => {
    const found = await session.query<{ resource_id: string | null; message: string | null }>(
      `SELECT threads.resource_id, last.message FROM ${rows} AS threads LEFT JOIN LATERAL (
         SELECT seq, message FROM ${messages} AS messages WHERE messages.thread = threads.id
         ORDER BY seq DESC LIMIT $2::int) AS last ON true
       WHERE threads.thread_id = $1::text ORDER BY last.seq`,
      [toColumn(threadId), last ?? null],
    )
    const [first] = found
    if (first === undefined) return undefined
    if (first.resource_id !== null && first.resource_id !== resource) return null
    return found.flatMap(({ message }) => (message === null ? [] : [JSON.parse(message) as ThreadMessage]))
  }

  /** The owner of a thread that runs have claimed; all claims of a thread name that of the first. */
  const claimedFor = async (
    session: Session,
    threadId: string,
  ): Promise<{ owner: string | null } | undefined> => {
    const [claim] = await session.query<{ owner: string | null }>(
      `SELECT resource_id AS owner FROM ${threadClaims} WHERE thread_id = $1::text LIMIT 1`,
      [toColumn(threadId)],
    )
    return claim
  }

  const begin = async (
    session: Session,
    threadId: string,
    owner: string | null,
    at: number,
  ): Promise<Known> => {
    const [made] = await session.query<Known>(
      `INSERT INTO ${rows} (thread_id, resource_id, created_at, updated_at) VALUES ($1::text, $2::text, $3::float8, $3::float8)
       RETURNING id::text AS id, resource_id, next_seq`,
      [toColumn(threadId), owner, at],
    )
    return made as Known
  }

  const saveInto = async (
    session: Session,
    thread: Known,
    given: readonly ThreadMessage[],
    at: number,
  ): Promise<void> => {
    // The last message of an id counts, in the place of the first: a statement changes a row once.
    const byId = new Map(given.map((message) => [message.id, message]))
    const added = Array.from(byId.values(), (message, index) => ({
      seq: thread.next_seq + index,
      message_id: toColumn(message.id),
      conversation_id: toOptionalColumn(message.conversationId),
      message: JSON.stringify(message),
    }))
    await session.query(
      `WITH put AS (
         INSERT INTO ${messages} (thread, seq, message_id, conversation_id, message)
         SELECT $1::bigint, seq, message_id, conversation_id, message FROM jsonb_to_recordset(($2::text)::jsonb)
           AS added(seq int, message_id text, conversation_id text, message text)
         ON CONFLICT (thread, message_id) DO UPDATE
           SET message = excluded.message, conversation_id = excluded.conversation_id)
       UPDATE ${rows} SET updated_at = greatest(updated_at, $3::float8), next_seq = $4::int WHERE id = $1::bigint`,
      [thread.id, JSON.stringify(added), at, thread.next_seq + added.length],
    )
  }

  const lastOf = async (threadId: string, last: number | undefined): Promise<ThreadMessage[]> => {
    const found = await connections.query<{ message: string }>(
      `SELECT message FROM (
         SELECT seq, message FROM ${messages} WHERE thread = (SELECT id FROM ${rows} WHERE thread_id = $1::text)
         ORDER BY seq DESC LIMIT $2::int) AS last ORDER BY seq`,
      [toColumn(threadId), last ?? null],
    )
    return found.map(({ message }) => JSON.parse(message) as ThreadMessage)
  }

  /** A run that begins with the thread locks its row: it is seen here, or it waits for the end of the transaction. */
  const isUnused = async (session: Session, threadId: string, unusedSince: number): Promise<boolean> => {
    const id = toColumn(threadId)
    await session.query(`SELECT 1 FROM ${rows} WHERE thread_id = $1::text FOR UPDATE`, [id])
    const unused = await session.query(
      `SELECT 1 FROM ${rows} AS threads WHERE thread_id = $1::text AND updated_at < $2::float8
         AND NOT EXISTS (SELECT 1 FROM ${runs} AS runs WHERE runs.thread_id = $1::text AND runs.outcome IS NULL)`,
      [id, unusedSince],
    )
    return unused.length > 0
  }

  return {
    async threads({ threadId, resourceId, conversationId }: ThreadFilter): Promise<Thread[]> {
      const values: string[] = []
      const conditions: string[] = []
      if (threadId !== undefined) conditions.push(`thread_id = $${values.push(toColumn(threadId))}::text`)
      if (resourceId !== undefined)
        conditions.push(`resource_id = $${values.push(toColumn(resourceId))}::text`)
      if (conversationId !== undefined)
        conditions.push(
          `id IN (SELECT thread FROM ${messages} WHERE conversation_id = $${values.push(toColumn(conversationId))}::text)`,
        )
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      return (await rowsWhere(`${where} ORDER BY id`, values)).map(threadOf)
    },
    /** `null`: the thread belongs to another resource. */
    async messages(
      threadId: string,
      { last, runId, resourceId }: ThreadReading,
    ): Promise<ThreadMessage[] | null> {
      if (runId === undefined) return lastOf(threadId, last)
      const resource = toOptionalColumn(resourceId || undefined)
      const known = await connections.attempt((session) => lookInto(session, threadId, resource, last))
      if (known !== undefined && refsOf(known ?? []).length === 0) return known
      return connections.transaction(async (session) => {
        await lock(session, threadId)
        const made = await lookInto(session, threadId, resource, last) // by another process, meanwhile
        await holders.hold(session, refsOf(made ?? []), { runId })
        if (made !== undefined) return made
        const { owner } = (await claimedFor(session, threadId)) ?? { owner: resource }
        if (owner !== null && owner !== resource) return null
        await session.query(
          `INSERT INTO ${threadClaims} (thread_id, run_id, resource_id) VALUES ($1::text, $2::text, $3::text)
           ON CONFLICT DO NOTHING`,
          [toColumn(threadId), toColumn(runId), owner],
        )
        return []
      })
    },
    /** `false`: the thread belongs to another resource. Nothing was saved. */
    save(
      threadId: string,
      given: readonly ThreadMessage[],
      resourceId: string | undefined,
    ): Promise<boolean> {
      const at = given.at(-1)?.at ?? 0
      const resource = toOptionalColumn(resourceId || undefined)
      return connections.transaction(async (session) => {
        await lock(session, threadId)
        const [known] = await session.query<Known>(
          `SELECT id::text AS id, resource_id, next_seq FROM ${rows} WHERE thread_id = $1::text FOR UPDATE`,
          [toColumn(threadId)],
        )
        const { owner } =
          known === undefined
            ? ((await claimedFor(session, threadId)) ?? { owner: resource })
            : { owner: known.resource_id }
        if (owner !== null && owner !== resource) return false
        await holders.hold(session, refsOf(given), { threadId })
        if (known === undefined) await holders.begun(session, { threadId })
        await saveInto(session, known ?? (await begin(session, threadId, owner, at)), given, at)
        return true
      })
    },
    removeThread(removal: ThreadRemoval, now: number): Promise<void> {
      return connections.transaction(async (session) => {
        if ('runId' in removal) {
          await session.query(`DELETE FROM ${threadClaims} WHERE run_id = $1::text`, [
            toColumn(removal.runId),
          ])
          return
        }
        const { threadId, unusedSince } = removal
        if (unusedSince !== undefined && !(await isUnused(session, threadId, unusedSince))) return
        await session.query(`DELETE FROM ${rows} WHERE thread_id = $1::text`, [toColumn(threadId)])
        await holders.release(session, { threadId }, now)
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
