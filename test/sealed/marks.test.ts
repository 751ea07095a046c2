/** No content of any kind is clear in a file or a table. */
import { PGlite } from '@electric-sql/pglite'
import { readdirSync, readFileSync } from 'node:fs'
import { createTroupe, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { sealed } from '../support/sealing.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ids, mark, markedAgents, markedRun, marksIn } from './marked-work.ts'

/** The run is whole: its lists, its journal, its thread, its notes and its files. */
async function expectWhole(store: Store, runId: string): Promise<void> {
  const { lead } = markedAgents()
  const troupe = createTroupe({ agents: [lead], store })
  const { items } = await troupe.runs(ids)
  expect(items.map((run) => run.runId)).toContain(runId)
  expect(items[0]).toMatchObject(ids)
  const journal = await troupe.journal(runId)
  expect(journal[0]).toMatchObject({ ...ids, context: { secret: `${mark}-context` } })
  expect((await troupe.replay(runId)).result?.text).toBe(`${mark}-answer`)
  expect(await troupe.memory.messages(ids.threadId)).toHaveLength(2)
  expect((await troupe.memory.threads({ resourceId: ids.resourceId })).map(({ id }) => id)).toContain(
    ids.threadId,
  )
  expect(await troupe.memory.workingMemory(ids.resourceId)).toBe(`${mark}-notes`)
  expect(await troupe.config.items(`${mark}-kind`)).toEqual([
    { kind: `${mark}-kind`, key: `${mark}-key`, value: { value: `${mark}-value` } },
  ])
  const refs = [...JSON.stringify(journal).matchAll(/"ref":"([0-9a-f]{64})"/g)].map(([, ref = '']) => ref)
  expect(refs.length).toBeGreaterThan(0)
  const [file] = await Promise.all(refs.map((ref) => troupe.blobs.get(ref)))
  expect(Buffer.from(file ?? []).toString()).toBe(`${mark}-bytes`)
  await troupe.close()
}

test('a search finds each form of the mark', () => {
  expect(marksIn(`a ${mark} b`)).toBe(1)
  for (const before of ['', 'x', 'xy', 'xyz']) {
    expect(marksIn(Buffer.from(`${before}${mark} and more`).toString('base64'))).toBe(1)
  }
})

test('no mark is in a SQLite file', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const found = (): number =>
    readdirSync(folder.path)
      .map((name) => marksIn(readFileSync(folder.file(name))))
      .reduce((sum, count) => sum + count, 0)
  const store = sealed(sqliteStore(path))
  const looks: number[] = []
  const runId = await markedRun(store, () => looks.push(found()))
  expect([...looks, found()]).toEqual([0, 0, 0])
  await expectWhole(store, runId)
  await store.close()
  expect(found()).toBe(0)
})

test('the same work leaves marks in a file that is not sealed', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  await markedRun(store)
  await store.close()
  expect(marksIn(readFileSync(folder.file('runs.db')))).toBeGreaterThan(30)
})

test('no mark is in a table of Postgres', async () => {
  await using database = new PGlite()
  const found = async (): Promise<number> => {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
       WHERE table_schema = 'marks'`,
    )
    expect(tables.length).toBeGreaterThan(8)
    let count = 0
    for (const { name } of tables) {
      const { rows } = await database.query<object>(`SELECT * FROM ${name}`)
      for (const row of rows) {
        for (const value of Object.values(row) as unknown[]) {
          count += marksIn(value instanceof Uint8Array ? value : (JSON.stringify(value) ?? ''))
        }
      }
    }
    return count
  }
  const store = sealed(postgresStore({ pool: pglitePool(database), schema: 'marks' }))
  const looks: number[] = []
  const runId = await markedRun(store, async () => looks.push(await found()))
  expect([...looks, await found()]).toEqual([0, 0, 0])
  await expectWhole(store, runId)
})
