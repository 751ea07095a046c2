/** The bytes of files. */
import type { BlobExpiry, BlobHolder } from '../../index.ts'
import { isMarkedSealed } from '../../kit/index.ts'
import { SoundBlobs, sha256Later } from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import { corrupt } from '../connection/failures.ts'
import type { Tables } from '../connection/schema.ts'
import { blobHolders } from './blob-holders.ts'

/** The most blobs that are looked at for each that may be removed: those that something holds are passed over. */
const mostHeld = 50

export function blobs(connections: Connections, tables: Tables) {
  const { schema, blobs: rows } = tables
  const holders = blobHolders(tables)

  /** Removes blobs that nothing holds and that a caller has put before; returns their number. */
  const expirePuts = ({ before, limit }: BlobExpiry): Promise<number> => {
    const gone = new Set<string>() // also by an attempt whose answer was lost
    return connections.transaction(async (session) => {
      const old = await session.query<{ ref: string }>(
        `SELECT ref FROM ${rows} WHERE put_at < $1::float8 ORDER BY put_at LIMIT $2::int FOR UPDATE`,
        [before, limit * mostHeld],
      )
      const refs = JSON.stringify(old.map(({ ref }) => ref))
      const ofThese = 'ref IN (SELECT jsonb_array_elements_text(($1::text)::jsonb))'
      await session.query(
        `UPDATE ${rows} AS blobs SET put_at = NULL, is_left = false WHERE ${ofThese} AND NOT ${holders.unheld}`,
        [refs],
      )
      const removed = await session.query<{ ref: string }>(
        `DELETE FROM ${rows} WHERE ref IN (
             SELECT ref FROM ${rows} AS blobs WHERE ${ofThese} AND ${holders.unheld} ORDER BY put_at LIMIT $2::int)
           RETURNING ref`,
        [refs, limit],
      )
      for (const { ref } of removed) gone.add(ref)
      return gone.size
    })
  }

  const holdBlob = (ref: string, by: BlobHolder, now: number): Promise<boolean> =>
    connections.transaction(async (session) => {
      if (await holders.isGone(session, by)) return false
      await session.query(holders.noteSql(by), holders.noteValues(by, now))
      return (await holders.hold(session, [ref], by)).has(ref)
    })

  const sound = new SoundBlobs()

  return {
    async blob(ref: string): Promise<Uint8Array | undefined> {
      const [row] = await connections.query<{ bytes: Uint8Array }>(
        `SELECT bytes FROM ${rows} WHERE ref = $1::text`,
        [ref],
      )
      if (row === undefined) return undefined
      const bytes = Uint8Array.from(row.bytes)
      if (!sound.has(ref) && !isMarkedSealed(bytes) && (await sha256Later(bytes)) !== ref)
        throw corrupt(schema, `the blob ${ref} has other bytes.`)
      sound.add(ref)
      return bytes
    },
    /** Without a holder the bytes are those of a caller, who puts them `now`. Whether the blob is there. */
    async putBlob(
      ref: string,
      given: Uint8Array | undefined,
      by: BlobHolder | undefined,
      now: number,
    ): Promise<boolean> {
      if (given === undefined) return by !== undefined && holdBlob(ref, by, now)
      const bytes = given.slice() // now: a caller may change its bytes
      if (by === undefined) {
        await connections.query(
          `INSERT INTO ${rows} (ref, bytes, put_at) VALUES ($1::text, $2::bytea, $3::float8)
           ON CONFLICT (ref) DO UPDATE SET put_at = excluded.put_at`,
          [ref, bytes, now],
        )
        return true
      }
      const put = async (session: Pick<Session, 'query'>): Promise<boolean> => {
        await session.query(
          `WITH noted AS (${holders.noteSql(by)}),
             put AS (INSERT INTO ${rows} (ref, bytes) VALUES ($4::text, $5::bytea) ON CONFLICT (ref) DO NOTHING)
           INSERT INTO ${tables.holders} (ref, holder) VALUES ($4::text, $1::text) ON CONFLICT DO NOTHING`,
          [...holders.noteValues(by, now), ref, bytes],
        )
        return true
      }
      if (!('runId' in by) || by.hasBegun !== true) return put(connections)
      return connections.transaction(async (session) =>
        (await holders.isGone(session, by)) ? false : put(session),
      )
    },
    releaseBlobs(holds: BlobHolder | BlobExpiry, now: number): Promise<number> {
      if ('of' in holds && holds.of === 'puts') return expirePuts(holds)
      const ended = new Set<string>() // also by an attempt whose answer was lost
      return connections.transaction(async (session) => {
        if ('of' in holds) {
          for (const holder of await holders.expire(session, holds, now)) ended.add(holder)
          return ended.size
        }
        await holders.release(session, holds, now)
        return 1
      })
    },
  }
}
