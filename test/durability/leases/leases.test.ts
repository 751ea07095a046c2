/** BEHAVIOUR 42: one run has one owner. A stale owner's append is refused, and its run stops there. */
import {
  createTool,
  createTroupe,
  LeaseLostError,
  memoryStore,
  RunOwnedError,
  type JournalEntry,
  type Store,
  type Troupe,
  type TroupeConfig,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { allEvents, calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'
import { virtualEnvironment, type VirtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { forever, processOn, signpost } from '../processes.ts'
import { listing } from '../../support/listing.ts'

/** Of all processes: leases end when a test says so. */
let time: VirtualClock
let processes: number

beforeEach(() => {
  time = virtualClock()
  processes = 0
})

/** Of a process of its own. */
const environment = (): VirtualEnvironment => virtualEnvironment(`process ${++processes}, id `, time)

const troupeOn = (config: TroupeConfig): Troupe => createTroupeIn(environment(), config)

/** An agent with a tool that works until it is told to stop. */
function digger(steps: readonly ScriptedStep[], dig: () => unknown = forever) {
  const dug = signpost<AbortSignal>()
  const tool = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    execute: (_, { signal }) => {
      dug.pass(signal)
      return dig()
    },
  })
  return { ...worker('digger', steps, { tools: { dig: tool } }), dug }
}

const callDig = calls({ name: 'dig' })

/** What happens to a lease, as the store sees it. */
function watched(store: Store) {
  const renewals: number[] = []
  const claims: string[] = []
  const watching: Store = {
    ...store,
    renew: (leases) => {
      const isRenewal = leases.every(({ expiresAt }) => expiresAt > 0)
      if (isRenewal) renewals.push(leases.length)
      return store.renew(leases)
    },
    claim: async (runId, owner, now, expiresAt) => {
      const lease = await store.claim(runId, owner, now, expiresAt)
      claims.push(lease === undefined ? 'refused' : `token ${lease.token}`)
      return lease
    },
  }
  return { store: watching, renewals, claims }
}

describe('a run that another troupe has taken', () => {
  test('is lost at the next append: nothing of it is kept, and the run stops here', async () => {
    const store = memoryStore()
    const release = Promise.withResolvers<string>()
    const first = digger([callDig], () => release.promise)
    const slow = troupeOn({ agents: [first.agent], store })
    const run = await slow.start(first.agent, 'Go')
    await first.dug.reached

    // It is taken for dead, and somebody else goes on.
    const second = digger(['Done elsewhere.'], () => 'earth')
    const other = processOn(store, [second.agent])
    const taken = await other.troupe.resume(run.id)
    expect(await taken.result).toMatchObject({ outcome: 'completed', text: 'Done elsewhere.' })
    const journal = await store.read(run.id)

    release.resolve('too late')
    const lost: unknown = await rejection(run.result)
    expect(lost).toBeInstanceOf(LeaseLostError)
    expect(lost).toMatchObject({
      code: 'LEASE_LOST',
      runId: run.id,
      message: expect.stringContaining(run.id),
    })
    expect(await store.read(run.id)).toEqual(journal)
    expect(first.model.calls).toHaveLength(1)
    expect((await allEvents(run)).filter(({ final }) => final)).toEqual([])
    // It is gone here, and can be had as it ended there.
    expect(await (await slow.resume(run.id)).result).toEqual(await taken.result)
  })

  test('is lost at the next renewal, also when nothing is appended: what is under way is aborted', async () => {
    const store = memoryStore()
    const first = digger([callDig])
    const slow = troupeOn({ agents: [first.agent], store, leaseTtl: 30, pollInterval: 5 })
    const run = await slow.start(first.agent, 'Go')
    const signal = await first.dug.reached

    const second = digger([])
    const other = processOn(store, [second.agent])
    await other.troupe.resume(run.id)
    await time.elapse(15)
    await expect(run.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(signal.aborted).toBe(true)
    expect(first.dug.seen).toHaveLength(1)
    await other.troupe.close()
  })

  test('does not touch the other runs of its troupe', async () => {
    const store = memoryStore()
    const gate = Promise.withResolvers<string>()
    const first = digger([callDig, callDig, 'Done here.'], () => gate.promise)
    const slow = troupeOn({ agents: [first.agent], store })
    const [lost, kept] = [await slow.start(first.agent, 'One'), await slow.start(first.agent, 'Two')]
    await expect.poll(() => first.dug.seen.length).toBe(2)
    const second = digger([])
    const other = processOn(store, [second.agent])
    await other.troupe.resume(lost.id)
    gate.resolve('earth') // both append in one transaction
    await expect(lost.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(await kept.result).toMatchObject({ outcome: 'completed', text: 'Done here.' })
    await other.troupe.close()
  })
})

describe('an owner that stood still for longer than its lease', () => {
  /** It stands still after the result of its tool was kept, before it hears so. */
  async function standsStill() {
    const { store, renewals } = watched(memoryStore())
    const kept = signpost<undefined>()
    const wakes = Promise.withResolvers<void>()
    const first = digger([callDig, 'Done here.'], () => 'earth')
    const owner = troupeOn({
      agents: [first.agent],
      leaseTtl: 60_000,
      pollInterval: 60_000,
      store: {
        ...store,
        append: async (appends) => {
          const report = await store.append(appends)
          if (first.dug.seen.length > 0 && kept.seen.length === 0) {
            kept.pass(undefined)
            await wakes.promise
          }
          return report
        },
      },
    })
    const run = await owner.start(first.agent, 'Go')
    await kept.reached
    time.jump(61_000)
    return { store, run, model: first.model, renewals, wakes }
  }

  test('starts nothing more of a run that another has taken meanwhile', async () => {
    const { store, run, model, wakes } = await standsStill()
    const second = digger(['Done elsewhere.'])
    const other = troupeOn({ agents: [second.agent], store })
    const taken = await other.resume(run.id)
    expect(await taken.result).toMatchObject({ outcome: 'completed', text: 'Done elsewhere.' })

    wakes.resolve()
    await expect(run.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(model.calls).toHaveLength(1)
    expect(second.dug.seen).toEqual([])
  })

  test('renews its lease and goes on when nobody has', async () => {
    const { run, model, renewals, wakes } = await standsStill()
    expect(renewals).toEqual([])
    wakes.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done here.' })
    expect(model.calls).toHaveLength(2)
    expect(renewals).toEqual([1])
  })
})

test('an owner that has lost its run without knowing it leaves the answers to the new owner', async () => {
  const store = memoryStore()
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  const asking = (steps: readonly ScriptedStep[], dig?: () => unknown) => {
    const made = digger([], dig)
    const { agent } = worker('digger', steps, { tools: { ...made.agent.tools, ask } })
    return { agent, dug: made.dug }
  }
  const first = asking([callDig])
  const old = troupeOn({ agents: [first.agent], store, leaseTtl: 60_000, pollInterval: 5 })
  const { id } = await old.start(first.agent, 'Go')
  await first.dug.reached

  // A process whose clock is ahead takes the run, and asks.
  const ahead = virtualClock(1_000_000)
  const { agent } = asking([calls({ name: 'ask' }), 'Done.'], () => 'earth')
  const config = { agents: [agent], store, pollInterval: 5, passivateAfter: Infinity }
  const taker = createTroupeIn(virtualEnvironment('ahead', ahead), config)
  const run = await taker.resume(id)
  await run.whenIdle

  await troupeOn({ agents: [agent], store }).signal(id, { type: 'approve', toolCallId: 'digger/call:2.1' })
  await time.elapse(20) // the old owner looks at its queue first
  await ahead.elapse(20)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

describe('a troupe whose lease has run out before it has read the journal of its run', () => {
  /** A run whose model was at work when its troupe was closed. */
  async function readsSlowly(steps: readonly ScriptedStep[]) {
    const store = memoryStore()
    const first = digger([{ hang: true }])
    const dead = troupeOn({ agents: [first.agent], store })
    const { id } = await dead.start(first.agent, 'Go')
    await expect.poll(() => first.model.calls.length).toBe(1)
    await dead.close()

    const claimed = signpost<string>()
    const read = Promise.withResolvers<void>()
    const slow = digger(steps, () => 'earth')
    const troupe = troupeOn({
      agents: [slow.agent],
      leaseTtl: 1_000,
      store: {
        ...store,
        claim: async (...args) => {
          const lease = await store.claim(...args)
          claimed.pass(String(lease?.token))
          return lease
        },
        read: async (...args) => {
          if (claimed.seen.length > 0) await read.promise
          return store.read(...args)
        },
      },
    })
    const resuming = troupe.resume(id)
    await claimed.reached
    time.jump(1_001)
    return { store, id, slow, resuming, read }
  }

  test('starts nothing when another has taken it meanwhile', async () => {
    const { store, id, slow, resuming, read } = await readsSlowly([])
    const other = digger([{ hang: true }])
    const taker = troupeOn({ agents: [other.agent], store })
    await taker.resume(id)
    await expect.poll(() => other.model.calls.length).toBe(1)
    const journal = await store.read(id)
    read.resolve()
    await expect(resuming).rejects.toMatchObject({ code: 'LEASE_LOST', runId: id })
    await time.elapse(0)
    expect(slow.dug.seen).toEqual([])
    expect(slow.model.calls).toEqual([])
    expect(await store.read(id)).toEqual(journal)
    await taker.close()
  })

  test('renews its lease and goes on when nobody has', async () => {
    const { slow, resuming, read } = await readsSlowly([callDig, 'Done here.'])
    read.resolve()
    expect(await (await resuming).result).toMatchObject({ outcome: 'completed', text: 'Done here.' })
    expect(slow.dug.seen).toHaveLength(1)
  })
})

describe('a lease', () => {
  test('is renewed for as long as the run lives, also when the post is looked at less often', async () => {
    const { store, renewals, claims } = watched(memoryStore())
    const first = digger([callDig])
    const owner = troupeOn({ agents: [first.agent], store, leaseTtl: 45, pollInterval: 60_000 })
    const run = await owner.start(first.agent, 'Go')
    await first.dug.reached
    await time.elapse(450)
    expect(renewals.length).toBeGreaterThanOrEqual(10)
    const second = digger([])
    const other = troupeOn({ agents: [second.agent], store, leaseTtl: 45 })
    await expect(other.resume(run.id)).rejects.toThrow(RunOwnedError)
    expect(claims).toEqual(['refused'])
    await owner.close()
    expect((await other.resume(run.id)).id).toBe(run.id)
    expect(claims).toEqual(['refused', 'token 2'])
    await other.close()
  })

  test('is not renewed when there is nothing left to keep', async () => {
    const { store, renewals } = watched(memoryStore())
    const { agent } = worker('solo', ['Hi.', 'Hi.'])
    const troupe = troupeOn({ agents: [agent], store, leaseTtl: 6, pollInterval: 2 })
    await (
      await troupe.start(agent, 'Go')
    ).result
    const before = renewals.length
    await time.elapse(30)
    expect(renewals.length).toBe(before)
  })

  test('of a store that fails for a while is renewed when it can be', async () => {
    using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const inner = memoryStore()
    let failures = 0
    const store: Store = {
      ...inner,
      renew: (leases) => {
        if (++failures <= 2) return Promise.reject(new Error('locked'))
        return inner.renew(leases)
      },
    }
    const release = Promise.withResolvers<string>()
    const first = digger([callDig, 'Done.'], () => release.promise)
    const owner = troupeOn({ agents: [first.agent], store, leaseTtl: 15, pollInterval: 5 })
    const run = await owner.start(first.agent, 'Go')
    await time.elapse(30)
    expect(failures).toBeGreaterThan(3)
    release.resolve('earth')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(log.mock.calls.map(([message]) => message as string)).toEqual(
      Array(2).fill('troupe: the store could not be asked for signals and leases; trying again'),
    )
  })

  test('that was lost to ourselves is not lost: the run was passivated and taken again meanwhile', async () => {
    const inner = memoryStore()
    const renewal = Promise.withResolvers<void>()
    let renewing = 0
    const store: Store = {
      ...inner,
      renew: async (leases) => {
        const isRenewal = leases.every(({ expiresAt }) => expiresAt > 0)
        if (isRenewal && ++renewing === 1) await renewal.promise
        return inner.renew(leases)
      },
    }
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'yes',
    })
    const { agent } = worker('solo', [calls({ name: 'ask' }), { hang: true }], { tools: { ask } })
    const troupe = troupeOn({ agents: [agent], store, leaseTtl: 15, pollInterval: 5, passivateAfter: 20 })
    const run = await troupe.start(agent, 'Go')
    await run.whenIdle
    await time.elapse(5)
    expect(renewing).toBe(1)
    await time.elapse(15)
    expect((await troupe.runs()).items[0]?.isPassivated).toBe(true)
    await run.approve('solo/call:1.1')
    await expect.poll(async () => (await store.read(run.id))?.length).toBeGreaterThan(4)
    renewal.resolve()
    await time.elapse(10)
    expect(renewing).toBeGreaterThan(1)
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })
})

describe('recover({ every })', () => {
  test('takes over from an owner that has gone, when its lease has run out', async () => {
    const store = memoryStore()
    const first = digger([callDig])
    const dead = processOn(store, [first.agent], { leaseTtl: 60 }, environment())
    const run = await dead.troupe.start(first.agent, 'Go')
    await first.dug.reached

    const second = digger(['Done elsewhere.'], () => 'earth')
    const troupe = troupeOn({ agents: [second.agent], store, leaseTtl: 60, pollInterval: 5 })
    const recovering = troupe.recover({ every: 10 })
    await time.elapse(0)
    expect(await recovering).toEqual({ runs: [], owned: [run.id], refused: [], left: [] })
    await time.elapse(300)
    expect(second.dug.seen).toEqual([])
    dead.end()
    await time.elapse(30) // it was renewed less than 20 ms ago
    expect(second.dug.seen).toEqual([])
    await time.elapse(40)
    expect((await troupe.runs()).items[0]?.outcome).toBe('completed')
    expect(second.dug.seen).toHaveLength(1)
    await troupe.close()
  })

  test('says once which runs it cannot take', async () => {
    using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const store = memoryStore()
    const first = digger([callDig])
    const dead = processOn(store, [first.agent])
    const run = await dead.troupe.start(first.agent, 'Go')
    await first.dug.reached
    dead.end()
    let looks = 0
    const { troupe } = processOn(
      {
        ...store,
        list: listing(store, 'runs', (read) => {
          looks++
          return read()
        }),
      },
      [worker('stranger', []).agent],
      {},
      environment(),
    )
    const recovering = troupe.recover({ every: 5 })
    await time.elapse(0)
    const { refused } = await recovering
    expect(refused.map(({ runId }) => runId)).toEqual([run.id])
    await time.elapse(50)
    expect(looks).toBeGreaterThan(6)
    await troupe.close()
    expect(log.mock.calls.map(([message]) => message as string)).toEqual([
      `troupe: the run "${run.id}" cannot be resumed`,
    ])
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('every %s is refused', async (every) => {
    const troupe = createTroupe({ agents: [worker('solo', []).agent] })
    await expect(troupe.recover({ every: every as number })).rejects.toThrow(
      'recover: every must be a positive',
    )
  })
})

test('many troupes that look at once: each run is taken by one', async () => {
  const store = memoryStore()
  const first = digger(Array(8).fill(callDig))
  const dead = createTroupe({ agents: [first.agent], store })
  for (let index = 0; index < 8; index++) await dead.start(first.agent, 'Go')
  await expect.poll(() => first.dug.seen.length).toBe(8)
  await dead.close()

  const troupes = Array.from({ length: 4 }, () => {
    const made = digger([], () => 'earth')
    const { agent } = worker('digger', [], {
      tools: made.agent.tools,
      otherwise: 'Done.',
    })
    return { dug: made.dug, troupe: createTroupe({ agents: [agent], store }) }
  })
  const recoveries = await Promise.all(troupes.map(({ troupe }) => troupe.recover()))
  expect(recoveries.flatMap(({ runs }) => runs.map((run) => run.id)).toSorted()).toEqual(
    (await store.list('runs', {})).items.map(({ runId }) => runId).toSorted(),
  )
  const results = await Promise.all(recoveries.flatMap(({ runs }) => runs.map((run) => run.result)))
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(8).fill('completed'))
  expect(troupes.reduce((sum, { dug }) => sum + dug.seen.length, 0)).toBe(8)
  for (const { runId } of (await store.list('runs', {})).items) {
    const journal: readonly JournalEntry[] = (await store.read(runId)) ?? []
    expect(journal.filter((entry) => entry.type === 'run.settled')).toHaveLength(1)
  }
})

describe('a run whose beginning is still on its way to the store', () => {
  test('is not taken for lost when leases are renewed, or have run out meanwhile', async () => {
    const inner = memoryStore()
    const renewed = Promise.withResolvers<void>()
    const begun: string[] = []
    let looks = 0
    const store: Store = {
      ...inner,
      // After each look at the leases, a millisecond apart.
      list: listing(inner, 'signals', (read) => {
        if (++looks === 8) renewed.resolve()
        return read()
      }),
      // It is slow to begin with, and then as fast as it can be.
      schedule: (flush) => void (begun.length < 2 ? renewed.promise.then(flush) : queueMicrotask(flush)),
      append: (appends) => {
        begun.push(...appends.map(({ runId }) => runId))
        return inner.append(appends)
      },
    }
    const first = worker('first', [], { otherwise: 'Done.' })
    const troupe = troupeOn({ agents: [first.agent], store, leaseTtl: 5, pollInterval: 1 })
    const starting = Promise.all([troupe.start(first.agent, 'One'), troupe.start(first.agent, 'Two')])
    await time.elapse(20)
    expect(looks).toBeGreaterThanOrEqual(8)
    for (const run of await starting) {
      expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    }
    await troupe.close()
  })
})
