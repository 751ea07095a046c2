/** Rules of a user, and the report of one that is broken. */
import { describe, expect, test } from 'vitest'
import {
  always,
  answers,
  calls,
  eventually,
  explore,
  fails,
  never,
  precedes,
  replayRecording,
  returns,
  sometimes,
  type Condition,
  type Rule,
} from 'troupe/testing'
import { lead, tool, worker } from './agents.ts'

const clerk = worker('clerk')
const payer = worker('payer', { tools: { pay: tool('pay', { requireApproval: true }) } })
const desk = lead({ clerk, payer })
const say = {
  lead: [answers('Done.'), calls({ clerk: 'Check.', payer: 'Pay.' })],
  clerk: [answers('Fine.'), fails()],
  payer: [answers('Paid.'), calls({ pay: { q: 'A-17' } })],
}
const tools = { pay: [returns('paid')] }

async function broken(rule: Rule): Promise<string | undefined> {
  const report = await explore(desk, {
    say,
    tools,
    limits: { steps: 1 },
    adversary: { cancelDelegations: false },
    rules: { mine: rule },
  })
  expect(report.violations.filter((violation) => violation.rule !== 'mine')).toEqual([])
  return report.violations[0]?.message
}

describe('a rule that holds is not reported', () => {
  test.each<[string, Rule]>([
    ['never', never((run) => run.returned('pay') && !run.has('tool-call-approval', { tool: 'pay' }))],
    ['always', always((run) => run.count('tool-result', { tool: 'pay' }) <= 1)],
    ['sometimes', sometimes((run) => run.failed('clerk') && run.returned('pay'))],
    ['eventually', eventually((run) => run.has('run-start'))],
    ['precedes', precedes('tool-call-approval', 'tool-result', { tool: 'pay' })],
  ])('%s', async (_name, rule) => {
    expect(await broken(rule)).toBeUndefined()
  })
})

describe('a rule that names what is nowhere is refused, and does not hold in silence', () => {
  test.each<[string, Rule, string]>([
    ['a tool', never((run) => run.returned('pyy')), 'there is no name "pyy"; did you mean "pay"?'],
    ['an agent', never((run) => run.succeeded('clrek')), 'there is no name "clrek"; did you mean "clerk"?'],
    [
      'an event',
      never((run) => run.has('tool-call-aproval' as never)),
      'there is no event "tool-call-aproval"; did you mean "tool-call-approval"?',
    ],
    ['the first event', precedes('tool-cal' as never, 'tool-result'), 'there is no event "tool-cal"'],
    ['the second event', precedes('tool-call', 'tool-rezult' as never), 'there is no event "tool-rezult"'],
    ['the tool of events', precedes('tool-call', 'tool-result', { tool: 'pyy' }), 'there is no name "pyy"'],
    [
      'a tool that is asked about late',
      never((run) => run.count('tool-result') === 1 && run.has('tool-call') && run.returned('pyy')),
      'there is no name "pyy"',
    ],
  ])('%s', async (_name, rule, message) => {
    await expect(broken(rule)).rejects.toThrow(`explore("lead"): rules: ${message}`)
  })

  test.each<[string, Rule]>([
    ['a delegation as a call', never((run) => run.returned('agent-clerk'))],
    ['a plan', never((run) => run.has('tool-call-approval', { tool: 'plan' }))],
    ['the root itself', never((run) => run.has('step-start', { agent: 'lead' }) && run.outcome === 'bailed')],
  ])('not %s', async (_name, rule) => {
    expect(await broken(rule)).toBeUndefined()
  })
})

describe('precedes is about the same call', () => {
  const cheap = tool('pay', { requireApproval: ({ q }: { q: string }) => q === 'dear' })
  const till = worker('till', { tools: { pay: cheap } })
  const rules = { 'each is approved': precedes('tool-call-answered', 'tool-result', { tool: 'pay' }) }
  const options = {
    tools: { pay: [returns('paid')] },
    limits: { steps: 3 },
    adversary: { cancel: false },
    rules,
  }

  test('an approval of the first call does not count for the second', async () => {
    const dearAndCheap = {
      till: [answers('Done.'), calls({ pay: { q: 'dear' } }), calls({ pay: { q: 'cheap' } })],
    }
    const { violations } = await explore(till, { ...options, say: dearAndCheap })
    expect(violations.map(({ rule }) => rule)).toEqual(['each is approved'])
    const afterAnApproval = await explore(till, {
      ...options,
      say: { till: ({ step }) => (step === 1 ? [calls({ pay: { q: 'dear' } })] : dearAndCheap.till) },
    })
    expect(afterAnApproval.violations.map(({ rule }) => rule)).toEqual(['each is approved'])
  })

  test('and it holds where each call is approved, also side by side', async () => {
    const both = [{ pay: { q: 'dear' } }, { pay: { q: 'dear' } }]
    const report = await explore(till, { ...options, say: { till: [answers('Done.'), calls(...both)] } })
    report.assert()
    expect(report.isComplete).toBe(true)
  })
})

describe('a bail and the end of the subagent are two facts', () => {
  const hasty = lead(
    { payer: worker('payer') },
    { delegation: { onDelegationComplete: ({ bail }) => bail() } },
  )
  const options = {
    say: { lead: [calls({ payer: 'Pay.' })], payer: [answers('Paid.'), fails()] },
    limits: { steps: 1, crashes: 0 },
    adversary: { cancel: false, cancelDelegations: false },
  }

  test.each<[string, Condition]>([
    ['bailed and failed', (run) => run.bailed('payer') && run.failed('payer')],
    ['bailed and succeeded', (run) => run.bailed('payer') && run.succeeded('payer')],
    [
      'both ways to ask',
      (run) => run.has('delegation-end', { outcome: 'bailed', subagentOutcome: 'failed' }),
    ],
  ])('%s', async (_name, condition) => {
    const report = await explore(hasty, {
      ...options,
      rules: { some: sometimes(condition), no: never(condition) },
    })
    expect(report.violations.map(({ rule }) => rule)).toEqual(['no'])
  })

  test('every end before a bail is one of the two', async () => {
    const report = await explore(hasty, {
      ...options,
      rules: {
        mine: always((run) => !run.bailed('payer') || run.failed('payer') || run.succeeded('payer')),
        'not both': never((run) => run.failed('payer') && run.succeeded('payer')),
        'the outcome of the run': always((run) => run.outcome === undefined || run.bailed('payer')),
      },
    })
    report.assert()
    expect(report.outcomes).toEqual({ bailed: expect.any(Number) })
  })
})

describe('a cancel or a failing hook after its end does not hide how the subagent ended', () => {
  const reviewed = lead({ payer: worker('payer') }, { delegation: { onDelegationComplete: () => undefined } })
  const failing = lead(
    { payer: worker('payer') },
    {
      delegation: {
        onDelegationComplete: () => {
          throw new Error('The review fails.')
        },
      },
    },
  )
  const options = {
    say: { lead: [calls({ payer: 'Pay.' })], payer: [answers('Paid.'), fails()] },
    limits: { steps: 1, crashes: 0 },
  }

  test.each([
    ['a cancel of the run', reviewed, { cancel: true, cancelDelegations: false }, 'cancelled'],
    ['a cancel of the delegation', reviewed, { cancel: false, cancelDelegations: true }, 'cancelled'],
    ['a hook that fails', failing, { cancel: false, cancelDelegations: false }, 'failed'],
  ] as const)('%s', async (_name, agent, adversary, outcome) => {
    const report = await explore(agent, {
      ...options,
      adversary,
      rules: {
        paid: sometimes((run) => run.has('delegation-end', { outcome }) && run.succeeded('payer')),
        'never cancelled after it was paid': never((run) =>
          run.has('delegation-end', { outcome, subagentOutcome: 'succeeded' }),
        ),
        'one end': never((run) => run.succeeded('payer') && run.failed('payer')),
      },
    })
    expect(report.violations.map(({ rule }) => rule)).toEqual(['never cancelled after it was paid'])
    expect(report.violations[0]?.diagram()).toContain(`payer-->>lead: succeeded, its delegation ${outcome}`)
  })
})

describe('a rule that is broken is reported', () => {
  test.each<[string, Rule, string]>([
    ['never', never((run) => run.failed('clerk') && run.returned('pay')), 'It holds, and never should.'],
    ['always', always((run) => !run.returned('pay')), 'It does not hold.'],
    ['sometimes', sometimes((run) => run.rejected('clerk')), 'It holds in no state.'],
    ['eventually', eventually((run) => run.started('clerk')), 'The run has ended, and it has not held.'],
    [
      'precedes',
      precedes('tool-result', 'tool-call-approval', { tool: 'pay' }),
      'There is tool-call-approval, and no tool-result before it.',
    ],
  ])('%s', async (_name, rule, message) => {
    expect(await broken(rule)).toBe(message)
  })
})

test('a condition that answers with anything but true or false is an error, and holds nowhere', async () => {
  const conditions: readonly (readonly [condition: object, problem: string])[] = [
    [async () => false, 'is called where nothing can wait for it'],
    [() => 'no', 'the answer of its condition must be true or false, not'],
  ]
  for (const rule of [never, always, sometimes, eventually]) {
    for (const [condition, problem] of conditions) {
      const exploring = broken(rule(condition as Condition))
      await expect(exploring).rejects.toThrow(problem)
      await expect(exploring).rejects.toThrow(rule.name)
    }
  }
})

test('a violation has its shortest steps, a diagram, and a recording that replays', async () => {
  const report = await explore(desk, {
    say,
    tools,
    limits: { steps: 1 },
    rules: { 'paid only when checked': never((run) => run.failed('clerk') && run.returned('pay')) },
  })
  const [violation] = report.violations
  expect(violation?.steps).toEqual([
    'lead: calls clerk, payer',
    'clerk (lead 1.1): fails (MODEL_FAILED)',
    'payer (lead 1.2): calls pay',
    'a person approves: pay of payer (lead 1.2)',
    'pay of payer (lead 1.2) returns "paid"',
  ])
  const diagram = violation?.diagram() ?? ''
  expect(diagram.split('\n')[0]).toBe('sequenceDiagram')
  expect(diagram).toContain('lead->>payer: Pay.')
  expect(diagram).toContain('clerk-->>lead: failed')
  expect(diagram).toContain('✗ paid only when checked')
  expect(await replayRecording(violation?.recording ?? '', { agents: [desk] })).toMatchObject({ ok: true })
  expect(() => report.assert()).toThrow(/Broken rule: paid only when checked.*\n {2}1\. lead: calls/)
})

test('a rule that names an interchangeable agent is refused', async () => {
  const [a, b] = [worker('a'), worker('b')]
  const exploring = explore(lead({ a, b }), {
    say: { lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.' })] },
    limits: { steps: 1 },
    interchangeable: [['a', 'b']],
    rules: { mine: never((run) => run.failed('a')) },
  })
  await expect(exploring).rejects.toThrow('a rule names the agent "a", which is interchangeable')
})

test('a rule whose questions depend on each other is checked in all states', async () => {
  const report = await explore(desk, {
    say,
    tools,
    limits: { steps: 1 },
    rules: {
      mine: never(
        (run) => run.failed('clerk') && !run.rejected('clerk') && run.has('tool-error', { tool: 'pay' }),
      ),
    },
  })
  expect(report.violations.map(({ rule }) => rule)).toEqual(['mine'])
})
