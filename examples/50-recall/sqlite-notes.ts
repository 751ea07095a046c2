/** Notes in SQLite, found by their words with FTS5. The resource is a condition of each query. */
import { DatabaseSync } from 'node:sqlite'
import type { FoundPassage, RecallSearch } from 'troupe/recall'

export interface Note {
  readonly id: string
  readonly owner: string
  readonly text: string
}

export function sqliteNotes(notes: readonly Note[]) {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE VIRTUAL TABLE notes USING fts5(id UNINDEXED, owner UNINDEXED, text)')
  const insert = database.prepare('INSERT INTO notes (id, owner, text) VALUES (?, ?, ?)')
  for (const { id, owner, text } of notes) insert.run(id, owner, text)
  const find = database.prepare(
    'SELECT id, owner, text, -rank AS score FROM notes WHERE notes MATCH ? AND owner = ? ORDER BY rank LIMIT ?',
  )
  return ({ query, scope, limit }: RecallSearch): readonly FoundPassage[] => {
    const words = query.match(/[\p{L}\p{N}]{4,}/gu) ?? [] // shorter words are everywhere
    if (words.length === 0 || scope.resourceId === undefined) return []
    // Quoted: no word of a question is an operator of FTS5.
    const rows = find.all(words.map((word) => `"${word}"`).join(' OR '), scope.resourceId, limit)
    return rows.map(({ id, owner, text, score }) => ({
      id: String(id),
      text: String(text),
      score: Number(score),
      resourceId: String(owner),
    }))
  }
}
