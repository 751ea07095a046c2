/** What was sent to runs by those who do not own them, until it is in their journals or discarded. */
import type { RunSignal } from '../runtime/run.ts'
import type { Post } from '../runtime/store.ts'
import { fromColumn, toColumn } from './column-text.ts'
import type { Database } from './database.ts'
import { parseStored } from './parse-stored.ts'
import { Query } from './query.ts'

interface PostRow {
  readonly id: number
  readonly run_id: string
  readonly signal: string
}

export function post(database: Database) {
  const insert = database.prepare('INSERT INTO post (run, signal) SELECT id, ? FROM runs WHERE run_id = ?')
  const select = new Query<PostRow>(
    database,
    `SELECT post.id, runs.run_id, post.signal
     FROM json_each(?) AS asked JOIN runs ON runs.run_id = asked.value JOIN post ON post.run = runs.id
     ORDER BY asked.key, post.id`,
  )
  const remove = database.prepare('DELETE FROM post WHERE id = ?')
  return {
    post(runId: string, signal: RunSignal): void {
      database.write(() => insert.run(JSON.stringify(signal), toColumn(runId)))
    },
    posts(runIds: readonly string[]): Post[] {
      return select.all(JSON.stringify(Array.from(new Set(runIds), toColumn))).map((row) => {
        const runId = fromColumn(row.run_id)
        const signal = parseStored(database, row.signal, `a signal to the run "${runId}"`) as RunSignal
        return { id: row.id, runId, signal }
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
