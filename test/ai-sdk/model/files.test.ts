/** Files in messages, as a language model is given them, and files that it makes. */
import type { JSONValue, LanguageModelV4, LanguageModelV4Content } from '@ai-sdk/provider'
import { UnsupportedFunctionalityError } from '@ai-sdk/provider'
import type { AssistantMessage, Content, FilePart, Message, ModelReply } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { describe, expect, test } from 'vitest'
import {
  asVersion3,
  languageModel,
  type FakeLanguageModel,
  type Said,
} from '../../support/providers/language-model.ts'
import {
  dot,
  dotAtUrl,
  note,
  paper,
  paperAtUrl,
  pdf,
  png,
  withFilesEverywhere,
} from '../../support/small-files.ts'

const ok: Said = { content: [{ type: 'text', text: 'Ok.' }] }
const anyUrl = { '*/*': [/^https:/] }

async function ask(
  model: LanguageModelV4 | ReturnType<typeof asVersion3>,
  messages: readonly Message[],
  isStreaming = false,
): Promise<ModelReply> {
  const { signal } = new AbortController()
  return aiSdk(model).generate(
    { messages, tools: [], toolChoice: 'auto' },
    { signal, idempotencyKey: 'key', ...(isStreaming ? { onDelta: () => undefined } : {}) },
  )
}

async function sent(
  messages: readonly Message[],
  change: (model: FakeLanguageModel) => Partial<LanguageModelV4> = () => ({}),
): Promise<unknown> {
  const model = languageModel(ok)
  await ask({ ...model, supportedUrls: anyUrl, ...change(model) }, messages)
  return model.calls[0]?.prompt
}

const fromUser = (content: Content): readonly Message[] => [{ role: 'user', content }]
const data = (part: { readonly mediaType: string; readonly name?: string; readonly data: string }) => ({
  type: 'file',
  mediaType: part.mediaType,
  ...(part.name === undefined ? {} : { filename: part.name }),
  data: { type: 'data', data: part.data },
})

test('files of the user, by bytes and by URL, stand in their places', async () => {
  const content: Content = [{ type: 'text', text: 'See.' }, dot, { type: 'text', text: '' }, paperAtUrl]
  expect(await sent(fromUser(content))).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See.' },
        data(dot),
        {
          type: 'file',
          mediaType: 'application/pdf',
          data: { type: 'url', url: new URL('https://example.com/paper.pdf') },
        },
      ],
    },
  ])
})

describe('files of the result of a call', () => {
  const calling = withFilesEverywhere[1] as AssistantMessage
  const { toolCalls = [] } = calling
  const results = (content: Content, more: object = {}): readonly Message[] => [
    { role: 'assistant', content: '', toolCalls: toolCalls.slice(0, 1) },
    { role: 'tool', toolCallId: 'a', toolName: 'draw', content, ...more },
  ]
  const content: Content = [{ type: 'text', text: '{}' }, dot, paper, note, dotAtUrl]
  const after = (label: string, file: object): readonly object[] => [
    { type: 'text', text: `${label} of the result of the call a of draw:` },
    file,
  ]
  const dotUrl = {
    type: 'file',
    mediaType: 'image/png',
    data: { type: 'url', url: new URL('https://example.com/dot.png') },
  }

  test.each([
    'anthropic.messages',
    'vertex.anthropic.messages',
    'google.generative-ai',
    'amazon-bedrock',
    'openai.responses',
  ])('%s is given images and PDFs in the result', async (provider) => {
    expect(await sent(results(content), () => ({ provider }))).toMatchObject([
      { role: 'assistant' },
      {
        role: 'tool',
        content: [
          {
            output: {
              type: 'content',
              value: [
                { type: 'text', text: '{}' },
                data(dot),
                data(paper),
                { type: 'text', text: '[file "note.txt", text/plain]' },
                { type: 'text', text: '[file, image/png]' },
              ],
            },
          },
        ],
      },
      {
        role: 'user',
        content: [
          ...after('[file "note.txt", text/plain]', data(note)),
          ...after('[file, image/png]', dotUrl),
        ],
      },
    ])
  })

  test.each(['openai.chat', 'mistral.chat', 'mine'])(
    '%s is given all of them by the user',
    async (provider) => {
      const files = [
        ...after('[file "dot.png", image/png]', data(dot)),
        ...after('[file "paper.pdf", application/pdf]', data(paper)),
        ...after('[file "note.txt", text/plain]', data(note)),
        ...after('[file, image/png]', dotUrl),
      ]
      expect(await sent(results(content), () => ({ provider }))).toMatchObject([
        { role: 'assistant' },
        {
          role: 'tool',
          content: [{ output: { type: 'text', value: expect.stringContaining('[file "dot.png"') } }],
        },
        { role: 'user', content: files },
      ])
    },
  )

  test('the files of a failed call follow it', async () => {
    expect(
      await sent(results([{ type: 'text', text: 'No.' }, dot], { isError: true }), () => ({
        provider: 'google.x',
      })),
    ).toMatchObject([
      { role: 'assistant' },
      {
        role: 'tool',
        content: [{ output: { type: 'error-text', value: 'No.\n[file "dot.png", image/png]' } }],
      },
      { role: 'user', content: after('[file "dot.png", image/png]', data(dot)) },
    ])
  })
})

describe('version 3 of the specification', () => {
  const sentV3 = async (messages: readonly Message[]): Promise<unknown> => {
    const model = languageModel(ok)
    await ask(asVersion3({ ...model, provider: 'google.x', supportedUrls: anyUrl }), messages)
    return model.calls[0]?.prompt
  }

  test('has files of the user without a tag', async () => {
    expect(await sentV3([{ role: 'system', content: 'S.' }, ...fromUser([dot, dotAtUrl])])).toEqual([
      { role: 'system', content: 'S.' },
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', filename: 'dot.png', data: png },
          { type: 'file', mediaType: 'image/png', data: new URL('https://example.com/dot.png') },
        ],
      },
    ])
  })

  test('has other names for the files of a result', async () => {
    expect(await sentV3(withFilesEverywhere.slice(2, 4))).toMatchObject([
      {
        content: [
          {
            output: {
              type: 'content',
              value: [
                { type: 'text', text: '{"ok":true}' },
                { type: 'image-data', data: png, mediaType: 'image/png' },
                { type: 'file-data', data: pdf, mediaType: 'application/pdf', filename: 'paper.pdf' },
              ],
            },
          },
          { output: { type: 'text', value: 'Words.' } },
        ],
      },
    ])
  })

  test('makes files without a tag', async () => {
    const bytes = Uint8Array.from([1, 2, 3])
    const content = [
      { type: 'file', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'image/png', data: bytes },
    ] as unknown as LanguageModelV4Content[]
    const reply = await ask(asVersion3(languageModel({ content })), fromUser('Draw.'))
    expect(reply.files).toEqual([
      { type: 'file', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
    ])
  })
})

describe('a URL', () => {
  const refusal = (file: FilePart, supportedUrls: LanguageModelV4['supportedUrls']) =>
    ask({ ...languageModel(ok), supportedUrls }, fromUser([file]))

  test.each<[string, LanguageModelV4['supportedUrls']]>([
    ['of a model without any', {}],
    ['of another type', { 'application/pdf': [/^https:/] }],
    ['of another place', { 'image/*': [/^https:\/\/files\./] }],
  ])('%s is refused before the call', async (_, urls) => {
    await expect(refusal(dotAtUrl, urls)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'FILE_NOT_ACCEPTED',
      message: 'Model "fake-1" does not take a file of the type image/png by URL.',
    })
  })

  test.each<[string, LanguageModelV4['supportedUrls']]>([
    ['any type', { '*': [/^https:/g] }],
    ['a kind of types', Promise.resolve({ 'image/*': [/\.gif$/, /\.png$/] })],
    ['its type', { 'Image/PNG': [/example/] }],
  ])('is sent where the model lists it for %s', async (_, urls) => {
    expect((await refusal(dotAtUrl, urls)).text).toBe('Ok.')
  })
})

test('a reference is refused before the call', async () => {
  const model = languageModel(ok)
  await expect(
    ask(model, fromUser([{ type: 'file', mediaType: 'image/png', ref: 'abc' }])),
  ).rejects.toMatchObject({
    code: 'FILE_NOT_ACCEPTED',
  })
  expect(model.calls).toEqual([])
})

test.each([
  ['media type: video/mp4', 'FILE_NOT_ACCEPTED'],
  ['PDF file parts with URLs', 'FILE_NOT_ACCEPTED'],
  ['tool choice type: none', 'INVALID_REQUEST'],
])('a provider that has no %s fails with %s', async (functionality, code) => {
  const error = new UnsupportedFunctionalityError({ functionality })
  await expect(ask(languageModel({ error }), fromUser([dot]))).rejects.toMatchObject({
    name: 'TerminalError',
    code,
  })
})

interface FakeAnswer {
  readonly reply: ModelReply
  readonly sent: unknown
}

const signed = (signature: string) => ({ providerMetadata: { fake: { signature } } })
const options = (signature: string) => ({ providerOptions: { fake: { signature } } })

/** The message of a reply as the library keeps it: each file has a name. */
function messageOf(
  { text, files = [], providerData }: ModelReply,
  names: readonly string[] = [],
): AssistantMessage {
  const named = files.map((file, index) => ({ ...file, name: names[index] ?? `made-${index}.png` }))
  const parts = text === '' ? named : [{ type: 'text' as const, text }, ...named]
  return {
    role: 'assistant',
    content: parts,
    provider: 'fake.chat',
    ...(providerData === undefined ? {} : { providerData }),
  }
}

describe.each([false, true])('a reply with files, streamed: %s', (isStreaming) => {
  const content: LanguageModelV4Content[] = [
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
    { type: 'text', text: 'Here: ', ...signed('a') },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png }, ...signed('b') },
    { type: 'text', text: 'and there.' },
    { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: Uint8Array.from([1, 2, 3]) } },
  ]

  test('has them as files', async () => {
    expect(await ask(languageModel({ content }), fromUser('Draw.'), isStreaming)).toMatchObject({
      text: 'Here: and there.',
      files: [
        { type: 'file', mediaType: 'image/png', data: png },
        { type: 'file', mediaType: 'image/gif', data: 'AQID' },
      ],
    })
  })

  test('goes back to its provider with each file in its place', async () => {
    const reply = await ask(languageModel({ content }), fromUser('Draw.'), isStreaming)
    expect(JSON.stringify(reply.providerData)).not.toContain(png)
    expect(await sent([...fromUser('Draw.'), messageOf(reply)])).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Here: ', ...options('a') },
          { ...data(dot), filename: 'made-0.png', ...options('b') },
          { type: 'text', text: 'and there.' },
          { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: 'AQID' } },
        ],
      },
    ])
  })

  test('of files alone goes back without the lines that stand for them', async () => {
    const reply = await ask(languageModel({ content: content.slice(2, 3) }), fromUser('Draw.'), isStreaming)
    const message = messageOf({ ...reply, text: '[file "made-0.png", image/png]' })
    expect(await sent([message])).toEqual([
      { role: 'assistant', content: [{ ...data(dot), filename: 'made-0.png', ...options('b') }] },
    ])
  })

  test('a file by URL is one', async () => {
    const url = new URL('https://example.com/dot.png')
    const made: LanguageModelV4Content[] = [
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
    ]
    const reply = await ask(languageModel({ content: made }), fromUser('Draw.'), isStreaming)
    expect(reply.files).toEqual([dotAtUrl])
  })
})

describe.each([false, true])('an image of a tool of the provider, streamed: %s', (isStreaming) => {
  const paint = { type: 'provider', id: 'openai.image_generation', args: { outputFormat: 'webp' } } as const
  const part = { toolCallId: 'c1', toolName: 'paint' }
  const painted = async (
    result: NonNullable<JSONValue>,
    provider = 'openai.responses',
  ): Promise<FakeAnswer> => {
    const content: LanguageModelV4Content[] = [
      { type: 'tool-call', ...part, input: '{}', providerExecuted: true },
      { type: 'tool-result', ...part, result },
      { type: 'text', text: 'Painted.' },
    ]
    const fake = languageModel({ content }, ok)
    const { signal } = new AbortController()
    const model = aiSdk({ ...fake, provider }, { providerTools: { paint } })
    const callOptions = {
      signal,
      idempotencyKey: 'key',
      ...(isStreaming ? { onDelta: () => undefined } : {}),
    }
    const request = { messages: fromUser('Paint.'), tools: [], toolChoice: 'auto' } as const
    const reply = await model.generate(request, callOptions)
    await model.generate({ ...request, messages: [messageOf(reply, ['a.webp'])] }, callOptions)
    return { reply, sent: fake.calls[1]?.prompt }
  }

  test('is a file, which is not in the data of the provider', async () => {
    const { reply, sent: back } = await painted({ result: png })
    expect(reply.files).toEqual([{ type: 'file', mediaType: 'image/webp', data: png }])
    expect(JSON.stringify(reply.providerData)).not.toContain(png)
    expect(back).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolName: 'paint' },
          { type: 'tool-result', toolName: 'paint', output: { type: 'json', value: {} } },
          { type: 'text', text: expect.stringContaining('Painted.') },
        ],
      },
      { role: 'user', content: [{ type: 'text' }, { type: 'file', data: { type: 'data', data: png } }] },
    ])
  })

  test('that failed leaves its result as it is', async () => {
    const { reply, sent: back } = await painted({ result: '' })
    expect(reply).not.toHaveProperty('files')
    expect(back).toMatchObject([{ content: [{}, { output: { type: 'json', value: { result: '' } } }, {}] }])
  })
})

test('an answer of another provider has its files in a message of the user', async () => {
  expect(await sent([{ role: 'assistant', content: [{ type: 'text', text: 'Mine.' }, dot] }])).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Mine.\n[file "dot.png", image/png]' }] },
    {
      role: 'user',
      content: [{ type: 'text', text: '[file "dot.png", image/png] of your message:' }, data(dot)],
    },
  ])
})

test('a file that a hook has added to an answer follows it', async () => {
  const content: LanguageModelV4Content[] = [{ type: 'text', text: 'Hm.', ...signed('a') }]
  const reply = await ask(languageModel({ content }), fromUser('Draw.'))
  const message = messageOf({ ...reply, files: [dot] }, ['dot.png'])
  expect(await sent([message])).toMatchObject([
    { role: 'assistant', content: [{ type: 'text', text: 'Hm.\n[file "dot.png", image/png]' }] },
    { role: 'user' },
  ])
})

test('a model says which types it accepts', () => {
  expect(aiSdk(languageModel(), { accepts: ['image/*'] }).accepts).toEqual(['image/*'])
  expect(aiSdk(languageModel())).not.toHaveProperty('accepts')
})
