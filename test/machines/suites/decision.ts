import { z } from 'zod'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { decisionMachine, type DecisionInput } from '../../../src/machines/decision.ts'
import { parseDecision } from '../../../src/machines/decision/parse-decision.ts'
import { cancel, fails, failsForNow, fires, toolset, spent } from './support.ts'
import { reply } from './loop-outcomes.ts'
import { suiteOf } from './suite.ts'

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

export const decisionSuite = suiteOf(decisionMachine, {
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
})
