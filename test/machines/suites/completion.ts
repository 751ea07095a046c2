import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { Derived } from '../../../src/actors/values/derived.ts'
import type { CompletionProfile } from '../../../src/machines/contract/profile.ts'
import type { ScorerResult } from '../../../src/machines/contract/records.ts'
import { completionMachine, type CompletionInput } from '../../../src/machines/completion.ts'
import { initialContext } from '../../../src/machines/loop/changes/context.ts'
import { loopInput } from './loop-outcomes.ts'
import { cancel, fails, fires, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const broken = (id: string): ScorerResult => ({
  id,
  passed: false,
  error: { name: 'TerminalError', code: 'INVALID_SCORE', message: 'It is no score.' },
})

function input(completion: Partial<CompletionProfile>, more: Partial<CompletionInput> = {}): CompletionInput {
  return {
    agent: 'lead',
    hookTimeout: 60_000,
    completion: {
      scorers: [
        { id: 'facts', threshold: 1 },
        { id: 'style', threshold: 0.5 },
      ],
      scope: 'agent',
      strategy: 'all',
      parallel: true,
      continueOnFail: true,
      feedbackToLLM: true,
      timeout: 1000,
      ...completion,
    },
    hasCompleteHook: false,
    task: 'Write.',
    answer: 'Written.',
    messages: AppendLog.of(),
    iteration: 1,
    broken: [],
    loop: new Derived(initialContext(loopInput())),
    ...more,
  }
}

export const completionSuite = suiteOf(completionMachine(), {
  inputs: {
    'all in parallel': input({}),
    'all in sequence': input({ parallel: false }),
    'any in parallel': input({ strategy: 'any' }),
    'any in sequence, with a hook': input({ strategy: 'any', parallel: false }, { hasCompleteHook: true }),
    'any in parallel, one broken': input({ strategy: 'any' }, { broken: [broken('style')] }),
    'any in sequence, the first broken': input(
      { strategy: 'any', parallel: false },
      { broken: [broken('facts')] },
    ),
    'any, all broken': input({ strategy: 'any' }, { broken: [broken('facts'), broken('style')] }),
  },
  outcomes: {
    scorer: [
      { name: 'scores 1', value: { score: 1 } },
      { name: 'scores 0', value: { score: 0, reason: 'no' } },
      fails,
    ],
    timer: [fires],
    hook: [{ name: 'returns', value: null }, fails],
  },
  events: [cancel, spent],
  stateKey: (snapshot) =>
    JSON.stringify([
      snapshot.value,
      snapshot.status,
      snapshot.context.results.map((result) =>
        result === undefined ? 'open' : [result.passed, result.error !== undefined],
      ),
      snapshot.output?.outcome,
    ]),
})
