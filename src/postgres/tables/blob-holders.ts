/** The runs and threads that hold blobs. Every call is part of a transaction. */
import { callerTime, type BlobHolder } from '../../runtime/files/blob-storage.ts'
import { toColumn } from '../../runtime/journal/column-text.ts'
import type { Session } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

/** The most blobs without a holder that one release removes beside its own. */
const mostLeft = 20

export function blobHolders({ blobs, holders }: Tables) {
  const unheld = `NOT EXISTS (SELECT 1 FROM ${holders} AS holders WHERE holders.ref = blobs.ref)`
  return {
    unheld,
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
    /**
     * Ends a hold, and removes each blob that has no other; one that a caller has put of late stays for a while. The
     * rows of the blobs are locked first: of two holds that end at once, the second one finds that it is the last.
     */
    async release(session: Session, by: BlobHolder, now: number): Promise<void> {
      const name = holderName(by)
      const rows = await session.query<{ ref: string }>(
        `SELECT ref FROM ${blobs} WHERE ref IN (SELECT ref FROM ${holders} WHERE holder = $1::text)
         ORDER BY ref FOR UPDATE`,
        [name],
      )
      if (rows.length === 0) return
      const refs = JSON.stringify(rows.map(({ ref }) => ref))
      await session.query(`DELETE FROM ${holders} WHERE holder = $1::text`, [name])
      const ofThese = 'ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))'
      await session.query(
        `UPDATE ${blobs} AS blobs SET is_left = true WHERE ${ofThese} AND put_at >= $2::float8 AND ${unheld}`,
        [refs, now - callerTime],
      )
      await session.query(
        `DELETE FROM ${blobs} AS blobs
         WHERE ${ofThese} AND coalesce(put_at < $2::float8, true) AND ${unheld}`,
        [refs, now - callerTime],
      )
      await session.query(
        `DELETE FROM ${blobs} AS blobs WHERE ${unheld} AND ref IN (
           SELECT ref FROM ${blobs} WHERE is_left AND put_at < $1::float8 ORDER BY put_at LIMIT ${mostLeft}
           FOR UPDATE SKIP LOCKED)`,
        [now - callerTime],
      )
    },
  }
}

export function holderName(holder: BlobHolder): string {
  return 'runId' in holder ? `run ${toColumn(holder.runId)}` : `thread ${toColumn(holder.threadId)}`
}
