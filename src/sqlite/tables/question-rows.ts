/** The open questions of a run: changed with the entries that open and close them. Every call is part of a transaction. */
import type { QuestionChange } from '../../index.ts'
import { questionColumns } from '../../kit/sql/index.ts'
import { checksumOf } from '../connection/checksum.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'

interface Asking {
  readonly run_id: string
  readonly resource_id: string | null
  readonly thread_id: string | null
  readonly conversation_id: string | null
  readonly outcome: string | null
}

export interface QuestionRow extends Omit<Asking, 'outcome'> {
  readonly id: number
  readonly call: string
  readonly agent: string
  readonly type: string
  readonly since: number
  readonly question: string
  readonly checksum: number
}

/** The columns that a checksum covers; the question is the last. */
export function sealedQuestion(row: Omit<QuestionRow, 'id' | 'checksum'>) {
  const { run_id, call, agent, type, since, resource_id, thread_id, conversation_id, question } = row
  return [run_id, call, agent, type, since, resource_id, thread_id, conversation_id, question] as const
}

export function questionRows(database: Database) {
  const asking = new Query<Asking>(
    database,
    'SELECT run_id, resource_id, thread_id, conversation_id, outcome FROM runs WHERE id = ?',
  )
  const put = database.prepare(
    `INSERT INTO questions (run, call, agent, type, since, resource_id, thread_id, conversation_id, question, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (run, call) DO UPDATE SET agent = excluded.agent, type = excluded.type, since = excluded.since, question = excluded.question,
       checksum = excluded.checksum`,
  )
  const calls = new Query<{ call: string }>(database, 'SELECT call FROM questions WHERE run = ?')
  const remove = database.prepare('DELETE FROM questions WHERE run = ? AND call = ?')
  const removeAll = database.prepare('DELETE FROM questions WHERE run = ?')
  return {
    change(run: number, changes: readonly QuestionChange[]): void {
      if (changes.length === 0) return
      const { closes_others, closed, opened } = questionColumns(changes)
      const stays = new Set(opened.map(({ call }) => call))
      const others = closes_others ? calls.all(run).map(({ call }) => call) : []
      for (const call of [...closed, ...others]) if (!stays.has(call)) remove.run(run, call)
      const of = opened.length === 0 ? undefined : asking.get(run)
      if (of === undefined || of.outcome !== null) return
      const { outcome: _outcome, ...facts } = of
      for (const question of opened) {
        const [, ...columns] = sealedQuestion({ ...facts, ...question })
        put.run(run, ...columns, checksumOf(facts.run_id, ...columns))
      }
    },
    removeAll(run: number): void {
      removeAll.run(run)
    },
  }
}
