/** A run whose store fails for good, or whose troupe is closed: every caller is told, and no reader waits on. */
import { createTool, memoryStore, type Run, type RunEvent, type Store } from 'troupe'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createActor, type ActorOptions, type AnyActorLogic, type Snapshot } from 'xstate'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { allEvents, calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { expectPassivated, signpost, suspendedBy } from '../processes.ts'

const callId = 'solo/call:1.1'

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'yes',
})

/** A store that can be made to fail when it is read. */
function fragile() {
  const inner = memoryStore()
  const state = { isDown: false }
  const store: Store = {
    ...inner,
    read: (runId, from) => (state.isDown ? Promise.reject(new Error('locked')) : inner.read(runId, from)),
  }
  return { inner, store, state }
}

function muteWarnings(): void {
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warnings.mockRestore())
}

/** A passivated run with a caller that awaits its result and one that reads its events. */
async function passivated() {
  muteWarnings()
  const { inner, store, state } = fragile()
  const { agent } = worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } })
  const here = virtualEnvironment()
  const options = { agents: [agent], store, passivateAfter: 0, pollInterval: 5, leaseTtl: 30 }
  const troupe = createTroupeIn(here, options)
  const run = await troupe.start(agent, 'Go')
  const ended = run.result
  const read = allEvents(run)
  await suspendedBy(run)
  await here.clock.elapse(1)
  await expectPassivated(inner)
  return { inner, store: state, clock: here.clock, troupe, run, ended, read, agent }
}

async function expectGivenUp(run: Run, read: Promise<readonly RunEvent[]>, code: string): Promise<void> {
  const events = await read
  expect(events.at(-1)?.type).toBe('suspended')
  expect(events.filter(({ final }) => final)).toEqual([])
  for (const ask of [run.result, run.whenIdle, run.approve(callId), run.deny(callId), run.cancel()]) {
    expect(await rejection(ask)).toMatchObject({ code })
  }
  // What is told past the journal has gone with the memory of the run.
  expect(await allEvents(run)).toEqual(events.filter(({ type }) => type !== 'tool-call-delta'))
}

describe('a passivated run that callers wait for', () => {
  test('is given up when its store has failed for longer than a lease', async () => {
    const { store, clock, run, ended, read } = await passivated()
    store.isDown = true
    await clock.elapse(60)
    expect(await rejection(ended)).toMatchObject({ code: 'STORE_FAILED', runId: run.id })
    await expectGivenUp(run, read, 'STORE_FAILED')
  })

  test('is kept when its store fails for less, though again and again', async () => {
    const { store, clock, run, read } = await passivated()
    for (let outage = 1; outage <= 3; outage++) {
      store.isDown = true
      await clock.elapse(20)
      store.isDown = false
      await clock.elapse(10)
    }
    await run.approve(callId)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect((await read).at(-1)).toMatchObject({ type: 'run-finish', final: true })
  })

  test('is given up when its troupe is closed, and goes on in another', async () => {
    const { inner, troupe, run, ended, read, agent } = await passivated()
    await troupe.close()
    expect(await rejection(ended)).toMatchObject({ code: 'TROUPE_CLOSED' })
    await expectGivenUp(run, read, 'TROUPE_CLOSED')
    const other = createTroupeIn(virtualEnvironment('other'), { agents: [agent], store: inner })
    const resumed = await other.resume(run.id)
    await resumed.approve(callId)
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    await other.close()
  })
})

test('a live run whose lease cannot be renewed: an outcome that is recorded later is delivered elsewhere', async () => {
  muteWarnings()
  const inner = memoryStore()
  const gate = Promise.withResolvers<void>()
  const settling = signpost<undefined>()
  const store: Store = {
    ...inner,
    renew: (leases) =>
      leases.every(({ expiresAt }) => expiresAt === 0)
        ? inner.renew(leases)
        : Promise.reject(new Error('locked')),
    append: async (appends) => {
      if (appends.some(({ entry }) => entry?.type === 'effect.settled' && entry.kind === 'tool')) {
        settling.pass(undefined)
        await gate.promise
      }
      return inner.append(appends)
    },
  }
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    execute: () => 'earth',
  })
  const { agent } = worker('digger', [calls({ name: 'dig' })], { tools: { dig }, otherwise: 'Dug.' })
  const here = virtualEnvironment()
  const troupe = createTroupeIn(here, { agents: [agent], store, pollInterval: 5, leaseTtl: 30 })
  const run = await troupe.start(agent, 'Go')
  const ended = run.result
  await settling.reached
  await here.clock.elapse(60)
  expect(await rejection(ended)).toMatchObject({ code: 'STORE_FAILED' })
  const events = await allEvents(run)
  gate.resolve()
  await expect.poll(async () => (await inner.read(run.id))?.at(-1)).toMatchObject({ kind: 'tool' })
  await here.clock.elapse(10)
  expect(await allEvents(run)).toEqual(events)

  const there = virtualEnvironment('there', here.clock)
  const other = createTroupeIn(there, { agents: [agent], store: inner, passivateAfter: 0 })
  expect(await (await other.resume(run.id)).result).toMatchObject({ outcome: 'completed', text: 'Dug.' })
  const journal = (await inner.read(run.id)) ?? []
  expect(journal.filter((entry) => entry.type === 'effect.settled' && entry.kind === 'tool')).toHaveLength(1)
})

/** Another process takes the run, before any lease has run out. */
async function expectFree(store: Store, id: string): Promise<void> {
  const { agent } = worker('solo', ['Done.'])
  const other = createTroupeIn(virtualEnvironment('other'), { agents: [agent], store })
  expect(await (await other.resume(id)).result).toMatchObject({ outcome: 'completed' })
}

test('a live run that its process gives up is free for others at once', async () => {
  muteWarnings()
  const inner = memoryStore()
  const store: Store = {
    ...inner,
    append: (appends) =>
      appends.some(({ entry }) => entry?.type === 'effect.settled')
        ? Promise.reject(new Error('full'))
        : inner.append(appends),
  }
  const { agent } = worker('solo', ['Done.'])
  const run = await createTroupeIn(virtualEnvironment(), { agents: [agent], store }).start(agent, 'Go')
  expect(await rejection(run.result)).toMatchObject({ code: 'STORE_FAILED' })
  await expectFree(inner, run.id)
})

test('a run that a restored actor may not go on with is free for others at once', async () => {
  const inner = memoryStore()
  const hanging = worker('solo', [{ hang: true }]).agent
  const gone = createTroupeIn(virtualEnvironment('gone'), { agents: [hanging], store: inner })
  const { id } = await gone.start(hanging, 'Go')
  await gone.close()
  const { agent } = worker('solo', ['Done.'], { instructions: 'Edited.' })
  const options = { agents: [agent], store: inner, onDrift: 'refuse' as const }
  const troupe = createTroupeIn(virtualEnvironment(), options)
  const snapshot = { status: 'active', runId: id } as unknown as Snapshot<unknown>
  const actor = createActor(troupe.logic(agent), { snapshot } as object as ActorOptions<AnyActorLogic>)
  const failed = new Promise((_, reject) => void actor.subscribe({ error: reject }))
  actor.start()
  expect(await rejection(failed)).toMatchObject({ code: 'PROGRAM_CHANGED' })
  await expectFree(inner, id)
})

describe('a live run whose store fails', () => {
  /** The reports about a run while `follow` waits for it. */
  async function reported(follow: (run: Run) => Promise<unknown>): Promise<readonly string[]> {
    const inner = memoryStore()
    const gate = Promise.withResolvers<void>()
    const store: Store = {
      ...inner,
      append: async (appends) => {
        if (appends.some(({ entry }) => entry?.type === 'effect.settled')) {
          await gate.promise
          throw new Error('full')
        }
        return inner.append(appends)
      },
    }
    const { agent } = worker('solo', ['Done.'])
    const reports: string[] = []
    const troupe = createTroupeIn(virtualEnvironment(), {
      agents: [agent],
      store,
      onError: ({ where }) => reports.push(where),
    })
    const run = await troupe.start(agent, 'Go')
    const followed = follow(run)
    gate.resolve()
    await followed
    expect(await rejection(run.result)).toMatchObject({ code: 'STORE_FAILED' })
    return reports
  }

  test('rejects the promise of a caller who awaits it, and reports nothing', async () => {
    expect(await reported((run) => rejection(run.result))).toEqual([])
  })

  test('ends the events of a reader, and reports nothing', async () => {
    expect(await reported((run) => allEvents(run))).toEqual([])
  })
})

describe('a run that could not be read once it was claimed', () => {
  /** A free run, and a troupe whose store fails at the first read after a claim. */
  async function unreadable() {
    muteWarnings()
    const { inner, store, state } = fragile()
    const hanging = worker('solo', [{ hang: true }]).agent
    const gone = createTroupeIn(virtualEnvironment('gone'), { agents: [hanging], store: inner })
    const { id } = await gone.start(hanging, 'Go')
    await gone.close()
    const claiming: Store = {
      ...store,
      claim: async (...given) => {
        state.isDown = true
        return inner.claim(...given)
      },
    }
    const { agent } = worker('solo', ['Done.'])
    const troupe = createTroupeIn(virtualEnvironment(), { agents: [agent], store: claiming })
    return { id, inner, agent, troupe }
  }

  test('is free for others at once', async () => {
    const { id, inner, troupe } = await unreadable()
    expect(await rejection(troupe.resume(id))).toMatchObject({ message: 'locked' })
    await expectFree(inner, id)
  })

  test('names that failure also where it cannot be released', async () => {
    muteWarnings()
    const inner = memoryStore()
    const hanging = worker('solo', [{ hang: true }]).agent
    const gone = createTroupeIn(virtualEnvironment('gone'), { agents: [hanging], store: inner })
    const { id } = await gone.start(hanging, 'Go')
    await gone.close()
    let isClaimed = false
    const store: Store = {
      ...inner,
      claim: async (...given) => {
        isClaimed = true
        return inner.claim(...given)
      },
      read: async (...given) => (isClaimed ? Promise.reject(new Error('unreadable')) : inner.read(...given)),
      renew: (leases) =>
        leases.some(({ expiresAt }) => expiresAt === 0)
          ? Promise.reject(new Error('unreleasable'))
          : inner.renew(leases),
    }
    const reports: unknown[] = []
    const { agent } = worker('solo', ['Done.'])
    const onError = (report: object): void => void reports.push(report)
    const troupe = createTroupeIn(virtualEnvironment(), { agents: [agent], store, onError })
    expect(await rejection(troupe.resume(id))).toMatchObject({ message: 'unreadable' })
    expect(reports).toMatchObject([{ where: 'store', runId: id, error: { message: 'unreleasable' } }])
  })

  test('by a restored actor is free for others at once', async () => {
    const { id, inner, agent, troupe } = await unreadable()
    const snapshot = { status: 'active', runId: id } as unknown as Snapshot<unknown>
    const actor = createActor(troupe.logic(agent), { snapshot } as object as ActorOptions<AnyActorLogic>)
    const failed = new Promise((_, reject) => void actor.subscribe({ error: reject }))
    actor.start()
    expect(await rejection(failed)).toMatchObject({ message: 'locked' })
    await expectFree(inner, id)
  })
})
