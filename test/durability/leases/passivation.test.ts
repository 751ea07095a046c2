/** A suspended run leaves memory, with all its actors, and is revived by its signal; who waits for it is not forgotten. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createTool,
  createTroupe,
  memoryStore,
  type Run,
  type RunEvent,
  type Store,
  type TroupeConfig,
} from 'troupe'
import type { AnyActorRef } from 'xstate'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemEnvironment, type Environment } from '../../../src/runtime/environment.ts'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { allEvents, calls, lead, to, until, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { expectPassivated, signpost, suspendedBy } from '../processes.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const callId = 'lead/delegation:1.1/asker/call:1.1'

function company() {
  const inputSchema = z.object({})
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    requireApproval: true,
    execute: (_, { suspend, resumeData }) => resumeData ?? suspend('Which?'),
  })
  const asker = worker('asker', [calls({ name: 'ask' }), 'They said yes.'], { tools: { ask } })
  const boss = lead('lead', [calls(to('asker', 'Ask them')), 'Agreed.'], { agents: { asker: asker.agent } })
  return { agent: boss.agent, models: [boss.model, asker.model] }
}

async function start(
  store: Store,
  config: Partial<TroupeConfig> = {},
  options: object = {},
  environment: Environment = systemEnvironment,
) {
  const made = company()
  const all = { agents: [made.agent], store, passivateAfter: 0, pollInterval: 5, ...config }
  const troupe = createTroupeIn(environment, all)
  const run = await troupe.start(made.agent, 'Go', options)
  return { ...made, troupe, run }
}

/** Whoever looks at a weak reference keeps it for that job: so each look has one of its own. */
async function isCollected(ref: WeakRef<object>): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2))
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 2))
    if (ref.deref() === undefined) return true
  }
  return false
}

/** In a function of its own, so that the caller holds nothing else. */
const rootOf = (run: Run): WeakRef<AnyActorRef> => new WeakRef<AnyActorRef>(run.actor)

describe('a passivated run', () => {
  test('gives its actors back, also while its handle is held and its result awaited', async () => {
    const store = memoryStore()
    const { run, troupe } = await start(store)
    void run.result
    await suspendedBy(run)
    const root = rootOf(run)
    await expectPassivated(store)
    expect(await isCollected(root)).toBe(true)
    // It is what it was, as far as anybody can tell.
    expect((await suspendedBy(run)).awaiting).toMatchObject([{ toolCallId: callId }])
    expect(run.actor.getSnapshot()).toMatchObject({ status: 'active', runId: run.id })
    expect(run.actor.getSnapshot().children).toEqual({})
    await troupe.signal(run.id, { type: 'approve', toolCallId: callId })
    expect((await suspendedBy(run)).awaiting).toMatchObject([{ type: 'suspension', payload: 'Which?' }])
    expect(Object.keys(run.actor.getSnapshot().children)).toEqual(['lead'])
    await troupe.close()
  })

  test('is forgotten when nobody holds it, and comes back from the store', async () => {
    const store = memoryStore()
    const troupe = createTroupe({ agents: [company().agent], store, passivateAfter: 0 })
    const begin = async (): Promise<{ id: string; handle: WeakRef<Run> }> => {
      const agent = company().agent
      const other = createTroupe({ agents: [agent], store, passivateAfter: 0 })
      const run = await other.start(agent, 'Go')
      await suspendedBy(run)
      return { id: run.id, handle: new WeakRef(run) }
    }
    const { id, handle } = await begin()
    await expectPassivated(store)
    expect(await isCollected(handle)).toBe(true)
    await troupe.signal(id, { type: 'deny', toolCallId: callId })
    expect(await (await troupe.resume(id)).whenIdle).toMatchObject({ runId: id })
    await troupe.close()
  })

  test('is not forgotten while its result is awaited, whoever held the handle', async () => {
    const store = memoryStore()
    const { agent } = company()
    const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0 })
    const begin = async (): Promise<{ id: string; ended: Promise<unknown>; handle: WeakRef<Run> }> => {
      const run = await troupe.start(agent, 'Go')
      return { id: run.id, ended: run.result.then(({ outcome }) => outcome), handle: new WeakRef(run) }
    }
    const { id, ended, handle } = await begin()
    await expectPassivated(store)
    expect(await isCollected(handle)).toBe(false)
    await troupe.cancel(id, 'enough')
    expect(await ended).toBe('cancelled')
  })

  test('nor while its events are read: the reader sees it go on, without a gap or a repetition', async () => {
    const store = memoryStore()
    const { troupe, run } = await start(store, {}, { stream: false })
    const { id } = run
    const seen: RunEvent[] = []
    const reading = (async () => {
      for await (const event of run.events) seen.push(event)
    })()
    await suspendedBy(run)
    for (const answer of [
      { type: 'approve', toolCallId: callId },
      { type: 'resume', toolCallId: callId, data: 'left' },
    ] as const) {
      await expectPassivated(store)
      collectGarbage()
      await troupe.signal(id, answer)
      await troupe.resume(id)
    }
    await reading
    const kept = seen.filter((event) => event.seq !== undefined)
    expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1))
    expect(
      seen
        .filter(({ type }) => ['suspended', 'resumed', 'run-finish'].includes(type))
        .map(({ type }) => type),
    ).toEqual(['suspended', 'resumed', 'suspended', 'resumed', 'run-finish'])
    const late = await allEvents(run)
    expect(late.filter((event) => event.seq !== undefined)).toEqual(kept)
    expect((await troupe.replay(id)).events).toEqual(kept)
  })

  test('is idle until it is told something, and then until it waits again or has ended', async () => {
    const store = memoryStore()
    const { run } = await start(store)
    const first = await suspendedBy(run)
    expect(first.awaiting.map(({ type }) => type)).toEqual(['approval'])
    await expectPassivated(store)
    expect(await run.whenIdle).toBe(first)
    await run.approve(callId)
    expect((await suspendedBy(run)).awaiting.map(({ type }) => type)).toEqual(['suspension'])
    await expectPassivated(store)
    await run.resume(callId, 'right')
    expect(await run.whenIdle).toMatchObject({ outcome: 'completed', text: 'Agreed.' })
    expect(await run.whenIdle).toBe(await run.result)
  })

  test('that is told to cancel is idle when it has ended', async () => {
    const store = memoryStore()
    const { run, models } = await start(store)
    await suspendedBy(run)
    await expectPassivated(store)
    await run.cancel('enough')
    expect(await run.whenIdle).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect(models.map((model) => model.calls.length)).toEqual([1, 1])
  })

  test.each([
    ['while it is passivated', true],
    ['while it is being revived', false],
  ])("heeds its caller's abort %s", async (_, isAtRest) => {
    const store = memoryStore()
    const controller = new AbortController()
    const { run, models } = await start(store, {}, { signal: controller.signal })
    await suspendedBy(run)
    await expectPassivated(store)
    const approval = isAtRest ? undefined : rejection(run.approve(callId))
    controller.abort(new Error('The tab was closed.'))
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'The tab was closed.' })
    expect(models.map((model) => model.calls.length)).toEqual([1, 1])
    expect((await store.read(run.id))?.at(-1)?.type).toBe('run.settled')
    if (!isAtRest) expect(await approval).toMatchObject({ code: 'SIGNAL_TOO_LATE' })
  })

  test('that cannot be read just now gives its answer back', async () => {
    const inner = memoryStore()
    let isDown = false
    const store: Store = {
      ...inner,
      read: (runId, from) => (isDown ? Promise.reject(new Error('locked')) : inner.read(runId, from)),
    }
    const { run } = await start(store, { pollInterval: 60_000 })
    await suspendedBy(run)
    await expectPassivated(inner)
    isDown = true
    await expect(run.approve(callId)).rejects.toThrow('locked')
    expect((await suspendedBy(run)).awaiting).toHaveLength(1)
    isDown = false
    await run.approve(callId)
    expect((await suspendedBy(run)).awaiting).toMatchObject([{ type: 'suspension' }])
  })

  test('with functions of its own is held, and goes on with them', async () => {
    const store = memoryStore()
    const steps: number[] = []
    const options = { onStepFinish: ({ step }: { step: number }) => void steps.push(step) }
    const { run, troupe } = await start(store, {}, options)
    await suspendedBy(run)
    await expectPassivated(store)
    await troupe.signal(run.id, { type: 'deny', toolCallId: callId })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(steps).toEqual([1, 2])
  })
})

describe('a run stays in memory', () => {
  test('when the troupe says so', async () => {
    const store = memoryStore()
    const here = virtualEnvironment()
    const { run, troupe } = await start(store, { passivateAfter: Infinity }, {}, here)
    await suspendedBy(run)
    const { actor } = run
    await here.clock.elapse(1_000_000)
    expect((await store.list('runs', {})).items.map(({ isPassivated }) => isPassivated)).toEqual([undefined])
    await run.approve(callId)
    await suspendedBy(run)
    expect(run.actor).toBe(actor)
    await troupe.close()
  })

  test('while a tool that it has let go of is at work, and leaves it then', async () => {
    const store = memoryStore()
    const finish = Promise.withResolvers<string>()
    const began = signpost<string>()
    const inputSchema = z.object({})
    const slow = createTool({
      id: 'slow',
      description: 'Slow.',
      inputSchema,
      execute: () => {
        began.pass('slow')
        return finish.promise
      },
    })
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      requireApproval: true,
      execute: () => 'yes',
    })
    const quick = worker('quick', [() => ({ text: 'The answer.', until: began.reached })])
    const inner = lead('inner', [calls({ name: 'slow' }, to('quick', 'Go'))], {
      agents: { quick: quick.agent },
      tools: { slow },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const { agent } = lead('lead', [calls(to('inner', 'Go')), calls({ name: 'ask' }), 'Done.'], {
      agents: { inner: inner.agent },
      tools: { ask },
    })
    const here = virtualEnvironment()
    const troupe = createTroupeIn(here, { agents: [agent], store, passivateAfter: 10 })
    const run = await troupe.start(agent, 'Go')
    await suspendedBy(run)
    await here.clock.elapse(1_000)
    expect((await store.list('runs', {})).items.map(({ isPassivated }) => isPassivated)).toEqual([undefined])
    finish.resolve('late')
    await here.clock.elapse(1_000)
    await expectPassivated(store)
    expect((await store.read(run.id))?.at(-1)).toMatchObject({
      type: 'effect.settled',
      kind: 'tool',
      late: true,
    })
    await run.approve('lead/call:2.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('or rather, one that was answered in time is not passivated', async () => {
    const store = memoryStore()
    const here = virtualEnvironment()
    const { run, troupe } = await start(store, { passivateAfter: 10 }, {}, here)
    await suspendedBy(run)
    await here.clock.elapse(9)
    const { actor } = run
    await run.approve(callId)
    await until(run, 'tool-call-suspended')
    await run.resume(callId, 'left')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(run.actor).toBe(actor)
    await here.clock.elapse(25)
    expect((await troupe.runs()).items.map(({ status }) => status)).toEqual(['settled'])
  })
})

test('a run that is suspended again and again is passivated again and again', async () => {
  const store = memoryStore()
  const rounds = 5
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  const { agent } = worker('solo', [...Array(rounds).fill(calls({ name: 'ask' })), 'Done.'], {
    tools: { ask },
    maxSteps: rounds + 1,
  })
  const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0 })
  const { id, result } = await troupe.start(agent, 'Go')
  for (let round = 1; round <= rounds; round++) {
    await expectPassivated(store)
    await troupe.signal(id, { type: 'approve', toolCallId: `solo/call:${round}.1` })
    expect(await store.claim(id, 'somebody else', Date.now(), Date.now() + 1_000)).toBeUndefined()
  }
  expect(await result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await troupe.replay(id)).result).toEqual(await result)
})
