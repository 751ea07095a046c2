/** `lint` has every finding where it is due, and only there. */
import { openai, type AgentDefinition } from 'troupe'
import { lint, type Finding, type FindingCode, type LintOptions } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { agent, configurations, lead, thinking, tool } from './configurations.ts'

const of = (code: FindingCode, found: readonly Finding[]): string[] =>
  found.filter((one) => one.code === code).map(({ path }) => path)

const codes = Object.entries(configurations) as [FindingCode, (typeof configurations)[FindingCode]][]

describe('each code', () => {
  test.for(codes.flatMap(([code, all]) => all.map((one) => [`${code} at ${one.path}`, code, one] as const)))(
    '%s',
    ([, code, { faulty, mended, options, path }]) => {
      expect(of(code, lint(faulty, options))).toEqual([path])
      expect(of(code, lint(mended, options))).not.toContain(path)
    },
  )
})

test('a sound tree with a budget has no finding', () => {
  const worker = agent({ tools: { find: tool() } })
  expect(lint(lead({ agents: { worker }, budget: { modelCalls: 40 } }))).toEqual([])
})

test('errors come first, then warnings', () => {
  const found = lint(
    lead({
      bailStrategy: 'last',
      agents: { worker: agent({ tools: { pay: tool({ groups: ['money'] }) } }) },
    }),
  )
  expect(found.map(({ severity }) => severity)).toEqual(['error', 'warning', 'info'])
  expect(found[0]?.message).toBe(
    'It is never offered: its groups are "money", and the agent names none, which means "default".',
  )
})

test('the options of the run count at the root', () => {
  const paying = agent({ tools: { pay: tool({ groups: ['money'] }) } })
  expect(of('tool-outside-groups', lint(paying))).toEqual(['worker.tools.pay'])
  expect(lint(paying, { run: { toolGroups: ['money'] } })).toEqual([])
  const run = { maxSteps: 1, onExhausted: 'stop' } as const
  expect(of('no-step-after-calls', lint(lead(), { run }))).toEqual(['lead'])
  expect(of('run-refused', lint(lead(), { run: { maxSteps: 0 } }))).toEqual(['lead'])
})

test('an agent in two places is reported once for its own options', () => {
  const worker = agent({ maxProcessorRetries: 2 })
  const found = lint(lead({ agents: { one: worker, other: worker } }))
  expect(of('option-without-effect', found)).toEqual(['lead.agents.one.maxProcessorRetries'])
})

test('a tool in the background of an agent that waits for it has an effect below a supervisor', () => {
  const worker = thinking({ find: tool({ background: true }) })
  expect(of('option-without-effect', lint(lead({ agents: { worker } })))).toEqual([])
})

test('a tool that one place offers is no finding, even where another place has it not', () => {
  const worker = agent({ tools: { pay: tool({ groups: ['money'] }) } })
  const narrow = lead({ id: 'narrow', description: 'Reads.', toolGroups: ['text'], agents: { worker } })
  const broad = lead({ toolGroups: ['money', 'text'], agents: { worker, narrow } })
  expect(of('tool-outside-groups', lint(broad))).toEqual([])
})

test('a finding is accepted with its reason, at its place or everywhere', () => {
  const code = 'calls-without-budget'
  const reason = 'A person watches it.'
  expect(lint(lead(), { accept: [{ code, reason }] })).toEqual([])
  expect(lint(lead(), { accept: [{ code, path: 'lead', reason }] })).toEqual([])
  const found = lint(lead(), { accept: [{ code, path: 'lead.agents.worker', reason }] })
  expect(found.map((one) => one.code)).toEqual(['unused-exception', code])
})

test('a model, a tool and a hook are never called', () => {
  const never = (): never => {
    throw new Error('It was called.')
  }
  const supervisor = lead({
    model: openai('gpt-5-mini', { apiKey: 'none' }),
    tools: { pay: tool({ execute: never, requireApproval: never }) },
    delegation: { onDelegationStart: never, onDelegationComplete: never, messageFilter: never },
    instructions: never,
    stopWhen: never,
    onFinish: never,
  })
  expect(lint(supervisor).map((one) => one.code)).toEqual([
    'approval-without-deadline',
    'calls-without-budget',
  ])
})

test.for<[string, object, string]>([
  ['an unknown option', { entri: 'generate' }, 'lint: there is no option "entri"; did you mean "entry"?'],
  ['an unknown entry', { entry: 'http' }, "lint: entry must be 'troupe' or 'generate', not \"http\"."],
  ['an unknown code', { accept: [{ code: 'budget', reason: 'x' }] }, 'lint: accept[0].code must be '],
  ['an exception without a reason', { accept: [{ code: 'run-refused' }] }, 'lint: accept[0].reason must be '],
])('%s is refused', ([, options, message]) => {
  expect(() => lint(lead() as AgentDefinition, options as LintOptions)).toThrow(message)
})
