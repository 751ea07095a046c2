/**
 * `eraseResource` and `compact`: no mark of a resource is left in any file or table, and what belongs to others stays. The cases
 * of others: langchain-ai/langgraph#7206, mastra-ai/mastra#14128.
 */
import pg from 'pg'
import { memoryStore, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ann, company, fill, fillOther, mark, marksIn, readable, troupeOn } from './marked.ts'

/** A store, and where its bytes are. */
interface Subject extends AsyncDisposable {
  readonly store: Store & { compact?(): Promise<void> }
  /** How often the mark stands there, by file or table. */
  marks(): Promise<Record<string, number>>
}

function inSqlite(options: Parameters<typeof sqliteStore>[1] = {}): Subject {
  const folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'), options)
  return {
    store,
    async marks() {
      const found = marksIn(folder.path)
      using database = new DatabaseSync(folder.file('runs.db'), { readOnly: true })
      for (const { name } of database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()) {
        const rows = database.prepare(`SELECT * FROM "${String(name)}"`).all()
        const count = rows.filter((row) => holdsMark(Object.values(row))).length
        if (count > 0) found[`table ${String(name)}`] = count
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      folder[Symbol.dispose]()
    },
  }
}

function holdsMark(values: readonly unknown[]): boolean {
  return values.some((value) =>
    value instanceof Uint8Array
      ? Buffer.from(value).includes(mark)
      : (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).includes(mark),
  )
}

async function inPostgres(): Promise<Subject> {
  const server = await PostgresServer.start()
  const pool = new pg.Pool({ connectionString: server.connectionString })
  const store = postgresStore({ pool })
  return {
    store,
    async marks() {
      const { rows } = await pool.query<{ table: string }>(
        `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS table FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      )
      const found: Record<string, number> = {}
      for (const { table } of rows) {
        const { rows: all } = await pool.query<object>(`SELECT * FROM ${table}`)
        const count = all.filter((row) => holdsMark(Object.values(row))).length
        if (count > 0) found[`table ${table}`] = count
      }
      await pool.query('CHECKPOINT')
      // The log of writes is not what `compact` promises: segments are used again with time.
      return { ...found, ...marksIn(server.data, (name) => name.startsWith('pg_wal')) }
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await pool.end()
      await server[Symbol.asyncDispose]()
    },
  }
}

function inMemory(): Subject {
  return { store: memoryStore(), marks: async () => ({}), [Symbol.asyncDispose]: async () => undefined }
}

const subjects: readonly (readonly [string, () => Subject | Promise<Subject>])[] = [
  ['memoryStore()', inMemory],
  ['sqliteStore(path)', () => inSqlite()],
  ['sqliteStore(path, { secureDelete: false })', () => inSqlite({ secureDelete: false })],
  ['sqliteStore(path, { worker: true })', () => inSqlite({ worker: true })],
  ...(postgresPrograms() === undefined ? [] : ([['postgresStore(…)', inPostgres]] as const)),
]

describe.each(subjects)('%s', (name, open) => {
  test(
    'no mark is left of runs of every kind, and what is of others stays',
    { timeout: 60_000 },
    async () => {
      await using subject = await open()
      const { store } = subject
      const firm = company()
      const troupe = troupeOn(store, firm)
      await fill(troupe, firm)
      const bobs = await fillOther(troupe, firm.other)
      const isOnDisk = name !== 'memoryStore()'
      if (isOnDisk) expect(Object.keys(await subject.marks())).not.toEqual([])
      expect(await readable(troupe)).toBeGreaterThan(50)

      const report = await troupe.eraseResource(ann, { by: 'officer' })
      expect(report).toMatchObject({
        resourceId: ann,
        by: 'officer',
        erased: { messages: 1, notes: true },
        left: [],
      })
      expect(report.erased.runs).toBeGreaterThan(5)
      expect(report.erased.threads).toBeGreaterThan(3)
      expect(await readable(troupe)).toBe(0)
      await store.compact?.()
      expect(await subject.marks()).toEqual({})

      const kept = (await troupe.runs()).items.map(({ runId }) => runId)
      expect(kept.filter((runId) => bobs.includes(runId))).toEqual(bobs)
      expect(await troupe.memory.workingMemory('bob')).toBe('Bob likes tea.')
      expect((await troupe.memory.messages('bobs')).length).toBeGreaterThan(0)
      // Again: nothing is there. And the person comes back.
      const again = await troupe.eraseResource(ann)
      expect(again).toMatchObject({ erased: { runs: 0, threads: 0, messages: 0, notes: false }, left: [] })
      const back = await troupe.start(firm.reader, 'I am back.', { resourceId: ann, threadId: 'back' })
      expect(await back.result).toMatchObject({ outcome: 'completed' })
      expect((await troupe.runs({ resourceId: ann })).items).toHaveLength(1)
      expect((await troupe.memory.resources()).items.map(({ resourceId }) => resourceId)).toContain(ann)
      await troupe.close()
    },
  )

  test.each(['here', 'in another process'] as const)(
    'a run under way %s that does not heed its end writes nothing after',
    { timeout: 60_000 },
    async (place) => {
      await using subject = await open()
      const { store } = subject
      const firm = company()
      const worker = troupeOn(store, firm)
      const officer = place === 'here' ? worker : troupeOn(store, company())
      const run = await worker.start(firm.lead, 'hold on', { resourceId: ann, threadId: `${mark}-thread` })
      const end = run.result.catch((error: unknown) => error)
      await firm.waiting
      const report = await officer.eraseResource(ann, { deadline: 0 })
      expect(report.erased.runs).toBe(1)
      firm.go()
      // It was cancelled in time, or this process has lost it.
      const { outcome, code } = (await end) as { readonly outcome?: string; readonly code?: string }
      expect(outcome ?? code).toMatch(/^(?:cancelled|LEASE_LOST)$/)
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await readable(officer)).toBe(0)
      expect((await officer.runs()).items).toEqual([])
      expect(await officer.memory.threads()).toEqual([])
      await store.compact?.()
      expect(await subject.marks()).toEqual({})
      await officer.close()
      if (worker !== officer) await worker.close()
    },
  )
})
