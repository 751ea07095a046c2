/** The runs and threads that hold blobs. Every call is part of a transaction. */
import type { BlobExpiry, BlobHolder } from '../../index.ts'
import { callerTime } from '../../kit/index.ts'
import { toColumn } from '../../kit/sql/index.ts'
import type { Session } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

/** The most blobs without a holder that one release removes beside its own. */
const mostLeft = 20

export function blobHolders({ blobs, holders, unbegun, runs, threads }: Tables) {
  const unheld = `NOT EXISTS (SELECT 1 FROM ${holders} AS holders WHERE holders.ref = blobs.ref)`

  /** Notes a holder that is about to begin, where it is not there: `$1` its name, `$2` its id, `$3` the time. */
  const noteSql = (by: BlobHolder): string => {
    const isRun = 'runId' in by
    const known = isRun ? `${runs} WHERE run_id = $2::text` : `${threads} WHERE thread_id = $2::text`
    return `INSERT INTO ${unbegun} (holder, held_at) SELECT $1::text, $3::float8
      WHERE ${!isRun || by.isStored === true} AND NOT EXISTS (SELECT 1 FROM ${known})
      ON CONFLICT (holder) DO UPDATE SET held_at = excluded.held_at`
  }
  const noteValues = (by: BlobHolder, now: number): readonly unknown[] => [
    holderName(by),
    toColumn('runId' in by ? by.runId : by.threadId),
    now,
  ]

  /** Removes blobs that have lost a holder, and have no other; one that a caller has put since then is left for a while. */
  const leave = async (session: Session, refs: string, since: number): Promise<void> => {
    const ofThese = 'ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))'
    await session.query(
      `UPDATE ${blobs} AS blobs SET is_left = true WHERE ${ofThese} AND put_at >= $2::float8 AND ${unheld}`,
      [refs, since],
    )
    await session.query(
      `DELETE FROM ${blobs} AS blobs
       WHERE ${ofThese} AND coalesce(put_at < $2::float8, true) AND ${unheld}`,
      [refs, since],
    )
  }

  /**
   * Ends a hold, and removes each blob that has no other; one that a caller has put of late stays for a while. The
   * rows of the blobs are locked first: of two holds that end at once, the second one finds that it is the last.
   */
  const release = async (session: Session, name: string, now: number, atOnce = false): Promise<void> => {
    await session.query(`DELETE FROM ${unbegun} WHERE holder = $1::text`, [name])
    const rows = await session.query<{ ref: string }>(
      `SELECT ref FROM ${blobs} WHERE ref IN (SELECT ref FROM ${holders} WHERE holder = $1::text)
       ORDER BY ref FOR UPDATE`,
      [name],
    )
    if (rows.length === 0) return
    const refs = JSON.stringify(rows.map(({ ref }) => ref))
    await session.query(`DELETE FROM ${holders} WHERE holder = $1::text`, [name])
    await leave(session, refs, atOnce ? Number.POSITIVE_INFINITY : now - callerTime)
    await session.query(
      `DELETE FROM ${blobs} AS blobs WHERE ${unheld} AND ref IN (
         SELECT ref FROM ${blobs} WHERE is_left AND put_at < $1::float8 ORDER BY put_at LIMIT ${mostLeft}
         FOR UPDATE SKIP LOCKED)`,
      [now - callerTime],
    )
  }

  return {
    unheld,
    noteSql,
    noteValues,
    /** The thread is there. A run that begins is no longer noted by its append. */
    async begun(session: Session, by: BlobHolder): Promise<void> {
      await session.query(`DELETE FROM ${unbegun} WHERE holder = $1::text`, [holderName(by)])
    },
    /** Ends the holds of those that were noted before, and are not there. Returns the names of those noted. */
    async expire(session: Session, { before, limit }: BlobExpiry, now: number): Promise<readonly string[]> {
      const noted = await session.query<{ holder: string; is_known: boolean }>(
        `SELECT holder, EXISTS (SELECT 1 FROM ${runs} WHERE holder LIKE 'run %' AND run_id = substr(holder, 5))
           OR EXISTS (SELECT 1 FROM ${threads} WHERE holder LIKE 'thread %' AND thread_id = substr(holder, 8)) AS is_known
         FROM (SELECT holder, held_at FROM ${unbegun} WHERE held_at < $1::float8 ORDER BY held_at LIMIT $2::int
           FOR UPDATE SKIP LOCKED) AS noted`,
        [before, limit],
      )
      for (const { holder, is_known } of noted) {
        if (is_known) await session.query(`DELETE FROM ${unbegun} WHERE holder = $1::text`, [holder])
        else await release(session, holder, now)
      }
      return noted.map(({ holder }) => holder)
    },
    /** Returns the references of blobs that are there. */
    async hold(session: Session, refs: readonly string[], by: BlobHolder): Promise<ReadonlySet<string>> {
      if (refs.length === 0) return new Set()
      const rows = await session.query<{ ref: string }>(
        `WITH known AS (
           SELECT ref FROM ${blobs} WHERE ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))
         ), held AS (
           INSERT INTO ${holders} (ref, holder) SELECT ref, $2::text FROM known ON CONFLICT DO NOTHING
         ) SELECT ref FROM known`,
        [JSON.stringify(refs), holderName(by)],
      )
      return new Set(rows.map(({ ref }) => ref))
    },
    release(session: Session, by: BlobHolder, now: number, atOnce = false): Promise<void> {
      return release(session, holderName(by), now, atOnce)
    },
    /** Ends the hold on these blobs; those that nothing else holds go, also those that a caller has put of late. */
    async releaseRefs(session: Session, refs: Iterable<string>, by: BlobHolder): Promise<void> {
      const text = JSON.stringify([...refs])
      await session.query(
        `SELECT ref FROM ${blobs} WHERE ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))
         ORDER BY ref FOR UPDATE`,
        [text],
      )
      await session.query(
        `DELETE FROM ${holders} WHERE holder = $2::text AND ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))`,
        [text, holderName(by)],
      )
      await leave(session, text, Number.POSITIVE_INFINITY)
    },
    /** Whether the run was deleted. One that is there stays until the transaction ends. */
    async isGone(session: Session, by: BlobHolder | undefined): Promise<boolean> {
      if (by === undefined || !('runId' in by) || by.hasBegun !== true) return false
      const found = await session.query(`SELECT 1 FROM ${runs} WHERE run_id = $1::text FOR KEY SHARE`, [
        toColumn(by.runId),
      ])
      return found.length === 0
    },
  }
}

function holderName(holder: BlobHolder): string {
  return 'runId' in holder ? `run ${toColumn(holder.runId)}` : `thread ${toColumn(holder.threadId)}`
}
