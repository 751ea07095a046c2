/** Files in messages, as the Responses API is sent them, and the images that its server makes. */
import { openai, type Content, type Message, type ModelReply } from 'troupe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { json, startFaultServer, stream, type FaultServer } from '../../../support/fault-server.ts'
import { named } from '../../../support/wires.ts'
import {
  dot,
  dotAtUrl,
  film,
  paper,
  paperAtUrl,
  pdf,
  png,
  voice,
  withFilesEverywhere,
} from '../../../support/small-files.ts'

const answered = (...output: readonly object[]) => ({
  object: 'response',
  status: 'completed',
  error: null,
  output,
})
const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ok.' }] }

let server: FaultServer
beforeEach(async () => {
  server = await startFaultServer()
  server.answer = json(200, answered(message))
})
afterEach(() => server.close())

async function ask(messages: readonly Message[], isStreaming = false): Promise<ModelReply> {
  const { signal } = new AbortController()
  const model = openai('gpt-x', {
    baseURL: server.url,
    api: 'responses',
    extraBody: { tools: [{ type: 'image_generation' }] },
  })
  return model.generate(
    { messages, tools: [], toolChoice: 'auto' },
    { signal, idempotencyKey: 'key', ...(isStreaming ? { onDelta: () => undefined } : {}) },
  )
}

async function sent(messages: readonly Message[]): Promise<readonly unknown[]> {
  await ask(messages)
  const body = server.requests.at(-1)?.body as { readonly input: readonly unknown[] } | undefined
  return body?.input ?? []
}

const fromUser = (content: Content): readonly Message[] => [{ role: 'user', content }]
const image = { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' }
const document = {
  type: 'input_file',
  filename: 'paper.pdf',
  file_data: `data:application/pdf;base64,${pdf}`,
}

test('images and documents of the user stand in their places', async () => {
  expect(await sent(fromUser([{ type: 'text', text: 'See.' }, dot, dotAtUrl, paper, paperAtUrl]))).toEqual([
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'See.' },
        image,
        { type: 'input_image', image_url: 'https://example.com/dot.png', detail: 'auto' },
        document,
        { type: 'input_file', file_url: 'https://example.com/paper.pdf' },
      ],
    },
  ])
})

test('the result of a call has its files; those of an answer follow in a message of the user', async () => {
  expect(await sent(withFilesEverywhere)).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'See.' }, image] },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Mine.\n[file "mine.png", image/png]' }],
    },
    { type: 'function_call', call_id: 'a', name: 'draw', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'read', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_text', text: '{"ok":true}' }, image, document],
    },
    { type: 'function_call_output', call_id: 'b', output: 'Words.' },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '[file "mine.png", image/png] of your message:' }, image],
    },
    { type: 'message', role: 'user', content: 'Go on.' },
  ])
})

test.each([
  ['audio', voice, 'The Responses API does not take the file "voice.mp3" of the type audio/mpeg.'],
  ['a video', film, 'The Responses API does not take the file "film.mp4" of the type video/mp4.'],
  ['a reference', { type: 'file', mediaType: 'image/png', ref: 'abc' }, 'image/png by reference.'],
] as const)('%s is refused before the call', async (_, file, words) => {
  await expect(ask(fromUser([file]))).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'FILE_NOT_ACCEPTED',
    message: expect.stringContaining(words),
  })
  expect(server.requests).toEqual([])
})

describe.each([false, true])('streamed: %s', (isStreaming) => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png }
  const answer = (...output: readonly object[]): void => {
    const events = output.map((one, index) =>
      named({ type: 'response.output_item.done', output_index: index, item: one }),
    )
    const end = named({ type: 'response.completed', response: answered(...output) })
    server.answer = isStreaming ? stream([...events, end]) : json(200, answered(...output))
  }

  test('an image that the server makes is a file of the reply', async () => {
    answer(item, { ...item, output_format: 'webp' }, message)
    expect(await ask(fromUser('Draw.'), isStreaming)).toMatchObject({
      text: 'Ok.',
      finishReason: 'stop',
      files: [
        { type: 'file', mediaType: 'image/png', data: png },
        { type: 'file', mediaType: 'image/webp', data: png },
      ],
    })
  })

  test('a result that is no base64 counts as absent, and a format that is none as png', async () => {
    answer({ ...item, result: 'no image' }, { ...item, output_format: 'a b' }, message)
    expect(await ask(fromUser('Draw.'), isStreaming)).toMatchObject({
      text: 'Ok.',
      files: [{ type: 'file', mediaType: 'image/png', data: png }],
    })
  })

  test('a call for an image that failed gives none', async () => {
    answer({ ...item, status: 'failed', result: null }, message)
    expect(await ask(fromUser('Draw.'), isStreaming)).not.toHaveProperty('files')
  })
})

test('a stream without its last output has the images of its items', async () => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png }
  const done = named({ type: 'response.output_item.done', output_index: 0, item })
  const end = named({ type: 'response.completed', response: { ...answered(), output: [] } })
  server.answer = stream([done, end])
  expect(await ask(fromUser('Draw.'), true)).toMatchObject({ files: [{ mediaType: 'image/png', data: png }] })
})
