/** The circuit of a model that several agents share. */
import { CancelledError, RetryableError, TerminalError, withCircuit, type ChatModel } from 'troupe'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, question, rejection } from '../../support/agents/model-calls.ts'

const reply = {
  text: 'Hi',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
} as const

const down = () => new RetryableError('Down.', { code: 'MODEL_UNAVAILABLE' })

/** A model whose calls answer as `next` says at that time. */
function server(next: () => Promise<typeof reply>) {
  const state = { next, calls: 0 }
  const model: ChatModel = {
    provider: 'test',
    modelId: 'm',
    generate() {
      state.calls++
      return state.next()
    },
  }
  return { model, state }
}

const fails =
  (error: Error = down()) =>
  async (): Promise<typeof reply> => {
    throw error
  }
const answers = () => Promise.resolve(reply)

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

async function open(model: ChatModel, failures: number) {
  for (let call = 0; call < failures; call++) await rejection(ask(model))
}

test('it is the model that it wraps', async () => {
  const { model } = server(answers)
  const wrapped = withCircuit({ ...model, accepts: ['image/*'], settings: { seed: 1 } })
  expect(wrapped).toMatchObject({
    provider: 'test',
    modelId: 'm',
    accepts: ['image/*'],
    settings: { seed: 1 },
  })
  expect(await ask(wrapped)).toBe(reply)
})

test('after so many failures in a row it is not called, until the cooldown is over', async () => {
  const { model, state } = server(fails())
  const wrapped = withCircuit(model, { failures: 2, cooldown: 1_000 })
  await open(wrapped, 2)
  expect(await rejection(ask(wrapped))).toMatchObject({
    code: 'CIRCUIT_OPEN',
    message: 'The model "test/m" has failed 2 times in a row, and is not called for 1000 ms more.',
  })
  expect(state.calls).toBe(2)
  state.next = answers
  vi.advanceTimersByTime(999)
  expect(await rejection(ask(wrapped))).toBeInstanceOf(TerminalError)
  vi.advanceTimersByTime(1)
  expect(await ask(wrapped)).toBe(reply)
  expect(await ask(wrapped)).toBe(reply)
  expect(state.calls).toBe(4)
})

test('an answer between failures begins the count anew', async () => {
  const { model, state } = server(fails())
  const wrapped = withCircuit(model, { failures: 2 })
  await open(wrapped, 1)
  state.next = answers
  await ask(wrapped)
  state.next = fails()
  await open(wrapped, 1)
  state.next = answers
  expect(await ask(wrapped)).toBe(reply)
})

describe('after the cooldown', () => {
  async function cooled(next: () => Promise<typeof reply>) {
    const { model, state } = server(fails())
    const wrapped = withCircuit(model, { failures: 1, cooldown: 1_000 })
    await open(wrapped, 1)
    vi.advanceTimersByTime(1_000)
    state.next = next
    return { wrapped, state }
  }

  test('one call alone is let through', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof reply>()
    const { wrapped, state } = await cooled(() => promise)
    const trial = ask(wrapped)
    expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
    expect(state.calls).toBe(2)
    resolve(reply)
    expect(await trial).toBe(reply)
  })

  test('a failure of that call opens it again, for as long', async () => {
    const { wrapped, state } = await cooled(fails())
    expect(await rejection(ask(wrapped))).toMatchObject({ code: 'MODEL_UNAVAILABLE' })
    vi.advanceTimersByTime(999)
    expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
    vi.advanceTimersByTime(1)
    state.next = answers
    expect(await ask(wrapped)).toBe(reply)
  })

  test('that call is let go of: the next one is let through', async () => {
    const { wrapped, state } = await cooled(() => new Promise(() => undefined))
    const controller = new AbortController()
    void wrapped.generate(question, { signal: controller.signal, idempotencyKey: 'k' })
    controller.abort(new CancelledError('enough'))
    state.next = answers
    expect(await ask(wrapped)).toBe(reply)
  })

  test('that call takes too long, and ignores its signal: it is open again', async () => {
    const { wrapped } = await cooled(() => new Promise(() => undefined))
    const controller = new AbortController()
    void wrapped.generate(question, { signal: controller.signal, idempotencyKey: 'k' })
    controller.abort(new TerminalError('late', { code: 'MODEL_TIMEOUT' }))
    expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
  })
})

test.each(['INVALID_REQUEST', 'CONTEXT_LENGTH_EXCEEDED', 'CONTENT_FILTERED', 'FILE_NOT_ACCEPTED'] as const)(
  '%s tells of the request, and of a server that answers',
  async (code) => {
    const { model, state } = server(fails(new TerminalError('no', { code })))
    const wrapped = withCircuit(model, { failures: 1 })
    await open(wrapped, 3)
    expect(state.calls).toBe(3)
  },
)

test('a call that began before the circuit opened tells nothing', async () => {
  const late = Promise.withResolvers<typeof reply>()
  const { model, state } = server(() => late.promise)
  const wrapped = withCircuit(model, { failures: 1, cooldown: 1_000 })
  const early = ask(wrapped)
  state.next = fails()
  await open(wrapped, 1)
  late.resolve(reply)
  expect(await early).toBe(reply)
  expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
})

test('it waits as long as the server asks for, up to an hour', async () => {
  const asked = (retryAfterMs: number) => new RetryableError('Wait.', { code: 'RATE_LIMITED', retryAfterMs })
  for (const [told, wait] of [
    [5_000, 5_000],
    [3_600_001, 1_000],
  ] as const) {
    const { model, state } = server(fails(asked(told)))
    const wrapped = withCircuit(model, { failures: 1, cooldown: 1_000 })
    await open(wrapped, 1)
    state.next = answers
    vi.advanceTimersByTime(wait - 1)
    expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
    vi.advanceTimersByTime(1)
    expect(await ask(wrapped)).toBe(reply)
  }
})

test('a model that throws at once has failed', async () => {
  const throwing: ChatModel = {
    provider: 'test',
    modelId: 'm',
    generate: () => {
      throw new Error('no')
    },
  }
  const wrapped = withCircuit(throwing, { failures: 1 })
  await open(wrapped, 1)
  expect(await rejection(ask(wrapped))).toMatchObject({ code: 'CIRCUIT_OPEN' })
})
