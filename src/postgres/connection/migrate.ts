/** Makes the tables, or brings those of an older release up to date. Several processes may do so at once. */
import type { Connections, Session } from './connections.ts'
import { foreign, newer, notUtf8, sqlStateOf } from './failures.ts'
import { schemaVersion, steps, type Tables } from './schema.ts'

interface Versions {
  readonly version: number
  /** The version of the tables that a release must know to work with them. */
  readonly oldest: number
}

/**
 * Rejects with a `StoreError` where the tables belong to a newer release, or to another program, and where the database
 * does not keep every text.
 */
export async function migrate(connections: Connections, tables: Tables): Promise<void> {
  await assertUtf8(connections)
  const known = await connections.attempt((session) => versionsIn(session, tables))
  if (known === undefined || known.version < schemaVersion) {
    await connections.transaction((session) => upgrade(session, tables))
  } else refuseNewer(known, tables)
}

/** A database of another encoding takes the tables, and fails at the first text that it lacks. */
async function assertUtf8(connections: Connections): Promise<void> {
  const [found] = await connections.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  if (found?.encoding !== 'UTF8') throw notUtf8(connections.schema, String(found?.encoding))
}

export function refuseNewer({ oldest }: Pick<Versions, 'oldest'>, { schema }: Tables): void {
  if (oldest > schemaVersion) throw newer(schema, oldest, schemaVersion)
}

/** The lock is held until the transaction ends, so that another process finds the tables made. */
async function upgrade(session: Session, tables: Tables): Promise<void> {
  const { schema, meta } = tables
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))', [`troupe:${schema}`])
  const known = await versionsIn(session, tables)
  if (known === undefined) await session.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  else refuseNewer(known, tables)
  const missing = steps.slice(known?.version ?? 0)
  if (missing.length === 0) return
  try {
    if (known === undefined)
      await session.query(`CREATE TABLE ${meta} (version integer NOT NULL, oldest integer NOT NULL)`)
    for (const { sql } of missing) await session.query(sql(tables))
  } catch (error) {
    if (sqlStateOf(error) === duplicateTable) throw foreign(schema, error)
    throw error
  }
  const oldest = Math.max(...steps.map((step) => step.oldest))
  const change =
    known === undefined
      ? `INSERT INTO ${meta} VALUES ($1::int, $2::int)`
      : `UPDATE ${meta} SET version = $1::int, oldest = $2::int`
  await session.query(change, [schemaVersion, oldest])
}

const duplicateTable = '42P07'

/**
 * `undefined`: there are no tables of ours. The catalog is read as a table: `to_regclass` may answer from a cache that
 * does not know of another process's tables yet.
 */
async function versionsIn(session: Session, { schema, meta }: Tables): Promise<Versions | undefined> {
  const [found] = await session.query<{ there: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM pg_catalog.pg_class AS classes
         JOIN pg_catalog.pg_namespace AS schemas ON schemas.oid = classes.relnamespace
       WHERE schemas.nspname = $1::text AND classes.relname = 'troupe_schema') AS there`,
    [schema],
  )
  if (found?.there !== true) return undefined
  const [versions] = await session.query<Versions>(`SELECT version, oldest FROM ${meta}`)
  return versions
}
