/** An exploration visits every order, and finds what breaks a rule. */
import fc from 'fast-check'
import { createScorer, type AgentDefinition } from 'troupe'
import { describe, expect, test } from 'vitest'
import {
  answers,
  calls,
  explore,
  fails,
  gives,
  never,
  returns,
  sometimes,
  throws,
  type ExploreOptions,
  type ExploreReport,
} from 'troupe/testing'
import { lead, tool, worker } from './agents.ts'

const [a, b, c] = [worker('a'), worker('b'), worker('c')]
const both = [answers('Done.'), calls({ a: 'Go.', b: 'Go.' })]
const ok = [answers('Ok.')]

function rulesOf(report: ExploreReport): readonly string[] {
  return report.violations.map(({ rule }) => rule)
}

test('two children and a cancel are explored completely, and every rule holds', async () => {
  const report = await explore(lead({ a, b }), {
    say: { lead: both, a: ok, b: ok },
    limits: { steps: 1 },
  })
  report.assert()
  expect(report).toMatchObject({ ok: true, isComplete: true, unsaid: [], functionCalls: 0 })
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['cancelled', 'completed'])
})

test('a thread that stays with an agent is explored to its second run', async () => {
  const desk = worker('desk', { memory: true, keepHandoff: true, handoffs: [b] })
  const report = await explore(lead({ desk }), {
    say: {
      lead: [calls({ desk: { prompt: 'Go.', threadId: 't1' } }), answers('Done.')],
      desk: [calls({ b: {} })],
      b: ok,
    },
    limits: { steps: 2 },
    rules: {
      'the second delegation calls no model of the desk': sometimes(
        (run) =>
          run.count('handoff', { agent: 'desk' }) === 2 && run.count('step-start', { agent: 'desk' }) === 1,
      ),
    },
  })
  report.assert()
  expect(report).toMatchObject({ ok: true, isComplete: true, unsaid: [] })
})

test('an agent without options is explored with alphabets of its definition', async () => {
  const report = await explore(lead({ a: worker('a', { tools: { look: tool('look') } }), b }), {
    limits: { steps: 1 },
  })
  report.assert()
  expect(report.isComplete).toBe(true)
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['cancelled', 'completed', 'failed'])
})

describe('the functions of the user', () => {
  test('are called, once for each distinct input', async () => {
    const asked: string[] = []
    const report = await explore(
      lead(
        { a, b },
        {
          delegation: {
            onDelegationComplete: ({ agentId, bail }) => {
              asked.push(agentId)
              if (agentId === 'b') bail()
            },
          },
        },
      ),
      { say: { lead: both, a: ok, b: ok }, limits: { steps: 1 }, recheck: false },
    )
    report.assert()
    expect(report.functionCalls).toBe(asked.length)
    expect(new Set(asked).size).toBe(2)
    expect(Object.keys(report.outcomes)).toContain('bailed')
  })

  test('that answer one input in two ways are reported', async () => {
    let times = 0
    const report = await explore(
      lead({ a }, { delegation: { onDelegationStart: () => ({ proceed: times++ === 0 }) } }),
      { say: { lead: [answers('Done.'), calls({ a: 'Go.' })], a: ok }, limits: { steps: 1 } },
    )
    expect(rulesOf(report)).toEqual(['functions depend on their inputs alone'])
    const [violation] = report.violations
    expect(violation?.message).toBe(
      'onDelegationStart of lead answered {"proceed":true}, and for the same input it answered {"proceed":false}.',
    )
    expect(violation?.steps).toEqual(['lead: calls a'])
    expect(violation?.diagram()).toContain('onDelegationStart')
  })

  test('that throw the second time are reported with their steps too', async () => {
    let times = 0
    const stopWhen = (): boolean => {
      if (times++ > 0) throw new TypeError('not again')
      return false
    }
    const look = tool('look')
    const report = await explore(worker('a', { tools: { look }, stopWhen }), {
      say: { a: [calls({ look: { q: '' } }), answers('Done.')] },
      tools: { look: [returns(1)] },
      limits: { steps: 1, crashes: 0 },
      adversary: { cancel: false },
    })
    const found = report.violations.find(({ rule }) => rule === 'functions depend on their inputs alone')
    expect(found?.message).toMatch(/answered false, and for the same input it threw \(\w+\) not again\.$/)
    expect(found?.steps).toEqual(['a: calls look', 'look of a returns 1'])
  })

  describe('stand in the steps with what they answered', () => {
    const pay = (needed: boolean) => tool('pay', { requireApproval: () => needed })
    const stepsOf = async (agent: AgentDefinition, options: ExploreOptions): Promise<readonly string[]> => {
      const report = await explore(agent, {
        ...options,
        limits: { steps: 1, crashes: 0 },
        adversary: { cancel: false, cancelDelegations: false, failures: false },
        rules: { mine: never((run) => run.outcome !== undefined) },
      })
      return report.violations.find(({ rule }) => rule === 'mine')?.steps ?? []
    }
    const paying = { say: { payer: [calls({ pay: { q: '' } })] }, tools: { pay: [returns('paid')] } }
    const asking = { say: { lead: [calls({ a: 'Go.' })], a: ok } }

    test.each<[string, AgentDefinition, ExploreOptions, string]>([
      [
        'no',
        worker('payer', { tools: { pay: pay(false) } }),
        paying,
        'requireApproval of payer answers false',
      ],
      [
        'yes',
        worker('payer', { tools: { pay: pay(true) } }),
        paying,
        'requireApproval of payer answers true',
      ],
      [
        'a bail',
        lead({ a }, { delegation: { onDelegationComplete: ({ bail }) => bail() } }),
        asking,
        'onDelegationComplete of lead (delegation 1.1) answers {"bail":true}',
      ],
      [
        'feedback',
        lead({ a }, { delegation: { onDelegationComplete: () => ({ feedback: 'Shorter.' }) } }),
        asking,
        'onDelegationComplete of lead (delegation 1.1) answers {"bail":false,"feedback":"Shorter."}',
      ],
      [
        'a rejection',
        lead(
          { a },
          { delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'No.' }) } },
        ),
        asking,
        'onDelegationStart of lead (delegation 1.1) answers {"proceed":false,"rejectionReason":"No."}',
      ],
      [
        'a score',
        lead({ a }, { completion: { scorers: [createScorer({ id: 'judge', score: () => 1 })] } }),
        asking,
        'the scorer judge of lead answers {"score":1}',
      ],
      [
        'another text',
        worker('a', { outputProcessors: [{ id: 'mask', processOutput: () => 'Masked.' }] }),
        { say: { a: ok } },
        'processOutput of a answers {"text":"Masked."',
      ],
      ['nothing', worker('a', { onFinish: () => undefined }), { say: { a: ok } }, 'onFinish of a answers'],
      [
        'an error',
        lead({ a }, { delegation: { onDelegationComplete: () => Promise.reject(new TypeError('bad')) } }),
        asking,
        'onDelegationComplete of lead (delegation 1.1) answers, throws (HOOK_FAILED)',
      ],
    ])('%s', async (_name, agent, options, step) => {
      expect(await stepsOf(agent, options)).toContainEqual(expect.stringContaining(step))
    })

    test('whatever it is, within a bound', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ maxLength: 200 }), async (feedback) => {
          const agent = lead({ a }, { delegation: { onDelegationComplete: () => ({ feedback }) } })
          const step = (await stepsOf(agent, asking)).find((one) => one.startsWith('onDelegationComplete'))
          const text = JSON.stringify({ bail: false, feedback })
          expect(step).toBe(
            `onDelegationComplete of lead (delegation 1.1) answers ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`,
          )
        }),
        { numRuns: 15 },
      )
    })
  })

  test('may be replaced by outcomes', async () => {
    const report = await explore(
      lead({ a, b, c }, { delegation: { onDelegationComplete: () => undefined } }),
      {
        say: {
          lead: [answers('Done.'), calls({ a: 'Go.', b: 'Go.', c: 'Go.' })],
          a: [...ok, fails()],
          b: [...ok, fails()],
          c: [...ok, fails()],
        },
        hooks: { onDelegationComplete: [gives({ bail: true }), gives({ bail: false }), throws('HOOK')] },
        limits: { steps: 1 },
      },
    )
    report.assert()
    expect(report.isComplete).toBe(true)
    expect(report.states).toBeLessThanOrEqual(4_000)
    expect(report.functionCalls).toBe(0)
  })
})

test('people approve, deny, or never answer', async () => {
  const payer = worker('payer', { tools: { pay: tool('pay', { requireApproval: true }) } })
  const report = await explore(payer, {
    say: { payer: [answers('Paid.'), calls({ pay: { q: 'A-17' } })] },
    tools: { pay: [returns({ receipt: 'r' })] },
    people: ['approve', 'deny', 'never'],
    limits: { steps: 1 },
  })
  report.assert()
  expect(Object.keys(report.outcomes).toSorted()).toEqual(['cancelled', 'completed', 'suspended'])
})

test.each([
  [{ adversry: {} }, 'did you mean "adversary"?'],
  [{ say: { leda: ok } }, 'say: there is no name "leda". Known: lead, a.'],
  [{ say: { lead: [calls({ aa: 'Go.' })] } }, 'say.lead: calls: there is no name "aa"'],
  [{ tools: { look: [returns(1)] } }, 'tools: there is no name "look"'],
  [{ hooks: { onDelegationComplet: [] } }, 'did you mean "onDelegationComplete"?'],
  [{ people: ['aprove'] }, 'people[0] must be'],
  [{ adversary: { timers: 'some' } }, 'adversary.timers must be'],
])('a wrong option is refused: %j', async (options, message) => {
  await expect(explore(lead({ a }), options as ExploreOptions)).rejects.toThrow(message)
})

test.each([
  [
    { say: { lead: () => undefined } },
    'explore: the answer of say.lead must be a list of replies, not undefined.',
  ],
  [
    { say: { lead: () => ['Done.'] } },
    'explore: the answer of say.lead[0] must be a reply, from answers(), calls(), decides() or fails(), not "Done."',
  ],
  [
    { say: { lead: [calls({ look: { q: 'x' } })] }, tools: { look: () => 'found' } },
    'explore: the answer of tools.look must be a list of outcomes, not "found".',
  ],
])('a function of an alphabet that answers otherwise is refused: %j', async (options, message) => {
  const agent = lead({ a }, { tools: { look: tool('look') } })
  await expect(explore(agent, options as object as ExploreOptions)).rejects.toThrow(message)
})
