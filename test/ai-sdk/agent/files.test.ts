/** Files through an agent that is a language model: in its prompt, and in its answer. */
import type { LanguageModelV4FilePart, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { generateText, streamText } from 'ai'
import { createAgent, createTroupe, file, type ChatModel, type Message, type ModelReply } from 'troupe'
import { toLanguageModel } from 'troupe/ai-sdk'
import { describe, expect, test } from 'vitest'
import { pdf, png } from '../../support/small-files.ts'

/** A model that answers with these files, and keeps the messages that it was given. */
function artist(files?: ModelReply['files']) {
  const seen: Message[] = []
  const model: ChatModel = {
    provider: 'mine',
    modelId: 'artist',
    generate: async ({ messages }) => {
      seen.push(...messages)
      return {
        text: 'Drawn.',
        ...(files === undefined ? {} : { files }),
        toolCalls: [],
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      }
    },
  }
  return { agent: createAgent({ id: 'artist', instructions: 'Draw.', model }), seen }
}

const dot = file(Buffer.from(png, 'base64'), 'image/png')

async function read(...parts: readonly (LanguageModelV4FilePart | { type: 'text'; text: string })[]) {
  const { agent, seen } = artist()
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [...parts] }]
  await toLanguageModel(agent).doGenerate({ prompt })
  return seen.find(({ role }) => role === 'user')?.content
}

const given = (mediaType: string, data: string | Uint8Array): LanguageModelV4FilePart => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data },
})

describe('a prompt', () => {
  test('of generateText may have images and documents', async () => {
    const { agent, seen } = artist()
    await generateText({
      model: toLanguageModel(agent),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See.' },
            { type: 'file', data: Buffer.from(png, 'base64'), mediaType: 'image/png' },
            {
              type: 'file',
              data: Buffer.from(pdf, 'base64'),
              mediaType: 'application/pdf',
              filename: 'a.pdf',
            },
          ],
        },
      ],
    })
    expect(seen.find(({ role }) => role === 'user')?.content).toMatchObject([
      { type: 'text', text: 'See.' },
      { type: 'file', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'application/pdf', name: 'a.pdf', data: pdf },
    ])
  })

  test('may have a URL and a text document', async () => {
    expect(
      await read(
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'url', url: new URL('https://example.com/dot.png') },
        },
        { type: 'file', mediaType: 'text', filename: ' ', data: { type: 'text', text: 'Hi.' } },
        { type: 'file', mediaType: 'text/csv', data: { type: 'text', text: 'a,b' } },
      ),
    ).toMatchObject([
      { type: 'file', mediaType: 'image/png', url: 'https://example.com/dot.png' },
      { type: 'file', mediaType: 'text/plain', data: Buffer.from('Hi.').toString('base64') },
      { type: 'file', mediaType: 'text/csv', data: Buffer.from('a,b').toString('base64') },
    ])
  })

  test.each([
    ['image', png, 'image/png'],
    ['image/*', '/9j/4AAQ', 'image/jpeg'],
    ['image', 'R0lGODlh', 'image/gif'],
    ['image', 'UklGRiQAAABXRUJQ', 'image/webp'],
    ['application', pdf, 'application/pdf'],
    ['audio', 'SUQzBAAA', 'audio/mpeg'],
  ])('may state half of a type: %s of %s is %s', async (stated, base64, mediaType) => {
    expect(await read(given(stated, base64))).toMatchObject([{ mediaType }])
    expect(await read(given(stated, Buffer.from(base64, 'base64')))).toMatchObject([{ mediaType }])
  })

  test.each<[string, LanguageModelV4FilePart, string]>([
    ['of an unknown type', given('image', 'AAAA'), 'of the type "image", which is not complete'],
    ['of another kind', given('audio', png), 'of the type "audio", which is not complete'],
    [
      'by reference',
      { type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { openai: 'file-1' } } },
      'by a reference of a provider',
    ],
    [
      'by a URL of another protocol',
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('gs://b/dot.png') } },
      'by a URL of gs:',
    ],
  ])('with a file %s is refused', async (_, part, words) => {
    await expect(read(part)).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'FILE_NOT_ACCEPTED',
      message: expect.stringContaining(words),
    })
  })

  test('of texts alone stays a text', async () => {
    expect(await read({ type: 'text', text: 'One.' }, { type: 'text', text: 'Two.' })).toBe('One.\nTwo.')
  })
})

describe('an answer', () => {
  const url = new URL('https://example.com/dot.png')

  test('of generateText has the files', async () => {
    const { agent } = artist([dot])
    const troupe = createTroupe({ agents: [agent] })
    const { text, files } = await generateText({ model: toLanguageModel(agent, { troupe }), prompt: 'Draw.' })
    await troupe.close()
    expect(text).toBe('Drawn.')
    expect(files.map(({ mediaType, base64 }) => ({ mediaType, base64 }))).toEqual([
      { mediaType: 'image/png', base64: png },
    ])
  })

  test('of streamText has the files after the text', async () => {
    const { agent } = artist([dot])
    const troupe = createTroupe({ agents: [agent] })
    const result = streamText({ model: toLanguageModel(agent, { troupe }), prompt: 'Draw.' })
    const types: string[] = []
    for await (const { type } of result.stream) types.push(type)
    await troupe.close()
    expect(types.filter((type) => ['text-end', 'file', 'finish'].includes(type))).toEqual([
      'text-end',
      'file',
      'finish',
    ])
    expect((await result.files).map(({ base64 }) => base64)).toEqual([png])
  })

  test('has a file by URL as one', async () => {
    const { agent } = artist([{ type: 'file', mediaType: 'image/png', url: url.href }])
    const { content } = await toLanguageModel(agent).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Draw.' }] }],
    })
    expect(content).toContainEqual({ type: 'file', mediaType: 'image/png', data: { type: 'url', url } })
  })

  test('of an agent without a troupe has its bytes too', async () => {
    const { agent } = artist([dot])
    const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Draw.' }] }]
    const { content } = await toLanguageModel(agent).doGenerate({ prompt })
    expect(content).toContainEqual({
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'data', data: png },
    })
  })
})
