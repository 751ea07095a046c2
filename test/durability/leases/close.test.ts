/** Closing a troupe: it lets go of everything at once, ends no run, and takes nothing more. */
import { createTool, createTroupe, memoryStore, type Store, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { forever, recovered, signpost, suspendedBy } from '../processes.ts'

const closed = expect.objectContaining({ name: 'TroupeClosedError', code: 'TROUPE_CLOSED' })

function made(dig: () => unknown = forever) {
  const dug = signpost<AbortSignal>()
  const inputSchema = z.object({})
  const tools = {
    dig: createTool({
      id: 'dig',
      description: 'Digs.',
      inputSchema,
      execute: (_, { signal }) => {
        dug.pass(signal)
        return dig()
      },
    }),
    ask: createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      requireApproval: true,
      approvalTimeout: 60_000,
      execute: () => 'yes',
    }),
  }
  const digger = worker('digger', [calls({ name: 'dig' })], { tools, otherwise: 'Dug.' })
  const asker = worker('asker', [calls({ name: 'ask' })], { tools, otherwise: 'Asked.' })
  return { digger: digger.agent, asker: asker.agent, agents: [digger.agent, asker.agent], dug }
}

test('what is under way is aborted, nothing is recorded any more, and every run is free', async () => {
  const store = memoryStore()
  const finish = Promise.withResolvers<string>()
  const { digger, agents, dug } = made(() => finish.promise)
  const troupe = createTroupe({ agents, store })
  const run = await troupe.start(digger, 'Go')
  const signal = await dug.reached
  const journal = await store.read(run.id)
  await troupe.close()
  expect(signal.aborted).toBe(true)
  finish.resolve('too late')
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await store.read(run.id)).toEqual(journal)
  expect((await store.list('runs', {})).items.map(({ status }) => status)).toEqual(['running'])

  const next = made(() => 'earth')
  const again = await recovered(createTroupe({ agents: next.agents, store }))
  expect(await again.result).toMatchObject({ outcome: 'completed' })
})

test('what was on its way to the journal gets there', async () => {
  const inner = memoryStore()
  const gate = Promise.withResolvers<void>()
  const appended = signpost<number>()
  const store: Store = {
    ...inner,
    append: async (appends) => {
      appended.pass(appends.length)
      await gate.promise
      return inner.append(appends)
    },
  }
  const { digger, agents } = made()
  const troupe = createTroupe({ agents, store })
  const starting = troupe.start(digger, 'Go')
  await appended.reached
  const closing = troupe.close()
  gate.resolve()
  const run = await starting
  await closing
  expect((await inner.read(run.id))?.[0]).toMatchObject({ type: 'run.started', runId: run.id })
})

test('it takes nothing more, twice closed or not', async () => {
  const store = memoryStore()
  const { digger, asker, agents } = made()
  const troupe = createTroupe({ agents, store, passivateAfter: 0 })
  const asking = await troupe.start(asker, 'Go')
  await suspendedBy(asking)
  await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
  await Promise.all([troupe.close(), troupe.close()])
  await troupe.close()

  const refusals: ((troupe: Troupe) => Promise<unknown>)[] = [
    () => troupe.start(digger, 'Go'),
    () => troupe.resume(asking.id),
    () => troupe.recover(),
    () => troupe.recover({ every: 1_000 }),
    () => troupe.signal(asking.id, { type: 'approve', toolCallId: 'asker/call:1.1' }),
    () => troupe.cancel(asking.id),
    () => troupe.fork(asking.id, { at: 1 }),
  ]
  for (const refused of refusals) await expect(refused(troupe)).rejects.toThrow(closed)
  await expect(asking.approve('asker/call:1.1')).rejects.toThrow(closed)
  await expect(asking.cancel()).rejects.toThrow(closed)
  // What only reads is still there.
  expect((await troupe.runs()).items.map(({ runId, status }) => [runId, status])).toEqual([
    [asking.id, 'suspended'],
  ])
  expect((await troupe.replay(asking.id)).events.map(({ type }) => type)).toContain('suspended')
})

test('an abort of the caller comes too late, and disturbs nobody', async () => {
  const store = memoryStore()
  const { digger, agents, dug } = made()
  const troupe = createTroupe({ agents, store })
  const controller = new AbortController()
  const { id } = await troupe.start(digger, 'Go', { signal: controller.signal })
  await dug.reached
  const journal = await store.read(id)
  await troupe.close()
  controller.abort()
  expect(await store.read(id)).toEqual(journal)
})

test('timers are called off, of live runs and of passivated ones', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const { asker, agents } = made()
  const troupe = createTroupe({ agents, store, clock, passivateAfter: 20 })
  await suspendedBy(await troupe.start(asker, 'One'))
  await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
  const { asker: other, agents: others } = made()
  const live = createTroupe({ agents: others, store: memoryStore(), clock })
  await suspendedBy(await live.start(other, 'Two'))
  const { digger, agents: diggers, dug } = made()
  const busy = createTroupe({ agents: diggers, store: memoryStore(), clock })
  await busy.start(digger, 'Three', { budget: { wallClock: 60_000 } })
  await dug.reached
  expect(clock.pending).toBe(3)
  await troupe.close()
  await live.close()
  await busy.close()
  expect(clock.pending).toBe(0)
})

test('a run that is just being resumed is let go of', async () => {
  const inner = memoryStore()
  const first = made()
  const before = createTroupe({ agents: first.agents, store: inner })
  const { id } = await before.start(first.digger, 'Go')
  await first.dug.reached
  await before.close()

  const gate = Promise.withResolvers<void>()
  const claimed = signpost<string>()
  const released: string[] = []
  const store: Store = {
    ...inner,
    claim: async (runId, ...rest) => {
      const lease = await inner.claim(runId, ...rest)
      claimed.pass(runId)
      await gate.promise
      return lease
    },
    renew: async (leases) => {
      const free = leases.filter(({ expiresAt }) => expiresAt === 0)
      if (free.length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
      const lost = await inner.renew(leases)
      released.push(...free.map(({ runId }) => runId))
      return lost
    },
  }
  const next = made()
  const troupe = createTroupe({ agents: next.agents, store })
  const resuming = rejection(troupe.resume(id))
  await claimed.reached
  const closing = troupe.close()
  gate.resolve()
  await closing
  expect(released).toEqual([id])
  expect(await resuming).toEqual(closed)
  expect(next.dug.seen).toEqual([])
  const last = made(() => 'earth')
  expect(await (await recovered(createTroupe({ agents: last.agents, store: inner }))).result).toMatchObject({
    outcome: 'completed',
  })
})

test('it waits until a run that is being passivated is free', async () => {
  const inner = memoryStore()
  const gate = Promise.withResolvers<void>()
  const releasing = signpost<number>()
  const store: Store = {
    ...inner,
    renew: async (leases) => {
      const free = leases.filter(({ expiresAt }) => expiresAt === 0)
      if (free.length > 0) {
        releasing.pass(free.length)
        await gate.promise
      }
      return inner.renew(leases)
    },
  }
  const { asker, agents } = made()
  const troupe = createTroupe({ agents, store, passivateAfter: 0 })
  const run = await troupe.start(asker, 'Go')
  await releasing.reached
  let isClosed = false
  const closing = troupe.close().then(() => (isClosed = true))
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(isClosed).toBe(false)
  gate.resolve()
  await closing
  expect((await inner.list('runs', {})).items).toMatchObject([{ runId: run.id, isPassivated: true }])
})

test('the store may be closed after it: nothing of the troupe is still to come', async () => {
  const inner = memoryStore()
  let isOpen = true
  const late: string[] = []
  const guard =
    <Args extends unknown[], Result>(name: string, act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isOpen) late.push(name)
      await new Promise((resolve) => setTimeout(resolve, 1))
      return act(...args)
    }
  const store: Store = {
    ...inner,
    read: guard('read', inner.read),
    list: guard('list', inner.list as never),
    claim: guard('claim', inner.claim),
    renew: guard('renew', inner.renew),
  }
  const { digger, asker, agents, dug } = made()
  const troupe = createTroupe({ agents, store, passivateAfter: 0, leaseTtl: 6, pollInterval: 2 })
  await troupe.recover({ every: 2 })
  await troupe.start(digger, 'Go')
  const asking = await troupe.start(asker, 'Go')
  void asking.result
  await dug.reached
  await suspendedBy(asking)
  await new Promise((resolve) => setTimeout(resolve, 15))
  await troupe.close()
  isOpen = false
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(late).toEqual([])
})
