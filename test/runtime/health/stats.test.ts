/** `troupe.stats()` and `troupe.health()`: how runs, questions, stores and this process are, in numbers. */
import {
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  type HealthCode,
  type Store,
  type Troupe,
  type TroupeHealth,
} from 'troupe'
import { storedRuns } from 'troupe/kit'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppendTimer } from '../../../src/runtime/journal/append-times.ts'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const marker = 'Ludmilla'
const minute = 60_000

const guarded = (approvalTimeout?: number) =>
  createTool({
    id: 'guarded',
    description: 'Needs approval.',
    inputSchema: z.object({}),
    requireApproval: true,
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    execute: () => 'done',
  })

const asker = (approvalTimeout?: number) =>
  worker('solo', [], { otherwise: calls({ name: 'guarded' }), tools: { guarded: guarded(approvalTimeout) } })
    .agent

/** Promises settle, and timers that are due fire. */
async function turns(clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < 30; turn++) {
    clock.advance(0)
    await new Promise(setImmediate)
  }
}

let troupes = 0

function inTime(clock: ManualClock, config: Partial<Parameters<typeof createTroupe>[0]> = {}): Troupe {
  let ids = 0
  const name = `${marker}-${++troupes}`
  return createTroupeIn(
    { clock, newId: () => `${name}-${++ids}` },
    { agents: [asker()], onError: () => undefined, ...config },
  )
}

describe('stats', () => {
  test('of a troupe that has done nothing are zero', async () => {
    const troupe = createTroupe({ agents: [asker()] })
    expect(await troupe.stats({ settled: true })).toEqual({
      phase: 'open',
      at: expect.any(Number) as number,
      runs: { running: 0, suspended: 0, passivated: 0, leased: 0, left: 0, settled: 0 },
      questions: { open: 0, byAge: { minute: 0, hour: 0, day: 0, older: 0 } },
      recovery: { count: 0, lag: 0 },
      alarms: { count: 0, lag: 0 },
      here: { runs: 0, leases: 0, passivated: 0 },
      appends: { count: 0, failed: 0 },
    })
    await troupe.close()
  })

  test('count runs and questions of all processes, and have no name in them', async () => {
    const clock = new ManualClock()
    const store = memoryStore()
    const solo = asker()
    const troupe = inTime(clock, { agents: [solo], store, passivateAfter: 1_000 })
    const { agent } = worker('other', [], { otherwise: 'Done.' })
    const other = createTroupe({ agents: [agent], store })
    await (
      await other.start(agent, marker, { resourceId: marker })
    ).result
    const asked = await troupe.start(solo, marker, { resourceId: marker, threadId: marker })
    void asked.result.catch(() => undefined)
    await asked.whenIdle
    expect(await troupe.stats()).toMatchObject({
      runs: { running: 0, suspended: 1, passivated: 0, leased: 1 },
      questions: { open: 1, oldest: 0, byAge: { minute: 1 } },
      here: { runs: 1, leases: 1, passivated: 0 },
    })
    clock.advance(1_000)
    await turns(clock)
    expect((await troupe.stats()).here).toEqual({ runs: 0, leases: 0, passivated: 1 })
    clock.advance(2 * 60 * minute - 1_000)
    await turns(clock)
    const stats = await troupe.stats({ settled: true })
    expect(stats).toMatchObject({
      runs: { running: 0, suspended: 1, passivated: 1, leased: 0, settled: 1 },
      questions: { open: 1, oldest: 2 * 60 * minute, byAge: { minute: 0, hour: 0, day: 1, older: 0 } },
      recovery: { count: 0, lag: 0 },
    })
    expect(JSON.stringify(stats)).not.toContain(marker)
    expect(await storedRuns({ store }).stats()).toMatchObject({
      runs: { suspended: 1 },
      questions: { open: 1 },
    })
    await Promise.all([troupe.close(), other.close()])
  })

  test('tell of a run whose process has gone, until another takes it', async () => {
    const clock = new ManualClock()
    const store = memoryStore()
    let hangs = true
    const slow = createTool({
      id: 'slow',
      description: 'Takes its time.',
      inputSchema: z.object({}),
      execute: () => (hangs ? new Promise(() => undefined) : 'done'),
    })
    const { agent } = worker('solo', [calls({ name: 'slow' })], { otherwise: 'Done.', tools: { slow } })
    const gone = inTime(new ManualClock(), { agents: [agent], store }) // its time stands still: it renews no lease
    const lost = await gone.start(agent, 'Go')
    await turns(clock)
    hangs = false
    const troupe = inTime(clock, { agents: [agent], store })
    expect(await troupe.stats()).toMatchObject({
      runs: { running: 1, leased: 1 },
      recovery: { count: 0, lag: 0 },
    })
    clock.advance(31_000)
    expect(await troupe.stats()).toMatchObject({ runs: { leased: 0 }, recovery: { count: 1, lag: 1_000 } })
    const recovering = troupe.recover()
    await turns(clock)
    const { runs } = await recovering
    const results = Promise.all(runs.map((run) => run.result))
    await turns(clock)
    expect(await results).toMatchObject([{ outcome: 'completed' }])
    expect(await troupe.stats({ settled: true })).toMatchObject({
      runs: { running: 0, settled: 1 },
      recovery: { count: 0, lag: 0 },
    })
    lost.result.catch(() => undefined)
    await Promise.all([troupe.close(), gone.close()])
  })

  test('tell of a timer that is due while no process revives its run', async () => {
    const clock = new ManualClock()
    const store = memoryStore()
    const agent = asker(5_000)
    const agents = [agent]
    const troupe = inTime(clock, { agents, store, passivateAfter: 0 })
    await (
      await troupe.start(agent, 'Go')
    ).whenIdle
    await turns(clock)
    await troupe.close()
    clock.advance(6_000)
    const watching = inTime(clock, { agents, store })
    expect(await watching.stats()).toMatchObject({
      runs: { passivated: 1 },
      alarms: { count: 1, lag: 1_000 },
    })
    await watching.close()
  })

  test('are one query that reads no journal and no list, and the same on SQLite in both modes', async () => {
    using folder = temporaryFolder()
    for (const isOfWorker of [false, true]) {
      const file = sqliteStore(folder.file(`${isOfWorker}.db`), { worker: isOfWorker })
      const told: string[] = []
      const store = new Proxy(file, {
        get(target, name: keyof typeof file) {
          const member = target[name] as unknown
          if (typeof member !== 'function') return member
          return (...given: unknown[]): unknown => {
            told.push(name)
            return (member as (...given: unknown[]) => unknown).apply(target, given)
          }
        },
      })
      const agent = asker()
      const troupe = createTroupe({ agents: [agent], store })
      await (
        await troupe.start(agent, 'Go')
      ).whenIdle
      told.length = 0
      expect(await troupe.stats()).toMatchObject({ runs: { suspended: 1 }, questions: { open: 1 } })
      expect(told).toEqual(['census'])
      await troupe.close()
      await file.close()
    }
  })

  test('are refused by name for a store that cannot count, and for a wrong option', async () => {
    const { census: _none, ...store } = memoryStore()
    const troupe = createTroupe({ agents: [asker()], store })
    await expect(troupe.stats()).rejects.toMatchObject({ code: 'STORE_LACKS_PORT' })
    await expect(troupe.stats({ setled: true } as never)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
    expect(await troupe.health()).toEqual({ ok: true, phase: 'open', problems: [] })
    await troupe.close()
  })

  test('have the time of appends, also of those that fail', async () => {
    const inner = memoryStore()
    let isAway = false
    const store: Store = {
      ...inner,
      append: async (...given) => {
        if (isAway) throw new StoreError('away')
        return inner.append(...given)
      },
    }
    const { agent } = worker('solo', [], { otherwise: 'Done.' })
    const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
    await (
      await troupe.start(agent, 'Go')
    ).result
    const { appends } = await troupe.stats()
    expect(appends).toMatchObject({ failed: 0 })
    expect(appends.count).toBeGreaterThan(1)
    for (const time of [appends.mean, appends.p50, appends.p95, appends.p99])
      expect(time).toBeGreaterThanOrEqual(0)
    isAway = true
    await expect(troupe.start(agent, 'Go')).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect((await troupe.stats()).appends).toMatchObject({ count: appends.count, failed: 1 })
    expect(codesOf(await troupe.health())).toEqual(['APPENDS_FAIL'])
    isAway = false
    await (
      await troupe.start(agent, 'Go')
    ).result
    expect(await troupe.health()).toMatchObject({ ok: true })
    await troupe.close()
  })
})

describe('the time of appends', () => {
  test('is that of the last 1 024, by rank, and its memory does not grow', async () => {
    const clock = new ManualClock()
    const timer = new AppendTimer(clock)
    for (let time = 1; time <= 3_000; time++) {
      timer.time(() => clock.advance(time > 1_976 ? time - 1_976 : 50_000))
    }
    expect(timer.value).toEqual({ count: 3_000, failed: 0, mean: 512.5, p50: 512, p95: 973, p99: 1_014 })
    const one = new AppendTimer(clock)
    await one.time(async () => clock.advance(7))
    await new Promise(setImmediate)
    expect(one.value).toEqual({ count: 1, failed: 0, mean: 7, p50: 7, p95: 7, p99: 7 })
  })
})

const codesOf = ({ problems }: TroupeHealth): HealthCode[] => problems.map(({ code }) => code)

describe('health', () => {
  test('of a store that is silent is told at the deadline, and of one that fails with its code', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    let answer: () => Promise<never> = () => new Promise(() => undefined)
    const troupe = inTime(clock, { store: { ...inner, census: () => answer() } })
    const asked = troupe.health({ deadline: 500 })
    await turns(clock)
    clock.advance(500)
    const silent = await asked
    expect(silent).toMatchObject({ ok: false, phase: 'open', problems: [{ code: 'STORE_SILENT' }] })
    answer = () => Promise.reject(new StoreError(`No row of ${marker}.`, { code: 'STORE_UNREACHABLE' }))
    const failed = await troupe.health()
    expect(failed.problems).toMatchObject([{ code: 'STORE_FAILED', errorCode: 'STORE_UNREACHABLE' }])
    expect(failed.problems[0]?.error).toBeInstanceOf(StoreError)
    expect(JSON.stringify([silent, failed])).not.toContain(marker)
    answer = () => {
      throw new Error(marker)
    }
    expect(codesOf(await troupe.health())).toEqual(['STORE_FAILED'])
    await troupe.close()
  })

  test('tells of runs and timers that are overdue for longer than the lag, and of runs that are left', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    const zero = await inner.census?.({ now: 0 })
    if (zero === undefined) throw new Error('no census')
    const late = { unowned: { count: 3, since: 0 }, alarms: { count: 2, since: 50_000 }, left: 1 }
    const troupe = inTime(clock, { store: { ...inner, census: async () => ({ ...zero, ...late }) } })
    clock.advance(90_000)
    expect(codesOf(await troupe.health())).toEqual(['RUNS_LEFT'])
    clock.advance(1)
    expect((await troupe.health()).problems).toMatchObject([
      { code: 'RECOVERY_LATE', count: 3, lag: 90_001 },
      { code: 'RUNS_LEFT', count: 1 },
    ])
    expect(codesOf(await troupe.health({ lag: 1_000 }))).toEqual([
      'RECOVERY_LATE',
      'ALARMS_LATE',
      'RUNS_LEFT',
    ])
    await expect(troupe.health({ lag: -1 })).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    await troupe.close()
  })

  test('tells of a troupe that drains, and of one that is closed without asking its store', async () => {
    const inner = memoryStore()
    let asked = 0
    const store: Store = { ...inner, census: async (options) => (asked++, inner.census?.(options) as never) }
    const troupe = createTroupe({ agents: [asker()], store })
    await troupe.drain()
    expect(await troupe.health()).toMatchObject({
      ok: false,
      phase: 'draining',
      problems: [{ code: 'TROUPE_DRAINING' }],
    })
    await troupe.close()
    const before = asked
    expect(await troupe.health()).toMatchObject({
      ok: false,
      phase: 'closed',
      problems: [{ code: 'TROUPE_CLOSED' }],
    })
    expect(asked).toBe(before)
    expect(await troupe.stats()).toMatchObject({ phase: 'closed' })
  })
})
