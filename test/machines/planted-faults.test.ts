/** A table notices a machine that decides wrongly: a guard is replaced, and some path ends otherwise than the table says. */
import { expect, test } from 'vitest'
import { readAgent } from './reference/faults.ts'
import { debateSuite } from './suites/debate.ts'
import { dispatchSuite } from './suites/dispatch.ts'
import { fanOutSuite } from './suites/fan-out.ts'
import { planThenExecuteSuite } from './suites/plan-then-execute.ts'
import { reactSuite } from './suites/react.ts'
import { reflexionSuite } from './suites/reflexion.ts'
import { routerSuite } from './suites/router.ts'
import type { Suite } from './suites/suite.ts'
import { supervisorSuite } from './suites/supervisor.ts'

const never = () => false

interface Planted {
  readonly fault: string
  readonly suite: unknown
  readonly input: string
  readonly guards: Readonly<Record<string, () => boolean>>
}

const planted: readonly Planted[] = [
  {
    fault: 'a model call is not tried again',
    suite: reactSuite,
    input: 'plain',
    guards: { mayRetry: never },
  },
  {
    fault: 'an error of a hook is not ignored',
    suite: reactSuite,
    input: 'with hooks, hook errors ignored',
    guards: { ignoresHookErrors: never },
  },
  {
    fault: 'an agent that is to be silent has a last turn',
    suite: reactSuite,
    input: 'stops when exhausted',
    guards: { stopsWhenExhausted: never },
  },
  {
    fault: 'a bail does not end the run',
    suite: supervisorSuite,
    input: 'plain',
    guards: { isBailing: never },
  },
  {
    fault: 'an answer is not scored',
    suite: supervisorSuite,
    input: 'scored once',
    guards: { isScoredComplete: () => true },
  },
  {
    fault: 'a spent budget is a failure',
    suite: supervisorSuite,
    input: 'plain',
    guards: { isOverBudget: never },
  },
  {
    fault: 'a critique that objects counts as satisfied',
    suite: reflexionSuite,
    input: 'plain',
    guards: { isSatisfied: () => true },
  },
  {
    fault: 'a result that the scorers accept is not the answer',
    suite: routerSuite,
    input: 'scored once',
    guards: { isScoredOnResult: never },
  },
  {
    fault: 'a decision that the budget forbids is a failure',
    suite: dispatchSuite,
    input: 'plain',
    guards: { decisionIsOverBudget: never },
  },
  {
    fault: 'the rest of a plan is not planned again',
    suite: planThenExecuteSuite,
    input: 'looks at results, stops when exhausted',
    guards: { mayReplan: never },
  },
  {
    fault: 'a round begins though no step is left for the answer',
    suite: fanOutSuite,
    input: 'no step left for the answer',
    guards: { isAtCap: never },
  },
  {
    fault: 'too few proposals are reconciled',
    suite: debateSuite,
    input: 'no criticism',
    guards: { lacksQuorum: never },
  },
]

test.each(planted)('$fault', ({ suite, input, guards }) => {
  const { machine, options } = suite as Suite
  const inputs = { [input]: options.inputs[input] }
  expect(readAgent({ machine, options: { ...options, inputs } }).faults).toEqual([])
  const faulty = machine.provide({ guards })
  expect(readAgent({ machine: faulty, options: { ...options, inputs } }).faults).not.toEqual([])
})
