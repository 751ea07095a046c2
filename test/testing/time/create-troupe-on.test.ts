/** A troupe with all of its time on one clock: leases, passivation and recovery. */
import { createAgent, createTool, memoryStore, type Store, type TroupeConfig } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { createTroupeOn, scriptedModel, virtualClock, type VirtualClock } from 'troupe/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  requireApproval: true,
  approvalTimeout: 86_400_000,
  execute: () => 'paid',
})

const cashier = () =>
  createAgent({
    id: 'cashier',
    instructions: '',
    model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }], { otherwise: 'Denied.' }),
    tools: { pay },
  })

let folder: TemporaryFolder

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(() => folder[Symbol.dispose]())

const stores: readonly [string, () => Store][] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(folder.file('runs.db'))],
]

describe.each(stores)('on a store of %s', (_, open) => {
  test('a suspended run leaves memory, and its deadline brings it back', async () => {
    const clock = virtualClock()
    const store = open()
    const agent = cashier()
    const troupe = createTroupeOn(clock, { agents: [agent], store, passivateAfter: 60_000 })
    const run = await troupe.start(agent, 'Pay')
    await run.whenIdle
    await clock.advance('1h')
    expect((await troupe.runs({ status: 'suspended' })).items.map(({ runId }) => runId)).toEqual([run.id])
    await clock.advance('1d')
    expect((await run.result).text).toBe('Denied.')
    await troupe.close()
    await store.close?.()
  })

  test('another process takes the run of one that has gone, when its lease has run out', async () => {
    const clock = virtualClock()
    const store = open()
    const model = scriptedModel([{ hang: true }, 'Done.'])
    const agent = createAgent({ id: 'worker', instructions: '', model })
    // It renews no lease: its own clock never moves.
    const gone = createTroupeOn(virtualClock({ start: clock.now() }), {
      agents: [agent],
      store,
      leaseTtl: 30_000,
    })
    const { id } = await gone.start(agent, 'Go')
    const troupe = createTroupeOn(clock, { agents: [agent], store, leaseTtl: 30_000 })
    expect((await troupe.recover()).owned).toEqual([id])
    await clock.advance('31s')
    const { runs } = await troupe.recover()
    expect(runs.map((run) => run.id)).toEqual([id])
    expect((await clock.runUntil(runs[0]?.result ?? Promise.reject(new Error('no run')))).text).toBe('Done.')
    await gone.close()
    await troupe.close()
    await store.close?.()
  })
})

test('a clock that stands still for no test is refused', () => {
  const system: object = { now: () => 0, after: () => () => undefined }
  for (const clock of [system, undefined]) {
    expect(() => createTroupeOn(clock as VirtualClock, { agents: [cashier()] })).toThrow(
      'createTroupeOn: the clock must be a clock from virtualClock(), not',
    )
  }
})

test('a wrong configuration is refused as createTroupe does', () => {
  const clock = virtualClock()
  expect(() => createTroupeOn(clock, { agents: [] })).toThrow(
    'createTroupe: agents must hold at least one agent.',
  )
  const store = 'runs.db' as unknown as Store
  expect(() => createTroupeOn(clock, { agents: [cashier()], store })).toThrow(
    'createTroupe: store must be a store',
  )
  const unknown = { agents: [cashier()], leaseTTL: 1 } as TroupeConfig
  expect(() => createTroupeOn(clock, unknown)).toThrow(
    'there is no option "leaseTTL"; did you mean "leaseTtl"?',
  )
})
