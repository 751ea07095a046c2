/** A passivated run whose timer is due while the store does not answer: it is woken once the store answers again. */
import { createTool, memoryStore, StoreError, type Problem, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../support/agents/agents.ts'
import { ManualClock } from '../support/clocks/manual-clock.ts'
import { expectPassivated } from './processes.ts'

const pollInterval = 10

/** A run that waits for an approval until 1 000, passivated, on a store that fails where `fault` gives an error. */
async function passivated() {
  const inner = memoryStore()
  let fault: Error | undefined
  let reads = 0
  const store: Store = {
    ...inner,
    read(...args) {
      reads++
      return fault === undefined ? inner.read(...args) : Promise.reject(fault)
    },
  }
  const clock = new ManualClock()
  let ids = 0
  const problems: Problem[] = []
  const guarded = createTool({
    id: 'guarded',
    description: 'Needs approval.',
    inputSchema: z.object({}),
    requireApproval: true,
    approvalTimeout: 1_000,
    execute: () => 'done',
  })
  const { agent } = worker('solo', [calls({ name: 'guarded' }), 'Denied.'], { tools: { guarded } })
  const troupe = createTroupeIn(
    { clock, newId: () => `id-${++ids}` },
    {
      agents: [agent],
      store,
      passivateAfter: 0,
      pollInterval,
      onError: (problem) => void problems.push(problem),
    },
  )
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  clock.advance(0)
  await expectPassivated(inner)
  return {
    inner,
    troupe,
    clock,
    problems,
    runId: run.id,
    fail: (error: Error | undefined) => void (fault = error),
    reads: () => reads,
    /** Lets time pass, timer by timer, and promises settle. */
    async pass(milliseconds: number) {
      for (const end = clock.now() + milliseconds; ;) {
        await new Promise(setImmediate)
        const [next = Number.POSITIVE_INFINITY] = clock.due
        if (next > end) {
          clock.advance(end - clock.now())
          return
        }
        clock.advance(Math.max(0, next - clock.now()))
      }
    },
  }
}

describe('a passivated run whose timer is due while the store is away', () => {
  test.each([
    ['rejects with an error of its class', new StoreError('away', { code: 'STORE_UNREACHABLE' })],
    ['rejects with any error', new Error('away')],
  ])('is woken when the store is back, without recover: a store that %s', async (_, error) => {
    const { inner, troupe, clock, problems, runId, fail, reads, pass } = await passivated()
    fail(error)
    await pass(1_000)
    const first = reads()
    expect(problems).toMatchObject([
      { where: 'run', message: expect.stringContaining('trying again'), error, runId },
    ])
    await pass(100_000)
    const attempts = reads() - first
    expect(attempts).toBeGreaterThan(10)
    expect(attempts).toBeLessThan(20)
    expect(problems).toHaveLength(1)
    fail(undefined)
    await pass(60_000)
    await expect.poll(async () => (await inner.list('runs', {})).items[0]?.outcome).toBe('completed')
    expect(clock.due).toEqual([])
    await troupe.close()
  })

  test('is not tried again where it was deleted meanwhile', async () => {
    const { inner, troupe, clock, problems, fail, pass, runId } = await passivated()
    fail(new Error('away'))
    await pass(1_000)
    const lease = await inner.claim(runId, 'another', clock.now(), clock.now() + 60_000)
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
    const entry = { type: 'run.settled', at: 2_000, outcome: 'cancelled', text: '', usage } as const
    if (lease !== undefined) await inner.append([{ runId, lease, entry }])
    expect(await inner.delete(runId)).toBe('deleted')
    fail(undefined)
    await pass(60_000)
    expect(clock.due).toEqual([])
    expect(problems).toHaveLength(1)
    await troupe.close()
  })

  test('is not tried again where another troupe owns it', async () => {
    const { inner, troupe, clock, problems, fail, pass, runId } = await passivated()
    fail(new Error('away'))
    await pass(1_000)
    await inner.claim(runId, 'another', clock.now(), clock.now() + 3_600_000)
    fail(undefined)
    await pass(60_000)
    expect(clock.due).toEqual([])
    expect(problems).toHaveLength(1)
    await troupe.close()
  })

  test('is not tried again where the failure lasts, nor after the troupe is closed', async () => {
    const damaged = await passivated()
    damaged.fail(new StoreError('damaged', { code: 'STORE_CORRUPT' }))
    await damaged.pass(60_000)
    expect(damaged.problems).toMatchObject([{ where: 'run', message: expect.not.stringContaining('again') }])
    expect(damaged.clock.due).toEqual([])
    const closed = await passivated()
    closed.fail(new Error('away'))
    await closed.pass(1_000)
    await closed.troupe.close()
    expect(closed.clock.due).toEqual([])
  })
})
