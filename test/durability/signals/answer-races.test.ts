/** BEHAVIOUR 45: one question has one answer, whoever gives it; an accepted one stands before what is not on record. */
import fc from 'fast-check'
import {
  createTool,
  createTroupe,
  type AnyAgent,
  type JournalEntry,
  type Run,
  type Store,
  type Troupe,
  type TroupeConfig,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { silentStore } from '../silent-store.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { nextTurn, systemEnvironment } from '../../../src/runtime/environment.ts'
import { expectPassivated, suspendedBy } from '../processes.ts'
import { listing } from '../../support/listing.ts'

const callId = 'solo/call:1.1'
const answered = { name: 'SignalError', code: 'SIGNAL_ALREADY_ANSWERED' }

function house(steps: readonly ScriptedStep[] = [calls({ name: 'remove' }), 'Done.']) {
  const ran: string[] = []
  const remove = createTool({
    id: 'remove',
    description: 'Removes.',
    inputSchema: z.object({}),
    requireApproval: true,
    approvalTimeout: 1_000,
    execute: () => {
      ran.push('remove')
      return 'removed'
    },
  })
  return { ran, agent: worker('solo', steps, { tools: { remove } }).agent }
}

/** A troupe that polls only when it is told to, so that what others say is in the store alone. */
async function owned(store: Store, config: Partial<TroupeConfig> = {}) {
  const { agent, ran } = house()
  const owner = createTroupe({
    agents: [agent],
    store,
    passivateAfter: Infinity,
    pollInterval: 60_000,
    ...config,
  })
  const run = await owner.start(agent, 'Go')
  await suspendedBy(run)
  const other = createTroupe({ agents: [house().agent], store })
  onTestFinished(async () => {
    await owner.close()
    await other.close()
  })
  return { ran, owner, run, other }
}

const signalsOf = async (store: Store, { id }: Run) =>
  ((await store.read(id)) ?? []).flatMap((entry: JournalEntry) =>
    entry.type === 'signal.received' || entry.type === 'timer.fired' ? [entry] : [],
  )

describe('an answer that the store has accepted from another process', () => {
  test("stands before the owner's own, which is refused", async () => {
    const store = silentStore()
    const { run, other, ran } = await owned(store)
    await other.signal(run.id, {
      type: 'deny',
      toolCallId: callId,
      reason: 'No.',
      by: 'ann',
      note: 'Too late.',
    })
    expect(await rejection(run.approve(callId, { by: 'bob' }))).toMatchObject(answered)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual([])
    expect(await signalsOf(store, run)).toMatchObject([
      { signal: { type: 'answer', by: 'ann', note: 'Too late.' } },
    ])
    expect((await other.history(run.id)).filter(({ by }) => by !== undefined)).toMatchObject([
      { type: 'signal.received', by: 'ann', note: 'Too late.' },
    ])
  })

  test('stands before a deadline that is not on record', async () => {
    const store = silentStore()
    const clock = new ManualClock()
    const { run, other, ran } = await owned(store, { clock })
    await other.signal(run.id, { type: 'approve', toolCallId: callId })
    clock.advance(2_000)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
    expect((await signalsOf(store, run)).map(({ type }) => type)).toEqual(['signal.received', 'timer.fired'])
    expect((await other.replay(run.id)).result).toEqual(await run.result)
  })

  test('stands before a cancel that is not on record', async () => {
    const store = silentStore()
    const { run, other } = await owned(store)
    await other.signal(run.id, { type: 'approve', toolCallId: callId })
    await run.cancel('Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    const types = (await signalsOf(store, run)).map(
      (entry) => entry.type === 'signal.received' && entry.signal.type,
    )
    expect(types).toEqual(['answer', 'cancel'])
    expect((await other.replay(run.id)).result).toEqual(await run.result)
  })

  test('is refused after the deadline or the cancel is on record', async () => {
    const store = silentStore()
    const clock = new ManualClock()
    const { run, other, ran } = await owned(store, { clock })
    clock.advance(2_000)
    await run.result
    expect(await rejection(other.signal(run.id, { type: 'approve', toolCallId: callId }))).toMatchObject({
      code: 'SIGNAL_TOO_LATE',
    })
    expect(ran).toEqual([])
  })

  test('stands when its owner is gone and another troupe recovers the run past its deadline', async () => {
    const store = silentStore()
    const clock = new ManualClock()
    const { run, other, owner } = await owned(store, { clock })
    await other.signal(run.id, { type: 'approve', toolCallId: callId })
    await owner.close()
    clock.advance(5_000)
    const { agent, ran } = house(['Done.'])
    const next = createTroupe({ agents: [agent], store, clock, passivateAfter: Infinity })
    onTestFinished(() => next.close())
    const again = await next.resume(run.id)
    expect(await again.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
    expect((await signalsOf(store, run))[0]).toMatchObject({ signal: { type: 'answer' } })
  })
})

test('an answer to a run that left memory is taken once, whatever the run appends when it is revived', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  for (let turns = 0; turns < 12; turns++) {
    const store = silentStore()
    const { run, owner, ran } = await owned(store, { passivateAfter: 0 })
    await owner.recover({ every: 1 }) // it hears answers to runs that have left memory
    await expectPassivated(store)
    const entries = (await store.read(run.id))?.length ?? 0
    const approval = { type: 'approve', toolCallId: callId } as const
    // A process that owns no runs, such as an inspector, leaves it in the store.
    const key = `${callId}/signal:approval#1`
    expect(await store.enqueueSignal(run.id, approval, { key, entries })).toBe('accepted')
    for (let turn = 0; turn < turns; turn++) await nextTurn(systemEnvironment)
    expect(await rejection(run.deny(callId))).toMatchObject(answered)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
    await expect.poll(async () => (await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  }
  expect(log).not.toHaveBeenCalled()
})

test('a claim that the owner refuses does not block the right answer', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const store = silentStore()
  const { run, ran } = await owned(store, { pollInterval: 5 })
  const entries = (await store.read(run.id))?.length ?? 0
  const wrong = { type: 'resume', toolCallId: callId } as const
  expect(await store.enqueueSignal(run.id, wrong, { key: `${callId}/signal#1`, entries })).toBe('accepted')
  await expect.poll(async () => (await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  expect(log).toHaveBeenCalledOnce()
  await run.approve(callId)
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(ran).toEqual(['remove'])
})

test('a wrong claim is warned of once, however often the store tells of it until it is removed', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const store = silentStore()
  const clock = new ManualClock()
  const { run } = await owned(store, { clock })
  const entries = (await store.read(run.id))?.length ?? 0
  const wrong = { type: 'resume', toolCallId: callId } as const
  expect(await store.enqueueSignal(run.id, wrong, { key: `${callId}/signal#1`, entries })).toBe('accepted')
  clock.advance(2_000) // the deadline is appended, and the store tells of the claim
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(log).toHaveBeenCalledOnce()
})

test('a claim whose refusal cannot be confirmed at first is refused later', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const silent = silentStore()
  let renewals: 'work' | 'fail next' | 'failed' = 'work'
  const store: Store = {
    ...silent,
    list: listing(silent, 'signals', async (read) => {
      const queued = await read()
      if (queued.items.length > 0 && renewals === 'work') renewals = 'fail next'
      return queued
    }),
    async renew(leases) {
      if (renewals !== 'fail next') return silent.renew(leases)
      renewals = 'failed'
      throw new Error('the store is unavailable')
    },
  }
  const { run } = await owned(store, { pollInterval: 5, clock: new ManualClock() }) // no deadline passes
  const entries = (await store.read(run.id))?.length ?? 0
  const wrong = { type: 'resume', toolCallId: callId } as const
  expect(await store.enqueueSignal(run.id, wrong, { key: `${callId}/signal#1`, entries })).toBe('accepted')
  await expect.poll(async () => (await silent.list('signals', { runIds: [run.id] })).items).toEqual([])
  expect(renewals).toBe('failed')
  expect(log.mock.calls.flat().join()).toContain('was not taken')
})

test('answers from three troupes in any order: one is accepted, and it is what happened', async () => {
  const answer = fc.record({
    from: fc.nat(2),
    approves: fc.boolean(),
    /** Turns of the event loop before it is given. */
    after: fc.nat(4),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { minLength: 2, maxLength: 6 }),
      fc.constantFrom(1, 60_000),
      async (answers, pollInterval) => {
        const store = silentStore()
        const { agent, ran } = house()
        const troupe = (here: AnyAgent): Troupe =>
          createTroupe({ agents: [here], store, pollInterval, passivateAfter: Infinity })
        const troupes = [troupe(agent), troupe(house().agent), troupe(house().agent)]
        const run = await troupes[0]?.start(agent, 'Go')
        if (run === undefined) throw new Error('There is no run.')
        await suspendedBy(run)
        const told = await Promise.allSettled(
          answers.map(async ({ from, approves, after }, index) => {
            for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve))
            const by = String(index)
            const signal = { type: approves ? 'approve' : 'deny', toolCallId: callId, by } as const
            await (from === 0 ? run.signal(signal) : troupes[from]?.signal(run.id, signal))
          }),
        )
        const accepted = told.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
        expect(accepted).toHaveLength(1)
        for (const one of told) if (one.status === 'rejected') expect(one.reason).toMatchObject(answered)
        if (pollInterval > 1) await rejection(run.approve(callId)) // its append finds what the store has accepted
        expect(await run.result).toMatchObject({ outcome: 'completed' })
        const [winner = -1] = accepted
        expect(await signalsOf(store, run)).toMatchObject([{ signal: { by: String(winner) } }])
        expect(ran).toEqual(answers[winner]?.approves === true ? ['remove'] : [])
        for (const one of troupes) await one.close()
      },
    ),
    { numRuns: 60 },
  )
})
