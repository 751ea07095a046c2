/** BEHAVIOUR 43 across troupes: a cancel by run id, wherever the run is. After it nothing starts. */
import {
  createTool,
  createTroupe,
  memoryStore,
  RunNotFoundError,
  type JournalEntry,
  type OnInterrupted,
  type Run,
  type Store,
  type Troupe,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { expectPassivated, forever, processOn, signpost, suspendedBy } from '../processes.ts'

const inputSchema = z.object({})

/** A lead, a helper who thinks for ever, and a tool that works for ever, all at the same time. */
function busyHouse(onInterrupted: OnInterrupted = 'retry') {
  const dug = signpost<AbortSignal>()
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema,
    onInterrupted,
    execute: (_, { signal }) => {
      dug.pass(signal)
      return forever()
    },
  })
  const helper = worker('helper', [{ hang: true }])
  const boss = lead('lead', [calls(to('helper', 'Help'), { name: 'dig' })], {
    agents: { helper: helper.agent },
    tools: { dig },
    onFinish: () => dug.pass(AbortSignal.abort('onFinish')),
  })
  return { agent: boss.agent, helper: helper.model, dug }
}

/** No effect was started after the first cancel. */
async function expectQuietEnd(store: Store, runId: string): Promise<void> {
  const journal = (await store.read(runId)) ?? []
  const at = journal.findIndex((entry: JournalEntry) => entry.type === 'signal.received')
  expect(journal[at]).toMatchObject({ signal: { type: 'cancel', reason: 'enough' } })
  expect(journal.slice(at + 1).map((entry) => entry.type)).toEqual(['run.settled'])
  expect(journal.at(-1)).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
}

describe('a cancel by run id', () => {
  test('of a run that is live here aborts every descendant', async () => {
    const store = memoryStore()
    const made = busyHouse()
    const troupe = createTroupe({ agents: [made.agent], store })
    const run = await troupe.start(made.agent, 'Go')
    const signal = await made.dug.reached
    await troupe.cancel(run.id, 'enough')
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'enough',
      delegations: [{ outcome: 'cancelled' }],
    })
    expect(signal.aborted).toBe(true)
    expect(made.helper.calls.map((call) => call.signal.aborted)).toEqual([true])
    await expectQuietEnd(store, run.id)
  })

  test('of a run that is live elsewhere reaches its owner', async () => {
    const store = memoryStore()
    const made = busyHouse()
    const owner = createTroupe({ agents: [made.agent], store, pollInterval: 5 })
    const run = await owner.start(made.agent, 'Go')
    const signal = await made.dug.reached
    await createTroupe({ agents: [busyHouse().agent], store }).cancel(run.id, 'enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect(signal.aborted).toBe(true)
    await expectQuietEnd(store, run.id)
  })

  test.each(['retry', 'ask', 'fail'] as const)(
    'of a run whose process was killed starts nothing again, neither a model nor a tool that says %s',
    async (onInterrupted) => {
      const store = memoryStore()
      const made = busyHouse(onInterrupted)
      const dead = processOn(store, [made.agent])
      const { id } = await dead.troupe.start(made.agent, 'Go')
      await made.dug.reached
      dead.end()
      const next = busyHouse(onInterrupted)
      const { troupe } = processOn(store, [next.agent])
      await troupe.cancel(id, 'enough')
      expect(await (await troupe.resume(id)).result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
      expect(next.helper.calls).toEqual([])
      expect(next.dug.seen).toEqual([])
      await expectQuietEnd(store, id)
    },
  )

  test('resumed with a signal that has been aborted, nothing starts either', async () => {
    const store = memoryStore()
    const made = busyHouse()
    const dead = processOn(store, [made.agent])
    const { id } = await dead.troupe.start(made.agent, 'Go')
    await made.dug.reached
    dead.end()
    const next = busyHouse()
    const run = await processOn(store, [next.agent]).troupe.resume(id, {
      signal: AbortSignal.abort(new Error('enough')),
    })
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect([next.helper.calls.length, next.dug.seen.length]).toEqual([0, 0])
    await expectQuietEnd(store, id)
  })

  describe('of a run that waits for a person', () => {
    function asker(steps: readonly ScriptedStep[], approvalTimeout?: number) {
      const ask = createTool({
        id: 'ask',
        description: 'Asks.',
        inputSchema,
        requireApproval: true,
        ...(approvalTimeout && { approvalTimeout }),
        execute: () => 'yes',
      })
      return worker('solo', steps, { tools: { ask } })
    }

    test('passivated here', async () => {
      const store = memoryStore()
      const { agent, model } = asker([calls({ name: 'ask' })])
      const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0 })
      const run = await troupe.start(agent, 'Go')
      await suspendedBy(run)
      await expectPassivated(store)
      await troupe.cancel(run.id, 'enough')
      expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
      expect(model.calls).toHaveLength(1)
      await expectQuietEnd(store, run.id)
    })

    test.each([
      ['live', Number.POSITIVE_INFINITY],
      ['passivated', 0],
    ])('%s here, by the signal of a resume', async (_, passivateAfter) => {
      const store = memoryStore()
      const { agent, model } = asker([calls({ name: 'ask' })])
      const troupe = createTroupe({ agents: [agent], store, passivateAfter })
      const run = await troupe.start(agent, 'Go')
      await suspendedBy(run)
      if (passivateAfter === 0) await expectPassivated(store)
      const [stays, fires] = [new AbortController(), new AbortController()]
      await troupe.resume(run.id, { signal: stays.signal })
      await troupe.resume(run.id, { signal: fires.signal })
      fires.abort(new Error('enough'))
      expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
      expect(model.calls).toHaveLength(1)
      await expectQuietEnd(store, run.id)
    })

    test('passivated here, by a signal that has fired before: also when its deadline has passed', async () => {
      const store = memoryStore()
      let now = 0
      const clock = { now: () => now, after: () => () => undefined } // its timers are late
      const { agent, model } = asker([calls({ name: 'ask' })], 100)
      const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0, clock })
      const run = await troupe.start(agent, 'Go')
      await suspendedBy(run)
      await expectPassivated(store)
      now = 500
      const signal = AbortSignal.abort(new Error('enough'))
      expect(await (await troupe.resume(run.id, { signal })).result).toMatchObject({ outcome: 'cancelled' })
      expect(model.calls).toHaveLength(1)
      await expectQuietEnd(store, run.id)
    })

    test('in the store alone, also when its deadline has passed: the cancel comes first', async () => {
      const store = memoryStore()
      const clock = new ManualClock()
      const first = asker([calls({ name: 'ask' })], 100)
      const troupe = createTroupe({ agents: [first.agent], store, passivateAfter: 0, clock })
      const run = await troupe.start(first.agent, 'Go')
      await suspendedBy(run)
      await expectPassivated(store)
      await troupe.close()
      clock.advance(500)
      const next = asker([], 100)
      const other = createTroupe({ agents: [next.agent], store, clock })
      await other.cancel(run.id, 'enough')
      expect(await (await other.resume(run.id)).result).toMatchObject({ outcome: 'cancelled' })
      expect(next.model.calls).toEqual([])
      await expectQuietEnd(store, run.id)
    })

    test('twice, and by several at once: it is cancelled once', async () => {
      const store = memoryStore()
      const { agent } = asker([calls({ name: 'ask' })])
      const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0 })
      const run = await troupe.start(agent, 'Go')
      await suspendedBy(run)
      await expectPassivated(store)
      await Promise.all([troupe.cancel(run.id, 'enough'), troupe.cancel(run.id, 'more than enough')])
      await run.cancel('again')
      expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
      await expectQuietEnd(store, run.id)
    })
  })

  test('also one that was sent to its actor, again and again: it is on record once', async () => {
    const store = memoryStore()
    const made = busyHouse()
    const troupe = createTroupe({ agents: [made.agent], store })
    const run = await troupe.start(made.agent, 'Go')
    await made.dug.reached
    for (const reason of ['enough', 'more']) run.actor.send({ type: 'cancel', cause: 'cancel', reason })
    await run.cancel('again')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    await expectQuietEnd(store, run.id)
  })

  test('of a run that has ended changes nothing; of one that nobody knows is refused', async () => {
    const store = memoryStore()
    const { agent } = worker('solo', ['Hi.'])
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const journal = await store.read(run.id)
    await troupe.cancel(run.id)
    await createTroupe({ agents: [agent], store }).cancel(run.id)
    await run.cancel()
    expect(await store.read(run.id)).toEqual(journal)
    expect(await (await troupe.resume(run.id)).result).toEqual(result)
    await expect(troupe.cancel('nobody')).rejects.toThrow(RunNotFoundError)
  })

  test.for<[string, (run: Run, troupe: Troupe) => unknown]>([
    ['by the id of the run', ({ id }, troupe) => troupe.cancel(id)],
    ['by its handle', (run) => run.cancel()],
    ['by its actor', ({ actor }) => actor.send({ type: 'cancel', cause: 'cancel' })],
  ])('without a reason says so: %s', async ([, cancel]) => {
    const { agent } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await cancel(run, troupe)
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' })
  })
})
