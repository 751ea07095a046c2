/** Behaviours 27 to 29 and 41 to 43 with real processes on one SQLite file. The test itself is one of them. */
import { join } from 'node:path'
import { createTroupe, SignalError, type RunSignal, type Troupe } from 'troupe'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemEnvironment, type Environment } from '../../../src/runtime/environment.ts'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { Forked } from '../../support/processes/forked.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import type { DeskNews, DeskProcessOptions } from '../desk-process.ts'
import { callId, createDesk, deedsIn, type Deed, type DeskOptions } from '../desk.ts'

const approve: RunSignal = { type: 'approve', toolCallId: callId }
/** A process that is only slow keeps its runs; those of a dead one are taken by a process whose clock is ahead. */
const leaseTtl = 60_000
/** For what another process is waited for. */
const patiently = { timeout: 60_000, interval: 20 }

let folder: TemporaryFolder
let children: Forked<DeskNews>[]
let store: SqliteStore
let troupe: Troupe

beforeEach(() => {
  folder = temporaryFolder()
  children = []
  store = sqliteStore(folder.file('runs.db'))
  troupe = troupeHere()
})

afterEach(async () => {
  for (const child of children) await child[Symbol.asyncDispose]()
  await troupe.close()
  await store.close()
  folder[Symbol.dispose]()
})

const deeds = (): Deed[] => deedsIn(folder.file('deeds'))

function troupeHere(options: Partial<DeskOptions> = {}, environment = systemEnvironment): Troupe {
  const desk = createDesk({ deeds: folder.file('deeds'), ...options })
  return createTroupeIn(environment, { agents: [desk], store, leaseTtl, pollInterval: 20 })
}

/** The clock is ahead: every lease, deadline and back-off of the other processes has passed. */
const muchLater: Environment = {
  ...systemEnvironment,
  clock: { ...systemEnvironment.clock, now: () => systemEnvironment.clock.now() + 2 * leaseTtl },
}

/** From now on `troupe` is one of a process that begins when the leases of the others have run out. */
async function passTime(options: Partial<DeskOptions> = {}): Promise<void> {
  await troupe.close()
  troupe = troupeHere(options, muchLater)
}

/** Another process. By default it keeps its runs in memory. */
function process(
  does: DeskProcessOptions['does'],
  options: Partial<DeskProcessOptions> = {},
): Forked<DeskNews> {
  const all: DeskProcessOptions = {
    file: folder.file('runs.db'),
    deeds: folder.file('deeds'),
    leaseTtl,
    passivateAfter: 1_000_000,
    does,
    ...options,
  }
  const child = new Forked<DeskNews>(join(import.meta.dirname, '../desk-process.ts'), [JSON.stringify(all)])
  children.push(child)
  return child
}

/** A process with a run that it has just started. */
async function owner(task: string, options: Partial<DeskProcessOptions> = {}) {
  const child = process({ verb: 'start', task }, options)
  const { runId } = await child.hears('started')
  return { child, runId }
}

const statusOf = async (runId: string) =>
  (await troupe.runs()).items.find((run) => run.runId === runId)?.status ?? 'unknown'
const isPassivated = async (runId: string) => (await troupe.runs({ runId })).items[0]?.isPassivated
const entriesOf = async (runId: string) => (await troupe.journal(runId)).map(({ type }) => type)

describe('a call that must be approved', () => {
  test('is announced at the root; approved from another process, it runs once, where the run is', async () => {
    const { child, runId } = await owner('refund')
    const { awaiting } = await child.hears('suspended')
    expect(awaiting).toMatchObject([{ toolCallId: callId, type: 'approval', agent: 'clerk' }])
    const { events } = await troupe.replay(runId)
    expect(events.find(({ type }) => type === 'tool-call-approval')).toMatchObject({
      path: callId,
      payload: { toolCallId: callId, toolName: 'refund' },
    })
    await troupe.signal(runId, approve)
    expect(await child.hears('ended')).toMatchObject({ outcome: 'completed', text: 'Done: refunded' })
    expect(deeds()).toEqual([{ what: 'refund', process: child.pid, key: `${runId}/${callId}` }])
  })

  test('approved while its run is passivated, runs where it was approved', async () => {
    const { runId } = await owner('refund', { passivateAfter: 0 })
    await expect.poll(() => isPassivated(runId), patiently).toBe(true)
    await troupe.signal(runId, approve)
    expect(await (await troupe.resume(runId)).result).toMatchObject({ text: 'Done: refunded' })
    expect(deeds()).toMatchObject([{ what: 'refund', process: globalThis.process.pid }])
  })

  test.each([0, 1_000_000])(
    'denied, never runs, and its run goes on (passivated after %s ms)',
    async (ms) => {
      const { child, runId } = await owner('refund', { passivateAfter: ms })
      await child.hears('suspended')
      if (ms === 0) await expect.poll(() => isPassivated(runId), patiently).toBe(true)
      await troupe.signal(runId, { type: 'deny', toolCallId: callId, reason: 'Too much.' })
      await expect.poll(() => statusOf(runId), patiently).toBe('settled')
      const { result } = await troupe.replay(runId)
      expect(result).toMatchObject({ outcome: 'completed', text: expect.stringContaining('Too much.') })
      expect(deeds()).toEqual([])
    },
  )

  test('approved by two processes at once, runs once', async () => {
    const { runId } = await owner('refund', { passivateAfter: 0 })
    await expect.poll(() => isPassivated(runId), patiently).toBe(true)
    const both = [1, 2].map(() => process({ verb: 'signal', runId, signal: approve }))
    const answers = await Promise.all(both.map((child) => child.hears('signalled')))
    expect(answers.map(({ code }) => code)).toContain('taken')
    await expect.poll(() => statusOf(runId), patiently).toBe('settled')
    expect(deeds()).toHaveLength(1)
    expect((await entriesOf(runId)).filter((type) => type === 'signal.received')).toHaveLength(1)
  })
})

describe('an answer that nobody waits for is refused by its code, and changes nothing:', () => {
  const refusal = async (runId: string, signal: RunSignal): Promise<string> => {
    const before = await entriesOf(runId)
    const error: unknown = await troupe.signal(runId, signal).catch((thrown: unknown) => thrown)
    expect(await entriesOf(runId)).toEqual(before)
    return error instanceof SignalError ? error.code : 'none'
  }

  test('an unknown id, the wrong answer, a second one after a restart', async () => {
    const { child, runId } = await owner('refund')
    await child.hears('suspended')
    expect(await refusal(runId, { type: 'approve', toolCallId: 'desk/call:9.9' })).toBe('UNKNOWN_SIGNAL')
    expect(await refusal(runId, { type: 'resume', toolCallId: callId })).toBe('SIGNAL_TYPE_MISMATCH')
    expect(deeds()).toEqual([])
    await troupe.signal(runId, approve)
    await child.hears('ended')
    await child.kill()
    expect(await refusal(runId, approve)).toBe('SIGNAL_ALREADY_ANSWERED')
    expect(deeds()).toHaveLength(1)
  })

  test('one after a cancel', async () => {
    const { child, runId } = await owner('refund')
    await child.hears('suspended')
    await troupe.cancel(runId, 'enough')
    expect(await child.hears('ended')).toMatchObject({ outcome: 'cancelled' })
    expect(await refusal(runId, approve)).toBe('SIGNAL_TOO_LATE')
    expect(deeds()).toEqual([])
  })

  test('one after the deadline, which has passed while nobody was there', async () => {
    const { child, runId } = await owner('refund', { approvalTimeout: leaseTtl })
    await child.hears('suspended')
    await child.kill()
    await passTime({ approvalTimeout: leaseTtl })
    await troupe.recover()
    await expect.poll(() => statusOf(runId), patiently).toBe('settled')
    expect((await entriesOf(runId)).filter((type) => type === 'timer.fired')).toHaveLength(1)
    expect(await refusal(runId, approve)).toBe('SIGNAL_TOO_LATE')
    expect(deeds()).toEqual([])
  })
})

test('a call that has suspended is resumed with data after its process was killed', async () => {
  const { child, runId } = await owner('choose')
  const { awaiting } = await child.hears('suspended')
  expect(awaiting).toMatchObject([{ type: 'suspension', payload: { options: ['red', 'blue'] } }])
  await child.kill()
  // Its lease has not run out: the answer waits for whoever takes the run.
  await troupe.signal(runId, { type: 'resume', toolCallId: callId, data: 'blue' })
  await passTime()
  await troupe.recover()
  await expect.poll(() => statusOf(runId), patiently).toBe('settled')
  expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'completed', text: 'Done: blue' })
  expect(deeds()).toMatchObject([{ what: 'choose' }])
})

test('a back-off goes on in another process, and fires once', async () => {
  const { child, runId } = await owner('post', { retryAfterMs: leaseTtl })
  const hasFailed = async (): Promise<boolean> =>
    (await troupe.journal(runId)).some(
      (entry) => entry.type === 'effect.settled' && entry.settlement.error?.message === 'The box is full.',
    )
  await expect.poll(hasFailed, patiently).toBe(true)
  await child.kill()
  await passTime()
  await troupe.recover()
  await expect.poll(() => statusOf(runId), patiently).toBe('settled')
  expect((await troupe.replay(runId)).result).toMatchObject({ text: 'Done: posted' })
  const key = `${runId}/${callId}`
  expect(deeds()).toEqual([
    { what: 'post', process: child.pid, key },
    { what: 'post', process: globalThis.process.pid, key },
  ])
  expect((await entriesOf(runId)).filter((type) => type === 'timer.fired')).toHaveLength(1)
})

test('a cancel from another process aborts the model call and the tool, and nothing starts after it', async () => {
  const { child, runId } = await owner('be busy')
  const what = (): string[] => deeds().map((deed) => deed.what)
  await expect.poll(() => what().toSorted(), patiently).toEqual(['dig', 'think'])
  await troupe.cancel(runId, 'enough')
  expect(await child.hears('ended')).toMatchObject({ outcome: 'cancelled' })
  await expect
    .poll(() => what().toSorted(), patiently)
    .toEqual(['dig', 'dig aborted', 'think', 'think aborted'])
  const types = await entriesOf(runId)
  expect(types.slice(types.indexOf('signal.received'))).toEqual(['signal.received', 'run.settled'])
  expect((await troupe.replay(runId)).result).toMatchObject({
    outcome: 'cancelled',
    reason: 'enough',
    delegations: [{ outcome: 'cancelled' }],
  })
})

test('processes that recover at the same time share the runs: none is run by two', async () => {
  const desk = createDesk({ deeds: folder.file('deeds') })
  const gone = createTroupe({ agents: [desk], store })
  const ids = (await Promise.all(Array.from({ length: 12 }, () => gone.start(desk, 'post')))).map(
    ({ id }) => id,
  )
  await gone.close()
  expect(deeds()).toEqual([])
  const others = [1, 2, 3].map(() => process({ verb: 'recover' }, { retryAfterMs: 1, leaseTtl: 30_000 }))
  const recovered = await Promise.all(others.map((child) => child.hears('recovered')))
  expect(recovered.flatMap(({ runIds }) => runIds).toSorted()).toEqual(ids.toSorted())
  await expect
    .poll(async () => (await troupe.runs({ status: 'settled' })).items.length, patiently)
    .toBe(ids.length)
  const byRun = Map.groupBy(deeds(), ({ key }) => key)
  expect([...byRun.keys()].toSorted()).toEqual(ids.map((id) => `${id}/${callId}`).toSorted())
  for (const times of byRun.values()) {
    expect(times).toHaveLength(2) // it fails once
    expect(new Set(times.map((deed) => deed.process)).size).toBe(1)
  }
})

test('a process whose agents have changed and that refuses drift leaves a run to one that can go on with it', async () => {
  const { child, runId } = await owner('refund')
  await child.hears('suspended')
  await child.kill()
  const changed = troupeHere({ instructions: 'Pass it on, politely.', onDrift: 'refuse' }, muchLater)
  const mismatch = { entry: 1, key: 'desk/model#1', field: 'digest of the input' }
  expect((await changed.replay(runId)).diverged).toMatchObject(mismatch)
  const refused = await changed.resume(runId).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'PROGRAM_CHANGED' })
  const { refused: refusals } = await changed.recover()
  expect(refusals).toMatchObject([{ runId, error: { code: 'PROGRAM_CHANGED' } }])
  await passTime()
  await troupe.signal(runId, approve)
  expect(await (await troupe.resume(runId)).result).toMatchObject({ text: 'Done: refunded' })
  await changed.close()
})
