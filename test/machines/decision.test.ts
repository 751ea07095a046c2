import { expect, test } from 'vitest'
import { z } from 'zod'
import { coverMachine } from 'troupe/testing'
import { AppendLog } from '../../src/actors/values/append-log.ts'
import { decisionMachine, type DecisionInput } from '../../src/machines/decision.ts'
import { parseDecision } from '../../src/machines/decision/parse-decision.ts'
import { cancel, fails, failsForNow, fires, toolset, spent } from './support.ts'
import { reply } from './loop-outcomes.ts'

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const colour = z.object({ colour: z.string() })

const input: DecisionInput = {
  agent: 'lead',
  model: 'scripted/scripted',
  toolset,
  subject: 'colour',
  messages: AppendLog.of([{ role: 'user', content: 'Which colour?' }]),
  responseFormat: { name: 'colour', schema: { type: 'object' } },
  check: (text) =>
    parseDecision(text, colour, ({ colour: chosen }) =>
      chosen === 'red' ? undefined : `"${chosen}" is not on offer`,
    ),
  retries: 1,
  limits: { hookTimeout: 60_000 },
}

const cover = coverMachine(decisionMachine, {
  inputs: { plain: input },
  outcomes: {
    model: [
      reply('chooses', { usage, text: '{"colour":"red"}' }),
      reply('chooses in a block of code', { usage, text: '```json\n{"colour":"red"}\n```' }),
      reply('chooses another', { usage, text: '{"colour":"blue"}' }),
      reply('talks', { usage, text: 'Red, I think.' }),
      reply('refuses', { usage, text: '{"colour":"red"}', finishReason: 'refusal' }),
      reply('is cut off', { usage, text: '{"colour":"red"}', finishReason: 'length' }),
      fails,
      failsForNow,
    ],
    timer: [fires],
  },
  events: [cancel, spent],
  invariant({ status, output, context }) {
    expect(context.replies).toBeLessThanOrEqual(2)
    if (status === 'active') return
    expect(output?.usage.totalTokens).toBe(15 * context.replies)
    expect(output?.value).toEqual(output?.decision === 'made' ? { colour: 'red' } : undefined)
    expect(output?.error === undefined).toBe(output?.decision !== 'failed')
  },
})

test.each(cover.paths.map((path) => [path.name, path] as const))('decision: %s', (_name, path) => path.run())

test('decision: every transition is taken', () => {
  expect(cover.transitions().missing).toEqual([])
})
