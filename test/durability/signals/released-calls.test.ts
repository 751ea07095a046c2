/** A call that an answer has released is made once, also where the troupe that took the answer closes at once. */
import fc from 'fast-check'
import { createTool, memoryStore, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { suspendedBy } from '../processes.ts'

const callId = 'till/call:1.1'
const deadline = 10_000

/** Lets everything follow that needs no timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function till(store: Store, clock = virtualClock()) {
  let made = 0
  let aborted = 0
  const agentOf = (took: number, requireApproval: boolean, onInterrupted: 'retry' | 'ask' | 'fail') => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval,
      onInterrupted,
      execute: async (_, { signal }) => {
        made++
        signal.addEventListener('abort', () => void aborted++)
        await new Promise<void>((resolve) => void clock.after(took, resolve))
        return 'paid'
      },
    })
    return worker('till', [calls({ name: 'pay' })], { tools: { pay }, otherwise: 'Paid.' }).agent
  }
  const starts = async (runId: string): Promise<number> =>
    ((await store.read(runId)) ?? []).filter(({ type }) => type === 'effect.started').length
  return { clock, agentOf, starts, made: () => made, aborted: () => aborted }
}

/** Appends when a turn of the event loop, or more, has passed. */
function slowly(inner: Store, turns: number): Store {
  return new Proxy(inner, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      if (name !== 'append' || turns === 0) return own.bind(target) as unknown
      return async (...given: unknown[]) => {
        for (let turn = 0; turn < turns; turn++) await settle()
        return own.apply(target, given) as unknown
      }
    },
  })
}

/** Lets time pass until the work has settled. */
async function elapse(clock: ReturnType<typeof virtualClock>, work: Promise<unknown>): Promise<void> {
  const progress = { isOver: false }
  const over = work.finally(() => (progress.isOver = true))
  for (let round = 0; !progress.isOver && round < 500; round++) {
    for (let turn = 0; turn < 10; turn++) await settle()
    clock.advance(100)
  }
  await over
}

const interleavings = fc.record({
  took: fc.integer({ min: 0, max: 6_000 }),
  /** Turns of the event loop between the answer and the close. */
  turns: fc.integer({ min: 0, max: 8 }),
  /** Whether `close` waits for the promise of `signal`. */
  isAwaited: fc.boolean(),
  append: fc.integer({ min: 0, max: 3 }),
  onInterrupted: fc.constantFrom('retry', 'ask', 'fail'),
})

test('in any order of an answer, its close and the store', async () => {
  await fc.assert(
    fc.asyncProperty(interleavings, async ({ took, turns, isAwaited, append, onInterrupted }) => {
      const store = memoryStore()
      const desk = till(store)
      const agent = desk.agentOf(took, true, onInterrupted)
      const process = (name: string) => {
        const environment = virtualEnvironment(name, desk.clock)
        return createTroupeIn(environment, { agents: [agent], store: slowly(store, append) })
      }
      const first = process('first')
      const run = await first.start(agent, 'Go')
      await suspendedBy(run)
      await elapse(desk.clock, first.close())

      const second = process('second')
      const answered = second.signal(run.id, { type: 'approve', toolCallId: callId }).then(
        () => true,
        () => false, // the close came first: nothing was taken
      )
      if (isAwaited) await answered
      for (let turn = 0; turn < turns; turn++) await settle()
      await elapse(desk.clock, second.close({ deadline }))
      expect(await desk.starts(run.id)).toBe(desk.made())

      const third = process('third')
      if (!(await answered)) await third.signal(run.id, { type: 'approve', toolCallId: callId })
      const resumed = await third.resume(run.id)
      await elapse(desk.clock, resumed.result)
      expect((await resumed.result).outcome).toBe('completed')
      expect({ made: desk.made(), aborted: desk.aborted() }).toEqual({ made: 1, aborted: 0 })
      await elapse(desk.clock, third.close())
    }),
    { numRuns: 60 },
  )
})

test('a start that is on its way to the store when the troupe closes is a call that is made', async () => {
  await fc.assert(
    fc.asyncProperty(interleavings, async ({ took, turns, append }) => {
      const store = memoryStore()
      const desk = till(store)
      const agent = desk.agentOf(took, false, 'retry')
      const environment = virtualEnvironment('first', desk.clock)
      const troupe = createTroupeIn(environment, { agents: [agent], store: slowly(store, append) })
      const run = await troupe.start(agent, 'Go')
      for (let turn = 0; turn < turns; turn++) await settle()
      await elapse(desk.clock, troupe.close({ deadline }))
      expect(await desk.starts(run.id)).toBe(desk.made())
    }),
    { numRuns: 60 },
  )
})

test('a call that outlasts the deadline is cut off, and `close` settles within it', async () => {
  const store = memoryStore()
  const desk = till(store)
  const agent = desk.agentOf(60_000, true, 'retry')
  const troupe = createTroupeIn(virtualEnvironment('first', desk.clock), { agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await suspendedBy(run)
  await run.approve(callId)
  for (let turn = 0; turn < 10; turn++) await settle()
  const before = desk.clock.now()
  await elapse(desk.clock, troupe.close({ deadline }))
  expect(desk.clock.now() - before).toBeLessThanOrEqual(deadline)
  expect({ made: desk.made(), aborted: desk.aborted() }).toEqual({ made: 1, aborted: 1 })
})
