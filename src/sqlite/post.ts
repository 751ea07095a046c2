/** What was sent to runs by those who do not own them. */
import type { RunSignal } from '../runtime/run.ts'
import { fromColumn, toColumn } from './column-text.ts'
import type { Database } from './database.ts'
import { parseStored } from './parse-stored.ts'
import { Query } from './query.ts'

interface PostRow {
  readonly id: number
  readonly run_id: string
  readonly signal: string
}

const waiting = `FROM json_each(?) AS asked JOIN runs ON runs.run_id = asked.value JOIN post ON post.run = runs.id`

export function post(database: Database) {
  const insert = database.prepare('INSERT INTO post (run, signal) SELECT id, ? FROM runs WHERE run_id = ?')
  const peek = new Query(database, `SELECT 1 ${waiting} LIMIT 1`)
  const select = new Query<PostRow>(
    database,
    `SELECT post.id, runs.run_id, post.signal ${waiting} ORDER BY asked.key, post.id`,
  )
  const remove = database.prepare('DELETE FROM post WHERE id = ?')
  return {
    post(runId: string, signal: RunSignal): void {
      database.write(() => insert.run(JSON.stringify(signal), toColumn(runId)))
    },
    collect(runIds: readonly string[]): { runId: string; signal: RunSignal }[] {
      const asked = JSON.stringify(Array.from(new Set(runIds), toColumn))
      if (peek.get(asked) === undefined) return [] // the usual case takes no lock
      return database.write(() =>
        select.all(asked).map(({ id, run_id, signal }) => {
          remove.run(id)
          const runId = fromColumn(run_id)
          const sent = parseStored(database, signal, `a signal to the run "${runId}"`) as RunSignal
          return { runId, signal: sent }
        }),
      )
    },
  }
}
