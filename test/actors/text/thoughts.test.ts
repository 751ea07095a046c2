/** Thoughts in the text of a reply are its reasoning: on each wire, streamed or not. Behaviour 90. */
import fc from 'fast-check'
import { aiSdk } from 'troupe/ai-sdk'
import { createAgent, createTool, openai, type ChatModel } from 'troupe'
import { createOpenAI } from '@ai-sdk/openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import {
  partedReply,
  ThoughtReader,
  withoutThoughts,
  type ReadPart,
} from '../../../src/actors/text/thoughts.ts'
import { ask, askStreaming } from '../../support/agents/model-calls.ts'
import { event, json, startFaultServer, stream, type FaultServer } from '../../support/fault-server.ts'
import { named } from '../../support/wires.ts'

test.each([
  ['<think>\nHm.\n</think>\n\nOslo', 'Hm.', 'Oslo'],
  ['\n <think>Hm.</think> Oslo ', 'Hm.', 'Oslo '],
  ['<think>a</think><think> b </think>c', 'a\n\nb', 'c'],
  ['<think></think>\nOslo', '', 'Oslo'],
  ['[THINK]Hm.[/THINK]Oslo', 'Hm.', 'Oslo'],
  ['<thought>Hm. </think></thought>Oslo', 'Hm. </think>', 'Oslo'],
  ['◁think▷Hm.◁/think▷Oslo', 'Hm.', 'Oslo'],
  ['<seed:think>Hm.</seed:think>Oslo', 'Hm.', 'Oslo'],
  ['<|begin_of_thought|>Hm.<|end_of_thought|>Oslo', 'Hm.', 'Oslo'],
  ['<think>It was cut', 'It was cut', ''],
  ['Hm.\nOslo?\n</think>\n\nOslo', 'Hm.\nOslo?', 'Oslo'],
])('the thoughts of %j', (text, thoughts, answer) => {
  expect(partedReply(text)).toMatchObject({ thoughts, answer })
})

test.each([
  'Oslo',
  '  Oslo',
  ' ',
  '<',
  '<thin air>',
  'The tag <think> begins thoughts, </think> ends them.',
  'The tag `</think>` ends them.',
  'Write:\n```\nHm.\n</think>\n```\n',
  'Write <think>\n</think>\nand more.',
  '<thinking>It is the form that was asked for.</thinking> Oslo',
])('a text that only speaks of such a tag is left whole: %j', (text) => {
  expect(partedReply(text)).toEqual({ thoughts: '', answer: text })
})

test.each([
  ['<reasoning>a</reasoning>{"b":1}', 'a', '{"b":1}'],
  ['So: <think>a</think> x <thinking>b</thinking> y', 'ab', 'So:  x  y'],
  ['a</think>b</think>c', 'ab', 'c'],
  ['<think>a</thinking>b', 'a</thinking>b', ''],
])('where a value is looked for, thoughts stand anywhere: %j', (text, thoughts, answer) => {
  expect(withoutThoughts(text)).toEqual({ thoughts, answer })
})

const piece = fc.oneof(
  fc.constantFrom(
    '<think>',
    '</think>',
    '<thi',
    'nk>',
    '</',
    '[THINK]',
    '[/THINK]',
    ' ',
    '\n',
    '<',
    'a',
    'b c',
  ),
  fc.string({ maxLength: 3 }),
)

test('the parts are the same in whatever pieces a text comes', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(4)), (pieces, sizes) => {
      const text = pieces.join('')
      const whole = new ThoughtReader()
      const expected = [...whole.add(text), ...whole.end()]
      const reader = new ThoughtReader()
      const parts: ReadPart[] = []
      let at = 0
      for (const size of sizes) {
        parts.push(...reader.add(text.slice(at, at + size)))
        at += size
      }
      parts.push(...reader.add(text.slice(at)), ...reader.end())
      for (const type of ['text', 'reasoning']) {
        const joined = (list: typeof parts) =>
          list.map((part) => (part.type === type ? part.text : '')).join('')
        expect(joined(parts)).toBe(joined(expected))
      }
      expect(parts.every((part) => part.text !== '')).toBe(true)
    }),
    { numRuns: 500 },
  )
})

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

const said = '<think>\nA city in Norway.\n</think>\n\nOslo'
const pieces = ['<th', 'ink>\nA city', ' in Norway.\n</thi', 'nk>', '\n\nOs', 'lo']
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ id: 'x', choices: [{ index: 0, delta, finish_reason }] })
const item = { type: 'message', id: 'm', role: 'assistant', status: 'completed' }
const part = { type: 'output_text', annotations: [], text: said }
const response = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed' }

const chatWire = () => {
  server.answer = (answer, request) => {
    const isStreaming = JSON.stringify(server.requests.at(-1)).includes('"stream":true')
    const message = { role: 'assistant', content: said }
    const whole = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const streamed = [...pieces.map((content) => chunk({ content })), chunk({}, 'stop'), event('[DONE]')]
    return (isStreaming ? stream(streamed) : json(200, whole))(answer, request)
  }
}

const responsesWire = () => {
  server.answer = (answer, request) => {
    const isStreaming = JSON.stringify(server.requests.at(-1)).includes('"stream":true')
    const whole = { ...response, output: [{ ...item, content: [part] }] }
    const streamed = [
      named({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } }),
      ...pieces.map((delta) =>
        named({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta }),
      ),
      named({ type: 'response.output_item.done', output_index: 0, item: { ...item, content: [part] } }),
      named({ type: 'response.completed', response: whole }),
    ]
    return (isStreaming ? stream(streamed) : json(200, whole))(answer, request)
  }
}

const settings = () => ({ baseURL: server.url, apiKey: 'sk-test' })
const wires: Readonly<Record<string, readonly [answer: () => void, model: () => ChatModel]>> = {
  'Chat Completions': [chatWire, () => openai('m', settings())],
  Responses: [responsesWire, () => openai('m', { ...settings(), api: 'responses' })],
  'the AI SDK, Chat Completions': [chatWire, () => aiSdk(createOpenAI(settings()).chat('m'))],
}

test.each(Object.entries(wires))(
  '%s: thoughts are reasoning, and no delta of text shows them',
  async (_, wire) => {
    const [answer, model] = wire
    answer()
    const parted = { text: 'Oslo', reasoning: 'A city in Norway.' }
    expect(await ask(model())).toMatchObject(parted)
    const { reply, deltas } = await askStreaming(model())
    expect(reply).toMatchObject(parted)
    for (const [type, text] of [
      ['text', parted.text],
      ['reasoning', parted.reasoning],
    ] as const) {
      expect(deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')).toBe(text)
    }
  },
)

test('a reply with thoughts and calls goes back as the model wrote it, and its answer without them', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
  server.answer = (answer, request) => {
    const body = server.requests.at(-1)?.body as { messages: readonly { role: string }[] }
    const hasLooked = body.messages.some(({ role }) => role === 'tool')
    const message = { role: 'assistant', content: said, ...(hasLooked ? {} : { tool_calls: [call] }) }
    const finish_reason = hasLooked ? 'stop' : 'tool_calls'
    return json(200, { id: 'x', choices: [{ index: 0, message, finish_reason }] })(answer, request)
  }
  const look = createTool({ id: 'look', description: 'Looks.', inputSchema: z.object({}), execute: () => 1 })
  const agent = createAgent({ id: 'a', model: openai('m', settings()), tools: { look } })
  const result = await agent.generate('Where?')
  expect(result).toMatchObject({ outcome: 'completed', text: 'Oslo' })
  expect(server.requests.at(-1)?.body).toMatchObject({
    messages: [{ role: 'user' }, { content: said, tool_calls: [{ id: 'a' }] }, { role: 'tool' }],
  })
})
