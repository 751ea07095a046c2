/** A stream is the same response in pieces: however it is cut, and whichever of its wholes a server leaves out. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openai } from '../../../../src/actors/openai/openai.ts'
import { readResponse, collectEvents } from '../../../../src/actors/openai/responses/responses.ts'
import { startFaultServer, type FaultServer } from '../../../support/fault-server.ts'
import { askStreaming } from '../../../support/agents/model-calls.ts'
import {
  cut,
  cutter,
  each,
  objectText,
  packets,
  pages,
  picker,
  text,
  weave,
} from '../../../support/stream-pieces.ts'

type Item =
  | { readonly type: 'text'; readonly said: string; readonly annotations: readonly object[] }
  | { readonly type: 'refusal'; readonly said: string }
  | { readonly type: 'reasoning'; readonly parts: readonly string[] }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly args: string }

interface Reply {
  readonly items: readonly Item[]
  /** Under which name the server tells its reasoning. */
  readonly reasoning: 'summary' | 'content'
  readonly ending: { readonly status: string; readonly incomplete_details?: { readonly reason: string } }
  readonly usage: object | undefined
}

/** What a server sends of a response; one of them at least. */
interface Habits {
  readonly pieces: boolean
  readonly items: boolean
  readonly output: boolean
}

const context = { modelId: 'm', redact: (text: string) => text }
const annotations = fc.array(
  fc.record({
    type: fc.constantFrom('url_citation', 'file_citation', 'file_path'),
    url: pages,
    title: text,
    filename: text,
  }),
  { maxLength: 3 },
)
const item: fc.Arbitrary<Item> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('text'), said: text, annotations }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('refusal'), said: text }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('reasoning'), parts: fc.array(text, { maxLength: 3 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('call'),
      id: fc.string({ maxLength: 3 }),
      name: fc.constantFrom('search', 'fetch', 'ping', ''),
      args: fc.oneof(objectText, text),
    }),
  },
)
const replies: fc.Arbitrary<Reply> = fc.record({
  items: fc.array(item, { maxLength: 6 }),
  reasoning: fc.constantFrom('summary', 'content'),
  ending: fc.constantFrom(
    { status: 'completed' },
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
  ),
  usage: fc.option(fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }), { nil: undefined }),
})
const habits: fc.Arbitrary<Habits> = fc
  .record({ pieces: fc.boolean(), items: fc.boolean(), output: fc.boolean() })
  .filter((sent) => sent.pieces || sent.items || sent.output)

function toItem(one: Item, reasoning: Reply['reasoning']): object {
  switch (one.type) {
    case 'text':
      return {
        type: 'message',
        content: [{ type: 'output_text', text: one.said, annotations: one.annotations }],
      }
    case 'refusal':
      return { type: 'message', content: [{ type: 'refusal', refusal: one.said }] }
    case 'reasoning':
      return { type: 'reasoning', summary: [], [reasoning]: one.parts.map((part) => ({ text: part })) }
    case 'call':
      return { type: 'function_call', call_id: one.id, name: one.name, arguments: one.args }
  }
}

function toResponse({ items, reasoning, ending, usage }: Reply): object {
  return { ...ending, output: items.map((one) => toItem(one, reasoning)), usage }
}

/** The delta events of an item. */
function toDeltas(one: Item, output_index: number, cuts: readonly number[], reasoning: Reply['reasoning']) {
  const deltas = (kind: string, whole: string, place: object = {}) =>
    cut(whole, cuts).map((delta) => ({ type: `response.${kind}.delta`, output_index, delta, ...place }))
  switch (one.type) {
    case 'text':
      return [
        ...deltas('output_text', one.said, { content_index: 0 }),
        ...one.annotations.map((annotation, annotation_index) => ({
          type: 'response.output_text.annotation.added',
          output_index,
          content_index: 0,
          annotation_index,
          annotation,
        })),
      ]
    case 'refusal':
      return deltas('refusal', one.said, { content_index: 0 })
    case 'reasoning':
      return one.parts.flatMap((part, i) =>
        reasoning === 'summary'
          ? deltas('reasoning_summary_text', part, { summary_index: i })
          : deltas('reasoning_text', part, { content_index: i }),
      )
    case 'call':
      return deltas('function_call_arguments', one.args)
  }
}

/** Text, reasoning and each call come in their order, woven with one another. */
function toEvents(reply: Reply, sent: Habits, cuts: readonly number[], picks: readonly number[]): object[] {
  const lines = new Map<string, object[]>()
  reply.items.forEach((one, output_index) => {
    const whole = toItem(one, reply.reasoning)
    const begun = { ...whole, content: [], summary: [], arguments: '' }
    const key = one.type === 'call' ? `call ${output_index}` : one.type === 'reasoning' ? 'reasoning' : 'text'
    const line = lines.get(key) ?? []
    line.push({ type: 'response.output_item.added', output_index, item: begun })
    if (sent.pieces) line.push(...toDeltas(one, output_index, cuts, reply.reasoning))
    if (sent.items) line.push({ type: 'response.output_item.done', output_index, item: whole })
    lines.set(key, line)
  })
  const response = { ...toResponse(reply), ...(sent.output ? {} : { output: [] }) }
  return [
    { type: 'response.created', response: { status: 'in_progress', output: [] } },
    ...weave([...lines.values()], picks),
    { type: `response.${reply.ending.status}`, response },
  ]
}

test('the stream is the response, and where it comes in pieces they are what is told', async () => {
  await fc.assert(
    fc.asyncProperty(replies, habits, cutter, picker, async (reply, sent, cuts, picks) => {
      const told = { text: '', reasoning: '' }
      const calls = new Map<number, string>()
      const streamed = await collectEvents(
        each(toEvents(reply, sent, cuts, picks)),
        (delta) => {
          if (delta.type === 'tool-args') calls.set(delta.index, (calls.get(delta.index) ?? '') + delta.text)
          else told[delta.type] += delta.text
        },
        context,
      )
      expect(streamed).toEqual(readResponse(toResponse(reply), context))
      // Calls whose arguments are empty are not told, nor are those without a name.
      const named = reply.items.flatMap((one) =>
        one.type === 'call' && one.name !== '' && one.args !== '' ? [one.args] : [],
      )
      expect([...calls.values()].toSorted()).toEqual(sent.pieces ? named.toSorted() : [])
      const said = reply.items.map((one) => ('said' in one ? one.said : '')).join('')
      expect(told).toEqual(
        sent.pieces ? { text: said, reasoning: streamed.reasoning ?? '' } : { text: '', reasoning: '' },
      )
    }),
    { numRuns: 600 },
  )
})

test('a stream that stops before its last event is never a reply', async () => {
  await fc.assert(
    fc.asyncProperty(replies, habits, fc.nat(), async (reply, sent, stop) => {
      const events = toEvents(reply, sent, [], [0])
      const part = events.slice(0, stop % events.length)
      await expect(collectEvents(each(part), () => undefined, context)).rejects.toMatchObject({
        name: 'RetryableError',
        code: 'MODEL_STREAM_INCOMPLETE',
      })
    }),
    { numRuns: 150 },
  )
})

let server: FaultServer
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

test('over HTTP, wherever the packets are cut', async () => {
  const model = openai('m', { baseURL: server.url, api: 'responses' })
  const all = { pieces: true, items: true, output: true }
  await fc.assert(
    fc.asyncProperty(replies, cutter, picker, cutter, async (reply, cuts, picks, packetEnds) => {
      server.answer = packets(toEvents(reply, all, cuts, picks), packetEnds)
      const streamed = await askStreaming(model)
      expect(streamed.reply).toEqual(readResponse(toResponse(reply), context))
      expect(streamed.deltas.filter((delta) => delta.text === '')).toEqual([])
    }),
    { numRuns: 30 },
  )
})
