/**
 * A module that is loaded again at any moment, any number of times: each call is made once, whoever makes it, and each run
 * comes to one end that its journal tells again.
 */
import fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTool, createTroupe, memoryStore, type Run, type Store, type Troupe } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

type Act = 'load' | 'recover' | 'approve' | 'resume'

const schedule = fc.record({
  runs: fc.integer({ min: 1, max: 3 }),
  acts: fc.array(
    fc.record({
      act: fc.constantFrom<Act>('load', 'load', 'recover', 'approve', 'resume'),
      after: fc.integer({ min: 0, max: 6 }),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  passivateAfter: fc.constantFrom(0, 2, Number.POSITIVE_INFINITY),
})

/** What was performed by all editions of the code, by idempotency key. */
class Performed {
  readonly #counts = new Map<string, number>()

  count(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  get repeated(): readonly string[] {
    return [...this.#counts].flatMap(([key, count]) => (count > 1 ? [`${key} × ${count}`] : []))
  }

  get size(): number {
    return this.#counts.size
  }
}

/** One edition of the code: a supervisor, a worker with two tools, one of which needs an approval. */
function edition(performed: Performed) {
  const stepping = (id: string, requireApproval: boolean) =>
    createTool({
      id,
      description: `Does ${id}.`,
      inputSchema: z.object({}),
      requireApproval,
      execute: async (_input, { idempotencyKey }) => {
        performed.count(`tool ${idempotencyKey}`)
        await sleep(2)
        return id
      },
    })
  const tools = { look: stepping('look', false), pay: stepping('pay', true) }
  const clerk = worker('clerk', [], {
    tools,
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Looked and paid.'
        : calls({ name: 'look' }, { name: 'pay' }),
  })
  const chief = lead('chief', [], {
    agents: { clerk: clerk.agent },
    otherwise: ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? 'Done.' : calls(to('clerk', 'Look and pay')),
  })
  return { chief: chief.agent, models: [clerk.model, chief.model] }
}

async function play({
  runs,
  acts,
  passivateAfter,
}: typeof schedule extends fc.Arbitrary<infer S> ? S : never) {
  const store: Store = memoryStore()
  const performed = new Performed()
  const editions: ReturnType<typeof edition>[] = []
  const troupes: Troupe[] = []
  const under: Promise<unknown>[] = []
  const load = (): Troupe => {
    const made = edition(performed)
    const troupe = createTroupe({
      agents: [made.chief],
      store,
      hotReload: true,
      passivateAfter,
      pollInterval: 5,
      leaseTtl: 3_600_000,
      onError: ({ message }) => expect.fail(message),
    })
    editions.push(made)
    troupes.push(troupe)
    return troupe
  }
  const newest = (): Troupe => troupes.at(-1) ?? load()
  /** Approves what waits by now: another answer may come before this one. */
  const approve = async (troupe: Troupe): Promise<void> => {
    for (const { runId, toolCallId } of (await troupe.awaiting()).items)
      await troupe.signal(runId, { type: 'approve', toolCallId }).catch(isAnswered)
  }
  const first = newest()
  const started: Run[] = []
  const [{ chief }] = editions as [ReturnType<typeof edition>]
  for (let n = 0; n < runs; n++) started.push(await first.start(chief, `Go ${n}`))
  for (const run of started) run.result.catch(() => undefined) // it goes on in another edition
  for (const { act, after } of acts) {
    await sleep(after)
    if (act === 'load') load()
    else if (act === 'recover') under.push(newest().recover())
    else if (act === 'approve') under.push(approve(newest()))
    else for (const { id } of started) under.push(newest().resume(id).catch(isOwned))
  }
  await Promise.all(under)
  const last = load()
  for (;;) {
    const { runs: going } = await last.recover()
    for (const run of going) run.result.catch(() => undefined)
    await approve(last)
    const { items } = await last.runs({ status: 'unfinished' })
    if (items.length === 0) break
    await sleep(2)
  }
  const journals = await Promise.all(started.map(({ id }) => last.journal(id)))
  const replays = await Promise.all(started.map(({ id }) => last.replay(id)))
  for (const troupe of troupes) await troupe.close()
  const modelKeys = editions.flatMap(({ models }) =>
    models.flatMap((model) => model.calls.map(({ idempotencyKey }) => idempotencyKey)),
  )
  for (const key of modelKeys) performed.count(`model ${key}`)
  return { performed, journals, replays }
}

function isAnswered(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(SIGNAL_|ALREADY_|RUN_)/) })
}

function isOwned(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(RUN_OWNED|LEASE_LOST)$/) })
}

describe('editions of one module', () => {
  test('make each call once, and bring each run to one end', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (given) => {
        const { performed, journals, replays } = await play(given)
        expect(performed.repeated).toEqual([])
        expect(performed.size).toBe(given.runs * 6) // two calls of each model, two tools
        for (const journal of journals) {
          expect(journal.filter(({ type }) => type === 'run.settled')).toHaveLength(1)
          const settled = journal.flatMap((entry) => (entry.type === 'effect.settled' ? [entry.key] : []))
          expect(new Set(settled).size).toBe(settled.length)
        }
        for (const { result } of replays)
          expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
      }),
      { numRuns: 40 },
    )
  })
})
