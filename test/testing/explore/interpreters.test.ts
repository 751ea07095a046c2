/** Both interpreters lead an exploration to the same states and the same findings. */
import { afterEach, beforeEach, expect, test, vi, type MockInstance } from 'vitest'
import { createScorer, type AgentDefinition } from 'troupe'
import { answers, calls, fails, gives, never, returns, throws, type ExploreOptions } from 'troupe/testing'
import { tableInterpreter, type InterpreterName } from '../../../src/runtime/interpreter/interpreter.ts'
import { exploreAgent } from '../../../src/testing/explore/explore.ts'
import { lead, tool, worker } from './agents.ts'

let steps: MockInstance<typeof tableInterpreter.transition>

beforeEach(() => {
  steps = vi.spyOn(tableInterpreter, 'transition')
})

afterEach(() => {
  steps.mockRestore()
})

async function explored(agent: AgentDefinition, options: ExploreOptions, interpreter: InterpreterName) {
  const report = await exploreAgent(
    agent,
    { ...options, limits: { steps: 1, ...options.limits } },
    interpreter,
  )
  const stepsByTables = steps.mock.calls.length
  steps.mockClear()
  const paths = report.paths().map(({ name }) => name)
  const broken = report.violations.map(({ rule }) => rule)
  return { stepsByTables, states: report.states, broken, findings: JSON.stringify({ ...report, paths }) }
}

const ok = [answers('Ok.')]

const scenarios: readonly (readonly [string, readonly string[], AgentDefinition, ExploreOptions])[] = [
  [
    'two children with failures and bail, which breaks a rule',
    ['no bail'],
    lead({ a: worker('a'), b: worker('b') }, { delegation: { onDelegationComplete: () => undefined } }),
    {
      say: {
        lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.' })],
        a: [...ok, fails()],
        b: ok,
      },
      hooks: { onDelegationComplete: [gives({ bail: true }, 'bails'), gives({ bail: false }, 'accepts')] },
      rules: { 'no bail': never((run) => run.count('delegation-bail') > 0) },
    },
  ],
  [
    'a tool that people approve, beside one that fails',
    [],
    worker('a', { tools: { pay: tool('pay', { requireApproval: true }), look: tool('look') } }),
    {
      say: { a: [answers('Ok.'), calls({ pay: { q: 'x' } }, { look: { q: 'x' } })] },
      tools: { pay: [returns(1)], look: [returns(2), throws('BROKEN')] },
      people: ['approve', 'deny', 'never'],
    },
  ],
  [
    'a nested team in the background, with scores and a deadline',
    [],
    lead(
      { m: lead({ a: worker('a') }, { id: 'm' }) },
      {
        backgroundTasks: { m: {} },
        delegation: { timeout: 1_000 },
        completion: { scorers: [createScorer({ id: 'first', score: () => 1 })] },
      },
    ),
    {
      say: { lead: [answers('Done.'), calls({ m: 'Go.' })], m: [answers('Ok.'), calls({ a: 'Go.' })], a: ok },
      scorers: { first: [gives({ score: 1 }), gives({ score: 0 })] },
      adversary: { cancelDelegations: false },
      run: { maxSteps: 2 },
    },
  ],
]

test.each(scenarios)('%s', async (_name, broken, agent, options) => {
  const tables = await explored(agent, options, 'tables')
  const xstate = await explored(agent, options, 'xstate')
  expect(tables.findings).toBe(xstate.findings)
  expect(tables.broken).toEqual(broken)
  expect(tables.findings).toContain('"isComplete":true')
  expect(tables.states).toBeGreaterThan(20)
  expect(tables.stepsByTables).toBeGreaterThan(tables.states)
  expect(xstate.stepsByTables).toBe(0)
})
