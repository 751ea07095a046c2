/** The runs and threads that hold blobs. Every call is part of a transaction. */
import { callerTime, type BlobHolder } from '../../runtime/files/blob-storage.ts'
import { toColumn } from '../../runtime/journal/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'

interface Row {
  readonly blob: number
}

/** The most blobs without a holder that one release removes beside its own. */
const mostLeft = 20

export function blobHolders(database: Database) {
  const known = new Query<Row>(database, 'SELECT id AS blob FROM blobs WHERE ref = ?')
  const add = database.prepare('INSERT INTO blob_holders (blob, holder) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const held = new Query<Row>(database, 'SELECT blob FROM blob_holders WHERE holder = ?')
  const remove = database.prepare('DELETE FROM blob_holders WHERE holder = ?')
  const holder = new Query<Row>(database, 'SELECT blob FROM blob_holders WHERE blob = ? LIMIT 1')
  const leave = database.prepare('UPDATE blob_puts SET is_left = 1 WHERE blob = ? AND put_at >= ?')
  const left = new Query<Row>(
    database,
    'SELECT blob FROM blob_puts WHERE is_left = 1 AND put_at < ? ORDER BY put_at LIMIT ?',
  )
  const removePut = database.prepare('DELETE FROM blob_puts WHERE blob = ?')
  const removeBlob = database.prepare('DELETE FROM blobs WHERE id = ?')

  /** Removes a blob that has no holder; of a blob that has one, only the time of its put. Whether it is gone. */
  const removeUnheld = (blob: number): boolean => {
    removePut.run(blob)
    if (holder.get(blob) !== undefined) return false
    removeBlob.run(blob)
    return true
  }

  return {
    /** Returns the references of blobs that are not there. */
    hold(refs: readonly string[], by: BlobHolder): string[] {
      return refs.filter((ref) => {
        const row = known.get(ref)
        if (row !== undefined) add.run(row.blob, nameOf(by))
        return row === undefined
      })
    },
    release(by: BlobHolder, now: number): void {
      const name = nameOf(by)
      const blobs = held.all(name)
      remove.run(name)
      for (const { blob } of blobs) {
        if (holder.get(blob) !== undefined) continue
        if (leave.run(blob, now - callerTime).changes === 0) removeUnheld(blob)
      }
      for (const { blob } of left.all(now - callerTime, mostLeft)) removeUnheld(blob)
    },
    removeUnheld,
  }
}

function nameOf(holder: BlobHolder): string {
  return 'runId' in holder ? `run ${toColumn(holder.runId)}` : `thread ${toColumn(holder.threadId)}`
}
