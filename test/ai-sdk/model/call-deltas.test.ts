/** The arguments of calls that a provider streams, as events of the run that makes the calls. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createAgent, createTool } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../../support/agents/agents.ts'
import { languageModel, someUsage } from '../../support/providers/language-model.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ at: z.string() }),
  execute: ({ at }) => `saw ${at}`,
})

type Parts = readonly LanguageModelV4StreamPart[]

const started = (id: string, more: object = {}): Parts => [
  { type: 'tool-input-start', id, toolName: 'look', ...more },
]
const piece = (id: string, delta: string): Parts => [{ type: 'tool-input-delta', id, delta }]
const made = (id: string, at: string): Parts => [
  { type: 'tool-call', toolCallId: id, toolName: 'look', input: JSON.stringify({ at }) },
]
const finish: Parts = [
  { type: 'finish', usage: someUsage, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
]

async function told(...parts: readonly Parts[]) {
  const model = languageModel(
    { parts: [...parts, finish].flat() },
    { content: [{ type: 'text', text: 'Seen.' }] },
  )
  const agent = createAgent({ id: 'solo', instructions: '', model: aiSdk(model), tools: { look } })
  const events = await allEvents(agent.stream('Go'))
  const calls = new Map(only(events, 'tool-call').map(({ payload }) => [payload.toolCallId, payload.args]))
  const texts = new Map<string, string>()
  for (const { payload, messageId } of only(events, 'tool-call-delta')) {
    expect([payload.toolName, messageId]).toEqual(['look', 'solo:m1'])
    texts.set(payload.toolCallId, (texts.get(payload.toolCallId) ?? '') + payload.text)
  }
  return { calls, texts }
}

test('they come under the id of their call, also where two calls are streamed at once', async () => {
  const { calls, texts } = await told(
    started('a'),
    piece('a', '{"at":'),
    started('b'),
    piece('b', '{"at":"la'),
    piece('a', '"sea"}'),
    piece('b', 'nd"}'),
    [{ type: 'tool-input-end', id: 'a' }],
    [{ type: 'tool-input-end', id: 'b' }],
    made('a', 'sea'),
    made('b', 'land'),
  )
  expect(Object.fromEntries(texts)).toEqual({
    'solo/call:1.1': '{"at":"sea"}',
    'solo/call:1.2': '{"at":"land"}',
  })
  expect([...texts].map(([id, text]): [string, unknown] => [id, JSON.parse(text)])).toEqual([...calls])
})

test('a call that was not streamed takes its place among the calls', async () => {
  const { calls, texts } = await told(
    made('a', 'sea'),
    started('b'),
    piece('b', '{"at":"land"}'),
    made('b', 'land'),
  )
  expect(Object.fromEntries(texts)).toEqual({ 'solo/call:1.2': '{"at":"land"}' })
  expect(calls.get('solo/call:1.2')).toEqual({ at: 'land' })
})

test('arguments of a tool that the provider executes, and of a call that never began, are not told', async () => {
  const executed = { providerExecuted: true }
  const { calls, texts } = await told(
    started('p', executed),
    piece('p', '{"query":"sea"}'),
    [{ type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{"query":"sea"}', ...executed }],
    [{ type: 'tool-result', toolCallId: 'p', toolName: 'search', result: 'Salt.' }],
    piece('lost', '{'),
    started('a'),
    piece('a', '{"at":"sea"}'),
    made('a', 'sea'),
  )
  expect(Object.fromEntries(texts)).toEqual({ 'solo/call:1.1': '{"at":"sea"}' })
  expect(calls.size).toBe(1)
})
