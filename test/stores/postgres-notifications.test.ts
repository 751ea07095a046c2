/** A Postgres store tells of changed runs, whichever store has changed them, also after a lost connection. */
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Problem } from 'troupe'
import { postgresStore, type PostgresPool, type PostgresStore } from 'troupe/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, fired, started } from '../support/journal-entries.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { PostgresServer, postgresPrograms } from '../support/postgres/server.ts'

/** Appends an entry again and again until the listener has been called: it may not listen yet. */
async function untilHeard(store: PostgresStore, runId: string, heard: readonly string[]): Promise<void> {
  const before = heard.length
  await expect
    .poll(async () => {
      await store.append(appends(runId, [fired(1)], firstLease(runId)))
      return heard.length
    })
    .toBeGreaterThan(before)
}

function behaviours(pool: () => PostgresPool, schema: string): void {
  test('of entries and of signals, by the id of the run, until the listener is removed', async () => {
    const [listening, writing] = [
      postgresStore({ pool: pool(), schema }),
      postgresStore({ pool: pool(), schema }),
    ]
    const runId = 'a "quoted"\0 name'
    await writing.append(appends(runId, [started(runId)]))
    const heard: string[] = []
    const also: string[] = []
    const stop = listening.subscribe((id) => heard.push(id))
    listening.subscribe((id) => also.push(id))
    await untilHeard(writing, runId, heard)
    const before = heard.length
    await writing.enqueueSignal(runId, { type: 'cancel' })
    await expect.poll(() => heard.length).toBeGreaterThan(before)
    expect(new Set(heard)).toEqual(new Set([runId]))
    stop()
    stop()
    const last = heard.length
    await untilHeard(writing, runId, also)
    expect(heard).toHaveLength(last)
    await listening.close()
    await writing.close()
  })

  test('to every listener, also where another one throws or rejects, which is reported', async () => {
    const problems: Problem[] = []
    const store = postgresStore({ pool: pool(), schema, onError: (problem) => problems.push(problem) })
    await store.append(appends('throwing', [started('throwing')]))
    const heard: string[] = []
    store.subscribe(() => {
      throw new Error('a listener that throws')
    })
    store.subscribe(() => Promise.reject(new Error('a listener that rejects')))
    store.subscribe((id) => heard.push(id))
    await untilHeard(store, 'throwing', heard)
    await expect
      .poll(() => new Set(problems.map(({ error }) => (error as Error).message)))
      .toEqual(new Set(['a listener that throws', 'a listener that rejects']))
    expect(problems[0]).toMatchObject({ where: 'observer', runId: 'throwing' })
    await store.close()
  })

  test('of no run where another program has sent a text that names none', async () => {
    const store = postgresStore({ pool: pool(), schema })
    await store.open()
    const heard: string[] = []
    store.subscribe((id) => heard.push(id))
    await store.append(appends('a', [started('a')]))
    await untilHeard(store, 'a', heard)
    const client = await pool().connect()
    for (const text of ['a', 'entries a "quoted" text', 'entries ', 'others a'])
      await client.query(`SELECT pg_notify('troupe_${schema}', $1::text)`, [text])
    client.release()
    await untilHeard(store, 'a', heard)
    expect(new Set(heard)).toEqual(new Set(['a']))
    await store.close()
  })
}

describe('in this process', () => {
  const database = new PGlite()
  const pool = pglitePool(database)
  beforeAll(() => database.waitReady)
  afterAll(() => database.close())
  behaviours(() => pool, 'here')
})

describe.runIf(postgresPrograms() !== undefined)('on a server', () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.connectionString })
    pool.on('error', () => undefined) // the server is restarted
  })
  afterAll(async () => {
    await pool.end()
    await server[Symbol.asyncDispose]()
  })
  behaviours(() => pool, 'there')

  test('again after the server was restarted', async () => {
    const store = postgresStore({
      connectionString: server.connectionString,
      schema: 'again',
      retryTimeout: 60_000,
    })
    await store.append(appends('a', [started('a')]))
    const heard: string[] = []
    store.subscribe((id) => heard.push(id))
    await untilHeard(store, 'a', heard)
    await server.down('immediate')
    await server.up()
    await untilHeard(store, 'a', heard)
    expect(new Set(heard)).toEqual(new Set(['a']))
    await store.close()
  })

  test('and does not keep the process alive by that', async () => {
    const program = `
      import pg from 'pg'
      import { postgresStore } from 'troupe/postgres'
      const pool = new pg.Pool({ connectionString: process.argv[1], allowExitOnIdle: true })
      const store = postgresStore({ pool, schema: 'there' })
      const lease = { runId: 'ends', owner: 'me', token: 1, expiresAt: 1 }
      const [first, then] = JSON.parse(process.argv[2])
      const append = (entry) => store.append([{ runId: 'ends', lease, entry }])
      let isTold = false
      store.subscribe(() => { isTold = true })
      await append(first)
      for (let made = 0; made < 2_000 && !isTold; made++) {
        await append(then)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      console.log(isTold)
      process.on('beforeExit', () => console.log('ends'))
      setTimeout(() => { console.log('is kept alive'); process.exit(1) }, 60_000).unref()`
    const ended = await runProgram(program, {
      args: [server.connectionString, JSON.stringify([started('ends'), fired(1)])],
    })
    expect(ended).toMatchObject({ code: 0, stdout: 'true\nends\n', stderr: '' })
  })
})
