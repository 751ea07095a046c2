/** Behaviours 100 and 101: a module that is loaded again makes a newer troupe on the same store, in the same process: it takes the runs at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import {
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type AgentOptions,
  type Run,
  type Store,
  type ToolExecution,
  type Troupe,
  type TroupeConfig,
} from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import type { ScriptedStep } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { expectPassivated, suspendedBy } from '../processes.ts'

/** Longer than any test: no lease runs out, and nothing is polled. */
const hour = 3_600_000
const inputSchema = z.object({})

interface Edition {
  /** Names the edition of the code in what it does. */
  readonly name: string
  readonly steps?: readonly ScriptedStep[]
  readonly execute?: (execution: ToolExecution) => unknown
  readonly tool?: Partial<Parameters<typeof createTool>[0]>
  readonly troupe?: Partial<TroupeConfig>
}

interface Loaded {
  readonly agent: AgentDefinition<AgentOptions>
  readonly troupe: Troupe
  /** How often the tool was called here. */
  readonly called: () => number
}

/** The module of an app, as it is loaded each time it was edited. `open`: all stores are on the same data. */
function appOn(open: () => Store) {
  const troupes: Troupe[] = []
  const stores: Store[] = []
  return {
    load({
      name,
      steps = [calls({ name: 'pay' }), `Paid by ${name}.`],
      execute,
      tool,
      troupe: more,
    }: Edition): Loaded {
      let count = 0
      const pay = createTool({
        id: 'pay',
        description: 'Pays.',
        inputSchema,
        execute: (_input, execution) => {
          count++
          return execute === undefined ? `paid by ${name}` : execute(execution)
        },
        ...tool,
      })
      const { agent } = worker('clerk', steps, { tools: { pay } })
      const store = open()
      const troupe = createTroupe({
        agents: [agent],
        store,
        hotReload: true,
        leaseTtl: hour,
        passivateAfter: Number.POSITIVE_INFINITY,
        onError: (problem) => expect.fail(problem.message),
        ...more,
      })
      troupes.push(troupe)
      stores.push(store)
      return { agent, troupe, called: () => count }
    },
    async [Symbol.asyncDispose]() {
      for (const troupe of troupes) await troupe.close()
      for (const store of new Set(stores)) await store.close?.()
    },
  }
}

const held = { requireApproval: true } as const

async function askedOf(run: Run): Promise<string> {
  return (await suspendedBy(run)).awaiting[0]?.toolCallId ?? ''
}

function behaviours(stores: () => { open(): Store; end?(): void }): void {
  test('a run that waits goes on with the newer code, and its caller gets the end', async () => {
    const { open, end } = stores()
    {
      await using app = appOn(open)
      const older = app.load({ name: 'the older', tool: held })
      const run = await older.troupe.start(older.agent, 'Go')
      const result = run.result
      const toolCallId = await askedOf(run)
      const newer = app.load({ name: 'the newer', tool: held, steps: ['Paid by the newer.'] })
      const { runs, owned, refused } = await newer.troupe.recover()
      expect([runs.map(({ id }) => id), owned, refused]).toEqual([[run.id], [], []])
      await newer.troupe.signal(run.id, { type: 'approve', toolCallId })
      expect(await result).toMatchObject({ outcome: 'completed', text: 'Paid by the newer.' })
      expect([older.called(), newer.called()]).toEqual([0, 1])
    }
    end?.()
  })

  test('an answer to the newer troupe takes the run over, also where nothing was recovered', async () => {
    const { open, end } = stores()
    {
      await using app = appOn(open)
      const older = app.load({ name: 'the older', tool: held })
      const run = await older.troupe.start(older.agent, 'Go')
      const toolCallId = await askedOf(run)
      const newer = app.load({ name: 'the newer', tool: held, steps: ['Paid by the newer.'] })
      await newer.troupe.signal(run.id, { type: 'approve', toolCallId })
      expect(await (await newer.troupe.resume(run.id)).result).toMatchObject({ text: 'Paid by the newer.' })
      expect([older.called(), newer.called()]).toEqual([0, 1])
    }
    end?.()
  })

  test('a tool under way ends in the older code, once, and the newer code goes on from there', async () => {
    const { open, end } = stores()
    {
      await using app = appOn(open)
      const begun = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<string>()
      const execute = (): Promise<string> => {
        begun.resolve()
        return gate.promise
      }
      const older = app.load({ name: 'the older', execute })
      const run = await older.troupe.start(older.agent, 'Go')
      const lost = rejection(run.result)
      await begun.promise
      const newer = app.load({ name: 'the newer', steps: ['Paid by the newer.'] })
      const recovering = newer.troupe.recover()
      await sleep(300) // the older troupe is asked meanwhile
      gate.resolve('paid')
      const { runs } = await recovering
      expect(await lost).toMatchObject({ code: 'LEASE_LOST', runId: run.id })
      expect((await runs[0]?.result)?.outcome).toBe('completed')
      expect([older.called(), newer.called()]).toEqual([1, 0])
    }
    end?.()
  })
}

describe('in memory', () => {
  behaviours(() => {
    const store = memoryStore()
    return { open: () => store }
  })
})

describe('in SQLite', () => {
  behaviours(() => {
    const folder = temporaryFolder()
    return { open: () => sqliteStore(folder.file('runs.db')), end: () => folder[Symbol.dispose]() }
  })
})

describe('in Postgres', () => {
  const database = new PGlite()
  let schemas = 0
  beforeAll(() => database.waitReady)
  afterAll(() => database.close())
  behaviours(() => {
    const [pool, schema] = [pglitePool(database), `reload_${++schemas}`]
    return { open: () => postgresStore({ pool, schema }) }
  })
})

describe('what is under way for long', () => {
  /** A tool that ends only when it is aborted. */
  const untilAborted =
    (signals: AbortSignal[]) =>
    ({ signal }: ToolExecution): Promise<never> => {
      signals.push(signal)
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    }

  test('is aborted, and made again where its tool may be repeated', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const signals: AbortSignal[] = []
    const older = app.load({ name: 'the older', execute: untilAborted(signals) })
    const run = await older.troupe.start(older.agent, 'Go')
    const lost = rejection(run.result)
    await expect.poll(older.called).toBe(1)
    const newer = app.load({ name: 'the newer', steps: ['Paid by the newer.'] })
    const again = await newer.troupe.resume(run.id)
    expect(await again.result).toMatchObject({ outcome: 'completed' })
    expect(await lost).toMatchObject({ code: 'LEASE_LOST' })
    expect(signals[0]?.reason).toMatchObject({ code: 'LEASE_LOST' })
    expect(newer.called()).toBe(1)
  })

  test('is in doubt where its tool asks: nothing is repeated', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const tool = { onInterrupted: 'ask' } as const
    const older = app.load({ name: 'the older', tool, execute: untilAborted([]) })
    const run = await older.troupe.start(older.agent, 'Go')
    const lost = rejection(run.result)
    await expect.poll(older.called).toBe(1)
    const newer = app.load({ name: 'the newer', tool, steps: ['Paid by the newer.'] })
    const again = await newer.troupe.resume(run.id)
    expect(await suspendedBy(again)).toMatchObject({ awaiting: [{ type: 'interruption', toolName: 'pay' }] })
    await lost
    expect(newer.called()).toBe(0)
    await again.cancel()
    await again.result
  })
})

describe('who takes over', () => {
  test('nobody without the option: a run is owned until its lease has run out', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const older = app.load({ name: 'the older', tool: held, troupe: { hotReload: false } })
    const run = await older.troupe.start(older.agent, 'Go')
    await askedOf(run)
    const newer = app.load({ name: 'the newer', tool: held })
    expect((await newer.troupe.recover()).owned).toEqual([run.id])
    await expect(newer.troupe.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
  })

  test('the newest of three, and never an older one', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const [first, second] = [
      app.load({ name: 'the first', tool: held }),
      app.load({ name: 'the second', tool: held }),
    ]
    const run = await first.troupe.start(first.agent, 'Go')
    const toolCallId = await askedOf(run)
    await second.troupe.resume(run.id)
    const third = app.load({ name: 'the third', tool: held, steps: ['Paid by the third.'] })
    const taken = await third.troupe.resume(run.id)
    await expect(first.troupe.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
    expect((await second.troupe.recover()).runs).toEqual([])
    await second.troupe.signal(run.id, { type: 'approve', toolCallId }) // to its owner
    expect(await taken.result).toMatchObject({ text: 'Paid by the third.' })
    expect([first.called(), second.called(), third.called()]).toEqual([0, 0, 1])
  })

  test('no troupe that has not the agent: the run stays where it is', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const older = app.load({ name: 'the older', tool: held })
    const run = await older.troupe.start(older.agent, 'Go')
    const toolCallId = await askedOf(run)
    const { agent } = worker('other', [])
    const other = app.load({ name: 'the newer', troupe: { agents: [agent] } })
    expect(await other.troupe.recover()).toMatchObject({ runs: [], owned: [run.id] })
    await expect(other.troupe.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
    await run.approve(toolCallId)
    expect(await run.result).toMatchObject({ text: 'Paid by the older.' })
    expect(older.called()).toBe(1)
  })

  test('no troupe of another store, whose run has the same id', async () => {
    const stores = [memoryStore(), memoryStore()]
    await using app = appOn(() => stores.shift() ?? memoryStore())
    const older = app.load({ name: 'the older', tool: held })
    const newer = app.load({ name: 'the newer', tool: held })
    const run = await older.troupe.start(older.agent, 'Go', { runId: 'A-17' })
    await askedOf(run)
    await expect(newer.troupe.resume('A-17')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect((await newer.troupe.recover()).runs).toEqual([])
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })

  test('the newer troupe, of a run of the older one that a timer wakes', async () => {
    const store = memoryStore()
    await using app = appOn(() => store)
    const tool = { ...held, approvalTimeout: 500 }
    const more = { passivateAfter: 0 }
    const older = app.load({ name: 'the older', tool, troupe: more })
    const run = await older.troupe.start(older.agent, 'Go')
    const result = run.result
    await askedOf(run)
    await expectPassivated(store)
    app.load({ name: 'the newer', tool, troupe: more, steps: ['Denied by the newer.'] })
    expect(await result).toMatchObject({ outcome: 'completed', text: 'Denied by the newer.' })
  })
})
