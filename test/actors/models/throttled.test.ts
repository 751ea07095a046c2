/** The pace of a model that several agents share. */
import { createAgent, createTroupe, RetryableError, throttled, type ChatModel } from 'troupe'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, question, rejection } from '../../support/agents/model-calls.ts'

const reply = {
  text: 'Hi',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
} as const

/** A model whose calls end when the test says so. */
function manual() {
  const open: PromiseWithResolvers<typeof reply>[] = []
  const model: ChatModel = {
    provider: 'manual',
    modelId: 'm',
    generate() {
      const call = Promise.withResolvers<typeof reply>()
      open.push(call)
      return call.promise
    },
  }
  return { model, open }
}

const limited = (retryAfterMs?: number) =>
  new RetryableError('Slow down.', {
    code: 'RATE_LIMITED',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(0)

test('it is the model that it wraps, for everything but the pace', async () => {
  const { model, open } = manual()
  const slow = throttled(model)
  expect(slow).toMatchObject({ provider: 'manual', modelId: 'm' })
  const answer = ask(slow)
  await settle()
  open[0]?.resolve(reply)
  expect(await answer).toBe(reply)
})

test('at most so many calls at a time, in the order in which they came', async () => {
  const { model, open } = manual()
  const slow = throttled(model, { concurrency: 2 })
  const ended: number[] = []
  const calls = [0, 1, 2, 3].map(async (index) => {
    await ask(slow)
    ended.push(index)
  })
  await settle()
  expect(open).toHaveLength(2)
  open[1]?.resolve(reply)
  await settle()
  expect(open).toHaveLength(3)
  for (const call of open) call.resolve(reply)
  await settle()
  open[3]?.resolve(reply)
  await Promise.all(calls)
  expect(ended).toEqual([1, 0, 2, 3])
})

test('at most so many calls within any minute', async () => {
  const { model, open } = manual()
  const slow = throttled(model, { perMinute: 2 })
  const first = ask(slow)
  await vi.advanceTimersByTimeAsync(30_000)
  const more = [ask(slow), ask(slow), ask(slow)]
  await settle()
  expect(open).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(open).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(open).toHaveLength(3)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(open).toHaveLength(4)
  for (const call of open) call.resolve(reply)
  await Promise.all([first, ...more])
})

describe('after a 429', () => {
  test.each([
    { told: undefined, wait: 1_000 },
    { told: 5_000, wait: 5_000 },
    { told: 10, wait: 1_000 },
  ])('every call waits, where the server says $told: $wait ms', async ({ told, wait }) => {
    const { model, open } = manual()
    const slow = throttled(model)
    const refused = rejection(ask(slow))
    await settle()
    open[0]?.reject(limited(told))
    expect(await refused).toMatchObject({ code: 'RATE_LIMITED' })
    const others = [ask(slow), ask(slow)]
    await vi.advanceTimersByTimeAsync(wait - 1)
    expect(open).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(open).toHaveLength(3)
    for (const call of open) call.resolve(reply)
    await Promise.all(others)
  })

  test('a later 429 does not shorten the wait', async () => {
    const { model, open } = manual()
    const slow = throttled(model, { cooldown: 100 })
    const refused = [rejection(ask(slow)), rejection(ask(slow))]
    await settle()
    open[0]?.reject(limited(5_000))
    await settle()
    open[1]?.reject(limited())
    await Promise.all(refused)
    const next = ask(slow)
    await vi.advanceTimersByTimeAsync(4_999)
    expect(open).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    open[2]?.resolve(reply)
    expect(await next).toBe(reply)
  })

  test('another error leaves the pace as it is', async () => {
    const { model, open } = manual()
    const slow = throttled(model)
    const failed = rejection(ask(slow))
    await settle()
    open[0]?.reject(new RetryableError('Overloaded.', { code: 'MODEL_UNAVAILABLE', retryAfterMs: 5_000 }))
    await failed
    const next = ask(slow)
    await settle()
    open[1]?.resolve(reply)
    expect(await next).toBe(reply)
  })
})

describe('an aborted call', () => {
  const call = (model: ChatModel, controller: AbortController) =>
    model.generate(question, { signal: controller.signal, idempotencyKey: 'k' })

  test('leaves the queue, and its turn goes to the next one', async () => {
    const { model, open } = manual()
    const slow = throttled(model, { concurrency: 1 })
    const first = ask(slow)
    const controller = new AbortController()
    const waiting = rejection(call(slow, controller))
    const next = ask(slow)
    await settle()
    controller.abort()
    expect(await waiting).toMatchObject({ code: 'CANCELLED' })
    open[0]?.resolve(reply)
    await first
    await settle()
    expect(open).toHaveLength(2)
    open[1]?.resolve(reply)
    expect(await next).toBe(reply)
  })

  test('frees its place, even where the model goes on', async () => {
    const { model, open } = manual()
    const slow = throttled(model, { concurrency: 1 })
    const controller = new AbortController()
    void call(slow, controller)
    const next = ask(slow)
    await settle()
    expect(open).toHaveLength(1)
    controller.abort()
    await settle()
    expect(open).toHaveLength(2)
    open[0]?.resolve(reply) // too late: the place is not freed twice
    const third = ask(slow)
    await settle()
    expect(open).toHaveLength(2)
    open[1]?.resolve(reply)
    await settle()
    open[2]?.resolve(reply)
    await Promise.all([next, third])
  })

  test('that was aborted before does not reach the model', async () => {
    const { model, open } = manual()
    const controller = new AbortController()
    controller.abort()
    expect(await rejection(call(throttled(model), controller))).toMatchObject({ code: 'CANCELLED' })
    expect(open).toEqual([])
  })
})

test('the agents of a tree share it', async () => {
  vi.useRealTimers()
  let running = 0
  let most = 0
  const model: ChatModel = {
    provider: 'counting',
    modelId: 'm',
    async generate() {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return reply
    },
  }
  const slow = throttled(model, { concurrency: 2 })
  const agents = ['a', 'b', 'c', 'd', 'e'].map((id) => createAgent({ id, instructions: '', model: slow }))
  const troupe = createTroupe({ agents })
  const runs = await Promise.all(agents.map((agent) => troupe.start(agent, 'Go')))
  const results = await Promise.all(runs.map((run) => run.result))
  expect(results.map(({ outcome }) => outcome)).toEqual(agents.map(() => 'completed'))
  expect(most).toBe(2)
})

test.each([31_536_000_000, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY])(
  'a server that asks for %d ms holds nobody else: the usual pause',
  async (asked) => {
    const { model, open } = manual()
    const slow = throttled(model, { cooldown: 1_000 })
    const first = rejection(ask(slow))
    await settle()
    open[0]?.reject(limited(asked))
    await first
    void ask(slow)
    await vi.advanceTimersByTimeAsync(999)
    expect(open).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(open).toHaveLength(2)
  },
)

test('a cooldown of a month waits, and does not look all the time', async () => {
  const { model, open } = manual()
  const month = 30 * 86_400_000
  const slow = throttled(model, { cooldown: month })
  const first = rejection(ask(slow))
  await settle()
  open[0]?.reject(limited())
  await first
  void ask(slow)
  await vi.advanceTimersByTimeAsync(month - 1)
  expect(open).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(open).toHaveLength(2)
})
