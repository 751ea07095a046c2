/** A run with an image in its prompt and one in the result of a tool: each API is sent both, in its own form. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createAgent, createTool, file, openai, type ChatModel } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chatWire } from '../../support/contract/chat-wire.ts'
import { atServer, type ContractWire } from '../../support/contract/contract-server.ts'
import { googleWire } from '../../support/contract/google-wire.ts'
import { messagesWire } from '../../support/contract/messages-wire.ts'
import { responsesWire } from '../../support/contract/responses-wire.ts'
import { dot, png } from '../../support/small-files.ts'

const apiKey = 'sk-test'
const drawn = Buffer.from('drawn by a tool')
const drawing = drawn.toString('base64')

const draw = createTool({
  id: 'draw',
  description: 'Draws.',
  inputSchema: z.object({}),
  execute: () => ({ plot: file(drawn, 'image/png', { name: 'plot.png' }) }),
})

interface Sent {
  readonly wire: ContractWire
  readonly model: (url: string) => ChatModel
  /** The place of the image of the prompt, and of the one of the tool, in the second request. */
  readonly prompted: object
  readonly returned: object
}

const dataUrl = (data: string) => `data:image/png;base64,${data}`
const chatImage = (data: string) => ({ type: 'image_url', image_url: { url: dataUrl(data) } })
const responsesImage = (data: string) => ({ type: 'input_image', image_url: dataUrl(data) })
const block = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
const inline = (data: string) => ({ inlineData: { mimeType: 'image/png', data } })
const holding = (part: object) => expect.arrayContaining([expect.objectContaining(part)])

const chat = {
  wire: chatWire,
  prompted: { messages: holding({ role: 'user', content: holding(chatImage(png)) }) },
  returned: { messages: holding({ role: 'user', content: holding(chatImage(drawing)) }) },
}
const responses = {
  wire: responsesWire,
  prompted: { input: holding({ role: 'user', content: holding(responsesImage(png)) }) },
  returned: { input: holding({ type: 'function_call_output', output: holding(responsesImage(drawing)) }) },
}

const apis: Readonly<Record<string, Sent>> = {
  'openai(), Chat Completions': { ...chat, model: (url) => openai('gpt-x', { baseURL: url, apiKey }) },
  'openai(), Responses': {
    ...responses,
    model: (url) => openai('gpt-5.4', { baseURL: url, apiKey, api: 'responses' }),
  },
  'aiSdk(), @ai-sdk/openai, Chat Completions': {
    ...chat,
    model: (url) => aiSdk(createOpenAI({ baseURL: url, apiKey }).chat('gpt-x')),
  },
  'aiSdk(), @ai-sdk/openai, Responses': {
    ...responses,
    model: (url) => aiSdk(createOpenAI({ baseURL: url, apiKey })('gpt-5.4')),
  },
  'aiSdk(), @ai-sdk/anthropic': {
    wire: messagesWire,
    model: (url) => aiSdk(createAnthropic({ baseURL: url, apiKey })('claude-sonnet-4-5')),
    prompted: { messages: holding({ role: 'user', content: holding(block(png)) }) },
    returned: {
      messages: holding({
        role: 'user',
        content: holding({ type: 'tool_result', content: holding(block(drawing)) }),
      }),
    },
  },
  'aiSdk(), @ai-sdk/google': {
    wire: googleWire,
    model: (url) => aiSdk(createGoogle({ baseURL: url, apiKey })('gemini-3-pro-preview')),
    prompted: { contents: holding({ role: 'user', parts: holding(inline(png)) }) },
    returned: {
      contents: holding({
        role: 'user',
        parts: holding({ functionResponse: expect.objectContaining({ parts: holding(inline(drawing)) }) }),
      }),
    },
  },
}

describe.each(Object.entries(apis))('%s', (_, { wire, model: modelAt, prompted, returned }) => {
  test.each([false, true])('streamed: %s', async (stream) => {
    const replies = [{ toolCalls: [{ id: 'call_1', name: 'draw', args: {} }] }, { text: 'A dot and a plot.' }]
    const { model, requests, close } = await atServer(replies, wire, modelAt)
    const agent = createAgent({ id: 'artist', instructions: 'Draw.', model, tools: { draw } })
    const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Continue this.' }, dot] }] as const
    const { outcome, text, steps } = stream ? await agent.stream(prompt).result : await agent.generate(prompt)
    await close?.()
    expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'A dot and a plot.' })
    expect(steps[0]?.toolResults[0]).toMatchObject({ value: { plot: { type: 'file', name: 'plot.png' } } })
    expect(requests).toHaveLength(2)
    expect(requests[0]?.body).toEqual(expect.objectContaining(prompted))
    expect(requests[1]?.body).toEqual(expect.objectContaining({ ...prompted }))
    expect(requests[1]?.body).toEqual(expect.objectContaining({ ...returned }))
    const sent = JSON.stringify(requests[1]?.body)
    expect(sent.split(png)).toHaveLength(2)
    expect(sent.split(drawing)).toHaveLength(2)
  })
})

test('a file that an API cannot carry ends the run before the call', async () => {
  const { model, requests, close } = await atServer([], chatWire, (url) =>
    openai('gpt-x', { baseURL: url, apiKey }),
  )
  const agent = createAgent({ id: 'artist', instructions: 'Watch.', model })
  const film = file(Buffer.from('film'), 'video/mp4', { name: 'film.mp4' })
  const result = await agent.generate([{ role: 'user', content: [film] }])
  await close?.()
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'FILE_NOT_ACCEPTED' } })
  expect(requests).toEqual([])
})

test('an image that the model has made is a file of the answer, and goes back to it', async () => {
  const made = { mediaType: 'image/png', data: drawing }
  const { model, requests, close } = await atServer(
    [
      { text: 'I draw.', files: [made], toolCalls: [{ id: 'call_1', name: 'draw', args: {} }] },
      { text: 'Done.', files: [{ ...made, data: png }] },
    ],
    googleWire,
    (url) => aiSdk(createGoogle({ baseURL: url, apiKey })('gemini-3-pro-image-preview')),
  )
  const agent = createAgent({ id: 'artist', instructions: 'Draw.', model, tools: { draw } })
  const result = await agent.generate('Draw a dot.')
  await close?.()
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    files: [{ type: 'file', mediaType: 'image/png', data: png }],
  })
  expect(requests[1]?.body).toMatchObject({
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ text: 'I draw.' }, inline(drawing), { functionCall: { name: 'draw' } }] },
      { role: 'user' },
    ],
  })
})
