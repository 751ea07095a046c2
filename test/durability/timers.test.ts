/** BEHAVIOUR 42: delays survive the end of their process, and fire once: when they are due, or at once if that has passed. */
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  memoryStore,
  RetryableError,
  type ChatModel,
  type JournalEntry,
  type Store,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { unitInterval } from '../../src/actors/values/digest.ts'
import { startedOf } from '../../src/runtime/journal/journal.ts'
import { allEvents, calls, lead, only, to, until, worker } from '../support/agents/agents.ts'
import { ManualClock } from '../support/clocks/manual-clock.ts'
import { forever, processOn, recovered, signpost, suspendedBy } from './processes.ts'

const inputSchema = z.object({})

const fired = async (store: Store) =>
  ((await store.read((await store.list('runs', {})).items[0]?.runId ?? '')) ?? []).flatMap(
    (entry: JournalEntry) =>
      entry.type === 'timer.fired' ? [{ key: entry.key, dueAt: entry.dueAt, at: entry.at }] : [],
  )

const entries = async (store: Store) => (await store.list('runs', {})).items[0]?.entries ?? 0

/** A model whose first call fails for now, and asks to be left alone for 500 ms. */
function busy(steps: readonly ScriptedStep[]) {
  const model = scriptedModel(steps, { modelId: 'busy' })
  return { model, agent: createAgent({ id: 'solo', instructions: '', model }) }
}

const busyOnce = { error: new RetryableError('busy', { retryAfterMs: 500 }) }

describe('the back-off of a model call', () => {
  const key = 'solo/timer:backoff#1'
  /** As long as it was asked to wait, and a spread that depends on the key alone. */
  const dueAt = 1_500 + Math.ceil(unitInterval(key) * 250)

  async function backingOff() {
    const store = memoryStore()
    const clock = new ManualClock()
    clock.advance(1_000)
    const first = busy([busyOnce])
    const dead = processOn(store, [first.agent], { clock })
    await dead.troupe.start(first.agent, 'Go')
    await expect.poll(() => clock.due).toHaveLength(1)
    expect(clock.due).toEqual([dueAt])
    dead.end()
    return store
  }

  test.each([
    ['before it is due: it waits for the rest', 1_100],
    ['just before it is due', dueAt - 1],
  ])('%s', async (_, now) => {
    const store = await backingOff()
    const clock = new ManualClock()
    clock.advance(now)
    const next = busy(['Hi.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect(next.model.calls).toHaveLength(0)
    expect(clock.due).toEqual([dueAt])
    clock.advance(dueAt - now)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(await fired(store)).toEqual([{ key, dueAt, at: dueAt }])
    clock.advance(10_000)
    expect(await fired(store)).toHaveLength(1)
  })

  test.each([
    ['just when it is due', dueAt],
    ['when it has passed', 60_000],
  ])('%s: at once', async (_, now) => {
    const store = await backingOff()
    const clock = new ManualClock()
    clock.advance(now)
    const next = busy(['Hi.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(clock.due).toEqual([])
    expect(await fired(store)).toEqual([{ key, dueAt, at: now }])
  })

  test('when the clock of the new process is behind: time never falls, and the rest is waited for', async () => {
    const store = await backingOff()
    const clock = new ManualClock()
    const next = busy(['Hi.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect(clock.due).toEqual([dueAt - 1_000])
    clock.advance(dueAt - 1_000)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const journal = (await store.read(run.id)) ?? []
    expect(journal.map(({ at }) => at)).toEqual(journal.map(({ at }) => at).toSorted((a, b) => a - b))
  })

  test('over several processes: it fires once', async () => {
    const store = await backingOff()
    const clock = new ManualClock()
    clock.advance(1_000)
    for (let processes = 0; processes < 3; processes++) {
      clock.advance(100)
      const made = busy([])
      const { troupe, end } = processOn(store, [made.agent], { clock })
      await recovered(troupe)
      end()
    }
    // Timers of ended processes ring too, and reach nobody.
    const next = busy(['Hi.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect(clock.due).toEqual(Array(4).fill(dueAt))
    clock.advance(1_000)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(await fired(store)).toHaveLength(1)
  })
})

describe('the deadline of an approval', () => {
  const id = 'solo/call:1.1'

  function guarded(steps: readonly ScriptedStep[]) {
    const ran: string[] = []
    const tool = createTool({
      id: 'guarded',
      description: 'Needs approval.',
      inputSchema,
      requireApproval: true,
      approvalTimeout: 1_000,
      execute: () => {
        ran.push('ran')
        return 'done'
      },
    })
    return { ...worker('solo', steps, { tools: { guarded: tool } }), ran }
  }

  async function waiting() {
    const store = memoryStore()
    const clock = new ManualClock()
    const first = guarded([calls({ name: 'guarded' })])
    const dead = processOn(store, [first.agent], { clock })
    await suspendedBy(await dead.troupe.start(first.agent, 'Go'))
    dead.end()
    return { store, clock }
  }

  test('passes while nobody is there: it is denied at once', async () => {
    const { store, clock } = await waiting()
    clock.advance(3_000)
    const next = guarded(['Denied.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      steps: [{ toolResults: [{ outcome: 'denied', error: { code: 'APPROVAL_TIMEOUT' } }] }, {}],
    })
    expect(await fired(store)).toEqual([{ key: `${id}/timer:approval#1`, dueAt: 1_000, at: 3_000 }])
    expect(next.ran).toEqual([])
  })

  test('has not passed: there is time for an answer, and no timer after it', async () => {
    const { store, clock } = await waiting()
    clock.advance(999)
    const next = guarded(['Done.'])
    const run = await recovered(processOn(store, [next.agent], { clock }).troupe)
    expect((await suspendedBy(run)).awaiting).toHaveLength(1)
    await run.approve(id)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    clock.advance(10_000)
    expect(await fired(store)).toEqual([])
    expect(next.ran).toEqual(['ran'])
  })

  test('wakes a run that is passivated', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const made = guarded([calls({ name: 'guarded' }), 'Denied.'])
    const { troupe } = processOn(store, [made.agent], { clock, passivateAfter: 0 })
    const run = await troupe.start(made.agent, 'Go')
    await suspendedBy(run)
    await expect
      .poll(async () => (await store.list('runs', {})).items[0])
      .toMatchObject({ status: 'suspended', wakeAt: 1_000 })
    expect(clock.due).toEqual([1_000])
    clock.advance(1_000)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Denied.' })
    expect(await fired(store)).toHaveLength(1)
  })

  test('wakes a run that another process has passivated, once that is recovered', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const made = guarded([calls({ name: 'guarded' })])
    const dead = processOn(store, [made.agent], { clock, passivateAfter: 0 })
    await suspendedBy(await dead.troupe.start(made.agent, 'Go'))
    await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
    dead.end()
    const next = guarded(['Denied.'])
    const { troupe } = processOn(store, [next.agent], { clock })
    expect(await troupe.recover()).toEqual({ runs: [], owned: [], refused: [], left: [] })
    expect(await entries(store)).toBe(2)
    clock.advance(1_000)
    await expect.poll(async () => (await store.list('runs', {})).items[0]?.outcome).toBe('completed')
    expect(await fired(store)).toHaveLength(1)
  })

  test('ends a wait as an answer does: the run goes on, and may be suspended again', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const made = guarded([calls({ name: 'guarded' }), calls({ name: 'guarded' }), 'Done.'])
    const { troupe } = processOn(store, [made.agent], { clock })
    const run = await troupe.start(made.agent, 'Go')
    expect((await suspendedBy(run)).awaiting).toMatchObject([{ toolCallId: id }])
    clock.advance(1_000)
    await until(run, 'resumed')
    expect((await suspendedBy(run)).awaiting).toMatchObject([{ toolCallId: 'solo/call:2.1' }])
    await run.approve('solo/call:2.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(
      only(await allEvents(run), 'suspended', 'resumed').map(({ type, payload }) =>
        'awaiting' in payload ? [type, payload.awaiting[0]?.toolCallId] : [type, payload.toolCallId],
      ),
    ).toEqual([
      ['suspended', id],
      ['resumed', id],
      ['suspended', 'solo/call:2.1'],
      ['resumed', 'solo/call:2.1'],
    ])
    expect((await troupe.replay(run.id)).events).toEqual(
      (await allEvents(run)).filter((event) => event.seq !== undefined),
    )
  })

  test('of an answered question wakes nobody', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const made = guarded([calls({ name: 'guarded' }), 'Done.'])
    const { troupe } = processOn(store, [made.agent], { clock, passivateAfter: 0 })
    const run = await troupe.start(made.agent, 'Go')
    await suspendedBy(run)
    await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
    await run.approve(id)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(clock.due).toEqual([])
  })

  test('the earliest of several wakes', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const tool = (timeout: number) =>
      createTool({
        id: `within${timeout}`,
        description: 'Needs approval.',
        inputSchema,
        requireApproval: true,
        approvalTimeout: timeout,
        execute: () => 'done',
      })
    const { agent } = worker('solo', [calls({ name: 'later' }, { name: 'sooner' }), 'Denied twice.'], {
      tools: { later: tool(900), sooner: tool(300) },
    })
    const { troupe } = processOn(store, [agent], { clock, passivateAfter: 0 })
    const run = await troupe.start(agent, 'Go')
    await suspendedBy(run)
    for (const wakeAt of [300, 900]) {
      await expect
        .poll(async () => (await store.list('runs', {})).items[0])
        .toMatchObject({ status: 'suspended', wakeAt })
      clock.advance(wakeAt - clock.now())
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Denied twice.' })
    expect((await fired(store)).map(({ dueAt }) => dueAt)).toEqual([300, 900])
  })
})

describe('the timeout of a delegation', () => {
  function pair(
    steps: readonly ScriptedStep[],
    helperSteps: readonly ScriptedStep[],
    onAsk = (): unknown => 'yes',
  ) {
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      requireApproval: true,
      execute: onAsk,
    })
    const helper = worker('helper', helperSteps, { tools: { ask } })
    return lead('lead', steps, { agents: { helper: helper.agent }, delegation: { timeout: 1_000 } }).agent
  }
  const [begin, key] = [calls(to('helper', 'Help')), 'lead/delegation:1.1/timer:deadline#1']

  test('goes on in the next process', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const first = pair([begin], [{ hang: true }])
    const dead = processOn(store, [first], { clock })
    await dead.troupe.start(first, 'Go')
    await expect.poll(() => clock.due).toEqual([1_000])
    dead.end()
    clock.advance(400)
    const again = new ManualClock()
    again.advance(400)
    const next = pair(['Without help.'], [{ hang: true }])
    const run = await recovered(processOn(store, [next], { clock: again }).troupe)
    expect(again.due).toEqual([1_000])
    again.advance(600)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Without help.',
      delegations: [{ outcome: 'timedOut', error: { code: 'DELEGATION_TIMEOUT' }, duration: 1_000 }],
    })
    expect(await fired(store)).toEqual([{ key, dueAt: 1_000, at: 1_000 }])
  })

  test('stands still while a person is waited for, however long and in however many processes', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const began = signpost<string>()
    const first = pair([begin], [() => ({ ...calls({ name: 'ask' }), until: began.reached })])
    const dead = processOn(store, [first], { clock, passivateAfter: 0 })
    const started = await dead.troupe.start(first, 'Go')
    await expect.poll(() => clock.due).toEqual([1_000])
    clock.advance(300)
    began.pass('asks')
    await suspendedBy(started)
    await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
    expect((await store.list('runs', {})).items[0]).not.toHaveProperty('wakeAt')
    dead.end()

    const later = new ManualClock()
    later.advance(500_000)
    const asked = signpost<string>()
    const onAsk = (): Promise<never> => {
      asked.pass('asked')
      return forever()
    }
    const second = pair([], [], onAsk)
    const process = processOn(store, [second], { clock: later })
    await process.troupe.signal(started.id, {
      type: 'approve',
      toolCallId: 'lead/delegation:1.1/helper/call:1.1',
    })
    await asked.reached
    // 700 ms are left, from the answer on.
    expect(later.due).toEqual([500_700])
    process.end()

    const last = new ManualClock()
    last.advance(500_200)
    const third = pair(['Without help.'], [], onAsk)
    const run = await recovered(processOn(store, [third], { clock: last }).troupe)
    expect(last.due).toEqual([500_700])
    last.advance(500)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'timedOut', error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(await fired(store)).toEqual([{ key, dueAt: 500_700, at: 500_700 }])
  })
})

test('the deadline of a scoring goes on in the next process', async () => {
  const store = memoryStore()
  const clock = new ManualClock()
  const make = (model: ChatModel) =>
    createSupervisor({
      id: 'lead',
      instructions: '',
      model,
      maxSteps: 1,
      onExhausted: 'stop',
      completion: { scorers: [createScorer({ id: 'judge', score: forever })], timeout: 2_000 },
    })
  const first = make(scriptedModel(['An answer.']))
  const dead = processOn(store, [first], { clock })
  await dead.troupe.start(first, 'Go')
  await expect.poll(() => clock.due).toEqual([2_000])
  dead.end()
  const again = new ManualClock()
  again.advance(1_500)
  const run = await recovered(processOn(store, [make(scriptedModel([]))], { clock: again }).troupe)
  expect(again.due).toEqual([2_000])
  again.advance(500)
  expect(await run.result).toMatchObject({
    outcome: 'exhausted',
    reason: 'completion',
    scores: [{ outcome: 'errored', results: [{ id: 'judge', error: { code: 'SCORER_TIMEOUT' } }] }],
  })
  expect(await fired(store)).toHaveLength(1)
})

describe('a fork, later than its run', () => {
  const day = 86_400_000

  test('leaves a question the time that it had, also in the next process', async () => {
    const store = memoryStore()
    const clock = new ManualClock()
    const ask = createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      requireApproval: true,
      approvalTimeout: 600,
      execute: () => 'yes',
    })
    const asker = (steps: readonly ScriptedStep[]) =>
      worker('solo', steps, { tools: { ask }, otherwise: 'Over.' }).agent
    const agent = asker([calls({ name: 'ask' })])
    const first = processOn(store, [agent], { clock })
    const run = await first.troupe.start(agent, 'Go')
    await suspendedBy(run)
    clock.advance(200)
    await run.approve('solo/call:1.1')
    await run.result
    clock.advance(day)
    const fork = await first.troupe.fork(run.id, { at: 2 })
    await suspendedBy(fork)
    expect(clock.due).toEqual([day + 800])
    first.end()
    const later = new ManualClock()
    later.advance(day + 700)
    const again = await recovered(processOn(store, [asker([])], { clock: later }).troupe)
    await suspendedBy(again)
    later.advance(100)
    expect(await again.result).toMatchObject({ outcome: 'completed', text: 'Over.' })
    expect((await store.read(fork.id))?.filter(({ type }) => type === 'timer.fired')).toMatchObject([
      { dueAt: day + 800, at: day + 800 },
    ])
  })

  test.each([
    [999, undefined],
    [1_000, [{ at: 2, span: 1_000 }]],
  ])('after %i ms, names the time that does not count: %j', async (passed, uncounted) => {
    const clock = new ManualClock()
    const { agent } = worker('solo', ['Done.', 'Done.'])
    const { troupe } = processOn(memoryStore(), [agent], { clock })
    const run = await troupe.start(agent, 'Go')
    await run.result
    clock.advance(passed)
    const fork = await troupe.fork(run.id, { at: 2 })
    await fork.result
    expect(startedOf(await troupe.journal(fork.id)).uncounted).toEqual(uncounted)
  })

  test('counts the time of the run and its own, also one of a fork', async () => {
    const clock = new ManualClock()
    let pace = 300
    const look = createTool({ id: 'look', description: 'Looks.', inputSchema, execute: () => 'seen' })
    const { agent } = worker('solo', [], {
      tools: { look },
      otherwise: ({ messages }) => {
        clock.advance(pace)
        return messages.at(-1)?.role === 'tool' ? 'Done.' : calls({ name: 'look' })
      },
    })
    const { troupe } = processOn(memoryStore(), [agent], { clock })
    const run = await troupe.start(agent, 'Go', { budget: { wallClock: 1_000 } })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    clock.advance(day)
    const fork = await troupe.fork(run.id, { at: 2 })
    expect(await fork.result).toMatchObject({ outcome: 'completed' })
    clock.advance(day)
    const forkOfFork = await troupe.fork(fork.id, { at: 4 })
    expect(await forkOfFork.result).toMatchObject({ outcome: 'completed' })
    pace = 800
    const late = await troupe.fork(forkOfFork.id, { at: 4 })
    expect(await late.result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
  })
})
