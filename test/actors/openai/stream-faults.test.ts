/** A stream, its listener and its end, over either API. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ModelDelta } from '../../../src/actors/chat-model.ts'
import { CancelledError, RetryableError } from '../../../src/errors.ts'
import {
  event,
  hang,
  json,
  raw,
  startFaultServer,
  stream,
  type FaultServer,
} from '../../support/fault-server.ts'
import { ask, askStreaming, question, rejection } from '../../support/agents/model-calls.ts'
import { wires } from '../../support/wires.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.requests.length = 0
})

describe.each(wires)('$api:', (wire) => {
  const { hello, end, path } = wire
  const model = (timeout = 20_000) => wire.model({ baseURL: server.url, timeout })
  const reply = {
    text: 'Hello',
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, incomplete: true },
  }

  test('the usage of a server that sends none is incomplete', async () => {
    server.answer = json(200, wire.whole)
    expect(await ask(model())).toEqual(reply)
    server.answer = stream([...hello, ...end])
    expect(await askStreaming(model())).toEqual({
      reply,
      deltas: [
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ],
    })
  })

  test('without a listener nothing is streamed', async () => {
    server.answer = json(200, wire.whole)
    await ask(model())
    server.answer = stream([...hello, ...end])
    await askStreaming(model())
    expect(server.requests).toMatchObject([
      { path, body: { model: 'gpt-x', stream: false } },
      { path, body: { model: 'gpt-x', stream: true } },
    ])
    expect(server.requests[0]?.body).not.toHaveProperty('stream_options')
  })

  test.each([
    ['that just closes', hello, 'MODEL_STREAM_INCOMPLETE', 'ended without '],
    ['of nothing', [], 'MODEL_STREAM_INCOMPLETE', 'ended before its first event.'],
    ['that is only done', [event('[DONE]')], 'MODEL_STREAM_INCOMPLETE', 'ended before its first event.'],
    ['of something else', [event({ id: 'x' })], 'MODEL_REPLY_INVALID', 'sent a stream without '],
    ['of no JSON', [...hello, 'data: {"choices":\n\n'], 'MODEL_REPLY_INVALID', 'sent no valid JSON: '],
  ])('a stream %s is retryable', async (_, pieces, code, message) => {
    server.answer = stream(pieces)
    const error = await rejection(askStreaming(model()))
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('an HTML page instead of a stream is retryable', async () => {
    server.answer = raw(200, 'text/html', '<p>Sign in</p>')
    expect(await rejection(askStreaming(model()))).toMatchObject({ code: 'MODEL_STREAM_INCOMPLETE' })
  })

  test('a stream that is cut in the middle is retryable', async () => {
    server.answer = stream(hello, 'destroy')
    const error = await rejection(askStreaming(model()))
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({
      code: 'MODEL_STREAM_CUT',
      message: expect.stringContaining('Model "gpt-x" had its stream cut: '),
      cause: { message: 'terminated' },
    })
  })

  test('a stream that stops in the middle is timed out', async () => {
    server.answer = stream(hello, 'hang')
    expect(await rejection(askStreaming(model(100)))).toMatchObject({ code: 'MODEL_TIMEOUT' })
  })

  test('the caller’s abort in the middle of a stream cancels, and closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer = async (response, request) => {
        response.on('close', resolve)
        await stream(hello, 'hang')(response, request)
      }
    })
    const controller = new AbortController()
    const deltas: ModelDelta[] = []
    const call = model().generate(question, {
      signal: controller.signal,
      idempotencyKey: 'k',
      onDelta: (piece) => {
        deltas.push(piece)
        controller.abort(new Error('enough'))
      },
    })
    const error = await rejection(call)
    expect(error).toBeInstanceOf(CancelledError)
    expect(error).toMatchObject({
      message: 'The call of model "gpt-x" was cancelled.',
      cause: { message: 'enough' },
    })
    await closed
    expect(deltas).toEqual([{ type: 'text', text: 'Hel' }])
  })

  test('the caller’s abort cancels a call that waits, and one that has not begun', async () => {
    const controller = new AbortController()
    server.answer = (response, request) => {
      controller.abort()
      return hang(response, request)
    }
    const call = () => model().generate(question, { signal: controller.signal, idempotencyKey: 'k' })
    expect(await rejection(call())).toBeInstanceOf(CancelledError)
    expect(await rejection(call())).toBeInstanceOf(CancelledError)
    expect(server.requests).toHaveLength(1)
  })

  test('a listener that throws, or rejects, does not break the call', async () => {
    server.answer = stream([...hello, ...end])
    const listeners = [
      () => {
        throw new Error('broken listener')
      },
      async () => {
        throw new Error('broken async listener')
      },
    ]
    for (const onDelta of listeners) {
      const signal = new AbortController().signal
      const reply = await model().generate(question, { signal, idempotencyKey: 'k', onDelta })
      expect(reply.text).toBe('Hello')
    }
  })
})
