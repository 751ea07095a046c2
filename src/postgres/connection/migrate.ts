/** Makes the tables, or brings those of an older release up to date. Several processes may do so at once. */
import type { SchemaVersions } from '../../kit/sql/index.ts'
import type { Connections, Session } from './connections.ts'
import { foreign, newer, notUtf8, older, sqlStateOf } from './failures.ts'
import { schemaSteps, type Tables } from './schema.ts'

/**
 * Rejects with a `StoreError` where the tables belong to a newer release, or to another program, and where the database
 * does not keep every text.
 */
export async function migrate(connections: Connections, tables: Tables): Promise<void> {
  await assertUtf8(connections)
  const known = await connections.attempt((session) => versionsIn(session, tables))
  if (known === undefined || known.version < schemaSteps.version) {
    await connections.transaction((session) => upgrade(session, tables))
  } else refuseOtherRelease(known, tables)
}

/** A database of another encoding takes the tables, and fails at the first text that it lacks. */
async function assertUtf8(connections: Connections): Promise<void> {
  const [found] = await connections.query<{ encoding: string }>(
    `SELECT current_setting('server_encoding') AS encoding`,
  )
  if (found?.encoding !== 'UTF8') throw notUtf8(connections.schema, String(found?.encoding))
}

export function refuseOtherRelease(found: SchemaVersions, { schema }: Tables): void {
  const fit = schemaSteps.fitOf(found)
  if (fit === 'older') throw older(schema, found.version, schemaSteps)
  if (fit === 'newer') throw newer(schema, found.oldest, schemaSteps.version)
}

/** The lock is held until the transaction ends, so that another process finds the tables made. */
export async function upgrade(session: Session, tables: Tables, steps = schemaSteps): Promise<void> {
  const { schema, meta } = tables
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))', [`troupe:${schema}`])
  const known = await versionsIn(session, tables)
  if (known === undefined) await session.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  else refuseOtherRelease(known, tables)
  const missing = steps.missing(known?.version)
  if (missing.length === 0) return
  try {
    if (known === undefined)
      await session.query(`CREATE TABLE ${meta} (version integer NOT NULL, oldest integer NOT NULL)`)
    for (const sqlOf of missing) await session.query(sqlOf(tables))
  } catch (error) {
    if (sqlStateOf(error) === duplicateTable) throw foreign(schema, error)
    throw error
  }
  const change =
    known === undefined
      ? `INSERT INTO ${meta} VALUES ($1::int, $2::int)`
      : `UPDATE ${meta} SET version = $1::int, oldest = $2::int`
  await session.query(change, [steps.version, Math.max(known?.oldest ?? 0, steps.oldest)])
}

const duplicateTable = '42P07'

/**
 * `undefined`: there are no tables of ours. The catalog is read as a table: `to_regclass` may answer from a cache that
 * does not know of another process's tables yet.
 */
async function versionsIn(session: Session, { schema, meta }: Tables): Promise<SchemaVersions | undefined> {
  const [found] = await session.query<{ there: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM pg_catalog.pg_class AS classes
         JOIN pg_catalog.pg_namespace AS schemas ON schemas.oid = classes.relnamespace
       WHERE schemas.nspname = $1::text AND classes.relname = 'troupe_schema') AS there`,
    [schema],
  )
  if (found?.there !== true) return undefined
  const [versions] = await session.query<SchemaVersions>(`SELECT version, oldest FROM ${meta}`)
  return versions
}
