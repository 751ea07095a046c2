/**
 * Notes in Postgres, found by full text. With pgvector, a column of the type `vector` takes the place of the index, and
 * `ORDER BY embedding <=> $1` that of the rank; the condition on the owner stays.
 */
import type { FoundPassage, RecallSearch } from 'troupe/recall'
import type { Note } from './sqlite-notes.ts'

/** A pool of pg, or PGlite. */
interface Database {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

interface Row {
  readonly id: string
  readonly owner: string
  readonly text: string
  readonly score: number
}

const find = `SELECT id, owner, text, ts_rank(words, query) AS score
  FROM notes, (SELECT replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery AS query) AS asked
  WHERE words @@ query AND owner = $2 ORDER BY score DESC, id LIMIT $3`

export async function postgresNotes(database: Database, notes: readonly Note[]) {
  await database.query(`CREATE TABLE notes (id text PRIMARY KEY, owner text NOT NULL, text text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED)`)
  for (const { id, owner, text } of notes)
    await database.query('INSERT INTO notes (id, owner, text) VALUES ($1, $2, $3)', [id, owner, text])
  return async ({ query, scope, limit }: RecallSearch): Promise<readonly FoundPassage[]> => {
    const { rows } = await database.query(find, [query, scope.resourceId, limit])
    return (rows as readonly Row[]).map(({ id, owner, text, score }) => ({
      id,
      text,
      score,
      resourceId: owner,
    }))
  }
}
