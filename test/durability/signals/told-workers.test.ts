/** Workers on a store that tells of changes: what another worker does arrives without a poll. */
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { createTool, createTroupe, memoryStore, type Run, type Store, type Troupe } from 'troupe'
import { postgresStore, type PostgresPool } from 'troupe/postgres'
import type { ScriptedStep } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead } from '../../support/agents/agents.ts'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { PostgresServer, postgresPrograms } from '../../support/postgres/server.ts'
import { suspendedBy } from '../processes.ts'

/** Longer than any test: nothing is polled. Leases outlast it. */
const hour = 3_600_000

interface Stores {
  /** A store of a worker; all are on the same data. */
  open(): Store
}

/** `steps`: the replies of the model in this worker. */
function office(steps: readonly ScriptedStep[]) {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })
  return lead('lead', steps, { tools: { pay } }).agent
}

function workers(stores: Stores, passivateAfter: number) {
  const opened: Store[] = []
  const troupes: Troupe[] = []
  const begin = (steps: readonly ScriptedStep[] = [calls({ name: 'pay', args: {} }), 'Paid.']) => {
    const [agent, store] = [office(steps), stores.open()]
    const troupe = createTroupe({
      agents: [agent],
      store,
      pollInterval: hour,
      leaseTtl: 12 * hour,
      passivateAfter,
    })
    opened.push(store)
    troupes.push(troupe)
    return { agent, troupe }
  }
  return {
    begin,
    async [Symbol.asyncDispose]() {
      for (const troupe of troupes) await troupe.close()
      for (const store of opened) await store.close?.()
    },
  }
}

async function askedOf(run: Run): Promise<string> {
  return (await suspendedBy(run)).awaiting[0]?.toolCallId ?? ''
}

function behaviours(stores: () => Stores): void {
  test('an answer of another worker reaches the owner', async () => {
    await using all = workers(stores(), Number.POSITIVE_INFINITY)
    const [owner, other] = [all.begin(), all.begin()]
    const run = await owner.troupe.start(owner.agent, 'Go')
    await other.troupe.signal(run.id, { type: 'approve', toolCallId: await askedOf(run) })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  })

  test('a cancel of another worker reaches the owner', async () => {
    await using all = workers(stores(), Number.POSITIVE_INFINITY)
    const [owner, other] = [all.begin(), all.begin()]
    const run = await owner.troupe.start(owner.agent, 'Go')
    await askedOf(run)
    await other.troupe.cancel(run.id, 'Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })

  test('a handle of a passivated run hears that another worker has brought the run to its end', async () => {
    await using all = workers(stores(), 0)
    const [first, other] = [all.begin(), all.begin(['Paid.'])]
    const run = await first.troupe.start(first.agent, 'Go')
    const result = run.result
    const toolCallId = await askedOf(run)
    await expect.poll(async () => (await first.troupe.runs()).items[0]?.isPassivated).toBe(true)
    await other.troupe.signal(run.id, { type: 'approve', toolCallId })
    expect(await result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  })
}

describe('in memory', () => {
  behaviours(() => {
    const store = memoryStore()
    return { open: () => store }
  })
})

let schemas = 0

function onPool(pool: PostgresPool): Stores {
  const schema = `told_${++schemas}`
  return { open: () => postgresStore({ pool, schema }) }
}

describe('on a Postgres in this process', () => {
  const database = new PGlite()
  const pool = pglitePool(database)
  beforeAll(() => database.waitReady)
  afterAll(() => database.close())
  behaviours(() => onPool(pool))
})

describe.runIf(postgresPrograms() !== undefined)('on a Postgres server', () => {
  let server: PostgresServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ connectionString: server.connectionString })
  })
  afterAll(async () => {
    await pool.end()
    await server[Symbol.asyncDispose]()
  })
  behaviours(() => onPool(pool))
})
