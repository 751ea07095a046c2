import { AppendLog } from '../../../src/actors/values/append-log.ts'
import type { EffectOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import type { Message } from '../../../src/actors/message.ts'
import { compactionMachine, type CompactionInput } from '../../../src/machines/compaction.ts'
import type { Outcome } from 'troupe/testing'
import { cancel, fails, failsForNow, fires, spent, toolset } from './support.ts'
import { inARow } from './loop-outcomes.ts'
import { suiteOf } from './suite.ts'

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const long = 'It goes on and on about the sea. '.repeat(20)

const input: CompactionInput = {
  agent: 'lead',
  task: 'Write.',
  reason: 'window',
  messages: AppendLog.of<Message>([
    { role: 'system', content: 'Lead.' },
    { role: 'user', content: 'Write.' },
    { role: 'assistant', content: long },
    { role: 'assistant', content: long },
  ]),
  writer: { model: 'scripted/scripted' },
  toolset,
  limits: { target: 50, part: 1_000, characters: 4_000, words: 50, scale: 1, rest: 10 },
  retries: 1,
  timeouts: { hookTimeout: 60_000 },
}

const says = (name: string, text: string): Outcome<EffectOutcome<'compaction'>> => ({
  name,
  value: { text, usage },
})

export const compactionSuite = suiteOf(compactionMachine(), {
  inputs: {
    'one part': input,
    'two parts': { ...input, limits: { ...input.limits, part: 10 } },
    'short enough': { ...input, limits: { ...input.limits, target: 10_000 } },
    'by models in a row': { ...input, writer: inARow },
    'by a function': {
      ...input,
      reason: 'refused',
      writer: { scope: 'agent' },
      retries: 0,
      timeouts: { timeout: 60_000, hookTimeout: 60_000 },
    },
  },
  outcomes: {
    compaction: [
      says('summarises', 'The sea.'),
      says('says nothing', ' '),
      says('repeats all', long.repeat(2)),
      failsForNow,
      fails,
    ],
    timer: [fires],
  },
  events: [cancel, spent],
})
