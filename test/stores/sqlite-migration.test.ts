/** A file of the schema before the index of questions: it opens, and what it holds is found, listed and deleted. */
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from 'troupe'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { noUsage } from '../../src/actors/usage.ts'
import { sha256 } from '../../src/actors/values/sha256.ts'
import { defineChecksum } from '../../src/sqlite/connection/checksum.ts'
import { appends, called, fired, settled, started } from '../support/journal-entries.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const bytes = Uint8Array.of(1, 2, 3)
const [ref, unnamed] = [sha256(bytes), Uint8Array.of(4)]
const picture = { type: 'file', mediaType: 'image/png', ref } as const
const awkward = 'näme "quoted"\0'

/** Takes back what the steps of the schema after the eighth did. */
function asSchemaEight(file: string, more = ''): void {
  const sql = new DatabaseSync(file)
  defineChecksum(sql)
  sql.exec(`
    DROP TABLE schema_versions;
    DROP TABLE questions; DROP TABLE blob_puts; DROP TABLE blob_holders; DROP TABLE run_positions;
    DROP TABLE unbegun_holders;
    DROP INDEX runs_by_agent; DROP INDEX runs_by_thread; DROP INDEX runs_by_resource;
    DROP INDEX unfinished_runs_by_state; DROP INDEX ended_runs; DROP INDEX threads_by_change;
    ALTER TABLE runs DROP COLUMN thread_id; ALTER TABLE runs DROP COLUMN resource_id;
    ALTER TABLE runs DROP COLUMN usage; ALTER TABLE runs DROP COLUMN suspended_at;
    ALTER TABLE runs DROP COLUMN lapses; ALTER TABLE runs DROP COLUMN lapsed_at;
    UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
      updated_at, owner, token, expires_at, parked, wake_at);
    PRAGMA user_version = 8; ${more}`)
  sql.close()
}

async function written(file: string): Promise<void> {
  const store = sqliteStore(file)
  await store.blobs?.put(ref, bytes)
  await store.blobs?.put(sha256(unnamed), unnamed)
  const facts = { threadId: awkward, resourceId: awkward, conversationId: awkward }
  await store.append([
    ...appends('given', [started('given', 1, { ...facts, content: [picture] }), settled(2)]),
    ...appends('own', [started('own', 3, { remembers: true }), fired(4)]),
    ...appends('none', [started('none', 5), settled(6)]),
  ])
  await store.memory.save('album', [{ id: '1', role: 'user', content: [picture], at: 1 }])
  await store.close()
}

const idsOf = async (store: SqliteStore, filter: Parameters<SqliteStore['list']>[0]) =>
  (await store.list(filter)).items.map(({ runId }) => runId)

test('threads and resources are filters, and blobs go with the last run or thread that names them', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  await written(file)
  asSchemaEight(file)
  const store = sqliteStore(file)
  expect(await idsOf(store, { threadId: awkward, resourceId: awkward })).toEqual(['given'])
  expect(await idsOf(store, { threadId: 'own/scout' })).toEqual(['own'])
  expect(await idsOf(store, { status: 'unfinished' })).toEqual(['own'])
  expect((await store.list()).items.at(-1)).not.toHaveProperty('threadId')
  expect(await store.expired({ keep: 1, limit: 9 })).toEqual(['given'])
  expect(await store.delete('given')).toBe('deleted')
  expect(await store.blobs?.get(ref)).toEqual(bytes)
  await store.memory.deleteThread('album')
  expect(await store.blobs?.get(sha256(unnamed))).toEqual(unnamed)
  expect(await store.blobs?.expire?.(Date.now() + 60_000, 9)).toBe(2)
  expect(await store.blobs?.get(ref)).toBeUndefined()
  await store.close()
})

test('the usage of runs is read from their entries', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const store = sqliteStore(file)
  const cached = { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1, cost: 0.25 }
  const plain = { inputTokens: 4, outputTokens: 1, totalTokens: 5, incomplete: true } as const
  const end = { ...settled(4), usage: plain }
  await store.append([
    ...appends('under way', [started('under way', 1), called(2, cached), called(3), called(4, plain)]),
    ...appends('ended', [started('ended', 1), called(2, cached), end, called(5, cached)]),
    ...appends('begun', [started('begun', 1, { task: '"usage"' })]),
  ])
  const usages = async (of: SqliteStore) => (await of.list()).items.map(({ usage }) => usage)
  const before = await usages(store)
  await store.close()
  asSchemaEight(file)
  const migrated = sqliteStore(file)
  expect(before).toEqual([
    { ...cached, ...plain, inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    plain,
    noUsage,
  ])
  expect(await usages(migrated)).toEqual(before)
  await migrated.close()
})

test('a row that was damaged before stays damaged', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  await written(file)
  asSchemaEight(file, "UPDATE runs SET outcome = 'failed' WHERE run_id = 'none'")
  const store = sqliteStore(file)
  await expect(store.list()).rejects.toBeInstanceOf(StoreError)
  await expect(store.delete('none')).rejects.toMatchObject({ code: 'STORE_CORRUPT' })
  expect(await idsOf(store, { threadId: 'own/scout' })).toEqual(['own'])
  await store.close()
})
