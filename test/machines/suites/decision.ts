import { z } from 'zod'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { decisionMachine, type DecisionInput } from '../../../src/machines/decision.ts'
import type { DecisionCompaction } from '../../../src/machines/decision/context.ts'
import { parseDecision } from '../../../src/machines/decision/parse-decision.ts'
import { cancel, fails, failsForNow, fires, toolset, spent } from './support.ts'
import { childOutcomes, inARow, longConversation, longModel, reply, tooLong } from './loop-outcomes.ts'
import { suiteOf } from './suite.ts'

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const colour = z.object({ colour: z.string() })

const input: DecisionInput = {
  agent: 'lead',
  model: 'scripted/scripted',
  toolset,
  subject: 'colour',
  conversation: AppendLog.of([{ role: 'user', content: 'Paint it.' }]),
  prompt: 'Which colour?',
  responseFormat: { name: 'colour', schema: { type: 'object' } },
  check: (text) =>
    parseDecision(text, colour, ({ colour: chosen }) =>
      chosen === 'red' ? undefined : `"${chosen}" is not on offer`,
    ),
  retries: 1,
  limits: { hookTimeout: 60_000 },
}

const compaction: DecisionCompaction = {
  profile: { window: 1_000_000, at: 0.000_001, by: 'own' },
  summarizer: {
    agent: 'lead',
    task: 'Write.',
    writer: { model: longModel },
    toolset,
    retries: 1,
    timeouts: { hookTimeout: 60_000 },
  },
  scale: 1,
}

/** Its conversation is longer than its share of the window, for each question. */
const long: DecisionInput = {
  ...input,
  model: longModel,
  conversation: longConversation,
  compaction,
}

const chooses = reply('chooses', { usage, text: '{"colour":"red"}' })
const choosesAnother = reply('chooses another', { usage, text: '{"colour":"blue"}' })

const refuses = reply('refuses', { usage, text: '{"colour":"red"}', finishReason: 'refusal' })

const replies = [
  chooses,
  reply('chooses in a block of code', { usage, text: '```json\n{"colour":"red"}\n```' }),
  choosesAnother,
  reply('talks', { usage, text: 'Red, I think.' }),
  refuses,
  reply('is cut off', { usage, text: '{"colour":"red"}', finishReason: 'length' }),
  fails,
  failsForNow,
]

export const decisionSuite = suiteOf(decisionMachine(), {
  inputs: {
    plain: input,
    'models in a row': { ...input, ...inARow },
    'with a long conversation': long,
    'too long for the server alone': {
      ...long,
      compaction: { ...compaction, profile: { window: 1_000_000, at: 1, by: 'own' } },
    },
  },
  outcomes: {
    model: (asked: { readonly model: string }) =>
      asked.model === 'scripted/second' || asked.model === inARow.model
        ? [chooses, refuses, fails, failsForNow]
        : asked.model === longModel
          ? [chooses, choosesAnother, tooLong, failsForNow]
          : replies,
    compaction: childOutcomes.compaction,
    timer: [fires],
  },
  events: [cancel, spent],
})
