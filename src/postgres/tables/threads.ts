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
  postgres,
  resourceOf,
  resourcePage,
  resourcesSql,
  toColumn,
  toOptionalColumn,
  type Refusal,
  type ResourceRow,
} from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import { statement } from '../connection/statement.ts'
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
  const resources = resourcesSql(tables, postgres)
  const lockSql = statement('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 1))')
  const lookSql =
    statement(`SELECT threads.resource_id, last.message FROM ${rows} AS threads LEFT JOIN LATERAL (
         SELECT seq, message FROM ${messages} AS messages WHERE messages.thread = threads.id
         ORDER BY seq DESC LIMIT $2::int) AS last ON true
       WHERE threads.thread_id = $1::text ORDER BY last.seq`)
  const saveSql = statement(`WITH put AS (
         INSERT INTO ${messages} (thread, seq, message_id, conversation_id, resource_id, message)
         SELECT $1::bigint, seq, message_id, conversation_id, resource_id, message
         FROM jsonb_to_recordset(($2::text)::jsonb)
           AS added(seq int, message_id text, conversation_id text, resource_id text, message text)
         ON CONFLICT (thread, message_id) DO UPDATE SET message = excluded.message,
           conversation_id = excluded.conversation_id, resource_id = excluded.resource_id)
       UPDATE ${rows} SET updated_at = greatest(updated_at, $3::float8), next_seq = $4::int WHERE id = $1::bigint`)
  const lastSql = statement(`SELECT message FROM (
         SELECT seq, message FROM ${messages} WHERE thread = (SELECT id FROM ${rows} WHERE thread_id = $1::text)
         ORDER BY seq DESC LIMIT $2::int) AS last ORDER BY seq`)
  const knownSql = statement(
    `SELECT id::text AS id, resource_id, next_seq FROM ${rows} WHERE thread_id = $1::text FOR UPDATE`,
  )

  const rowsWhere = (where: string, values: readonly string[]): Promise<readonly ThreadRow[]> =>
    connections.query<ThreadRow>(`SELECT ${columns} FROM ${rows} ${where}`, values)

  /** Until the transaction ends, no other one begins, claims or saves the thread. */
  const lock = (session: Session, threadId: string): Promise<unknown> =>
    session.query(lockSql, [toColumn(`${schema}:${threadId}`)])

  /** The messages; `undefined`: no thread. */
  const lookInto = async (
    session: Session,
    threadId: string,
    resource: string | null,
    last: number | undefined,
  ): Promise<ThreadMessage[] | 'ofAnother' | undefined> => {
    const found = await session.query<{ resource_id: string | null; message: string | null }>(lookSql, [
      toColumn(threadId),
      last ?? null,
    ])
    const [first] = found
    if (first === undefined) return undefined
    if (first.resource_id !== null && first.resource_id !== resource) return 'ofAnother'
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
      resource_id: foreignResource(message, thread),
      message: JSON.stringify(message),
    }))
    await session.query(saveSql, [thread.id, JSON.stringify(added), at, thread.next_seq + added.length])
  }

  const lastOf = async (threadId: string, last: number | undefined): Promise<ThreadMessage[]> => {
    const found = await connections.query<{ message: string }>(lastSql, [toColumn(threadId), last ?? null])
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
    async threads({ threadId, resourceId, conversationId, messagesOf }: ThreadFilter): Promise<Thread[]> {
      const values: string[] = []
      const conditions: string[] = []
      if (threadId !== undefined) conditions.push(`thread_id = $${values.push(toColumn(threadId))}::text`)
      if (resourceId !== undefined)
        conditions.push(`resource_id = $${values.push(toColumn(resourceId))}::text`)
      if (conversationId !== undefined)
        conditions.push(
          `id IN (SELECT thread FROM ${messages} WHERE conversation_id = $${values.push(toColumn(conversationId))}::text)`,
        )
      if (messagesOf !== undefined)
        conditions.push(
          `id IN (SELECT thread FROM ${messages} WHERE resource_id = $${values.push(toColumn(messagesOf))}::text)`,
        )
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      return (await rowsWhere(`${where} ORDER BY id`, values)).map(threadOf)
    },
    async messages(
      threadId: string,
      { last, runId, resourceId, hasBegun }: ThreadReading,
    ): Promise<ThreadMessage[] | Refusal> {
      if (runId === undefined) return lastOf(threadId, last)
      const resource = toOptionalColumn(resourceId || undefined)
      const by: RunHolder = { runId, ...(hasBegun === undefined ? {} : { hasBegun }) }
      const known = await connections.attempt((session) => lookInto(session, threadId, resource, last))
      if (known !== undefined && (typeof known === 'string' || refsOf(known).length === 0)) return known
      return connections.transaction(async (session) => {
        if (await holders.isGone(session, by)) return 'gone'
        await lock(session, threadId)
        const made = await lookInto(session, threadId, resource, last) // by another process, meanwhile
        if (typeof made === 'string') return made
        await holders.hold(session, refsOf(made ?? []), { runId })
        if (made !== undefined) return made
        const { owner } = (await claimedFor(session, threadId)) ?? { owner: resource }
        if (owner !== null && owner !== resource) return 'ofAnother'
        await session.query(
          `INSERT INTO ${threadClaims} (thread_id, run_id, resource_id) VALUES ($1::text, $2::text, $3::text)
           ON CONFLICT DO NOTHING`,
          [toColumn(threadId), toColumn(runId), owner],
        )
        return []
      })
    },
    save(
      threadId: string,
      given: readonly ThreadMessage[],
      resourceId: string | undefined,
      by: RunHolder | undefined,
    ): Promise<Refusal | undefined> {
      const at = given.at(-1)?.at ?? 0
      const resource = toOptionalColumn(resourceId || undefined)
      return connections.transaction(async (session): Promise<Refusal | undefined> => {
        if (await holders.isGone(session, by)) return 'gone'
        await lock(session, threadId)
        const [known] = await session.query<Known>(knownSql, [toColumn(threadId)])
        const { owner } =
          known === undefined
            ? ((await claimedFor(session, threadId)) ?? { owner: resource })
            : { owner: known.resource_id }
        if (owner !== null && owner !== resource) return 'ofAnother'
        await holders.hold(session, refsOf(given), { threadId })
        if (known === undefined) await holders.begun(session, { threadId })
        await saveInto(session, known ?? (await begin(session, threadId, owner, at)), given, at)
        return undefined
      })
    },
    removeMessages(threadId: string, resourceId: string): Promise<number> {
      const removed = new Map<string, ThreadMessage>() // also by an attempt whose answer was lost
      return connections.transaction(async (session) => {
        await lock(session, threadId)
        const found = await session.query<{ id: string; message_id: string; message: string }>(
          `SELECT threads.id::text AS id, messages.message_id, messages.message
           FROM ${rows} AS threads JOIN ${messages} AS messages ON messages.thread = threads.id
           WHERE threads.thread_id = $1::text FOR UPDATE`,
          [toColumn(threadId)],
        )
        const read = found.map((row) => ({ ...row, message: JSON.parse(row.message) as ThreadMessage }))
        const gone = read.filter(({ message }) => message.resourceId === resourceId)
        const [first] = gone
        if (first === undefined) return removed.size
        const stay = read.flatMap(({ message }) => (message.resourceId === resourceId ? [] : message))
        for (const { message_id, message } of gone) removed.set(message_id, message)
        await session.query(
          `DELETE FROM ${messages} WHERE thread = $1::bigint
             AND message_id IN (SELECT jsonb_array_elements_text(($2::text)::jsonb))`,
          [first.id, JSON.stringify(gone.map(({ message_id }) => message_id))],
        )
        if (stay.length === 0) await session.query(`DELETE FROM ${rows} WHERE id = $1::bigint`, [first.id])
        const named = new Set(refsOf(stay))
        const refs = refsOf(gone.map(({ message }) => message)).filter((ref) => !named.has(ref))
        await holders.releaseRefs(session, refs, { threadId })
        return removed.size
      })
    },
    async resources({ limit, before }: ResourcePage): Promise<Page<MemoryResource>> {
      const after = toColumn(resourceOf(before))
      const most = limit === undefined ? null : limit + 1
      const found = await connections.query<ResourceRow>(resources, [after, after, after, most])
      return resourcePage(found, limit)
    },
    removeThread(removal: ThreadRemoval, now: number): Promise<void> {
      return connections.transaction(async (session) => {
        if ('runId' in removal) {
          await session.query(`DELETE FROM ${threadClaims} WHERE run_id = $1::text`, [
            toColumn(removal.runId),
          ])
          return
        }
        const { threadId, unusedSince, atOnce } = removal
        if (unusedSince !== undefined && !(await isUnused(session, threadId, unusedSince))) return
        await session.query(`DELETE FROM ${rows} WHERE thread_id = $1::text`, [toColumn(threadId)])
        await holders.release(session, { threadId }, now, atOnce)
      })
    },
  }
}

/** The resource of a message in a thread that does not belong to it. */
function foreignResource({ resourceId }: ThreadMessage, { resource_id }: Known): string | null {
  const resource = toOptionalColumn(resourceId || undefined)
  return resource === resource_id ? null : resource
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
