/** Claims of runs on a thread that they have begun and that holds nothing yet. Every call is part of a transaction. */
import { toColumn } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'

interface Owner {
  /** As a column; `null`: the thread is open to every run. */
  readonly resource_id: string | null
}

export function threadClaims(database: Database) {
  // All claims of a thread name one owner: that of the first.
  const owner = new Query<Owner>(
    database,
    'SELECT resource_id FROM thread_claims WHERE thread_id = ? LIMIT 1',
  )
  const add = database.prepare(
    'INSERT INTO thread_claims (thread_id, run_id, resource_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const remove = database.prepare('DELETE FROM thread_claims WHERE run_id = ?')
  const ownerOf = (threadId: string): Owner | undefined => owner.get(toColumn(threadId))
  return {
    ownerOf,
    /** Whether the run may have the thread. */
    claim(threadId: string, runId: string, resource: string | null): boolean {
      const { resource_id } = ownerOf(threadId) ?? { resource_id: resource }
      if (resource_id !== null && resource_id !== resource) return false
      add.run(toColumn(threadId), toColumn(runId), resource_id)
      return true
    },
    release(runId: string): void {
      remove.run(toColumn(runId))
    },
  }
}
