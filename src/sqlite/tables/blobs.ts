/** The bytes of files. */
import type { BlobExpiry, BlobHolder } from '../../index.ts'
import { isMarkedSealed, sha256 } from '../../kit/index.ts'
import { SoundBlobs } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'
import { blobHolders } from './blob-holders.ts'

/** The most blobs that are looked at for each that may be removed: those that something holds are passed over. */
const mostHeld = 50

export function blobs(database: Database) {
  const select = new Query<{ bytes: Uint8Array }>(database, 'SELECT bytes FROM blobs WHERE ref = ?')
  const insert = database.prepare('INSERT INTO blobs (ref, bytes) VALUES (?, ?) ON CONFLICT (ref) DO NOTHING')
  const put = database.prepare(
    `INSERT INTO blob_puts (blob, put_at) SELECT id, ? FROM blobs WHERE ref = ?
     ON CONFLICT (blob) DO UPDATE SET put_at = excluded.put_at`,
  )
  const oldPuts = new Query<{ blob: number }>(
    database,
    'SELECT blob FROM blob_puts WHERE put_at < ? ORDER BY put_at LIMIT ?',
  )
  const holders = blobHolders(database)

  /** Removes blobs that nothing holds and that a caller has put before; returns their number. */
  const expirePuts = ({ before, limit }: BlobExpiry): number => {
    let count = 0
    for (const { blob } of oldPuts.all(before, limit * mostHeld)) {
      if (holders.removeUnheld(blob)) count++
      if (count === limit) break
    }
    return count
  }

  const sound = new SoundBlobs()

  return {
    blob(ref: string): Uint8Array | undefined {
      const row = select.get(ref)
      if (row === undefined) return undefined
      if (!sound.has(ref) && !isMarkedSealed(row.bytes) && sha256(row.bytes) !== ref)
        throw corrupt(database.file, `the blob ${ref} has other bytes.`)
      sound.add(ref)
      return row.bytes
    },
    /** Without a holder the bytes are those of a caller, who puts them `now`. Whether the blob is there. */
    putBlob(
      ref: string,
      bytes: Uint8Array | undefined,
      holder: BlobHolder | undefined,
      now: number,
    ): boolean {
      return database.write(() => {
        if (holders.isGone(holder)) return false
        if (bytes !== undefined) insert.run(ref, bytes)
        if (holder === undefined) return put.run(now, ref).changes > 0
        holders.note(holder, now)
        return holders.hold([ref], holder).length === 0
      })
    },
    releaseBlobs(holds: BlobHolder | BlobExpiry, now: number): number {
      return database.write(() => {
        if ('of' in holds)
          return holds.of === 'puts' ? expirePuts(holds) : holders.expire(holds.before, holds.limit, now)
        holders.release(holds, now)
        return 1
      })
    },
  }
}
