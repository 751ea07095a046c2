/** Pages of a list on a server, while another connection has numbered a row that it has not committed yet. */
import pg from 'pg'
import type { Page } from 'troupe'
import { postgresStore, type PostgresClient, type PostgresPool, type PostgresStore } from 'troupe/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstLease, type JournalAppend } from '../../src/runtime/journal/store.ts'
import { change, question } from '../../src/testing/store-contract/questions.ts'
import { pagesOf } from '../../src/testing/store-contract/pages.ts'
import { appends, started } from '../support/journal-entries.ts'
import { PostgresServer, postgresPrograms } from '../support/postgres/server.ts'
import { queryText } from '../support/postgres/query-text.ts'

/** The first statement that appends is made at once, and committed when the gate opens. */
function slowToCommit(pool: PostgresPool) {
  const made = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let isHeld = false
  const held = (client: PostgresClient): PostgresClient => ({
    async query(text, values) {
      if (isHeld || !queryText(text).includes('INSERT INTO')) return client.query(text, values)
      isHeld = true
      await client.query('BEGIN')
      const result = await client.query(text, values)
      made.resolve()
      await gate.promise
      await client.query('COMMIT')
      return result
    },
    release: (error) => client.release(error),
    on: (event: never, listener: never) => client.on(event, listener),
    off: (event: never, listener: never) => client.off(event, listener),
  })
  return {
    pool: {
      ...pool,
      connect: async () => held(await pool.connect()),
      on: () => undefined,
      off: () => undefined,
    },
    made: made.promise,
    commit: () => gate.resolve(),
  }
}

describe.runIf(postgresPrograms() !== undefined)('a page that is continued', () => {
  let server: PostgresServer
  let pool: pg.Pool
  let schemas = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.connectionString })
  })
  afterAll(async () => {
    await pool.end()
    await server[Symbol.asyncDispose]()
  })

  /** Resolves when a connection waits for a lock that another one has. */
  async function someoneWaits(): Promise<void> {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'`
    await expect
      .poll(async () => (await pool.query(waiting)).rows.length, { timeout: 60_000 })
      .toBeGreaterThan(0)
  }

  /** The list as it is read while the first of these appends is numbered and not committed. */
  async function listed(
    before: readonly JournalAppend[],
    [first, ...others]: readonly [readonly JournalAppend[], ...(readonly JournalAppend[])[]],
    read: (store: PostgresStore, page: { readonly before?: string }) => Promise<Page<string>>,
  ): Promise<string[]> {
    const schema = `pages_${++schemas}`
    const store = postgresStore({ pool, schema })
    if (before.length === 0) await store.open()
    else await store.append(before)
    const slow = slowToCommit(pool)
    const late = postgresStore({ pool: slow.pool, schema })
    await late.list('runs', {}) // its tables are known
    const appended = late.append(first)
    await slow.made
    for (const append of others) await store.append(append)
    const firstPage = read(store, {})
    await Promise.race([firstPage, someoneWaits()])
    slow.commit()
    await appended
    const { items, next } = await firstPage
    const rest =
      next === undefined ? [] : await pagesOf((more) => read(store, { before: next, ...more }), String)
    await late.close()
    await store.close()
    return [...items, ...rest.flat()]
  }

  const page = async (list: Promise<Page<{ readonly runId: string }>>): Promise<Page<string>> => {
    const { items, next } = await list
    return { items: items.map(({ runId }) => runId), ...(next === undefined ? {} : { next }) }
  }
  const begun = (runId: string): JournalAppend[] => appends(runId, [started(runId)])

  test('holds every run that was numbered before its last one', async () => {
    const runs = await listed([], [begun('late'), begun('a'), begun('b'), begun('c')], (store, more) =>
      page(store.list('runs', { limit: 2, ...more })),
    )
    expect(runs).toEqual(['late', 'a', 'b', 'c'])
  })

  test('holds every question that was numbered before its last one', async () => {
    const ids = ['late', 'a', 'b', 'c'] as const
    const asked = (runId: string): JournalAppend[] => change(firstLease(runId), [question(runId, 'call')])
    const questions = await listed(
      ids.flatMap(begun),
      [asked('late'), asked('a'), asked('b'), asked('c')],
      (store, more) => page(store.list('questions', { limit: 2, ...more })),
    )
    expect(questions).toEqual(['late', 'a', 'b', 'c'])
  })
})
