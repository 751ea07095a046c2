/** Cases about a single reply: its text, reasoning, calls, end and usage. */
import type { ModelDelta, ModelReply } from '../../actors/chat-model.ts'
import type { ToolCall } from '../../actors/message.ts'
import { ask, eitherWay, question, type Asked, type Plan } from './asking.ts'
import { expectEqual, expectThat } from './check.ts'
import { picture } from './files.ts'
import type { ContractReply, ContractUsage, ModelFeature } from './subject.ts'

const tides = { id: 'call_1', name: 'look', args: { topic: 'tides' } }
const moons = {
  id: 'call_2',
  name: 'look',
  args: { topic: 'moons', near: [1, 2.5, null, { deep: 'ä"\\\n' }] },
}
const almanac = { url: 'https://example.com/almanac', title: 'The almanac' }
const words = 'The moon pulls — at the "sea":\n1. near 🌊, 2. far.'

function expectReply({ reply, deltas }: Asked, isStreaming: boolean): void {
  expectEqual(JSON.parse(JSON.stringify(reply)), reply, 'a reply, which is JSON,')
  const told = (type: 'text' | 'reasoning') =>
    deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')
  expectEqual(told('text'), isStreaming ? reply.text : '', 'the text of all deltas')
  expectEqual(told('reasoning'), isStreaming ? (reply.reasoning ?? '') : '', 'the reasoning of all deltas')
  for (const [index, call] of reply.toolCalls.entries()) expectCallDeltas(deltas, index, call)
  expectThat(
    deltas.every(({ text }) => text !== ''),
    'no delta to be empty',
  )
}

/** A model need not stream the arguments of its calls; those that it streams are those of the reply. */
function expectCallDeltas(
  deltas: readonly ModelDelta[],
  index: number,
  { name, args, malformed }: ToolCall,
): void {
  const own = deltas.filter((delta) => delta.type === 'tool-args' && delta.index === index)
  if (own.length === 0) return
  expectThat(
    own.every((delta) => delta.type === 'tool-args' && delta.name === name),
    'the deltas of a call to have its name',
  )
  const text = own.map((delta) => delta.text).join('')
  const told: unknown = malformed === undefined ? JSON.parse(text) : text
  expectEqual(told, malformed ?? args, 'the arguments of all deltas of a call')
}

function replied(
  name: string,
  said: ContractReply,
  check: (reply: ModelReply) => void,
  needs: readonly ModelFeature[] = [],
): readonly Plan[] {
  return eitherWay({
    name,
    needs,
    replies: [said],
    async check(model, isStreaming) {
      const asked = await ask(model, question, isStreaming)
      expectReply(asked, isStreaming)
      check(asked.reply)
    },
  })
}

function reports(
  name: string,
  more: Partial<ContractUsage>,
  needs: readonly ModelFeature[],
): readonly Plan[] {
  const usage = { inputTokens: 20, outputTokens: 9, ...more }
  return replied(
    `reports ${name}`,
    { text: words, usage },
    (reply) => {
      const { cost: _cost, ...counts } = reply.usage
      expectEqual(counts, { ...usage, totalTokens: 29 }, 'the usage')
    },
    needs,
  )
}

export const replyPlans: readonly Plan[] = [
  {
    name: 'has a provider and a model id',
    replies: [],
    async check({ provider, modelId }) {
      for (const [name, value] of Object.entries({ provider, modelId })) {
        expectThat(typeof value === 'string' && value !== '', `${name} to be a text that is not empty`, value)
      }
    },
  },
  ...replied('answers with a text', { text: words }, (reply) => {
    expectEqual(reply.text, words, 'the text')
    expectEqual(reply.toolCalls, [], 'the calls')
    expectEqual(reply.finishReason, 'stop', 'the finish reason')
  }),
  ...replied('calls tools, in order', { toolCalls: [tides, moons] }, (reply) => {
    expectEqual(
      reply.toolCalls.map(({ name, args, malformed }) => ({ name, args, malformed })),
      [tides, moons].map(({ name, args }) => ({ name, args })),
      'the calls',
    )
    expectThat(new Set(reply.toolCalls.map(({ id }) => id)).size === 2, 'the ids of the calls to differ')
    expectEqual(reply.finishReason, 'tool-calls', 'the finish reason')
  }),
  ...replied('calls a tool beside its text', { text: words, toolCalls: [tides] }, (reply) => {
    expectEqual(reply.text, words, 'the text')
    expectEqual(reply.toolCalls[0]?.args, tides.args, 'the arguments')
  }),
  ...replied('calls a tool without arguments', { toolCalls: [{ ...tides, args: {} }] }, (reply) => {
    expectEqual(reply.toolCalls[0]?.args, {}, 'the arguments')
    expectThat(reply.toolCalls[0]?.malformed === undefined, 'empty arguments not to be malformed')
  }),
  ...replied(
    'keeps arguments that are no JSON as their text',
    { toolCalls: [{ ...tides, malformed: '{"topic": tid' }] },
    (reply) => {
      expectEqual(reply.toolCalls[0]?.args, null, 'the arguments')
      expectEqual(reply.toolCalls[0]?.malformed, '{"topic": tid', 'the text of the arguments')
    },
    ['malformed'],
  ),
  ...replied(
    'tells reasoning and text apart',
    { reasoning: 'Gravity, then.', text: words },
    (reply) => {
      expectEqual(reply.reasoning, 'Gravity, then.', 'the reasoning')
      expectEqual(reply.text, words, 'the text')
    },
    ['reasoning'],
  ),
  ...replied(
    'gives the files that it has made',
    { text: words, files: [picture] },
    (reply) => {
      const made = reply.files?.map((file) => ({
        mediaType: file.mediaType,
        data: 'data' in file ? file.data : undefined,
      }))
      expectEqual(made, [picture], 'the files')
      expectEqual(reply.text, words, 'the text')
    },
    ['made-files'],
  ),
  ...replied(
    'gives the sources that it cites',
    { text: words, sources: [almanac] },
    (reply) => {
      expectEqual(reply.sources, [{ type: 'url', ...almanac }], 'the sources')
      expectEqual(reply.text, words, 'the text')
    },
    ['sources'],
  ),
  ...replied(
    'says that a reply was cut off at its cap',
    { text: 'The moo', ends: 'length' },
    (reply) => expectEqual(reply.finishReason, 'length', 'the finish reason'),
    ['length'],
  ),
  ...replied(
    'says that a reply was filtered',
    { text: 'The', ends: 'content-filter' },
    (reply) => expectEqual(reply.finishReason, 'content-filter', 'the finish reason'),
    ['content-filter'],
  ),
  ...reports('its tokens', {}, []),
  ...reports('tokens read from a cache', { cachedInputTokens: 5 }, ['cached']),
  ...reports('tokens written to a cache', { cacheWriteTokens: 4 }, ['cache-write']),
  ...reports('tokens of reasoning', { reasoningTokens: 6 }, ['reasoning-tokens']),
]
