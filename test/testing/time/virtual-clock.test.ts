/** Runs on a virtual clock: deadlines, back-off, approvals and budgets take no real time. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  RetryableError,
  type AgentDefinition,
  type AnyAgent,
  type ChatModel,
} from 'troupe'
import { scriptedModel, virtualClock, type VirtualClockOptions } from 'troupe/testing'
import { createActor, fromPromise, setup, waitFor } from 'xstate'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const worker = (model: ChatModel, options: object = {}) =>
  createAgent({ id: 'worker', description: 'Works.', instructions: '', model, ...options })

const lead = (model: ChatModel, agents: Readonly<Record<string, AgentDefinition>>, options: object = {}) =>
  createSupervisor({ id: 'lead', instructions: '', model, agents, ...options })

const delegates = { toolCalls: [{ name: 'agent-worker', args: { prompt: 'Go' } }] }

async function started(agent: AnyAgent, options: VirtualClockOptions = {}) {
  const clock = virtualClock(options)
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  return { clock, run }
}

describe('advance', () => {
  test('a delegation times out at its deadline, and not before', async () => {
    const slow = worker(scriptedModel([{ hang: true }]))
    const { clock, run } = await started(
      lead(
        scriptedModel([delegates, 'It took too long.']),
        { worker: slow },
        { delegation: { timeout: 300_000 } },
      ),
    )
    const outcomes: string[] = []
    void run.result.then(({ delegations }) => outcomes.push(...delegations.map(({ outcome }) => outcome)))
    await clock.advance('299s')
    expect(outcomes).toEqual([])
    await clock.advance('1s')
    expect(outcomes).toEqual(['timedOut'])
    expect((await run.result).text).toBe('It took too long.')
  })

  test('a model call times out at its deadline, however quickly the process has come to it', async () => {
    for (let round = 0; round < 20; round++) {
      const model = scriptedModel([{ hang: true }])
      const { clock } = await started(worker(model, { modelTimeout: 60_000, retries: 0 }))
      await clock.advance('59s')
      expect(model.calls[0]?.signal.aborted).toBe(false)
      await clock.advance('1s')
      expect(model.calls[0]?.signal.aborted).toBe(true)
    }
  })

  test('retries wait for their back-off', async () => {
    const error = new RetryableError('Busy.', { retryAfterMs: 60_000 })
    const model = scriptedModel([{ error }, { error }, 'At last.'])
    const { clock, run } = await started(worker(model))
    await clock.advance('1s')
    expect(model.calls).toHaveLength(1)
    await clock.advance('1m')
    expect(model.calls).toHaveLength(2)
    await clock.advance('1h')
    expect((await run.result).text).toBe('At last.')
  })

  test('an approval that nobody gives is denied at its deadline', async () => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      approvalTimeout: 3_600_000,
      execute: () => 'paid',
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'It was not allowed.'])
    const { clock, run } = await started(worker(model, { tools: { pay } }))
    await clock.advance('59m')
    expect(model.calls).toHaveLength(1)
    await clock.advance('1m')
    const { steps } = await run.result
    expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'denied', error: { code: 'APPROVAL_TIMEOUT' } })
  })

  test.for<[string, object, object]>([
    [
      'the time of a call of the model',
      { modelTimeout: 10_000, retries: 0 },
      { outcome: 'failed', error: { code: 'MODEL_TIMEOUT' } },
    ],
    [
      'the time of the run',
      { budget: { wallClock: 10_000 }, onExhausted: 'stop' },
      { outcome: 'exhausted', reason: 'budget' },
    ],
  ])('%s is up', async ([, options, expected]) => {
    const { clock, run } = await started(worker(scriptedModel([{ hang: true }]), options))
    await clock.advance(9_999)
    await expect(Promise.race([run.result, Promise.resolve('pending')])).resolves.toBe('pending')
    await clock.advance(1)
    expect(await run.result).toMatchObject(expected)
  })

  test('the times in events and in the result are those of the clock', async () => {
    const error = new RetryableError('Busy.', { retryAfterMs: 60_000 })
    const { clock, run } = await started(
      lead(scriptedModel([delegates, 'Done.']), { worker: worker(scriptedModel([{ error }, 'Found.'])) }),
      { start: new Date('2030-01-01T00:00:00Z') },
    )
    await clock.advance('1d')
    const { delegations } = await run.result
    expect(Math.floor((delegations[0]?.duration ?? 0) / 1_000)).toBe(60) // a back-off has a jitter
    for await (const { at } of run.events) expect(new Date(at).toISOString()).toMatch(/^2030-01-01T00:0[01]/)
  })

  test('timers fire in the order of their times, those that they set too', async () => {
    const clock = virtualClock({ start: 0 })
    const fired: [string, number][] = []
    const note = (name: string) => () => void fired.push([name, clock.now()])
    clock.after(20, note('second'))
    clock.after(10, () => {
      note('first')()
      clock.after(5, note('between'))
    })
    const cancel = clock.after(15, note('never'))
    cancel()
    clock.after(31, note('later'))
    expect(clock.nextAt).toBe(10)
    await clock.advance('30ms')
    expect(fired).toEqual([
      ['first', 10],
      ['between', 15],
      ['second', 20],
    ])
    expect([clock.now(), clock.pending, clock.nextAt]).toEqual([30, 1, 31])
  })

  test('a timer without a delay needs no move', async () => {
    const clock = virtualClock()
    await new Promise<void>((resolve) => void clock.after(0, resolve))
    expect(clock.pending).toBe(0)
  })

  test('time waits for work that is held', async () => {
    const clock = virtualClock({ start: 0 })
    const { promise, resolve } = Promise.withResolvers<void>()
    clock.hold(promise)
    const fired: number[] = []
    clock.after(10, () => void fired.push(clock.now()))
    const moved = clock.advance(10)
    await new Promise((next) => void setTimeout(next, 5))
    expect(fired).toEqual([])
    resolve()
    await moved
    expect(fired).toEqual([10])
  })

  test('a jump fires nothing until the next move', async () => {
    const clock = virtualClock({ start: 0 })
    const fired: number[] = []
    clock.after(10, () => void fired.push(clock.now()))
    clock.jump('1s')
    expect([clock.now(), fired]).toEqual([1_000, []])
    await clock.advance(0)
    expect(fired).toEqual([1_000])
  })

  test('armed settles when as many timers are set', async () => {
    const clock = virtualClock()
    const armed = clock.armed(2)
    clock.after(1, () => undefined)
    await expect(Promise.race([armed, Promise.resolve('not yet')])).resolves.toBe('not yet')
    clock.after(1, () => undefined)
    await armed
    await clock.armed()
  })
})

describe('runUntil', () => {
  test('skips from timer to timer until the run has ended', async () => {
    const error = new RetryableError('Busy.', { retryAfterMs: 3_600_000 })
    const { clock, run } = await started(worker(scriptedModel([{ error }, { error }, 'At last.'])), {
      start: 0,
    })
    const result = await clock.runUntil(run.result)
    expect(result.text).toBe('At last.')
    expect(Math.floor(clock.now() / 3_600_000)).toBe(2)
  })

  test('rejects as the work does', async () => {
    const clock = virtualClock()
    await expect(clock.runUntil(Promise.reject(new Error('No.')))).rejects.toThrow('No.')
  })

  test('says so where no timer can help', async () => {
    const { clock, run } = await started(worker(scriptedModel([{ hang: true }])))
    await expect(clock.runUntil(run.result)).rejects.toMatchObject({ code: 'CLOCK_IDLE' })
  })

  test('says so where the time that is allowed is over', async () => {
    const clock = virtualClock()
    const again = (): void => void clock.after(60_000, again)
    again()
    await expect(clock.runUntil(new Promise(() => undefined), '1h')).rejects.toMatchObject({
      code: 'CLOCK_LIMIT',
      message: 'The promise is still pending after 1h of virtual time.',
    })
  })
})

test('a machine of the user and the agents in it share the clock', async () => {
  const clock = virtualClock({ start: 0 })
  const slow = worker(scriptedModel([{ hang: true }]), { modelTimeout: 60_000, retries: 0 })
  const troupe = createTroupe({ agents: [slow] })
  const machine = setup({
    actors: { worker: troupe.logic(slow), log: fromPromise(async () => clock.now()) },
  }).createMachine({
    initial: 'waiting',
    states: {
      waiting: { after: { 30_000: 'working' } },
      working: { invoke: { src: 'worker', input: { prompt: 'Go' }, onDone: 'failed' } },
      failed: { type: 'final' },
    },
  })
  const actor = createActor(machine, { clock })
  actor.start()
  await clock.advance('30s')
  expect(actor.getSnapshot().value).toBe('working')
  await clock.advance('1m')
  await waitFor(actor, ({ status }) => status === 'done')
  expect(clock.now()).toBe(90_000)
})

test.for<[string, () => unknown, string]>([
  ['an option', () => virtualClock({ begin: 1 } as object), 'virtualClock: there is no option "begin".'],
  [
    'a start',
    () => virtualClock({ start: new Date('no date') }),
    'virtualClock: start must be milliseconds since 1970, or a date',
  ],
  [
    'a length of time',
    () => virtualClock().jump('1 hour' as '1h'),
    `jump must be milliseconds, or a text such as '90s', '5m' or '1h', not "1 hour".`,
  ],
  ['a way back', () => virtualClock().jump(-1), 'jump must be milliseconds'],
])('a wrong value is refused: %s', ([, misuse, message]) => {
  expect(misuse).toThrow(message)
})
