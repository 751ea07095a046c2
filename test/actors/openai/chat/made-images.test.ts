/** Images that a model makes, as gateways of Chat Completions send them. */
import { createAgent, createTroupe, openai, type FilePart } from 'troupe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { event, json, startFaultServer, stream, type FaultServer } from '../../../support/fault-server.ts'
import { ask, askStreaming } from '../../../support/agents/model-calls.ts'
import { png } from '../../../support/small-files.ts'

let server: FaultServer
beforeEach(async () => {
  server = await startFaultServer()
})
afterEach(() => server.close())

const model = () => openai('gateway/painter', { baseURL: server.url })
const imageAt = (url: unknown) => ({ type: 'image_url', image_url: { url } })
const bytes = `data:image/png;base64,${png}`
const dot: FilePart = { type: 'file', mediaType: 'image/png', data: png }

const whole = (message: object) => json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] })
const delta = (piece: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: piece, finish_reason }] })

/** The reply of a message, whole or in one piece of a stream. */
async function replied(message: object, isStreaming: boolean) {
  server.answer = isStreaming
    ? stream([delta(message), delta({}, 'stop'), event('[DONE]')])
    : whole({ role: 'assistant', ...message })
  return isStreaming ? (await askStreaming(model())).reply : ask(model())
}

describe.each([false, true])('streamed: %s', (isStreaming) => {
  test('the images of a message are the files of the reply', async () => {
    const images = [imageAt(bytes), imageAt('data:image/webp;base64,UklGRg==')]
    expect(await replied({ content: 'Here.', images }, isStreaming)).toMatchObject({
      text: 'Here.',
      files: [dot, { type: 'file', mediaType: 'image/webp', data: 'UklGRg==' }],
    })
  })

  test('an image without a word', async () => {
    const reply = await replied({ content: null, images: [imageAt(bytes)] }, isStreaming)
    expect(reply).toMatchObject({ text: '', files: [dot], finishReason: 'stop' })
  })

  test('images among the parts of the content', async () => {
    const content = [{ type: 'text', text: 'Here.' }, imageAt(bytes)]
    expect(await replied({ content }, isStreaming)).toMatchObject({ text: 'Here.', files: [dot] })
  })

  test.each([
    ['https://example.com/a/dot.JPG?size=1', 'image/jpeg'],
    ['https://example.com/dot.webp', 'image/webp'],
    ['http://example.com/dot', 'image/png'],
  ])('an image by its URL: %s', async (url, mediaType) => {
    const { files } = await replied({ images: [imageAt(url)] }, isStreaming)
    expect(files).toEqual([{ type: 'file', mediaType, url }])
  })

  test.each<[string, unknown]>([
    ['no list', bytes],
    ['a part without a URL', [{ type: 'image_url' }, null, imageAt(3), imageAt('')]],
    ['a part of another type', [{ ...imageAt(bytes), type: 'video_url' }]],
    ['bytes that are no image', [imageAt(`data:text/html;base64,${png}`)]],
    [
      'bytes that are not base64',
      [imageAt('data:image/png;base64,%%%%'), imageAt('data:image/svg+xml,<svg/>')],
    ],
    ['no bytes', [imageAt('data:image/png;base64,')]],
    ['a URL of another protocol', [imageAt('file:///etc/hosts'), imageAt('nowhere')]],
  ])('an image that cannot be read is none: %s', async (_, images) => {
    const reply = await replied({ content: 'Here.', images }, isStreaming)
    expect(reply.text).toBe('Here.')
    expect(reply).not.toHaveProperty('files')
  })
})

test('a stream may send images one by one, and again at its end', async () => {
  const second = 'data:image/png;base64,iVBORw=='
  server.answer = stream([
    delta({ content: 'Two: ' }),
    delta({ images: [imageAt(bytes)] }),
    delta({ images: [imageAt(second)] }),
    delta({ content: 'here.', images: [imageAt(bytes), imageAt(second)] }, 'stop'),
    event('[DONE]'),
  ])
  const { reply } = await askStreaming(model())
  expect(reply).toMatchObject({ text: 'Two: here.', files: [dot, { ...dot, data: 'iVBORw==' }] })
})

test('they are the files of a run, and the model sees them with the next message', async () => {
  server.answer = whole({ content: 'A dot.', images: [imageAt(bytes)] })
  const painter = createAgent({ id: 'painter', instructions: '', model: model(), memory: true })
  const troupe = createTroupe({ agents: [painter] })
  const thread = { threadId: 'drawing', resourceId: 'ada' }
  const { files } = await (await troupe.start(painter, 'Draw.', { ...thread, stream: false })).result
  expect(files).toMatchObject([{ mediaType: 'image/png', ref: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  await (
    await troupe.start(painter, 'Larger.', { ...thread, stream: false })
  ).result
  await troupe.close()
  expect(server.requests[1]?.body).toMatchObject({
    messages: [
      { role: 'user', content: 'Draw.' },
      { role: 'assistant', content: expect.stringContaining('A dot.') },
      { role: 'user', content: [{ type: 'text' }, imageAt(bytes)] },
      { role: 'user', content: 'Larger.' },
    ],
  })
})
