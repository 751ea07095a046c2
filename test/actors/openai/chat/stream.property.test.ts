/** A stream is the same reply in pieces: however it is cut, and whichever server's habits it has. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openai } from '../../../../src/actors/openai/openai.ts'
import { readCompletion } from '../../../../src/actors/openai/chat/completion.ts'
import { withOrigin } from '../../../../src/actors/openai/shared/origin.ts'
import { collectChunks } from '../../../../src/actors/openai/chat/chat.ts'
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

interface Call {
  readonly id: string
  readonly name: string
  readonly args: string
}
interface Reply {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly Call[]
  readonly images: readonly object[]
  readonly annotations: readonly object[]
  readonly finish: string
  readonly usage: object | undefined
}
type Delta = Readonly<Record<string, unknown>>

const context = { modelId: 'm', redact: (text: string) => text }
const callOf = (args: fc.Arbitrary<string>) =>
  fc.record({ id: fc.string({ maxLength: 3 }), name: fc.constantFrom('search', 'fetch', 'ping'), args })
const images = fc.array(
  fc.record({
    type: fc.constantFrom('image_url', 'text'),
    image_url: fc.record({
      url: fc.constantFrom(
        'data:image/png;base64,AAAA',
        'data:image/png;base64,AA',
        'https://a.test/b.webp',
        '',
      ),
    }),
  }),
  { maxLength: 3 },
)
const annotations = fc.array(
  fc.record({
    type: fc.constantFrom('url_citation', 'file_citation', 'other'),
    url_citation: fc.record({ url: pages, title: text }),
    filename: text,
  }),
  { maxLength: 3 },
)
const replyOf = (calls: fc.Arbitrary<readonly Call[]>) =>
  fc.record({
    text,
    reasoning: text,
    calls,
    images,
    annotations,
    finish: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter'),
    usage: fc.option(fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat() }), { nil: undefined }),
  })
/** The fragments of one call, in the manner of one kind of server. */
type Dialect = (call: Call, index: number, pieces: readonly string[]) => readonly object[]

const fragment = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: string,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), arguments: args },
})
const first = <T>(i: number, value: T) => (i === 0 ? value : undefined)

const protocol: Dialect = ({ id, name }, index, pieces) =>
  pieces.map((args, i) => fragment(index, first(i, id), first(i, name), args))
const freshIds: Dialect = ({ id, name }, index, pieces) =>
  pieces.map((args, i) => fragment(index, i === 0 ? id : `${id}-${i}`, first(i, name), args))
const repeating: Dialect = ({ id, name }, index, pieces) =>
  pieces.map((args) => fragment(index, id, name, args))
const wholeAtIndex0: Dialect = ({ id, name, args }) => [fragment(0, id, name, args)]
const wholeNoIndex: Dialect = ({ id, name, args }) => [fragment(undefined, id, name, args)]
const noIndex: Dialect = ({ id, name }, _, pieces) =>
  pieces.map((args, i) => fragment(undefined, first(i, id), first(i, name), args))

const anyCalls = fc.array(callOf(fc.oneof(objectText, text)), { maxLength: 4 })
const namedCalls = anyCalls.map((calls) => calls.map((call) => ({ ...call, id: `${call.id}!` })))
const jsonCalls = fc.array(callOf(objectText), { maxLength: 4 })
const uniqueIds = fc
  .uniqueArray(callOf(objectText), { maxLength: 4, selector: ({ id }) => id })
  .map((calls) => calls.map((call, i) => ({ ...call, id: `${call.id}${i}` })))

interface Cuts {
  readonly cuts: readonly number[]
  readonly picks: readonly number[]
  readonly isInterleaved: boolean
}
const cutsOf = (isInterleaved: boolean) =>
  fc.record({
    cuts: cutter,
    picks: picker,
    isInterleaved: fc.constant(isInterleaved),
  })

function toChunks(reply: Reply, dialect: Dialect, { cuts, picks, isInterleaved }: Cuts): object[] {
  const calls = reply.calls.map((call, i) =>
    dialect(call, i, cut(call.args, cuts)).map((piece): Delta => ({ tool_calls: [piece] })),
  )
  const sequences: Delta[][] = [
    cut(reply.text, cuts).map((content) => ({ content })),
    cut(reply.reasoning, cuts).map((reasoning_content) => ({ reasoning_content })),
    ...(isInterleaved ? calls : [calls.flat()]),
    reply.images.map((image) => ({ images: [image] })),
    reply.annotations.map((annotation) => ({ annotations: [annotation] })),
  ]
  const chunk = (delta: Delta, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...weave(sequences, picks).map((delta) => chunk(delta, null)),
    chunk({}, reply.finish),
    ...(reply.usage === undefined ? [] : [{ choices: [], usage: reply.usage }]),
  ]
}

function toCompletion(reply: Reply): object {
  const message = {
    role: 'assistant',
    content: reply.text === '' ? null : reply.text,
    reasoning_content: reply.reasoning,
    images: reply.images,
    annotations: reply.annotations,
    tool_calls: reply.calls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  }
  return { choices: [{ index: 0, message, finish_reason: reply.finish }], usage: reply.usage }
}

test.each<[name: string, dialect: Dialect, calls: fc.Arbitrary<readonly Call[]>, isInterleaved: boolean]>([
  ['the protocol', protocol, anyCalls, true],
  ['a new id with every fragment', freshIds, namedCalls, true],
  ['id and name with every fragment', repeating, jsonCalls, true],
  ['whole calls at index 0', wholeAtIndex0, jsonCalls, false],
  ['whole calls without index', wholeNoIndex, jsonCalls, false],
  ['fragments without index', noIndex, uniqueIds, false],
])('%s: the stream is the completion', async (_, dialect, calls, isInterleaved) => {
  await fc.assert(
    fc.asyncProperty(replyOf(calls), cutsOf(isInterleaved), async (reply, cuts) => {
      const told = { text: '', reasoning: '' }
      const calls = new Map<number, string>()
      const streamed = await collectChunks(
        each(toChunks(reply, dialect, cuts)),
        (delta) => {
          if (delta.type !== 'tool-args') {
            told[delta.type] += delta.text
            return
          }
          expect(delta.name).toBe(reply.calls[delta.index]?.name)
          calls.set(delta.index, (calls.get(delta.index) ?? '') + delta.text)
        },
        context,
      )
      expect(streamed).toEqual(readCompletion(toCompletion(reply), context))
      expect(told).toEqual({ text: reply.text, reasoning: reply.reasoning })
      expect(reply.calls.map((_, index) => calls.get(index) ?? '')).toEqual(
        reply.calls.map(({ args }) => args),
      )
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
  const model = openai('m', { baseURL: server.url })
  await fc.assert(
    fc.asyncProperty(replyOf(jsonCalls), cutsOf(true), cutter, async (reply, cuts, packetEnds) => {
      const chunks = toChunks(reply, protocol, cuts)
      server.answer = packets([...chunks, '[DONE]'], packetEnds)
      const streamed = await askStreaming(model)
      const origin = { api: 'chat', model: 'm', server: new URL(server.url).host } as const
      expect(streamed.reply).toEqual(withOrigin(readCompletion(toCompletion(reply), context), origin))
      expect(streamed.deltas.filter((delta) => delta.text === '')).toEqual([])
    }),
    { numRuns: 30 },
  )
})
