/** Files in messages, as Chat Completions is sent them. */
import { openai, type Content, type Message, type ModelReply } from 'troupe'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { json, startFaultServer, type FaultServer } from '../../../support/fault-server.ts'
import {
  dot,
  dotAtUrl,
  film,
  note,
  paper,
  paperAtUrl,
  pdf,
  png,
  voice,
  withFilesEverywhere,
} from '../../../support/small-files.ts'

let server: FaultServer
beforeEach(async () => {
  server = await startFaultServer()
  server.answer = json(200, { choices: [{ index: 0, message: { content: 'Ok.' }, finish_reason: 'stop' }] })
})
afterEach(() => server.close())

async function ask(messages: readonly Message[]): Promise<ModelReply> {
  const { signal } = new AbortController()
  const model = openai('gpt-x', { baseURL: server.url })
  return model.generate({ messages, tools: [], toolChoice: 'auto' }, { signal, idempotencyKey: 'key' })
}

async function sent(messages: readonly Message[]): Promise<readonly unknown[]> {
  await ask(messages)
  const body = server.requests.at(-1)?.body as { readonly messages: readonly unknown[] } | undefined
  return body?.messages ?? []
}

const fromUser = (content: Content): readonly Message[] => [{ role: 'user', content }]
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
const document = {
  type: 'file',
  file: { filename: 'paper.pdf', file_data: `data:application/pdf;base64,${pdf}` },
}

test('images, audio and documents of the user stand in their places', async () => {
  const content: Content = [
    { type: 'text', text: 'See.' },
    dot,
    dotAtUrl,
    { type: 'text', text: '' },
    voice,
    paper,
    note,
  ]
  expect(await sent(fromUser(content))).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See.' },
        image,
        { type: 'image_url', image_url: { url: 'https://example.com/dot.png' } },
        { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
        document,
        { type: 'file', file: { filename: 'note.txt', file_data: 'data:text/plain;base64,SGku' } },
      ],
    },
  ])
})

test.each([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['AUDIO/MP3', 'mp3'],
])('audio of the type %s is %s', async (mediaType, format) => {
  expect(await sent(fromUser([{ ...voice, mediaType }]))).toMatchObject([
    { content: [{ type: 'input_audio', input_audio: { format } }] },
  ])
})

test.each([
  ['application/pdf', 'file.pdf'],
  ['text/plain', 'file.txt'],
  ['text/csv', 'file.csv'],
])('a document of the type %s without a name is %s', async (mediaType, filename) => {
  expect(await sent(fromUser([{ type: 'file', mediaType, data: 'AAAA' }]))).toMatchObject([
    { content: [{ file: { filename } }] },
  ])
})

test('a content of nothing is an empty text', async () => {
  expect(await sent(fromUser([{ type: 'text', text: '' }]))).toEqual([{ role: 'user', content: '' }])
})

test('files of other messages follow in a message of the user, after all results of the step', async () => {
  expect(await sent(withFilesEverywhere)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'See.' }, image] },
    {
      role: 'assistant',
      content: 'Mine.\n[file "mine.png", image/png]',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'draw', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'read', arguments: '{}' } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: 'a',
      content: '{"ok":true}\n[file "dot.png", image/png]\n[file "paper.pdf", application/pdf]',
    },
    { role: 'tool', tool_call_id: 'b', content: 'Words.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[file "mine.png", image/png] of your message:' },
        image,
        { type: 'text', text: '[file "dot.png", image/png] of the result of the call a of draw:' },
        image,
        { type: 'text', text: '[file "paper.pdf", application/pdf] of the result of the call a of draw:' },
        document,
      ],
    },
    { role: 'user', content: 'Go on.' },
  ])
})

test('the last message may be the one with a file', async () => {
  expect(await sent([{ role: 'assistant', content: [dot] }])).toEqual([
    { role: 'assistant', content: '[file "dot.png", image/png]' },
    {
      role: 'user',
      content: [{ type: 'text', text: '[file "dot.png", image/png] of your message:' }, image],
    },
  ])
})

test.each([
  ['as text', '[file "dot.png", image/png]'],
  ['in JSON', '{"plot":"[file \\"dot.png\\", image/png]"}'],
])('a line that names the file already, %s, is not repeated', async (_, text) => {
  const content: Content = [{ type: 'text', text }, dot]
  const messages: readonly Message[] = [
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'draw', args: {} }] },
    { role: 'tool', toolCallId: 'a', toolName: 'draw', content },
  ]
  expect(await sent(messages)).toMatchObject([{}, { role: 'tool', content: text }, { role: 'user' }])
})

test.each([
  ['a video', film, 'does not take the file "film.mp4" of the type video/mp4.'],
  [
    'audio of another format',
    { ...voice, mediaType: 'audio/ogg' },
    'does not take the file "voice.mp3" of the type audio/ogg.',
  ],
  ['a document by URL', paperAtUrl, 'does not take a file of the type application/pdf by URL.'],
  [
    'a reference',
    { type: 'file', mediaType: 'image/png', ref: 'abc' },
    'does not take a file of the type image/png by reference.',
  ],
] as const)('%s is refused before the call', async (_, file, words) => {
  await expect(ask(fromUser([file]))).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'FILE_NOT_ACCEPTED',
    message: expect.stringContaining(words),
  })
  expect(server.requests).toEqual([])
})

test('a model says which types it accepts', () => {
  expect(openai('gpt-x', { accepts: ['image/*', 'application/pdf'] }).accepts).toEqual([
    'image/*',
    'application/pdf',
  ])
  expect(openai('gpt-x')).not.toHaveProperty('accepts')
  expect(() => openai('gpt-x', { accepts: ['png'] })).toThrow(
    /accepts\[0\] must be a media type such as image\/png/,
  )
})
