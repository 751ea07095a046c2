/** Budgets of tenants: over all runs and workers, reserved before each call, and released with the lease of a dead worker. Behaviour 102. */
import fc from 'fast-check'
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  withCircuit,
  type Store,
  type TenantOptions,
} from 'troupe'
import { sealedStore } from 'troupe/sealed'
import { scriptedModel, virtualClock, createTroupeOn } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sealing } from '../../support/sealing.ts'

const usage = (totalTokens: number) => ({ inputTokens: totalTokens, outputTokens: 0, totalTokens })
const reply = (tokens = 10) => ({ text: 'Done.', usage: usage(tokens) })
const forAnn = { resourceId: 'ann' }

function clerk(id = 'clerk', tokens = 10) {
  return createAgent({ id, instructions: 'Work.', model: scriptedModel([], { otherwise: reply(tokens) }) })
}

function troupeWith(limits: TenantOptions['limits'], store: Store = memoryStore(), more = {}) {
  const agent = clerk()
  return { agent, troupe: createTroupe({ agents: [agent], store, tenants: { limits, ...more } }) }
}

describe('a limit of a tenant', () => {
  test('holds over all runs and troupes on the store, and not for others', async () => {
    const store = memoryStore()
    const limits = [{ per: 'total', modelCalls: 3 }] as const
    const outcomes: string[] = []
    for (let turn = 0; turn < 4; turn++) {
      const { agent, troupe } = troupeWith(limits, store)
      const run = await troupe.start(agent, 'Go.', forAnn)
      outcomes.push((await run.result).outcome)
      await troupe.close()
    }
    expect(outcomes).toEqual(['completed', 'completed', 'completed', 'exhausted'])
    const { agent, troupe } = troupeWith(limits, store)
    const other = await troupe.start(agent, 'Go.', { resourceId: 'bob' })
    expect((await other.result).outcome).toBe('completed')
    expect(await troupe.tenant('ann')).toEqual([
      {
        account: 'total',
        max: { modelCalls: 3 },
        used: { modelCalls: 3, tokens: 30, cost: 0 },
        reserved: { modelCalls: 0, tokens: 0, cost: 0 },
      },
    ])
  })

  test('outlives the erasure of its tenant, who gets no second budget by it', async () => {
    const { agent, troupe } = troupeWith([{ per: 'total', modelCalls: 1 }])
    expect((await (await troupe.start(agent, 'Go.', forAnn)).result).outcome).toBe('completed')
    expect(await troupe.eraseResource('ann')).toMatchObject({ erased: { runs: 1 }, left: [] })
    expect((await troupe.runs({ resourceId: 'ann' })).items).toEqual([])
    expect(await troupe.tenant('ann')).toMatchObject([
      { used: { modelCalls: 1, tokens: 10 }, reserved: { modelCalls: 0 } },
    ])
    expect((await (await troupe.start(agent, 'Go.', forAnn)).result).outcome).toBe('exhausted')
    await troupe.close()
  })

  test('refuses by name, a final turn too', async () => {
    const store = memoryStore()
    const { agent, troupe } = troupeWith([{ per: 'day', modelCalls: 0 }], store)
    const run = await troupe.start(agent, 'Go.', forAnn)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    const journal = (await store.read(run.id)) ?? []
    const errors = journal.flatMap((entry) =>
      entry.type === 'effect.settled' ? [entry.settlement.error?.message] : [],
    )
    expect(errors.length).toBeGreaterThan(0)
    for (const message of errors)
      expect(message).toMatch(
        /^The budget of the tenant "ann" \(day \d{4}-\d\d-\d\d\) is used up: modelCalls 0 of 0\.$/,
      )
  })

  test('counts what calls have used, and reserves the prompt and the most that a reply may have', async () => {
    const { agent, troupe } = troupeWith([{ per: 'total', tokens: 150 }], memoryStore(), {
      outputTokens: 100,
    })
    const outcomes: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      const run = await troupe.start(agent, 'Go.', forAnn)
      outcomes.push((await run.result).outcome)
    }
    // A call reserves about 106: it fits while at most 44 are used.
    expect(outcomes).toEqual([...Array.from({ length: 5 }, () => 'completed'), 'exhausted'])
  })

  test('of a cost needs a price for each model', async () => {
    const { agent, troupe } = troupeWith([{ per: 'total', cost: 1 }])
    const run = await troupe.start(agent, 'Go.', forAnn)
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_NOT_PRICED' } })
  })

  test('begins anew with the day and the month', async () => {
    const clock = virtualClock({ start: Date.UTC(2026, 10, 29, 12) })
    const agent = clerk()
    const limits = [
      { per: 'day', modelCalls: 1 },
      { per: 'month', modelCalls: 2 },
    ] as const
    const troupe = createTroupeOn(clock, { agents: [agent], store: memoryStore(), tenants: { limits } })
    const outcomes: string[] = []
    const day = 24 * 60 * 60_000
    for (const wait of [0, 0, day, day]) {
      clock.jump(wait)
      const run = await troupe.start(agent, 'Go.', forAnn)
      outcomes.push((await clock.runUntil(run.result)).outcome)
    }
    // The 29th twice, the 30th, and the 1st of December.
    expect(outcomes).toEqual(['completed', 'exhausted', 'completed', 'completed'])
    await clock.runUntil(troupe.close())
  })

  test('is asked of a function, for each tenant', async () => {
    const limits: TenantOptions['limits'] = (tenant) =>
      tenant === 'free' ? [{ per: 'total', modelCalls: 1 }] : []
    const { agent, troupe } = troupeWith(limits)
    const outcomes: string[] = []
    for (const resourceId of ['free', 'free', 'paid', 'paid']) {
      const run = await troupe.start(agent, 'Go.', { resourceId })
      outcomes.push((await run.result).outcome)
    }
    expect(outcomes).toEqual(['completed', 'exhausted', 'completed', 'completed'])
  })

  test('warns once, with the tenant and the period, and a replay warns alike and asks no ledger', async () => {
    const store = memoryStore()
    const { agent, troupe } = troupeWith([{ per: 'total', modelCalls: 1 }], store)
    const run = await troupe.start(agent, 'Go.', forAnn)
    await run.result
    const warned = { limit: 'modelCalls', used: 1, max: 1, tenant: 'ann', account: 'total' }
    const events = []
    for await (const event of run.events) events.push(event)
    const warnings = events.filter(({ type }) => type === 'budget-warning')
    expect(warnings.map(({ payload }) => payload)).toEqual([warned])
    const { ledger: _ledger, ...without } = store
    const reader = createTroupe({ agents: [agent], store: without })
    const replayed = await reader.replay(run.id)
    expect(replayed.result).toMatchObject({ outcome: 'completed' })
    expect(
      replayed.events.filter(({ type }) => type === 'budget-warning').map(({ payload }) => payload),
    ).toEqual([warned])
  })
})

describe('refused by name', () => {
  test('a run without a tenant', async () => {
    const { agent, troupe } = troupeWith([])
    await expect(troupe.start(agent, 'Go.')).rejects.toMatchObject({
      code: 'TENANT_MISSING',
      message:
        'createTroupe({ tenants }): the run has no tenant. Start it with { resourceId }, which names the tenant.',
    })
  })

  test('a schedule of runs without a tenant, where it is made', async () => {
    const { agent, troupe } = troupeWith([])
    await expect(troupe.schedule(agent, 'Go.', { key: 'hourly', every: 3_600_000 })).rejects.toMatchObject({
      code: 'TENANT_MISSING',
    })
    expect((await troupe.schedules.list()).items).toEqual([])
    await troupe.close()
  })

  test('a store without a ledger', () => {
    const { ledger: _ledger, ...store } = memoryStore()
    expect(() => troupeWith([], store)).toThrow(
      'Budgets of tenants need a store with ledger: memoryStore(), sqliteStore() and postgresStore() have it.',
    )
  })

  test('a question about tenants where none have budgets', async () => {
    const troupe = createTroupe({ agents: [clerk()] })
    await expect(troupe.tenant('ann')).rejects.toThrow('this troupe has no budgets of tenants')
  })
})

test('a worker that dies in a call holds its reservation until its lease is over, and the next one settles the call', async () => {
  const store = memoryStore()
  const limits = [{ per: 'total', modelCalls: 1 }] as const
  const clock = virtualClock()
  const hanging = createAgent({ id: 'clerk', instructions: 'Work.', model: scriptedModel([{ hang: true }]) })
  const dead = createTroupeOn(clock, { agents: [hanging], store, tenants: { limits }, leaseTtl: 1_000 })
  const run = await dead.start(hanging, 'Go.', forAnn)
  const agent = clerk()
  // Its own clock: the first troupe never moves again, as a process that has gone.
  const later = virtualClock({ start: clock.now() })
  const next = createTroupeOn(later, { agents: [agent], store, tenants: { limits }, leaseTtl: 1_000 })
  await expect.poll(async () => (await next.tenant('ann'))[0]?.reserved.modelCalls).toBe(1)
  later.jump(5_000)
  expect((await next.tenant('ann'))[0]?.reserved.modelCalls).toBe(0)
  const resumed = await next.resume(run.id)
  expect((await later.runUntil(resumed.result)).outcome).toBe('completed')
  expect((await next.tenant('ann'))[0]).toMatchObject({
    used: { modelCalls: 1 },
    reserved: { modelCalls: 0 },
  })
})

test('a call that is cancelled counts as it was reserved, whatever its model does', async () => {
  let calls = 0
  const answers: (() => void)[] = []
  const model = {
    provider: 'mine',
    modelId: 'deaf',
    async generate() {
      calls++
      await new Promise<void>((resolve) => answers.push(resolve))
      return { ...reply(), toolCalls: [], finishReason: 'stop' as const }
    },
  }
  const agent = createAgent({ id: 'clerk', instructions: 'Work.', model })
  const troupe = createTroupe({ agents: [agent], tenants: { limits: [{ per: 'day', modelCalls: 2 }] } })
  const outcomes: string[] = []
  for (let turn = 1; turn <= 3; turn++) {
    const run = await troupe.start(agent, 'Go.', forAnn)
    if (turn < 3) await expect.poll(() => calls).toBe(turn)
    await run.cancel()
    outcomes.push((await run.result).outcome)
  }
  for (const answer of answers) answer()
  expect(outcomes.slice(0, 2)).toEqual(['cancelled', 'cancelled'])
  expect(calls).toBe(2)
  expect((await troupe.tenant('ann'))[0]).toMatchObject({
    used: { modelCalls: 2 },
    reserved: { modelCalls: 0 },
  })
  await troupe.close()
})

test('a call whose deadline passes while it reserves gives back what it is granted', async () => {
  const clock = virtualClock()
  const store = memoryStore()
  const { ledger } = store
  const granted = Promise.withResolvers<void>()
  let asked = 0
  const slow = {
    ...store,
    ledger: {
      ...ledger,
      async reserve(reservation: Parameters<typeof ledger.reserve>[0]) {
        const grant = await ledger.reserve(reservation)
        if (asked++ === 0) await granted.promise
        return grant
      },
    },
  }
  const hanging = createAgent({
    id: 'clerk',
    instructions: 'Work.',
    modelTimeout: 200,
    model: scriptedModel([{ hang: true }]),
  })
  const tenants = { limits: [{ per: 'total', modelCalls: 9 }] } as const
  const troupe = createTroupeOn(clock, { agents: [hanging], store: slow, tenants, onError: () => undefined })
  const run = await troupe.start(hanging, 'Go.', forAnn)
  await expect.poll(async () => (await troupe.tenant('ann'))[0]?.reserved.modelCalls).toBe(1)
  clock.jump(300)
  await expect.poll(async () => (await troupe.journal(run.id)).length).toBeGreaterThan(1)
  const before = asked
  granted.resolve()
  // The next attempt reserves for itself alone.
  await expect
    .poll(async () => (await troupe.tenant('ann'))[0]?.reserved.modelCalls)
    .toBe(Math.min(1, asked - before))
  await run.cancel()
})

test('limits that throw fail the run, which is no failure of the store', async () => {
  const limits = (): never => {
    throw new TypeError('The plans of customers are not loaded.')
  }
  const { agent, troupe } = troupeWith(limits, memoryStore())
  const result = await (await troupe.start(agent, 'Go.', forAnn)).result
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { message: 'The plans of customers are not loaded.' },
  })
  await troupe.close()
})

test.each([
  ['an error of a store', () => new StoreError('The connection was reset.')],
  ['any other error', () => new Error('ECONNRESET')],
])(
  'a ledger that fails with %s stops the run at its last entry, and the run is resumed',
  async (_, thrown) => {
    const store = memoryStore()
    const { ledger } = store
    let failures = 1
    const failing = {
      ...store,
      ledger: {
        ...ledger,
        reserve: async (reservation: Parameters<typeof ledger.reserve>[0]) => {
          if (failures-- > 0) throw thrown()
          return ledger.reserve(reservation)
        },
      },
    }
    const { agent, troupe } = troupeWith([{ per: 'total', modelCalls: 9 }], failing)
    const run = await troupe.start(agent, 'Go.', forAnn)
    await expect(run.result).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect((await troupe.journal(run.id)).map(({ type }) => type)).toEqual(['run.started'])
    expect((await (await troupe.resume(run.id)).result).outcome).toBe('completed')
    expect((await troupe.tenant('ann'))[0]).toMatchObject({
      used: { modelCalls: 1 },
      reserved: { modelCalls: 0 },
    })
    await troupe.close()
  },
)

test('the tools on offer and the schema of the answer are reserved too', async () => {
  const description = 'Looks something up. '.repeat(100)
  const look = createTool({ id: 'look', description, inputSchema: z.object({}), execute: () => 'found' })
  const model = scriptedModel([], { otherwise: reply() })
  const agent = createAgent({ id: 'clerk', instructions: 'Work.', model, tools: { look } })
  const tenants = { limits: [{ per: 'total', tokens: 600 }], outputTokens: 200 } as const
  const troupe = createTroupe({ agents: [agent], tenants })
  expect(await (await troupe.start(agent, 'Go.', forAnn)).result).toMatchObject({
    outcome: 'exhausted',
    reason: 'budget',
  })
  await troupe.close()
})

test('a sealed store that redacts names of tenants and dates holds their limits', async () => {
  const store = sealedStore(memoryStore(), {
    ...sealing,
    redact: (text) => text.replaceAll(/[\w.]+@[\w.]+|\d{4}-\d\d-\d\d/g, '[gone]'),
  })
  const { agent, troupe } = troupeWith([{ per: 'day', modelCalls: 1 }], store)
  const tenant = { resourceId: 'ann@example.org' }
  expect((await (await troupe.start(agent, 'Go.', tenant)).result).outcome).toBe('completed')
  expect((await (await troupe.start(agent, 'Go.', tenant)).result).outcome).toBe('exhausted')
  await troupe.close()
})

test('no interleaving of runs and workers grants more than the limit, nor loses what was used', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 6 }),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('ann', 'bob'), fc.nat(3)), {
        minLength: 1,
        maxLength: 10,
      }),
      async (most, starts) => {
        const store = memoryStore()
        const models = [0, 1, 2].map((index) => {
          const waits: (() => void)[] = []
          let inFlight = 0
          const model = {
            provider: 'mine',
            modelId: `m${index}`,
            async generate() {
              inFlight++
              await new Promise<void>((resolve) => waits.push(resolve))
              inFlight--
              return { text: 'Done.', toolCalls: [], finishReason: 'stop' as const, usage: usage(1) }
            },
          }
          return { model, waits, inFlight: () => inFlight }
        })
        const troupes = models.map(({ model }) => {
          const agent = createAgent({ id: 'clerk', instructions: 'Work.', model })
          const tenants = { limits: [{ per: 'total', modelCalls: most }] } as const
          return { agent, troupe: createTroupe({ agents: [agent], store, tenants }) }
        })
        const results: Promise<{ readonly tenant: string; readonly outcome: string }>[] = []
        for (const [which, tenant, freed] of starts) {
          const { agent, troupe } = troupes[which] ?? troupes[0] ?? expect.fail('no troupe')
          const run = await troupe.start(agent, 'Go.', { resourceId: tenant })
          results.push(run.result.then(({ outcome }) => ({ tenant, outcome })))
          for (const { waits } of models.slice(0, freed)) waits.shift()?.()
        }
        const state = { isOver: false }
        const all = Promise.all(results).finally(() => (state.isOver = true))
        while (!state.isOver) {
          for (const { waits } of models) for (const free of waits.splice(0)) free()
          await new Promise((resolve) => setTimeout(resolve))
        }
        const ended = await all
        for (const tenant of ['ann', 'bob']) {
          const mine = ended.filter((one) => one.tenant === tenant)
          const completed = mine.filter(({ outcome }) => outcome === 'completed').length
          expect(completed).toBe(Math.min(most, mine.length))
          const [sum] = (await troupes[0]?.troupe.tenant(tenant)) ?? []
          expect(sum).toMatchObject({
            used: { modelCalls: completed, tokens: completed },
            reserved: { modelCalls: 0 },
          })
        }
        for (const { troupe } of troupes) await troupe.close()
      },
    ),
    { numRuns: 30 },
  )
})

test('calls that an open circuit refuses cost a tenant nothing', async () => {
  const down = scriptedModel([], { otherwise: { error: new Error('Down.') } })
  const up = scriptedModel([], { otherwise: reply() })
  const agent = createAgent({
    id: 'clerk',
    instructions: 'Work.',
    retries: 0,
    model: [withCircuit(down, { failures: 1, cooldown: 600_000 }), up],
  })
  const limits = [{ per: 'day', modelCalls: 4 }] as const
  const troupe = createTroupe({ agents: [agent], store: memoryStore(), tenants: { limits } })
  const outcomes: string[] = []
  for (let turn = 0; turn < 3; turn++)
    outcomes.push((await (await troupe.start(agent, 'Go.', forAnn)).result).outcome)
  expect(outcomes).toEqual(['completed', 'completed', 'completed'])
  expect(down.calls).toHaveLength(1)
  expect((await troupe.tenant('ann'))[0]?.used.modelCalls).toBe(4)
  await troupe.close()
})
