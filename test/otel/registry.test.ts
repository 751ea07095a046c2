/** Each name that is written is of the registry of the conventions, or of this library. */
import { createAgent, createTool, createTroupe, TerminalError } from 'troupe'
import { otel } from 'troupe/otel'
import { scriptedModel } from 'troupe/testing'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { attribute, metric } from '../../src/otel/names.ts'
import { calls, lead, to } from '../support/agents/agents.ts'
import { registeredAttributes, registeredMetrics } from './registry.ts'
import { Telemetry } from './telemetry.ts'

const telemetry = new Telemetry()
afterAll(() => telemetry.close())

const isKnown = (name: string): boolean => name.startsWith('troupe.') || registeredAttributes.has(name)

test('the names in the source', () => {
  expect(Object.values(attribute).filter((name) => !isKnown(name))).toEqual([])
  expect(Object.values(metric).filter((name) => !registeredMetrics.has(name))).toEqual([])
})

test('the attributes of a run with subagents, tools, failures and content, and those of its metrics', async () => {
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({ fails: z.boolean() }),
    execute: ({ fails }) => {
      if (fails) throw new TerminalError('No.', { code: 'ROCK' })
      return 'Dug.'
    },
  })
  const digger = createAgent({
    id: 'digger',
    description: 'Digs.',
    instructions: 'Dig.',
    version: '2',
    model: scriptedModel([
      calls({ name: 'dig', args: { fails: false } }, { name: 'dig', args: { fails: true } }),
      {
        text: 'Dug.',
        usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1, reasoningTokens: 1 },
      },
    ]),
    tools: { dig },
  })
  const { agent } = lead('boss', [calls(to('digger', 'Dig')), 'Done.'], { agents: { digger } })
  const troupe = createTroupe({ agents: [agent], around: otel({ content: true }) })
  const run = await troupe.start(agent, 'Go', { conversationId: 'c' })
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  await troupe.close()
  const names = new Set(telemetry.spans.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...names].filter((name) => !isKnown(name))).toEqual([])
  expect(names.has('gen_ai.agent.version')).toBe(true)
  const answers = telemetry.spans.flatMap(({ attributes }) => attributes['gen_ai.output.messages'] ?? [])
  expect(answers.length).toBeGreaterThan(3)
  for (const answer of answers) {
    expect(typeof answer === 'string' ? JSON.parse(answer) : answer).toEqual([
      {
        role: 'assistant',
        parts: expect.any(Array),
        finish_reason: expect.stringMatching(/^(?:stop|tool_call|unknown)$/),
      },
    ])
  }
  const measured = await telemetry.measured()
  expect(measured.map(({ name }) => name).filter((name) => !registeredMetrics.has(name))).toEqual([])
  const by = measured.flatMap(({ points }) => points.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...new Set(by)].filter((name) => !isKnown(name))).toEqual([])
})
