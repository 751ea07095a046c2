/** Calls that a provider has executed itself: a step lists them, and the library runs none of them. */
import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { createAgent, createTool, createTroupe, memoryStore } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, only } from '../../support/agents/agents.ts'
import { languageModel } from '../../support/providers/language-model.ts'

const searches: readonly LanguageModelV4Content[] = [
  {
    type: 'tool-call',
    toolCallId: 's1',
    toolName: 'web_search',
    input: '{"query":"tides"}',
    providerExecuted: true,
  },
  { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: { sealed: 'secret-1' } },
]

test.each([false, true])('streamed: %s', async (stream) => {
  const model = languageModel(
    {
      content: [
        ...searches,
        { type: 'tool-call', toolCallId: 'c1', toolName: 'web_search', input: '{"query":"moons"}' },
      ],
    },
    { content: [{ type: 'text', text: 'The moon.' }] },
  )
  const asked: string[] = []
  const search = createTool({
    id: 'web_search',
    description: 'Searches.',
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }) => {
      asked.push(query)
      return 'Found.'
    },
  })
  const agent = createAgent({
    id: 'solo',
    instructions: 'Search.',
    model: aiSdk(model),
    tools: { web_search: search },
  })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, 'Why tides?', { stream })
  const events = await allEvents(run)
  const result = await run.result
  expect(asked).toEqual(['moons'])
  expect(only(events, 'tool-call')).toHaveLength(1)
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'The moon.',
    usage: { cacheWriteTokens: 6, byAgent: { solo: { cacheWriteTokens: 6 } } },
    steps: [
      {
        toolCalls: [{ args: { query: 'moons' } }],
        providerCalls: [{ name: 'web_search', args: { query: 'tides' } }],
      },
      { toolCalls: [] },
    ],
  })
  expect(result.steps[1]).not.toHaveProperty('providerCalls')
  expect(JSON.stringify([events, result])).not.toContain('secret-1')
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('secret-1')
  const replayed = await troupe.replay(run.id)
  expect(replayed.result).toEqual(result)
})
