/** Behaviour 60: what a reply cites is on record with its step, and in the event that ends its message. */
import type { LanguageModelV4Source, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, streamText } from 'ai'
import {
  createAgent,
  createSupervisor,
  createTroupe,
  memoryStore,
  openai,
  type ChatModel,
  type OutputProcessor,
  type RunEvent,
  type Source,
} from 'troupe'
import { aiSdk, toLanguageModel } from 'troupe/ai-sdk'
import { scriptedModel } from 'troupe/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allEvents, calls, only, to } from '../../support/agents/agents.ts'
import { event, json, startFaultServer, stream, type FaultServer } from '../../support/fault-server.ts'
import { languageModel } from '../../support/providers/language-model.ts'
import { named } from '../../support/wires.ts'

const tides: Source = { type: 'url', url: 'https://example.com/tides', title: 'Tides' }
const moon: Source = { type: 'url', url: 'http://example.com/moon' }
const almanac: Source = { type: 'document', title: 'almanac.pdf' }

let server: FaultServer
beforeEach(async () => {
  server = await startFaultServer()
})
afterEach(() => server.close())

const solo = (model: ChatModel) => createAgent({ id: 'solo', instructions: '', model })

/** The sources of the only step, and those of the message. */
async function cited(model: ChatModel, isStreaming: boolean) {
  const agent = solo(model)
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, 'Why tides?', { stream: isStreaming })
  const events = await allEvents(run)
  const result = await run.result
  const replayed = await troupe.replay(run.id)
  expect(replayed.result).toEqual(result)
  expect(sourcesOf(replayed.events)).toEqual(sourcesOf(events))
  await troupe.close()
  expect(result).toMatchObject({ outcome: 'completed', text: 'The moon does it.' })
  return { ofStep: result.steps[0]?.sources, ofMessage: sourcesOf(events), step: result.steps[0] }
}

function sourcesOf(events: readonly RunEvent[]): readonly (readonly Source[] | undefined)[] {
  return only(events, 'text-end').map(({ payload }) => payload.sources)
}

const annotations = [
  { type: 'url_citation', url: 'https://example.com/tides', title: 'Tides', start_index: 0, end_index: 3 },
  { type: 'file_citation', file_id: 'file-1', filename: 'almanac.pdf', index: 9 },
  { type: 'file_path', file_id: 'file-2', index: 9 },
]
const said = (cites: readonly object[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'The moon does it.', annotations: cites }],
})
const response = (output: readonly object[]) => ({
  object: 'response',
  status: 'completed',
  error: null,
  output,
})
const completed = (output: readonly object[]) =>
  named({ type: 'response.completed', response: response(output) })

describe.each([false, true])('streamed: %s', (isStreaming) => {
  test('Chat Completions', async () => {
    const annotation = (url: string, title?: string) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index: 0, end_index: 3 },
    })
    const first = [annotation('https://example.com/tides', 'Tides')]
    const more = [
      annotation('https://example.com/tides', 'Again'),
      annotation('javascript:alert(1)', 'No page'),
      annotation('http://example.com/moon', ''),
      { type: 'file', file: { name: 'sealed.pdf' } },
      null,
    ]
    const delta = (piece: object, finish_reason: string | null = null) =>
      event({ choices: [{ index: 0, delta: piece, finish_reason }] })
    const message = { role: 'assistant', content: 'The moon does it.', annotations: [...first, ...more] }
    server.answer = isStreaming
      ? stream([
          delta({ content: 'The moon ', annotations: first }),
          delta({ content: 'does it.' }),
          delta({ annotations: more }, 'stop'),
          event('[DONE]'),
        ])
      : json(200, { choices: [{ index: 0, message, finish_reason: 'stop' }] })
    const { ofStep, ofMessage } = await cited(openai('gpt-x', { baseURL: server.url }), isStreaming)
    expect(ofStep).toEqual([tides, moon])
    expect(ofMessage).toEqual([[tides, moon]])
  })

  test('the Responses API', async () => {
    server.answer = isStreaming
      ? stream([completed([said(annotations)])])
      : json(200, response([said(annotations)]))
    const model = openai('gpt-x', { baseURL: server.url, api: 'responses' })
    const { ofStep, ofMessage } = await cited(model, isStreaming)
    expect(ofStep).toEqual([tides, almanac])
    expect(ofMessage).toEqual([[tides, almanac]])
  })

  test('a model of the AI SDK', async () => {
    const source = (id: string, more: object): LanguageModelV4Source =>
      ({ type: 'source', id, ...more }) as LanguageModelV4Source
    const model = languageModel({
      content: [
        source('1', { sourceType: 'url', url: 'https://example.com/tides', title: 'Tides' }),
        source('2', { sourceType: 'url', url: 'file:///etc/hosts' }),
        source('3', {
          sourceType: 'document',
          title: '',
          filename: 'almanac.pdf',
          mediaType: 'application/pdf',
        }),
        { type: 'text', text: 'The moon does it.' },
        source('4', { sourceType: 'url', url: 'https://example.com/tides', title: 'Tides' }),
      ],
    })
    const { ofStep, ofMessage } = await cited(aiSdk(model), isStreaming)
    expect(ofStep).toEqual([tides, { ...almanac, mediaType: 'application/pdf' }])
    expect(ofMessage).toEqual([ofStep])
  })

  test('a reply without any has no such field', async () => {
    const { step, ofMessage } = await cited(scriptedModel(['The moon does it.']), isStreaming)
    expect(step).not.toHaveProperty('sources')
    expect(ofMessage).toEqual([undefined])
  })
})

test('the Responses API of a server whose last event has no output', async () => {
  server.answer = stream([
    named({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta: 'The moon does it.',
    }),
    ...annotations.map((annotation, annotation_index) =>
      named({
        type: 'response.output_text.annotation.added',
        output_index: 0,
        annotation_index,
        annotation,
      }),
    ),
    completed([]),
  ])
  const model = openai('gpt-x', { baseURL: server.url, api: 'responses' })
  expect((await cited(model, true)).ofStep).toEqual([tides, almanac])
})

test('the sources of a subagent stand in its own messages, and not in those of its supervisor', async () => {
  const helper = createAgent({
    id: 'helper',
    description: 'Knows.',
    instructions: '',
    model: scriptedModel([{ text: 'It pulls.', sources: [tides] }]),
  })
  const model = scriptedModel([calls(to('helper', 'Why?')), { text: 'The moon.', sources: [moon] }])
  const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { helper } })
  const run = lead.stream('Why tides?')
  const ends = only(await allEvents(run), 'text-end')
  expect(ends.map(({ agent, payload }) => [agent, payload.sources])).toEqual([
    ['helper', [tides]],
    ['lead', [moon]],
  ])
  expect((await run.result).steps.map(({ sources }) => sources)).toEqual([undefined, [moon]])
  expect(JSON.stringify(model.calls)).not.toContain('example.com')
})

test('a refused reply cites nothing', async () => {
  const refuses: OutputProcessor = { id: 'refuses', processOutput: ({ abort }) => abort('No.') }
  const agent = createAgent({
    id: 'solo',
    instructions: '',
    model: scriptedModel([{ text: 'The moon.', sources: [tides] }]),
    outputProcessors: [refuses],
  })
  const result = await agent.generate('Why tides?')
  expect(result.outcome).toBe('tripped')
  expect(JSON.stringify(result)).not.toContain('example.com')
})

test.each<[string, unknown]>([
  ['an address that is not of the web', [{ type: 'url', url: 'javascript:alert(1)' }]],
  ['a document without a title', [{ type: 'document' }]],
  ['no list', 'https://example.com'],
])('a model of the user is held to the form: %s', async (_, sources) => {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const reply = { text: 'The moon.', toolCalls: [], finishReason: 'stop', usage, sources } as const
  const model = {
    provider: 'own',
    modelId: 'own',
    generate: () => Promise.resolve(reply),
  } as unknown as ChatModel
  expect(await solo(model).generate('Why?')).toMatchObject({
    outcome: 'failed',
    error: { code: 'MODEL_REPLY_INVALID' },
  })
})

describe('an agent as a model of the AI SDK passes them on', () => {
  const agent = () => solo(scriptedModel([{ text: 'The moon does it.', sources: [tides, almanac] }]))

  test('to generateText', async () => {
    const { sources } = await generateText({ model: toLanguageModel(agent()), prompt: 'Why tides?' })
    expect(sources).toMatchObject([
      { sourceType: 'url', url: 'https://example.com/tides', title: 'Tides' },
      { sourceType: 'document', title: 'almanac.pdf', mediaType: 'application/octet-stream' },
    ])
  })

  test('to streamText, after their message', async () => {
    const result = streamText({ model: toLanguageModel(agent()), prompt: 'Why tides?' })
    const types: string[] = []
    for await (const { type } of result.stream) types.push(type)
    expect(types.filter((type) => ['text-end', 'source', 'finish'].includes(type))).toEqual([
      'text-end',
      'source',
      'source',
      'finish',
    ])
    expect(new Set((await result.sources).map(({ id }) => id)).size).toBe(2)
  })

  test('and reads them back from there', async () => {
    const { stream: parts } = await toLanguageModel(agent()).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Why tides?' }] }],
    })
    const given: LanguageModelV4StreamPart[] = []
    for await (const part of parts) given.push(part)
    const run = solo(aiSdk(languageModel({ parts: given }))).stream('Why tides?')
    expect((await run.result).steps[0]?.sources).toEqual([
      tides,
      { ...almanac, mediaType: 'application/octet-stream' },
    ])
  })
})
