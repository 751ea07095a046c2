/** A troupe that drains lets effects under way end, begins no more, and hands its runs over. */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type ChatModel,
  type JournalEntry,
  type Store,
  type ToolExecution,
  type Troupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { createActor } from 'xstate'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { rejection } from '../support/agents/model-calls.ts'
import { suspendedBy } from './processes.ts'

const inputSchema = z.object({})
const refused = { code: 'TROUPE_DRAINING' }
const released = { code: 'TROUPE_CLOSED' }

/** A call that ends when it is told to. */
function gate() {
  const begun = Promise.withResolvers<ToolExecution>()
  const open = Promise.withResolvers<string>()
  let count = 0
  const pass = async (execution: ToolExecution): Promise<string> => {
    count++
    begun.resolve(execution)
    return open.promise
  }
  return { pass, begun: begun.promise, open: () => open.resolve('done'), count: () => count }
}

type Gate = ReturnType<typeof gate>

function slow({ pass }: Gate, more: Partial<Parameters<typeof createTool>[0]> = {}) {
  return createTool({
    id: 'slow',
    description: 'Takes long.',
    inputSchema,
    execute: (_input, execution) => pass(execution),
    ...more,
  })
}

const troupeOn = (store: Store, ...agents: AnyAgent[]): Troupe =>
  createTroupe({
    agents,
    store,
    pollInterval: 20,
    leaseTtl: 60_000,
    onError: (problem) => expect.fail(problem.message),
  })

/** Brings the runs of the store to their ends. */
async function goOn(store: Store, agent: AnyAgent): Promise<readonly string[]> {
  const other = troupeOn(store, agent)
  const { runs, owned, refused: not } = await other.recover()
  expect([owned, not]).toEqual([[], []])
  const results = await Promise.all(runs.map((run) => run.result))
  await other.close()
  return results.map(({ outcome }) => outcome)
}

const kindsOf = (journal: readonly JournalEntry[]): string[] =>
  journal.map((entry) => ('kind' in entry ? `${entry.type} ${entry.kind}` : entry.type))

describe('a tool under way', () => {
  test('ends, is called once, and its run goes on elsewhere at once', async () => {
    const store = memoryStore()
    const call = gate()
    const { agent, model } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], {
      tools: { slow: slow(call) },
    })
    const troupe = troupeOn(store, agent)
    const run = await troupe.start(agent, 'Go')
    await call.begun
    const drained = troupe.drain()
    expect(troupe.phase).toBe('draining')
    const result = rejection(run.result)
    call.open()
    expect(await drained).toEqual({ ended: [], handedOver: [run.id], cutOff: [] })
    expect(await result).toMatchObject({
      ...released,
      runId: run.id,
      message: expect.stringContaining('drains'),
    })
    expect(kindsOf(await troupe.journal(run.id)).at(-1)).toBe('effect.settled tool')
    expect(model.calls).toHaveLength(1)
    expect(await goOn(store, agent)).toEqual(['completed'])
    expect(call.count()).toBe(1)
    await troupe.close()
    expect(troupe.phase).toBe('closed')
  })

  test('that is under way at the deadline is aborted, named, and called again elsewhere', async () => {
    const store = memoryStore()
    const call = gate()
    const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
    const troupe = troupeOn(store, agent)
    const run = await troupe.start(agent, 'Go')
    const { signal } = await call.begun
    const result = rejection(run.result)
    const report = await troupe.drain({ deadline: 20 })
    const start = (await troupe.journal(run.id)).find((entry) => entry.type === 'effect.started')
    const effect = { kind: 'tool', name: 'slow', key: start?.key }
    expect(report).toEqual({ ended: [], handedOver: [], cutOff: [{ runId: run.id, effects: [effect] }] })
    expect(signal.reason).toMatchObject(released)
    await result
    call.open()
    expect(await goOn(store, agent)).toEqual(['completed'])
    expect(call.count()).toBe(2)
    await troupe.close()
  })

  test('that has bailed out of its run is waited for as long as the run is here', async () => {
    const store = memoryStore()
    const call = gate()
    const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
    const troupe = troupeOn(store, agent)
    const run = await troupe.start(agent, 'Go')
    await call.begun
    const drained = troupe.drain()
    await run.cancel('enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(await drained).toEqual({ ended: [run.id], handedOver: [], cutOff: [] })
    await troupe.close()
  })
})

test('a model under way ends, and the call that it wants begins elsewhere', async () => {
  const store = memoryStore()
  const call = gate()
  const asked = gate()
  const scripted = scriptedModel([calls({ name: 'slow' }), 'Done.'])
  const model: ChatModel = {
    ...scripted,
    async generate(request, options) {
      await asked.pass({} as ToolExecution)
      return scripted.generate(request, options)
    },
  }
  const agent = createAgent({ id: 'clerk', instructions: 'Work.', model, tools: { slow: slow(call) } })
  const troupe = troupeOn(store, agent)
  const run = await troupe.start(agent, 'Go')
  await asked.begun
  const drained = troupe.drain()
  run.result.catch(() => undefined)
  asked.open()
  expect(await drained).toMatchObject({ handedOver: [run.id] })
  expect(kindsOf(await troupe.journal(run.id))).toEqual(['run.started', 'effect.settled model'])
  expect(call.count()).toBe(0)
  call.open()
  expect(await goOn(store, agent)).toEqual(['completed'])
  expect([asked.count(), call.count()]).toEqual([2, 1]) // its two turns
  await troupe.close()
})

test('a call in a subagent ends too, beside one that is done', async () => {
  const store = memoryStore()
  const call = gate()
  const clerk = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
  const { agent } = lead('boss', [calls(to('clerk', 'Do it.')), 'All done.'], {
    agents: { clerk: clerk.agent },
  })
  const troupe = troupeOn(store, agent)
  const run = await troupe.start(agent, 'Go')
  run.result.catch(() => undefined)
  await call.begun
  const drained = troupe.drain()
  call.open()
  expect(await drained).toMatchObject({ handedOver: [run.id] })
  expect(await goOn(store, agent)).toEqual(['completed'])
  expect([call.count(), clerk.model.calls.length]).toEqual([1, 2])
  await troupe.close()
})

test('nothing new is taken', async () => {
  const store = memoryStore()
  const { agent } = worker('clerk', ['Hello.', 'Hello.'])
  const troupe = troupeOn(store, agent)
  const before = await troupe.start(agent, 'Go')
  await before.result
  const actor = createActor(troupe.logic(agent), { input: { prompt: 'Go' } })
  expect(await troupe.drain()).toEqual({ ended: [], handedOver: [], cutOff: [] })
  for (const asked of [
    troupe.start(agent, 'Go'),
    troupe.start(agent, 'Go', { runId: 'chosen' }),
    troupe.fork(before.id, { at: 1 }),
    troupe.recover(),
    troupe.recover({ every: 10 }),
  ])
    expect(await rejection(asked)).toMatchObject(refused)
  for (const late of [actor, createActor(troupe.logic(agent), { input: { prompt: 'Go' } })]) {
    const failed = new Promise((resolve) => late.subscribe({ error: resolve }))
    late.start()
    expect(await failed).toMatchObject(refused)
  }
  // What is only read, or has ended, is there still.
  expect((await (await troupe.resume(before.id)).result).outcome).toBe('completed')
  expect((await troupe.runs()).items.length).toBeGreaterThan(0)
  expect((await troupe.replay(before.id)).events.length).toBeGreaterThan(0)
  await troupe.close()
  expect(await rejection(troupe.drain())).toMatchObject(released)
})

test('wrong options are refused', async () => {
  const troupe = troupeOn(memoryStore(), worker('clerk', []).agent)
  for (const wrong of [{ deadline: 0 }, { deadline: '1' as never }, { dedline: 1 } as never]) {
    expect(await rejection(troupe.drain(wrong))).toMatchObject({ code: 'INVALID_CONFIGURATION' })
    expect(await rejection(troupe.close(wrong))).toMatchObject({ code: 'INVALID_CONFIGURATION' })
  }
  expect(troupe.phase).toBe('open')
  await troupe.close()
})

describe('a question', () => {
  const guarded = (call: Gate) =>
    worker('clerk', [calls({ name: 'slow' }), 'Done.'], {
      tools: { slow: slow(call, { requireApproval: true }) },
    }).agent

  test.each([0, Infinity])(
    'is answered while its troupe drains, and the answer waits (passivateAfter %s)',
    async (passivateAfter) => {
      const store = memoryStore()
      const call = gate()
      const agent = guarded(call)
      const troupe = createTroupe({ agents: [agent], store, passivateAfter, pollInterval: 20 })
      const run = await troupe.start(agent, 'Go')
      await suspendedBy(run)
      const { handedOver, ...rest } = await troupe.drain()
      expect(rest).toEqual({ ended: [], cutOff: [] })
      if (passivateAfter === Infinity) expect(handedOver).toEqual([run.id])
      expect((await troupe.runs()).items[0]).toMatchObject({ status: 'suspended', isPassivated: true })
      const { toolCallId = '' } = (await troupe.awaiting()).items[0] ?? {}
      await (passivateAfter === 0
        ? run.approve(toolCallId)
        : troupe.signal(run.id, { type: 'approve', toolCallId }))
      expect(await rejection(troupe.signal(run.id, { type: 'deny', toolCallId }))).toMatchObject({
        code: 'SIGNAL_ALREADY_ANSWERED',
      })
      expect(call.count()).toBe(0)
      call.open()
      const other = troupeOn(store, agent)
      await other.recover({ every: 20 })
      // The handle of the old process follows the run until its troupe is closed.
      expect((await run.result).outcome).toBe('completed')
      expect(call.count()).toBe(1)
      await Promise.all([troupe.close(), other.close()])
    },
  )

  test('that is answered while another call of its run is under way is on record', async () => {
    const store = memoryStore()
    const call = gate()
    const asked = gate()
    const tools = {
      slow: slow(call),
      asked: createTool({
        id: 'asked',
        description: 'Asks.',
        inputSchema,
        requireApproval: true,
        execute: (_input, execution) => asked.pass(execution),
      }),
    }
    const { agent } = worker('clerk', [calls({ name: 'slow' }, { name: 'asked' }), 'Done.'], { tools })
    const troupe = troupeOn(store, agent)
    const run = await troupe.start(agent, 'Go')
    run.result.catch(() => undefined)
    await call.begun
    const drained = troupe.drain()
    const { toolCallId = '' } = (await troupe.awaiting()).items[0] ?? {}
    await run.approve(toolCallId)
    expect(asked.count()).toBe(0)
    call.open()
    expect(await drained).toMatchObject({ handedOver: [run.id] })
    asked.open()
    expect(await goOn(store, agent)).toEqual(['completed'])
    expect([call.count(), asked.count()]).toEqual([1, 1])
    await troupe.close()
  })
})

describe('a run within a call', () => {
  const nesting = (call: Gate, more: Partial<Parameters<typeof createTool>[0]> = {}) => {
    const inner = worker('inner', [calls({ name: 'slow' }), 'Inner.'], { tools: { slow: slow(call, more) } })
    const outerCalls: string[] = []
    const outer = createTool({
      id: 'outer',
      description: 'Starts a run.',
      inputSchema,
      execute: async (_input, { start, idempotencyKey }) => {
        outerCalls.push(idempotencyKey)
        return (await start(inner.agent, 'Go')).text
      },
    })
    const { agent } = worker('boss', [calls({ name: 'outer' }), 'Done.'], { tools: { outer } })
    return { agent, inner, outerCalls }
  }

  test('goes on with the call, which is made once', async () => {
    const store = memoryStore()
    const call = gate()
    const { agent, inner, outerCalls } = nesting(call)
    const troupe = troupeOn(store, agent, inner.agent)
    const run = await troupe.start(agent, 'Go')
    run.result.catch(() => undefined)
    await call.begun
    const drained = troupe.drain()
    call.open()
    const { ended, handedOver, cutOff } = await drained
    expect([ended.length, handedOver, cutOff]).toEqual([1, [run.id], []])
    expect([inner.model.calls.length, outerCalls.length]).toEqual([2, 1])
    const other = troupeOn(store, agent, inner.agent)
    const { runs } = await other.recover()
    expect((await runs[0]?.result)?.outcome).toBe('completed')
    expect([call.count(), outerCalls.length]).toEqual([1, 1])
    await Promise.all([troupe.close(), other.close()])
  })

  test('that waits for a person is not waited for', async () => {
    const store = memoryStore()
    const call = gate()
    const { agent, inner } = nesting(call, { requireApproval: true })
    const troupe = createTroupe({ agents: [agent, inner.agent], store, pollInterval: 20, passivateAfter: 0 })
    const run = await troupe.start(agent, 'Go')
    run.result.catch(() => undefined)
    while ((await troupe.awaiting()).items.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    const { cutOff, handedOver } = await troupe.drain({ deadline: 600_000 })
    expect([cutOff, handedOver.includes(run.id)]).toEqual([[], true])
    await troupe.close()
  })
})

test('a hosted run is handed over, and its actor is told', async () => {
  const store = memoryStore()
  const call = gate()
  const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
  const troupe = troupeOn(store, agent)
  const actor = createActor(troupe.logic(agent), { input: { prompt: 'Go' } })
  const failed = new Promise((resolve) => actor.subscribe({ error: resolve }))
  actor.start()
  await call.begun
  const drained = troupe.drain()
  call.open()
  expect((await drained).handedOver).toHaveLength(1)
  expect(await failed).toMatchObject(released)
  expect(await goOn(store, agent)).toEqual(['completed'])
  expect(call.count()).toBe(1)
  await troupe.close()
})

test('a watch goes on until the troupe is closed', async () => {
  const store = memoryStore()
  const call = gate()
  const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
  const troupe = troupeOn(store, agent)
  const run = await troupe.start(agent, 'Go')
  run.result.catch(() => undefined)
  await call.begun
  const types: string[] = []
  const watched = (async () => {
    for await (const event of troupe.watch(run.id)) types.push(event.type)
  })()
  const drained = troupe.drain()
  call.open()
  await drained
  await goOn(store, agent)
  await watched
  expect(types.at(-1)).toBe('run-finish')
  await troupe.close()
})

describe('more than one call', () => {
  test('has one report, and the earlier deadline holds', async () => {
    const call = gate()
    const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
    const troupe = troupeOn(memoryStore(), agent)
    const run = await troupe.start(agent, 'Go')
    run.result.catch(() => undefined)
    await call.begun
    const [first, second] = await Promise.all([
      troupe.drain({ deadline: 600_000 }),
      troupe.drain({ deadline: 10 }),
    ])
    expect(first).toBe(second)
    expect(first.cutOff).toMatchObject([{ runId: run.id }])
    await troupe.close()
  })

  test('a close ends a drain, and cuts off what is under way', async () => {
    const call = gate()
    const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
    const troupe = troupeOn(memoryStore(), agent)
    const run = await troupe.start(agent, 'Go')
    run.result.catch(() => undefined)
    await call.begun
    const drained = troupe.drain({ deadline: 600_000 })
    await troupe.close()
    expect((await drained).cutOff).toMatchObject([
      { runId: run.id, effects: [{ kind: 'tool', name: 'slow' }] },
    ])
  })
})

describe('a store that does not answer any more', () => {
  const never = (): Promise<never> => new Promise(() => undefined)

  async function silenced(): Promise<{ troupe: Troupe; result: Promise<unknown> }> {
    const call = gate()
    const { agent } = worker('clerk', [calls({ name: 'slow' }), 'Done.'], { tools: { slow: slow(call) } })
    const store = memoryStore()
    let isSilent = false
    const silent: Store = {
      ...store,
      append: (appends) => (isSilent ? never() : store.append(appends)),
      renew: (leases) => (isSilent ? never() : store.renew(leases)),
      list: (name, filter) => (isSilent ? never() : store.list(name, filter)),
    }
    const troupe = createTroupe({ agents: [agent], store: silent, onError: () => undefined })
    const run = await troupe.start(agent, 'Go')
    await call.begun
    isSilent = true
    call.open()
    return { troupe, result: rejection(run.result) }
  }

  test('holds up no drain', async () => {
    const { troupe, result } = await silenced()
    expect((await troupe.drain({ deadline: 20 })).cutOff).toEqual([])
    expect(await result).toMatchObject(released)
    expect(await rejection(troupe.close({ deadline: 20 }))).toMatchObject({ code: 'CLOSE_TIMEOUT' })
  })

  test('holds up no close, and every promise settles', async () => {
    const { troupe, result } = await silenced()
    const closed = rejection(troupe.close({ deadline: 20 }))
    expect(await closed).toMatchObject({ code: 'CLOSE_TIMEOUT' })
    expect(await result).toMatchObject(released)
  })
})
