/** Runs of agents on the file: how they come back, how large they are, how often the disk is waited for. */
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { runProgram } from '../support/processes/run-program.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = folder.file('runs.db')
})

afterEach(() => folder[Symbol.dispose]())

const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({}),
  execute: () => 'noted',
})

/** Counts the transactions of a store. */
function counted(store: Store): Store & { readonly transactions: number } {
  let transactions = 0
  return {
    ...store,
    append(batch) {
      transactions++
      return store.append(batch)
    },
    get transactions() {
      return transactions
    },
  }
}

test.each([false, true])('a run replays from the file in another store (worker: %s)', async (inWorker) => {
  const scout = worker('scout', [calls({ name: 'note' }), 'Found it.'], { tools: { note } })
  const boss = lead('boss', [calls(to('scout', 'Look.')), 'It is found.'], { agents: { scout: scout.agent } })
  const store = sqliteStore(file, { worker: inWorker })
  const run = await createTroupe({ agents: [boss.agent], store }).start(boss.agent, 'Find it.')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'It is found.' })
  await store.close()

  const again = sqliteStore(file, { worker: inWorker })
  const troupe = createTroupe({ agents: [boss.agent], store: again })
  expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([run.id])
  expect((await troupe.replay(run.id)).result).toEqual(result)
  expect((await again.list('runs', {})).items).toMatchObject([
    { runId: run.id, agent: 'boss', status: 'settled', outcome: 'completed', entries: 8 },
  ])
  expect(await troupe.journal(run.id)).toHaveLength(8)
  await again.close()
})

describe('what comes in one turn of the event loop', () => {
  /** Models whose answers arrive one by one, each as its own task, all in the same turn. */
  async function transactionsOf(store: Store, runs: number): Promise<number> {
    const gates = Array.from({ length: runs }, () => Promise.withResolvers<void>())
    const answers = gates.map((gate) => ({ text: 'Done.', until: gate.promise }))
    const { agent, model } = worker('solo', answers)
    const watched = counted(store)
    const troupe = createTroupe({ agents: [agent], store: watched })
    const started = await Promise.all(gates.map(() => troupe.start(agent, 'Go')))
    while (model.calls.length < runs) await new Promise(setImmediate)
    const before = watched.transactions
    for (const gate of gates) setImmediate(gate.resolve)
    const results = await Promise.all(started.map((run) => run.result))
    expect(results.map(({ outcome }) => outcome)).toEqual(gates.map(() => 'completed'))
    return watched.transactions - before
  }

  test('is one transaction: of all replies, and then of all ends', async () => {
    for (const inWorker of [false, true]) {
      const store = sqliteStore(inWorker ? file : folder.file('other.db'), { worker: inWorker })
      expect(await transactionsOf(store, 50)).toBe(2)
      await store.close()
    }
  })

  test('is many in memory, where one costs nothing', async () => {
    expect(await transactionsOf(memoryStore(), 50)).toBeGreaterThanOrEqual(50)
  })
})

test('a record is O(step): 1 000 steps take the same bytes at the end as at the beginning', async () => {
  const steps = 1_000
  const script = Array.from({ length: steps }, () => calls({ name: 'note', id: 'call' }))
  const { agent } = worker('solo', [...script, 'Done.'], { tools: { note }, maxSteps: steps + 1 })
  const store = sqliteStore(file, { synchronous: 'normal' })
  const clock = { now: () => 1_000_000_000_000, after: () => () => undefined }
  const run = await createTroupe({ agents: [agent], store, clock }).start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await store.close()

  const database = new DatabaseSync(file)
  const rows = database
    .prepare("SELECT length(entry) AS bytes, length(entry ->> 'digest') AS digest FROM entries ORDER BY id")
    .all()
  database.close()
  const entriesPerStep = 3 // the reply, the start of the call, its result
  expect(rows).toHaveLength(1 + entriesPerStep * steps + 2)
  /** Of the hundred steps from this one on, counted from 1. Digests are not all of one length. */
  const bytesFrom = (step: number, digests: 'with' | 'without'): number =>
    rows
      .slice(1 + (step - 1) * entriesPerStep)
      .slice(0, 100 * entriesPerStep)
      .reduce((sum, { bytes, digest }) => sum + Number(bytes) - (digests === 'with' ? 0 : Number(digest)), 0)
  const hundreds = [100, 200, 300, 400, 500, 600, 700, 800, 900]
  expect(new Set(hundreds.map((step) => bytesFrom(step, 'without'))).size).toBe(1)
  // The first hundred differs by the second and third digit of the step's number.
  expect(bytesFrom(901, 'with') / bytesFrom(1, 'with')).toBeLessThan(1.01)
})

test('a run whose process was killed goes on in another, with what it had', async () => {
  const program = `
    import { createAgent, createTool, createTroupe } from 'troupe'
    import { sqliteStore } from 'troupe/sqlite'
    import { scriptedModel } from 'troupe/testing'
    import { z } from 'zod'
    const note = createTool({ id: 'note', description: 'Takes a note.', inputSchema: z.object({}), execute: () => 'noted' })
    const model = scriptedModel([{ toolCalls: [{ name: 'note' }] }, () => process.kill(process.pid, 'SIGKILL')], { modelId: 'solo' })
    const agent = createAgent({ id: 'solo', instructions: 'I am solo.', description: 'Does solo work.', model, tools: { note } })
    const troupe = createTroupe({ agents: [agent], store: sqliteStore(process.argv[1]), leaseTtl: 50 })
    const run = await troupe.start(agent, 'Go')
    await run.result`
  expect(await runProgram(program, { args: [file] })).toMatchObject({ signal: 'SIGKILL', stderr: '' })
  const store = sqliteStore(file)
  const { agent, model } = worker('solo', ['Done.'], { tools: { note } })
  const troupe = createTroupe({ agents: [agent], store })
  const [left] = (await store.list('runs', {})).items
  expect(left).toMatchObject({ status: 'running', agent: 'solo', entries: 4 })
  const run = await vi.waitFor(() => troupe.resume(left?.runId ?? ''), { timeout: 60_000, interval: 20 })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(model.calls).toHaveLength(1)
  expect((await store.list('runs', {})).items).toMatchObject([
    { runId: left?.runId, status: 'settled', entries: 6 },
  ])
  await troupe.close()
  await store.close()
})
