/** A reply is read up to `maxReplyBytes`, after decompression; and a server that does not stream is understood. */
import { gzipSync } from 'node:zlib'
import { OpenAI } from 'openai'
import { openai, TerminalError } from 'troupe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, startFaultServer, type Answer, type FaultServer } from '../../support/fault-server.ts'
import { ask, askStreaming, rejection } from '../../support/agents/model-calls.ts'
import { wires } from '../../support/wires.ts'

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const maxReplyBytes = 10_000

/** Says without end; `written` settles with the number of bytes that it could send. */
function endless(status: number, contentType: string): { answer: Answer; written: Promise<number> } {
  const { promise: written, resolve } = Promise.withResolvers<number>()
  const answer: Answer = (response) => {
    let bytes = 0
    const piece = `${' '.repeat(4_095)}\n`
    response.writeHead(status, { 'content-type': contentType })
    const write = (): void => {
      while (!response.destroyed && response.write(piece)) bytes += piece.length
    }
    response.on('drain', write)
    response.on('close', () => resolve(bytes))
    write()
  }
  return { answer, written }
}

const tooLarge = {
  code: 'MODEL_REPLY_TOO_LARGE',
  message: `Model "gpt-x" sent a reply of more than ${maxReplyBytes} bytes (maxReplyBytes).`,
}

describe.each(wires)('$api:', (wire) => {
  const model = () => wire.model({ baseURL: server.url, apiKey: 'sk-a-test-key', maxReplyBytes })

  test.each([
    ['whole', 200, 'application/json', ask],
    ['as a stream', 200, 'text/event-stream', askStreaming],
    ['whole, where a stream was asked for', 200, 'application/json', askStreaming],
    ['as an error', 500, 'text/html', ask],
  ] as const)('a reply without end, %s, is cut and terminal', async (_, status, contentType, way) => {
    const { answer, written } = endless(status, contentType)
    server.answer = answer
    const error = await rejection(way(model()))
    expect(error).toBeInstanceOf(TerminalError)
    expect(error).toMatchObject(tooLarge)
    await written // the connection is closed: the rest is not read
  })

  test('what is small until it is decompressed is cut too', async () => {
    const body = gzipSync(JSON.stringify({ ...wire.whole, filler: 'x'.repeat(100_000) }))
    expect(body.length).toBeLessThan(maxReplyBytes)
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    }
    expect(await rejection(ask(model()))).toMatchObject(tooLarge)
  })

  test('a client of the user’s is measured, and keeps its own fetch', async () => {
    let fetched = 0
    const client = new OpenAI({
      baseURL: server.url,
      apiKey: 'sk-a-test-key',
      fetch: (input, init) => {
        fetched++
        return fetch(input, init)
      },
    })
    server.answer = json(200, { ...wire.whole, filler: 'x'.repeat(100_000) })
    expect(await rejection(ask(wire.model({ client, maxReplyBytes })))).toMatchObject(tooLarge)
    expect((await ask(wire.model({ client }))).text).toBe('Hello')
    expect(fetched).toBe(2)
  })

  test('a client whose methods were replaced is used as it is', async () => {
    const client = new OpenAI({ baseURL: server.url, apiKey: 'sk-a-test-key' })
    let posted = 0
    const { post } = client
    client.post = ((...args: Parameters<typeof post>) => {
      posted++
      return post.apply(client, args)
    }) as typeof post
    server.answer = json(200, wire.whole)
    expect((await ask(wire.model({ client, maxReplyBytes }))).text).toBe('Hello')
    expect(posted).toBe(1)
  })

  test.each([
    ['in one line', (body: object) => JSON.stringify(body)],
    ['in many lines', (body: object) => JSON.stringify(body, null, 2).replaceAll('\n', '\r\n')],
  ])('a server that takes no notice of `stream: true`, and answers %s, is understood', async (_, write) => {
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(write(wire.whole))
    }
    const { reply, deltas } = await askStreaming(model())
    expect(reply).toMatchObject({ text: 'Hello', finishReason: 'stop' })
    expect(deltas).toEqual([{ type: 'text', text: 'Hello' }])
  })

  test('an error in the JSON of such a server is told as one', async () => {
    server.answer = json(200, { error: { message: 'no such model', code: 'model_not_found' } })
    expect(await rejection(askStreaming(model()))).toMatchObject({ code: 'MODEL_NOT_FOUND' })
  })
})

test.each([0, -1, 1.5, '1', Number.POSITIVE_INFINITY])('maxReplyBytes: %j is refused', (given) => {
  expect(() => openai('gpt-x', { maxReplyBytes: given as number })).toThrow(
    'maxReplyBytes must be a positive integer',
  )
})
