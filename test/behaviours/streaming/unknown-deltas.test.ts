/** A model of the user may stream pieces that the library does not know, or malformed ones: they are ignored. */
import { createAgent, createTroupe, type ChatModel, type OutputProcessor } from 'troupe'
import { expect, test } from 'vitest'
import { allEvents, only } from '../../support/agents/agents.ts'

const model: ChatModel = {
  provider: 'mine',
  modelId: 'm',
  async generate(_, { onDelta }) {
    onDelta?.({ type: 'text', text: 'Hel' })
    onDelta?.({ type: 'audio', text: 'AAAA' } as never)
    onDelta?.({ type: 'toString', text: 'BBBB' } as never)
    for (const piece of malformed) onDelta?.(piece as never)
    onDelta?.({ type: 'text', text: 'lo' })
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    return { text: 'Hello', toolCalls: [], finishReason: 'stop', usage }
  },
}

/** Servers end a stream with a piece that has no text. */
const malformed = [
  {},
  { type: 'text' },
  { type: 'text', text: null },
  { type: 'text', text: 7 },
  { type: 'reasoning', text: ['x'] },
  { type: 'tool-args', text: '{' },
  { type: 'tool-args', name: 'look', text: '{' },
]

const seen: unknown[] = []
const watcher: OutputProcessor = {
  id: 'watcher',
  processOutputStream({ part }) {
    seen.push(part)
  },
}

test.each([{ outputProcessors: [] }, { outputProcessors: [watcher] }])(
  'with $outputProcessors.length processors',
  async (processors) => {
    const agent = createAgent({ id: 'solo', instructions: '', model, ...processors })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go', { stream: true })
    const events = await allEvents(run)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello' })
    expect(only(events, 'reasoning-start', 'reasoning-delta', 'tool-call-delta')).toEqual([])
    expect(
      only(events, 'text-delta')
        .map(({ payload }) => payload.text)
        .join(''),
    ).toBe('Hello')
    expect(JSON.stringify([events, seen])).not.toMatch(/AAAA|BBBB/)
  },
)
