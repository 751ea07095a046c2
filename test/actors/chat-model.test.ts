/**
 * A provider of one's own: any object of the shape `ChatModel` drives an agent. This one speaks a protocol that is
 * nobody's: it adds up what its tool gives it, and answers word by word where the caller listens.
 */
import {
  createAgent,
  createTool,
  createTroupe,
  RetryableError,
  type ChatModel,
  type ModelCallOptions,
  type ModelReply,
  type ModelRequest,
} from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../support/agents/agents.ts'

const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedInputTokens: 2, reasoningTokens: 1 }

/** A class, so that `generate` is no own property and needs its `this`. */
class Abacus implements ChatModel {
  readonly provider = 'abacus'
  readonly modelId = 'abacus-1'
  readonly calls: { readonly request: ModelRequest; readonly isStreaming: boolean }[] = []
  readonly #failures: Error[]

  constructor(...failures: Error[]) {
    this.#failures = failures
  }

  async generate(request: ModelRequest, { onDelta }: ModelCallOptions): Promise<ModelReply> {
    this.calls.push({ request, isStreaming: onDelta !== undefined })
    const failure = this.#failures.shift()
    if (failure !== undefined) throw failure
    const prices = request.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))
    if (prices.length === 0) {
      const toolCalls = ['tea', 'cake'].map((item) => ({ id: `ask-${item}`, name: 'price', args: { item } }))
      return { text: '', toolCalls, finishReason: 'tool-calls', usage }
    }
    const sum = prices.reduce((total, price) => total + Number(price), 0)
    const words = ['Together: ', String(sum)]
    onDelta?.({ type: 'reasoning', text: 'Adding.' })
    for (const text of words) onDelta?.({ type: 'text', text })
    return { text: words.join(''), reasoning: 'Adding.', toolCalls: [], finishReason: 'stop', usage }
  }
}

const price = createTool({
  id: 'price',
  description: 'What an item costs',
  inputSchema: z.object({ item: z.enum(['tea', 'cake']) }),
  execute: ({ item }) => (item === 'tea' ? 3 : 4),
})

function clerk(model: ChatModel) {
  return createAgent({ id: 'clerk', instructions: 'Add up.', model, tools: { price } })
}

test('a model of one’s own runs an agent with tools', async () => {
  const model = new Abacus()
  const result = await clerk(model).generate('Tea and cake?')
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Together: 7',
    steps: [
      { finishReason: 'tool-calls', toolResults: [{ value: 3 }, { value: 4 }] },
      { finishReason: 'stop', text: 'Together: 7' },
    ],
    usage: {
      inputTokens: 14,
      outputTokens: 6,
      totalTokens: 20,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    },
  })
  expect(model.calls.map(({ isStreaming }) => isStreaming)).toEqual([false, false])
  expect(model.calls[0]?.request).toMatchObject({
    messages: [
      { role: 'system', content: 'Add up.' },
      { role: 'user', content: 'Tea and cake?' },
    ],
    tools: [{ name: 'price', description: 'What an item costs', parameters: { type: 'object' } }],
    toolChoice: 'auto',
  })
  expect(model.calls[1]?.request.messages.slice(2)).toMatchObject([
    {
      role: 'assistant',
      toolCalls: [
        { name: 'price', args: { item: 'tea' } },
        { name: 'price', args: { item: 'cake' } },
      ],
    },
    { role: 'tool', toolName: 'price', content: '3' },
    { role: 'tool', toolName: 'price', content: '4' },
  ])
})

test('and streams where the run does', async () => {
  const model = new Abacus()
  const agent = clerk(model)
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Tea and cake?')
  const events = await allEvents(run)
  expect(model.calls.map(({ isStreaming }) => isStreaming)).toEqual([true, true])
  const told = only(events, 'text-delta').map((event) => event.payload.text)
  expect(told.join('')).toBe('Together: 7')
  expect(only(events, 'reasoning-delta').map((event) => event.payload.text)).toEqual(['Adding.'])
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Together: 7' })
})

test('its RetryableError is tried again, anything else that it throws ends the run', async () => {
  const busy = new Abacus(new RetryableError('Beads stuck', { retryAfterMs: 0 }))
  expect(await clerk(busy).generate('Tea and cake?')).toMatchObject({ outcome: 'completed' })
  expect(busy.calls).toHaveLength(3)

  const broken = new Abacus(new Error('Beads lost'))
  expect(await clerk(broken).generate('Tea and cake?')).toMatchObject({
    outcome: 'failed',
    error: { message: 'Beads lost' },
  })
  expect(broken.calls).toHaveLength(1)
})
