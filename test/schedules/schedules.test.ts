/** `troupe.schedule`: occurrences, missed times, changes, and what a schedule refuses. */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createAgent,
  createTool,
  memoryStore,
  StoreError,
  type ScheduleTimes,
  type TroupeConfig,
} from 'troupe'
import { cron } from 'troupe/cron'
import { createTroupeOn, scriptedModel, virtualClock } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const minute = 60_000

function world(config: Partial<TroupeConfig> = {}, from: number | Date = start) {
  const clock = virtualClock({ start: from })
  const model = scriptedModel([], { otherwise: 'Done.' })
  const agent = createAgent({ id: 'reporter', instructions: 'Report.', model })
  const store = memoryStore()
  const problems: string[] = []
  const open = (more: Partial<TroupeConfig> = {}) =>
    createTroupeOn(clock, {
      agents: [agent],
      store,
      cron,
      onError: ({ code }) => void problems.push(code),
      ...config,
      ...more,
    })
  const runs = async (): Promise<string[]> =>
    (await store.list('runs', {})).items.map(({ runId }) => runId).toSorted()
  return { clock, agent, model, store, open, problems, runs }
}

test('an interval counts from the schedule, and each occurrence starts one run', async () => {
  const { clock, agent, open, runs } = world()
  const troupe = open()
  await clock.advance(1_234)
  const made = await troupe.schedule(agent, 'Report.', { key: 'hourly', every: hour }, { resourceId: 'anna' })
  expect(made).toMatchObject({
    status: 'waiting',
    next: start + 1_234 + hour,
    started: 0,
    resourceId: 'anna',
  })
  await clock.advance(2.5 * hour)
  expect(await runs()).toEqual(['hourly.2026-01-01T01-00-01.234Z', 'hourly.2026-01-01T02-00-01.234Z'])
  const [first] = (await troupe.runs({ resourceId: 'anna' })).items
  expect(first).toMatchObject({ status: 'settled', outcome: 'completed', agent: 'reporter' })
  const schedule = await troupe.schedules.get('hourly')
  expect(schedule).toMatchObject({
    status: 'waiting',
    next: start + 1_234 + 3 * hour,
    started: 2,
    last: { due: start + 1_234 + 2 * hour, runId: 'hourly.2026-01-01T02-00-01.234Z' },
  })
  await troupe.close()
})

test('a moment starts one run, however far away it is, and the schedule has ended', async () => {
  const { clock, agent, open, runs } = world()
  const troupe = open()
  const at = new Date(start + 2 ** 32)
  await troupe.schedule(agent, 'Report.', { key: 'once', at })
  await clock.advance(2 ** 32 - 1)
  expect(await runs()).toEqual([])
  await clock.advance(1)
  expect(await runs()).toEqual([`once.${at.toISOString().replaceAll(':', '-')}`])
  expect(await troupe.schedules.get('once')).toMatchObject({
    status: 'ended',
    started: 1,
    endedAt: start + 2 ** 32,
  })
  await troupe.schedule(agent, 'Report.', { key: 'once', at })
  await clock.advance('40d')
  expect(await runs()).toHaveLength(1)
  await troupe.close()
})

test.for([
  ['2026-03-27T12:00:00Z', ['03-28T08-00', '03-29T07-00', '03-30T07-00']],
  ['2026-10-23T12:00:00Z', ['10-24T07-00', '10-25T08-00', '10-26T08-00']],
] as const)('a cron expression keeps the hour of its time zone, from %s on', async ([from, expected]) => {
  const { clock, agent, open, runs } = world({}, new Date(from))
  const troupe = open()
  await troupe.schedule(agent, 'Report.', { key: 'nine', cron: '0 9 * * *', timeZone: 'Europe/Vienna' })
  await clock.advance('3d')
  expect(await runs()).toEqual(expected.map((time) => `nine.2026-${time}-00.000Z`))
  await troupe.close()
})

test.for([
  ['a time that summer time leaves out comes at the change', '2026-03-28T12:00:00Z', '03-29T01-00'],
  ['a time that comes twice counts once', '2026-10-24T12:00:00Z', '10-25T00-30'],
] as const)('%s', async ([, from, expected]) => {
  const { clock, agent, open, runs } = world({}, new Date(from))
  const troupe = open()
  await troupe.schedule(agent, 'Report.', { key: 'night', cron: '30 2 * * *', timeZone: 'Europe/Vienna' })
  await clock.advance('1d')
  expect(await runs()).toEqual([`night.2026-${expected}-00.000Z`])
  await troupe.close()
})

test.for([
  ['skip', ['04-00']],
  ['once', ['03-00', '04-00']],
  ['all', ['01-00', '02-00', '03-00', '04-00']],
] as const)('missed times by the policy %s', async ([missed, expected]) => {
  const { clock, agent, open, runs } = world()
  const before = open()
  await before.schedule(agent, 'Report.', { key: 'k', every: hour, missed })
  await before.close()
  await clock.advance(3.5 * hour)
  expect(await runs()).toEqual([])
  const after = open()
  await after.recover()
  await clock.advance(hour)
  expect(await runs()).toEqual(expected.map((time) => `k.2026-01-01T${time}-00.000Z`))
  const { skipped } = (await after.schedules.get('k')) ?? {}
  expect(skipped?.why).toBe(missed === 'all' ? undefined : 'missed')
  expect(skipped?.from).toBe(missed === 'all' ? undefined : start + hour)
  await after.close()
})

test('an occurrence that is a little late is no missed one', async () => {
  const { clock, agent, open, runs } = world()
  const before = open()
  await before.schedule(agent, 'Report.', { key: 'k', every: hour, missed: 'skip', missedAfter: 5 * minute })
  await before.close()
  await clock.advance(hour + 4 * minute)
  const after = open()
  await after.recover()
  expect(await runs()).toEqual(['k.2026-01-01T01-00-00.000Z'])
  await after.close()
})

test('a moment in the past counts as missed', async () => {
  const { agent, clock, open, runs } = world()
  const troupe = open()
  await troupe.schedule(agent, 'Report.', { key: 'left', at: start - hour, missed: 'skip' })
  await troupe.schedule(agent, 'Report.', { key: 'taken', at: start - hour })
  await clock.advance(1)
  expect(await runs()).toEqual(['taken.2025-12-31T23-00-00.000Z'])
  expect(await troupe.schedules.get('left')).toMatchObject({
    status: 'ended',
    started: 0,
    skipped: { why: 'missed' },
  })
  await troupe.close()
})

test('a pause starts nothing and catches up nothing; a removed schedule is gone', async () => {
  const { clock, agent, open, runs } = world()
  const troupe = open()
  await troupe.schedule(agent, 'Report.', { key: 'k', every: hour, missed: 'all' })
  expect(await troupe.schedules.pause('k')).toMatchObject({ status: 'paused' })
  await clock.advance(2.5 * hour)
  expect(await runs()).toEqual([])
  expect(await troupe.schedules.resume('k')).toMatchObject({
    status: 'waiting',
    next: start + 3 * hour,
    skipped: { why: 'paused', from: start + hour },
  })
  await clock.advance(hour)
  expect(await runs()).toEqual(['k.2026-01-01T03-00-00.000Z'])
  expect(await troupe.schedules.cancel('k')).toBe(true)
  expect(await troupe.schedules.cancel('k')).toBe(false)
  await clock.advance(5 * hour)
  expect(await runs()).toHaveLength(1)
  await expect(troupe.schedules.pause('k')).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' })
  await expect(troupe.schedules.resume('k')).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' })
  await troupe.close()
})

test('the same schedule again changes nothing, and another one replaces it', async () => {
  const { clock, agent, model, open, runs } = world()
  const troupe = open()
  const times: ScheduleTimes = { key: 'k', every: hour }
  await troupe.schedule(agent, 'One.', times)
  await clock.advance(hour / 2)
  expect(await troupe.schedule(agent, 'One.', times)).toMatchObject({ next: start + hour })
  // Another prompt leaves the times as they are.
  expect(await troupe.schedule(agent, 'Two.', times)).toMatchObject({ next: start + hour, prompt: 'Two.' })
  await clock.advance(hour / 2)
  expect(JSON.stringify(model.calls.at(-1)?.request)).toContain('Two.')
  await troupe.schedules.pause('k')
  expect(await troupe.schedule(agent, 'Two.', { key: 'k', every: 2 * hour })).toMatchObject({
    status: 'paused',
    started: 1,
  })
  await clock.advance(4 * hour)
  expect(await runs()).toHaveLength(1)
  await troupe.schedules.resume('k')
  await clock.advance(2 * hour)
  expect(await runs()).toEqual(['k.2026-01-01T01-00-00.000Z', 'k.2026-01-01T07-00-00.000Z'])
  await troupe.close()
})

test('with `overlap: skip` no two runs go on at once', async () => {
  const clock = virtualClock({ start })
  const release = Promise.withResolvers<string>()
  const slow = createTool({
    id: 'slow',
    description: 'Slow.',
    inputSchema: z.object({}),
    execute: () => release.promise,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'slow' }] }], { otherwise: 'Done.' })
  const agent = createAgent({ id: 'slow', instructions: '', model, tools: { slow } })
  const troupe = createTroupeOn(clock, { agents: [agent] })
  await troupe.schedule(agent, 'Go.', { key: 'k', every: hour, overlap: 'skip' })
  await clock.advance(3.5 * hour)
  expect((await troupe.runs()).items).toHaveLength(1)
  expect(await troupe.schedules.get('k')).toMatchObject({ started: 1, skipped: { why: 'overlap' } })
  release.resolve('ok')
  await clock.advance(hour)
  expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([
    'k.2026-01-01T01-00-00.000Z',
    'k.2026-01-01T04-00-00.000Z',
  ])
  await troupe.close()
})

test('two workers start each occurrence once', async () => {
  const { clock, agent, open, runs, problems } = world()
  const workers = [open(), open(), open()]
  await workers[0]?.schedule(agent, 'Report.', { key: 'k', every: minute })
  await Promise.all(workers.map((worker) => worker.recover({ every: 1_000 })))
  await clock.advance(10 * minute)
  const all = await runs()
  expect(all).toHaveLength(10)
  expect(await workers[1]?.schedules.get('k')).toMatchObject({ started: 10 })
  expect(problems).toEqual([])
  await Promise.all(workers.map((worker) => worker.close()))
})

test('a run that ends and is deleted before its start is confirmed is not started again', async () => {
  const { clock, agent, model, open, store, runs } = world()
  const { schedules } = store
  if (schedules === undefined) throw new Error('A store in memory has schedules.')
  const mortal = open({
    store: {
      ...store,
      schedules: {
        ...schedules,
        write(row, before) {
          if (JSON.stringify(row.value).includes('"started":1')) throw new StoreError('It dies here.')
          return schedules.write(row, before)
        },
      },
    },
  })
  await mortal.schedule(agent, 'Report.', { key: 'k', every: hour })
  await clock.advance(hour)
  await mortal.close()
  expect(await runs()).toEqual(['k.2026-01-01T01-00-00.000Z'])
  const other = open()
  expect(await other.schedules.get('k')).toMatchObject({ status: 'starting', started: 0 })
  await other.delete('k.2026-01-01T01-00-00.000Z')
  expect(await other.schedules.get('k')).toMatchObject({ status: 'begun', started: 1 })
  await other.recover({ every: 1_000 })
  await clock.advance(10 * minute)
  expect(await other.schedules.get('k')).toMatchObject({
    status: 'waiting',
    started: 1,
    next: start + 2 * hour,
  })
  expect(model.calls).toHaveLength(1)
  await clock.advance(hour)
  expect(await runs()).toEqual(['k.2026-01-01T02-00-00.000Z'])
  await other.close()
})

test.for(['once', 'skip'] as const)(
  'a worker whose clock is far ahead takes no occurrence from the others, by the policy %s',
  async (missed) => {
    const { clock, agent, open, runs, store } = world()
    const right = open()
    await right.schedule(agent, 'Report.', { key: 'k', every: hour, missed })
    await right.recover({ every: minute })
    const wrong = createTroupeOn(virtualClock({ start: start + 365.3 * 24 * hour }), {
      agents: [agent],
      store,
    })
    await wrong.recover()
    expect((await right.schedules.get('k'))?.next).toBeGreaterThan(start + 365 * 24 * hour)
    await clock.advance(2.5 * hour)
    const all = await runs()
    expect(all.filter((id) => id.includes('2026'))).toEqual([
      'k.2026-01-01T01-00-00.000Z',
      'k.2026-01-01T02-00-00.000Z',
    ])
    expect(await right.schedules.get('k')).toMatchObject({ next: start + 3 * hour })
    await Promise.all([right.close(), wrong.close()])
  },
)

test('a worker that has not the agent, or no calendar, leaves the schedule to another', async () => {
  const { clock, agent, store, open, runs, problems } = world()
  const stranger = createAgent({
    id: 'other',
    instructions: '',
    model: scriptedModel([], { otherwise: 'x' }),
  })
  const maker = open()
  await maker.schedule(agent, 'Report.', { key: 'k', cron: '0 * * * *' })
  await maker.close()
  const without = createTroupeOn(clock, { agents: [stranger], store, cron })
  const blind = createTroupeOn(clock, {
    agents: [agent],
    store,
    onError: ({ code }) => void problems.push(code),
  })
  await without.recover({ every: 1_000 })
  await blind.recover({ every: 1_000 })
  await clock.advance(hour)
  expect(await runs()).toEqual([])
  expect(problems).toEqual(['OCCURRENCE_NOT_STARTED'])
  const able = open()
  await able.recover()
  expect(await runs()).toHaveLength(1)
  await Promise.all([without, blind, able].map((troupe) => troupe.close()))
})

test('a run that cannot be started is tried again, less and less often, and its error is shown', async () => {
  const clock = virtualClock({ start })
  const model = scriptedModel([], { otherwise: 'Done.' })
  const store = memoryStore()
  const before = createAgent({
    id: 'a',
    instructions: '',
    model,
    contextSchema: z.object({ city: z.string() }),
  })
  const now = createAgent({ id: 'a', instructions: '', model, contextSchema: z.object({ town: z.string() }) })
  const first = createTroupeOn(clock, { agents: [before], store })
  await first.schedule(before, 'Go.', { key: 'k', every: hour }, { context: { city: 'Graz' } })
  await first.close()
  const problems: string[] = []
  const second = createTroupeOn(clock, {
    agents: [now],
    store,
    onError: ({ code }) => void problems.push(code),
  })
  await second.recover()
  await clock.advance(hour + 10_000)
  expect(problems).toEqual(['OCCURRENCE_NOT_STARTED'])
  expect(await second.schedules.get('k')).toMatchObject({
    status: 'refused',
    next: start + hour,
    error: { code: 'INVALID_CONFIGURATION' },
  })
  await second.close()
  const third = createTroupeOn(clock, { agents: [before], store })
  await third.recover()
  await clock.advance(20_000)
  expect(await third.schedules.get('k')).toMatchObject({ status: 'waiting', started: 1 })
  await third.close()
})

test('the run of an occurrence has no request context', async () => {
  const storage = new AsyncLocalStorage<string>()
  const clock = virtualClock({ start })
  const seen: (string | undefined)[] = []
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => {
      seen.push(storage.getStore())
      return 'seen'
    },
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Done.'])
  const agent = createAgent({ id: 'a', instructions: '', model, tools: { look } })
  const troupe = createTroupeOn(clock, { agents: [agent] })
  await storage.run('a request', () => troupe.schedule(agent, 'Go.', { key: 'k', at: start + 10 }))
  await storage.run('another request', () => clock.advance(20))
  expect(seen).toEqual([undefined])
  await troupe.close()
})

test('what a schedule refuses', async () => {
  const { agent, open } = world()
  const troupe = open()
  const refused = async (times: object, options?: object): Promise<string> => {
    const given = times as ScheduleTimes
    const error: unknown = await troupe.schedule(agent, 'Go.', given, options as never).then(
      () => 'nothing',
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'INVALID_CONFIGURATION' })
    return (error as Error).message
  }
  expect(await refused({ key: 'k' })).toBe('schedule "k": give one of at, every and cron.')
  expect(await refused({ key: 'k', at: 1, every: 1 })).toBe('schedule "k": give one of at, every and cron.')
  expect(await refused({ key: 'a b', at: 1 })).toContain('schedule: key must be 1 to 100 letters')
  expect(await refused({ key: 'k', every: 1, timeZone: 'UTC' })).toContain('timeZone belongs to cron')
  expect(await refused({ key: 'k', cron: 'x' })).toContain('schedule "k": "x" in UTC is no time plan')
  expect(await refused({ key: 'k', cron: '* * * * *', timeZone: 'Mars/X' })).toContain('Mars/X')
  expect(await refused({ key: 'k', cron: '0 0 30 2 *' })).toContain('names no time from now on')
  expect(await refused({ key: 'k', every: 0 })).toContain('every must be a positive integer')
  expect(await refused({ key: 'k', at: Number.NaN })).toContain('at must be a Date')
  expect(await refused({ key: 'k', at: 1, evrey: 1 })).toContain('"evrey"')
  expect(await refused({ key: 'k', at: 1 }, { runId: 'r' })).toContain('runId is not an option here')
  expect(await refused({ key: 'k', at: 1 }, { onFinish: () => undefined })).toContain('onFinish')
  expect(await refused({ key: 'k', at: 1 }, { stopWhen: () => true })).toContain('stopWhen')
  expect(await refused({ key: 'k', at: 1 }, { signal: AbortSignal.timeout(10) })).toContain('signal')
  expect(await refused({ key: 'k', at: 1 }, { maxStep: 1 })).toContain('maxStep')
  await troupe.schedule(agent, 'Go.', { key: 'k', at: start + 1e9 }, { resourceId: 'anna' })
  expect(await refused({ key: 'k', at: start + 1e9 }, { resourceId: 'ben' })).toContain('another resource')
  await expect(troupe.schedule(agent, ' ', { key: 'k', at: 1 })).rejects.toThrow('The prompt is empty')
  const { schedules: _, ...bare } = memoryStore()
  const poor = open({ store: bare })
  await expect(poor.schedule(agent, 'Go.', { key: 'k', at: 1 })).rejects.toMatchObject({
    code: 'STORE_LACKS_PORT',
  })
  await expect(poor.schedules.list()).rejects.toMatchObject({ code: 'STORE_LACKS_PORT' })
  const { runs } = await poor.recover()
  expect(runs).toEqual([])
  const plain = open({ cron: undefined })
  await expect(plain.schedule(agent, 'Go.', { key: 'c', cron: '* * * * *' })).rejects.toThrow('troupe/cron')
  await Promise.all([troupe, poor, plain].map((one) => one.close()))
  await expect(troupe.schedule(agent, 'Go.', { key: 'k', at: 1 })).rejects.toMatchObject({
    code: 'TROUPE_CLOSED',
  })
})

test('an erasure takes the schedules of the resource, and a retention those that have ended', async () => {
  const { clock, agent, open, runs } = world()
  const troupe = open({ retention: { schedules: { age: hour } } })
  await troupe.schedule(agent, 'Go.', { key: 'annas', every: hour }, { resourceId: 'anna' })
  await troupe.schedule(agent, 'Go.', { key: 'bens', every: hour }, { resourceId: 'ben' })
  await troupe.schedule(agent, 'Go.', { key: 'once', at: start + 1 })
  await clock.advance(hour)
  expect(await runs()).toHaveLength(3)
  const report = await clock.runUntil(troupe.eraseResource('anna'))
  expect(report).toMatchObject({ erased: { schedules: 1, runs: 1 }, left: [] })
  await clock.advance(1.5 * hour)
  expect((await troupe.schedules.list()).items.map(({ key }) => key)).toEqual(['bens'])
  expect((await runs()).filter((id) => id.startsWith('annas'))).toEqual([])
  await troupe.close()
})

test('a draining worker starts nothing more, and another goes on', async () => {
  const { clock, agent, open, runs } = world()
  const first = open()
  await first.schedule(agent, 'Go.', { key: 'k', every: minute })
  await clock.runUntil(first.drain())
  await clock.advance(minute)
  expect(await runs()).toEqual([])
  await expect(first.schedule(agent, 'Go.', { key: 'l', every: minute })).rejects.toMatchObject({
    code: 'TROUPE_DRAINING',
  })
  const second = open()
  await second.recover()
  expect(await runs()).toEqual(['k.2026-01-01T00-01-00.000Z'])
  await first.close()
  await second.close()
})

test('lists are filtered, and a misspelt filter is refused', async () => {
  const { agent, open } = world()
  const troupe = open()
  for (const key of ['c', 'a', 'b'])
    await troupe.schedule(agent, 'Go.', { key, every: hour }, key === 'a' ? { resourceId: 'anna' } : {})
  const { list } = troupe.schedules
  expect((await list()).items.map(({ key }) => key)).toEqual(['c', 'a', 'b'])
  expect((await list({ resourceId: 'anna' })).items.map(({ key }) => key)).toEqual(['a'])
  const page = await list({ limit: 2 })
  expect((await list({ limit: 2, before: page.next ?? '' })).items.map(({ key }) => key)).toEqual(['b'])
  await expect(list({ resource: 'anna' } as never)).rejects.toThrow('"resource"')
  await expect(list({ before: 'r1' })).rejects.toThrow('list of schedules')
  await troupe.close()
})
