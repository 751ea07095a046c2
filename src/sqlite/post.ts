/** What was sent to runs by those who do not own them, until it is in their journals or discarded. */
import type { RunSignal } from '../runtime/run.ts'
import type { Post } from '../runtime/store.ts'
import { checksumOf } from './checksum.ts'
import { fromColumn, toColumn } from './column-text.ts'
import type { Database } from './database.ts'
import { parseStored } from './parse-stored.ts'
import { Query } from './query.ts'

interface PostRow {
  readonly id: number
  readonly run_id: string
  readonly signal: string
  readonly checksum: number
}

export function post(database: Database) {
  const insert = database.prepare(
    'INSERT INTO post (run, signal, checksum) SELECT id, ?, ? FROM runs WHERE run_id = ?',
  )
  const select = new Query<PostRow>(
    database,
    `SELECT post.id, asked.value AS run_id, post.signal, post.checksum
     FROM json_each(?) AS asked JOIN runs ON runs.run_id = asked.value JOIN post ON post.run = runs.id
     ORDER BY asked.key, post.id`,
  )
  const remove = database.prepare('DELETE FROM post WHERE id = ?')
  return {
    post(runId: string, signal: RunSignal): void {
      const [run, json] = [toColumn(runId), JSON.stringify(signal)]
      database.write(() => insert.run(json, checksumOf(run, json), run))
    },
    posts(runIds: readonly string[]): Post[] {
      return select.all(JSON.stringify(Array.from(new Set(runIds), toColumn))).map((row) => {
        const runId = fromColumn(row.run_id)
        const what = `the signal ${row.id} to the run "${runId}"`
        const signal = parseStored(database, row.checksum, [row.run_id, row.signal], what)
        return { id: row.id, runId, signal: signal as RunSignal }
      })
    },
    discard(posts: readonly number[]): void {
      if (posts.length === 0) return
      database.write(() => {
        for (const id of posts) remove.run(id)
      })
    },
  }
}
