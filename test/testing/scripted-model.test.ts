import { expect, test } from 'vitest'
import { createAgent, RetryableError, type ModelRequest, textOf } from 'troupe'
import { scriptedModel } from 'troupe/testing'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  toolChoice: 'auto',
}
const options = () => ({ signal: new AbortController().signal, idempotencyKey: 'key' })

test('it answers step by step, and records what it was asked', async () => {
  const model = scriptedModel([
    'Hi',
    { toolCalls: [{ name: 'search', args: { q: 'x' } }], usage: { inputTokens: 1 } },
    ({ messages }) => `You said ${textOf(messages[0]?.content ?? '')}`,
  ])
  expect(await model.generate(request, options())).toEqual({
    text: 'Hi',
    toolCalls: [],
    finishReason: 'stop',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  })
  expect(await model.generate(request, options())).toEqual({
    text: '',
    toolCalls: [{ id: 'scripted-2-1', name: 'search', args: { q: 'x' } }],
    finishReason: 'tool-calls',
    usage: { inputTokens: 1, outputTokens: 5, totalTokens: 6 },
  })
  expect((await model.generate(request, options())).text).toBe('You said Hello')
  expect(model.calls.map((call) => [call.request, call.idempotencyKey])).toEqual([
    [request, 'key'],
    [request, 'key'],
    [request, 'key'],
  ])
  model.assertConsumed()
})

test('a call beyond the script says how many steps there were and what was asked', async () => {
  const model = scriptedModel(['Hi'], { modelId: 'short' })
  await model.generate(request, options())
  await expect(model.generate(request, options())).rejects.toMatchObject({
    code: 'UNSCRIPTED_CALL',
    message:
      'The scripted model "short" has 1 step and was asked once more. The last message was {"role":"user","content":"Hello"}.',
  })
})

test('a step that nobody asked for is an error that says which', () => {
  const model = scriptedModel(['Hi', { text: 'there' }])
  expect(() => model.assertConsumed()).toThrow(
    'The scripted model "scripted" was asked 0 times and still has 2 steps; the next is "Hi".',
  )
})

test('an error that nobody asked for is named by its message, whatever else it holds', () => {
  const error = Object.assign(new Error('busy'), { at: 1n })
  const model = scriptedModel([{ error: Object.assign(error, { self: error }) }])
  expect(() => model.assertConsumed()).toThrow(
    'The scripted model "scripted" was asked 0 times and still has 1 step; the next is the error "busy".',
  )
})

test('a function that answers later is an error, and no empty reply', async () => {
  const later = async () => 'Hi'
  const model = scriptedModel([later as () => object])
  await expect(model.generate(request, options())).rejects.toThrow(
    'scriptedModel: step 1 must be a text or a reply, not a promise.',
  )
})

test('errors, streams and hanging calls can be scripted', async () => {
  const model = scriptedModel([
    { error: new RetryableError('busy') },
    { text: 'one two', reasoning: 'hm' },
    { hang: true },
  ])
  await expect(model.generate(request, options())).rejects.toThrow('busy')
  const deltas: string[] = []
  await model.generate(request, { ...options(), onDelta: ({ type, text }) => deltas.push(`${type}:${text}`) })
  expect(deltas).toEqual(['reasoning:hm', 'text:one ', 'text:two'])
  const controller = new AbortController()
  const hanging = model.generate(request, { signal: controller.signal, idempotencyKey: 'key' })
  controller.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('an unscripted call of an agent is the error of its run', async () => {
  const agent = createAgent({ id: 'agent', instructions: '', model: scriptedModel([]) })
  expect(await agent.generate('Hello')).toMatchObject({
    outcome: 'failed',
    error: { code: 'UNSCRIPTED_CALL' },
  })
})
