/** Files in prompts: the model is given their bytes, and the journal a reference. */
import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  createAgent,
  createTroupe,
  file,
  memoryStore,
  type Prompt,
  type Store,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { filesIn, bytes, chart, data, holdsBytes, prompt, ref } from './pictures.ts'
import { allEvents, only, shown, worker } from '../../support/agents/agents.ts'

describe('a file in a prompt', () => {
  test('the model is given the bytes where they stand, and the journal holds their reference alone', async () => {
    const { agent, model } = worker('eye', ['A line that rises.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, [
      { role: 'user', content: [{ type: 'text', text: 'Before' }, chart, { type: 'text', text: 'after' }] },
    ])
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'A line that rises.' })
    expect(shown(model, 1).at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Before' },
        { type: 'file', mediaType: 'image/png', name: 'chart.png', data },
        { type: 'text', text: 'after' },
      ],
    })
    const journal = await troupe.journal(run.id)
    expect(journal[0]).toMatchObject({
      task: 'Before\n[file "chart.png", image/png]\nafter',
      content: [{ text: 'Before' }, { type: 'file', name: 'chart.png', ref }, { text: 'after' }],
    })
    expect(holdsBytes(journal)).toBe(false)
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
  })

  test('a file without a name is named by its type and content, and a file of a URL by its address', async () => {
    const { agent, model } = worker('eye', ['Seen.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(
      agent,
      prompt('See', file(bytes, 'image/png'), file(new URL('https://example.com/a/cat.jpg'), 'image/jpeg')),
    )
    await run.result
    expect(filesIn(shown(model, 1).at(-1)?.content)).toEqual([
      { type: 'file', mediaType: 'image/png', name: `image-${ref.slice(0, 8)}.png`, data },
      { type: 'file', mediaType: 'image/jpeg', name: 'cat.jpg', url: 'https://example.com/a/cat.jpg' },
    ])
  })

  test('a prompt of a file alone is no empty prompt', async () => {
    const { agent, model } = worker('eye', ['Seen.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, [{ role: 'user', content: [chart] }])
    const [start] = only(await allEvents(run), 'run-start')
    expect(start?.payload.task).toBe('[file "chart.png", image/png]')
    expect(shown(model, 1).at(-1)?.content).toHaveLength(1)
  })

  test('a file that was put before is given by its reference', async () => {
    const { agent, model } = worker('eye', ['Seen.'])
    const troupe = createTroupe({ agents: [agent] })
    expect(await troupe.blobs.put(bytes)).toBe(ref)
    const run = await troupe.start(agent, prompt('See', { type: 'file', mediaType: 'image/png', ref }))
    await run.result
    expect(filesIn(shown(model, 1).at(-1)?.content)).toMatchObject([{ data }])
  })

  test('files in the history come along', async () => {
    const { agent, model } = worker('eye', ['Yes.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, [
      ...prompt('See', chart),
      { role: 'assistant', content: 'I see.' },
      { role: 'user', content: 'Does it rise?' },
    ])
    await run.result
    expect(shown(model, 1).map(({ content }) => filesIn(content).length)).toEqual([0, 1, 0, 0])
    expect(holdsBytes(await troupe.journal(run.id))).toBe(false)
  })

  test('an agent alone takes files too', async () => {
    const { agent, model } = worker('eye', ['Seen.'])
    expect(await agent.generate(prompt('See', chart))).toMatchObject({ text: 'Seen.' })
    expect(filesIn(shown(model, 1).at(-1)?.content)).toMatchObject([{ data }])
  })
})

describe('is refused before the call', () => {
  test('a file that the model does not accept', async () => {
    const model = scriptedModel([], { modelId: 'eye', accepts: ['image/jpeg', 'audio/*'] })
    const agent = createAgent({ id: 'eye', instructions: 'See.', model })
    const run = await createTroupe({ agents: [agent] }).start(agent, prompt('See', chart))
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'FILE_NOT_ACCEPTED',
        message:
          'The model "scripted/eye" was not given [file "chart.png", image/png]: it accepts image/jpeg, audio/*.',
      },
    })
    expect(model.calls).toHaveLength(0)
  })

  test('a reference to a file that is not there', async () => {
    const { agent, model } = worker('eye', [])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, prompt('See', { type: 'file', mediaType: 'image/png', ref }))
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'FILE_NOT_FOUND' } })
    expect(model.calls).toHaveLength(0)
  })

  test('a file with bytes where the store has no blobs; a URL needs none', async () => {
    const { agent, model } = worker('eye', ['Seen.'])
    const { blobs: _none, ...store }: Store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const message = 'Files need a store with blobs: memoryStore(), sqliteStore() and postgresStore() have it.'
    const refusal = { name: 'ConfigurationError', code: 'STORE_LACKS_PORT', message }
    await expect(troupe.start(agent, prompt('See', chart))).rejects.toMatchObject(refusal)
    await expect(troupe.blobs.put(bytes)).rejects.toMatchObject(refusal)
    const retention = { blobs: { age: 1 } }
    expect(() => createTroupe({ agents: [agent], store, retention })).toThrow(
      expect.objectContaining({
        code: 'STORE_LACKS_PORT',
        message: expect.stringContaining('retention.blobs needs a store with blobs.release'),
      }),
    )
    expect((await troupe.runs()).items).toEqual([])
    const run = await troupe.start(
      agent,
      prompt('See', file(new URL('https://example.com/a.png'), 'image/png')),
    )
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(model.calls).toHaveLength(1)
    await expect(troupe.blobs.get(ref)).rejects.toThrow(ConfigurationError)
  })

  test.each<[unknown, string]>([
    [
      [{ type: 'file', mediaType: 'png', data }],
      'content[0].mediaType must be a media type such as image/png',
    ],
    [[{ type: 'file', mediaType: 'image/png' }], 'content[0] must have one of data, url and ref'],
    [[{ type: 'file', mediaType: 'image/png', data, ref }], 'content[0] must have one of data, url and ref'],
    [
      [{ type: 'file', mediaType: 'image/png', data: 'no base64!' }],
      'content[0].data must be bytes as base64.',
    ],
    [[{ type: 'file', mediaType: 'image/png', url: 'file:///etc/passwd' }], 'content[0].url must be a URL'],
    [[{ type: 'file', mediaType: 'image/png', ref: 'abc' }], 'content[0].ref must be a SHA-256'],
    [[{ type: 'image', url: 'x' }], "content[0].type must be 'text' or 'file'"],
    [[{ type: 'text', txt: 'x' }], 'content[0]: there is no field "txt"; did you mean "text"?'],
    [['See'], 'content[0] must be a part'],
    [[], 'content must be a text, or a list of parts'],
    [[{ type: 'text', text: ' ' }], "The last message of a prompt must be the user's, and not empty."],
  ])('%j', async (content, problem) => {
    const { agent } = worker('eye', [])
    const troupe = createTroupe({ agents: [agent] })
    const asked = troupe.start(agent, [{ role: 'user', content }] as Prompt)
    await expect(asked).rejects.toThrow(ConfigurationError)
    await expect(asked).rejects.toThrow(problem)
  })
})

describe('file()', () => {
  test('takes bytes of an ArrayBuffer, and of a part of one', () => {
    const whole = Uint8Array.of(9, ...bytes, 9)
    expect(file(whole.subarray(1, -1), 'image/png')).toMatchObject({ data })
    expect(file(bytes.slice().buffer, 'image/png')).toMatchObject({ data })
    expect(file(new Uint8Array(0), 'text/plain')).toMatchObject({ data: '' })
  })

  test.each<[() => unknown, string]>([
    [
      () => file('abc' as never, 'image/png'),
      'file: expected a Uint8Array, an ArrayBuffer or a URL, not "abc"',
    ],
    [() => file(bytes, 'image/*'), 'file: mediaType must be a media type such as image/png, not "image/*"'],
    [() => file(bytes, 'image/png', { nmae: 'x' } as never), 'nmae'],
    [
      () => file(new URL('file:///etc/passwd'), 'text/plain'),
      'file: the URL must begin with https: or http:',
    ],
  ])('%s', (make, problem) => {
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(problem)
  })
})
