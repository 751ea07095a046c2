/** The runs and threads that hold blobs. Every call is part of a transaction. */
import type { BlobHolder } from '../../index.ts'
import { callerTime } from '../../kit/index.ts'
import { toColumn } from '../../kit/sql/index.ts'
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
  const removeHold = database.prepare('DELETE FROM blob_holders WHERE blob = ? AND holder = ?')
  const holder = new Query<Row>(database, 'SELECT blob FROM blob_holders WHERE blob = ? LIMIT 1')
  const leave = database.prepare('UPDATE blob_puts SET is_left = 1 WHERE blob = ? AND put_at >= ?')
  const left = new Query<Row>(
    database,
    'SELECT blob FROM blob_puts WHERE is_left = 1 AND put_at < ? ORDER BY put_at LIMIT ?',
  )
  const removePut = database.prepare('DELETE FROM blob_puts WHERE blob = ?')
  const note = database.prepare(
    `INSERT INTO unbegun_holders (holder, held_at) VALUES (?, ?)
     ON CONFLICT (holder) DO UPDATE SET held_at = excluded.held_at`,
  )
  const unnote = database.prepare('DELETE FROM unbegun_holders WHERE holder = ?')
  const unbegun = new Query<{ holder: string }>(
    database,
    'SELECT holder FROM unbegun_holders WHERE held_at < ? ORDER BY held_at LIMIT ?',
  )
  const run = new Query<{ id: number }>(database, 'SELECT id FROM runs WHERE run_id = ?')
  const thread = new Query<{ id: number }>(database, 'SELECT id FROM threads WHERE thread_id = ?')
  const removeBlob = database.prepare('DELETE FROM blobs WHERE id = ?')

  /** Removes a blob that has no holder; of a blob that has one, only the time of its put. Whether it is gone. */
  const removeUnheld = (blob: number): boolean => {
    removePut.run(blob)
    if (holder.get(blob) !== undefined) return false
    removeBlob.run(blob)
    return true
  }

  const isKnown = (name: string): boolean => {
    const [kind, rows] = name.startsWith(runPrefix) ? [runPrefix, run] : [threadPrefix, thread]
    return rows.get(name.slice(kind.length)) !== undefined
  }

  /** The blob has lost a holder. `atOnce`: it goes also where a caller has put it of late. */
  const leaveBlob = (blob: number, now: number, atOnce: boolean): void => {
    if (holder.get(blob) !== undefined) return
    if (atOnce || leave.run(blob, now - callerTime).changes === 0) removeUnheld(blob)
  }

  const releaseName = (name: string, now: number, atOnce = false): void => {
    const blobs = held.all(name)
    remove.run(name)
    unnote.run(name)
    for (const { blob } of blobs) leaveBlob(blob, now, atOnce)
  }

  return {
    /** Notes a holder that is not in the file, `now`: it is about to begin. */
    note(by: BlobHolder, now: number): void {
      const name = nameOf(by)
      const isOfFile = !('runId' in by) || by.isStored === true
      if (isOfFile && !isKnown(name)) note.run(name, now)
    },
    /** The holder is in the file. */
    begun(by: BlobHolder): void {
      unnote.run(nameOf(by))
    },
    /** Ends the holds of those that were noted before, and are not in the file. Returns the number of those noted. */
    expire(before: number, limit: number, now: number): number {
      const rows = unbegun.all(before, limit)
      for (const { holder: name } of rows) {
        if (isKnown(name)) unnote.run(name)
        else releaseName(name, now)
      }
      return rows.length
    },
    /** Returns the references of blobs that are not there. */
    hold(refs: readonly string[], by: BlobHolder): string[] {
      return refs.filter((ref) => {
        const row = known.get(ref)
        if (row !== undefined) add.run(row.blob, nameOf(by))
        return row === undefined
      })
    },
    /** Whether the run was deleted. */
    isGone(by: BlobHolder | undefined): boolean {
      return by !== undefined && 'runId' in by && by.hasBegun === true && !isKnown(nameOf(by))
    },
    /** Ends the hold on these blobs; those that nothing else holds go, also those that a caller has put of late. */
    releaseRefs(refs: Iterable<string>, by: BlobHolder, now: number): void {
      for (const ref of refs) {
        const row = known.get(ref)
        if (row === undefined) continue
        removeHold.run(row.blob, nameOf(by))
        leaveBlob(row.blob, now, true)
      }
    },
    release(by: BlobHolder, now: number, atOnce = false): void {
      releaseName(nameOf(by), now, atOnce)
      for (const { blob } of left.all(now - callerTime, mostLeft)) removeUnheld(blob)
    },
    removeUnheld,
  }
}

const [runPrefix, threadPrefix] = ['run ', 'thread ']

function nameOf(holder: BlobHolder): string {
  return 'runId' in holder
    ? `${runPrefix}${toColumn(holder.runId)}`
    : `${threadPrefix}${toColumn(holder.threadId)}`
}
