/** Nested runs where several troupes share a store: joined where another one owns them, and cancelled with an ended run. */
import { createTool, createTroupe, memoryStore, type Store, type ToolExecution } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, lead, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'

/** A worker of a store: an outer agent whose tool begins runs of an inner agent. */
function workerOf(
  store: Store,
  {
    name = 'w',
    clock = virtualClock(),
    answer = 'The letter.',
    isFirst = true,
    ...more
  }: {
    name?: string
    clock?: ReturnType<typeof virtualClock>
    answer?: string
    isFirst?: boolean
    onInterrupted?: 'retry' | 'fail'
    held?: Promise<void>
  } = {},
) {
  const reached = Promise.withResolvers<void>()
  const inner = worker('inner', [], {
    otherwise: () => {
      reached.resolve()
      return { text: answer, ...(more.held && { until: more.held }) }
    },
  })
  const nest = createTool({
    id: 'nest',
    description: 'Begins a run.',
    inputSchema: z.object({}),
    execute: async (_, { start }: ToolExecution) => (await start(inner.agent, 'Write')).text,
    onInterrupted: more.onInterrupted ?? 'retry',
  })
  const outer = lead('outer', isFirst ? [calls({ name: 'nest' })] : [], {
    otherwise: 'Done.',
    tools: { nest },
  })
  const troupe = createTroupeIn(virtualEnvironment(name, clock), {
    agents: [outer.agent, inner.agent],
    store,
    leaseTtl: 10_000,
    pollInterval: 100,
    onError: () => undefined,
  })
  return { troupe, outer, inner, reached: reached.promise, clock }
}

const forever = new Promise<void>(() => undefined)

/** The store as a process has it that stops at once: nothing of it arrives from then on. */
function mortal(store: Store): { readonly store: Store; die(): void } {
  let isDead = false
  const never = (): Promise<never> => new Promise(() => undefined)
  const guarded = Object.fromEntries(
    Object.entries(store).map(([key, member]) => [
      key,
      typeof member === 'function'
        ? (...args: unknown[]) => (isDead ? never() : (member as (...given: unknown[]) => unknown)(...args))
        : member,
    ]),
  )
  return { store: { ...store, ...guarded }, die: () => void (isDead = true) }
}

test('a run that another troupe owns is joined, and its result is read when it has ended there', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const release = Promise.withResolvers<void>()
  const first = mortal(store)
  const one = workerOf(first.store, { name: 'one', clock, held: forever })
  const run = await one.troupe.start(one.outer.agent, 'Go')
  run.result.catch(() => undefined)
  await one.reached
  first.die()
  await clock.elapse(20_000) // its leases run out
  // The third worker takes the nested run alone, before the second takes the outer one.
  const three = workerOf(store, { name: 'three', clock, held: release.promise })
  const [, nested] = (await three.troupe.runs()).items
  const handle = await three.troupe.resume(nested?.runId ?? '')
  await three.reached
  const two = workerOf(store, { name: 'two', clock, isFirst: false })
  const outer = await two.troupe.resume(run.id)
  await clock.elapse(1_000)
  release.resolve()
  expect(await handle.result).toMatchObject({ outcome: 'completed', text: 'The letter.' })
  await clock.elapse(1_000)
  const result = await outer.result
  expect(result.steps[0]?.toolResults).toMatchObject([{ value: 'The letter.' }])
  expect([two.inner.model.calls.length, three.inner.model.calls.length]).toEqual([0, 1])
  await Promise.all([two.troupe.close(), three.troupe.close()])
})

test('a nested run that no call takes up again is cancelled when the run that began it has ended', async () => {
  const store = memoryStore()
  const clock = virtualClock()
  const first = mortal(store)
  const one = workerOf(first.store, { name: 'one', clock, held: forever, onInterrupted: 'fail' })
  const run = await one.troupe.start(one.outer.agent, 'Go')
  run.result.catch(() => undefined)
  await one.reached
  first.die()
  await clock.elapse(20_000)
  const two = workerOf(store, { name: 'two', clock, isFirst: false, held: forever, onInterrupted: 'fail' })
  const recovering = two.troupe.recover()
  await clock.elapse(100)
  const { runs } = await recovering
  expect(runs.map(({ id }) => id)).toContain(run.id)
  await two.reached
  expect(await (await two.troupe.resume(run.id)).cancel('Enough.')).toBeUndefined()
  const nested = runs.find(({ id }) => id !== run.id) ?? expect.fail('no nested run')
  await clock.elapse(1_000)
  expect(await nested.result).toMatchObject({
    outcome: 'cancelled',
    reason: 'The run that began this one has ended.',
  })
  await two.troupe.close()
})

test('a fork begins nested runs of its own', async () => {
  const store = memoryStore()
  const inner = worker('inner', [], { otherwise: 'The letter.' })
  const nest = createTool({
    id: 'nest',
    description: 'Begins a run.',
    inputSchema: z.object({}),
    execute: async (_, { start }) => (await start(inner.agent, 'Write')).text,
  })
  const outer = lead('outer', [calls({ name: 'nest' })], { otherwise: 'Done.', tools: { nest } })
  const troupe = createTroupe({ agents: [outer.agent, inner.agent], store })
  const run = await troupe.start(outer.agent, 'Go')
  await run.result
  const journal = await troupe.journal(run.id)
  const at = journal.findIndex(({ type }) => type === 'effect.started')
  await (
    await troupe.fork(run.id, { at })
  ).result
  const nested = (await troupe.runs({ agent: 'inner' })).items
  expect(new Set(nested.map(({ runId }) => runId)).size).toBe(2)
  await troupe.close()
})

test('a fork of a nested run is a run of its own: it goes on where the run that began the other has ended', async () => {
  const clock = virtualClock()
  const hold = createTool({
    id: 'hold',
    description: 'Holds.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'held',
  })
  const inner = lead('inner', [calls({ name: 'hold' })], { otherwise: 'The letter.', tools: { hold } })
  const nest = createTool({
    id: 'nest',
    description: 'Begins a run.',
    inputSchema: z.object({}),
    execute: async (_, { start }) => (await start(inner.agent, 'Write')).text,
  })
  const outer = lead('outer', [calls({ name: 'nest' })], { otherwise: 'Done.', tools: { nest } })
  const troupe = createTroupeIn(virtualEnvironment('w', clock), {
    agents: [outer.agent, inner.agent],
    pollInterval: 100,
  })
  const run = await troupe.start(outer.agent, 'Go')
  await clock.elapse(1_000)
  const [nested] = (await troupe.runs({ agent: 'inner' })).items
  await run.cancel('Enough.')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  const fork = await troupe.fork(nested?.runId ?? '', { at: 2 })
  await clock.elapse(5_000)
  await fork.approve('inner/call:1.1')
  expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'The letter.' })
  const [started] = await troupe.journal(fork.id)
  expect(started).not.toHaveProperty('nested')
  await troupe.close()
})
