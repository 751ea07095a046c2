/** An evaluation talks: the user of a case says more after each answer, from a list, by a function or by a model. */
import { createAgent, createRouter, createScorer, createTool, textOf, type ModelRequest } from 'troupe'
import {
  compareEvaluations,
  createEvaluation,
  evaluate,
  formatComparison,
  formatEvaluation,
  scriptedModel,
  simulatedUser,
  type EvaluationUser,
  type ScriptedStep,
} from 'troupe/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { done } from '../../support/agents/routing.ts'

const refund = createTool({
  id: 'refund',
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.string() }),
  execute: () => 'It runs for real.',
})

const desk = (steps: readonly ScriptedStep[], options: object = {}) =>
  createAgent({
    id: 'desk',
    instructions: 'Help.',
    model: scriptedModel(steps),
    tools: { refund },
    ...options,
  })

const textsOf = ({ messages }: Pick<ModelRequest, 'messages'>): readonly string[] =>
  messages.filter(({ role }) => role !== 'system').map(({ role, content }) => `${role}: ${textOf(content)}`)

const callsRefund: ScriptedStep = { toolCalls: [{ name: 'refund', args: { order: 'a' } }] }
const recorded = (result: string): string =>
  `${JSON.stringify({ agent: 'desk', tool: 'refund', args: { order: 'a' }, result })}\n`

describe('a conversation', () => {
  test.each<[string, object]>([
    ['in a thread of the agent', { memory: true }],
    ['of an agent without memory, in its prompts', {}],
  ])('%s', async (_name, options) => {
    const model = scriptedModel(['Which order?', callsRefund, 'It is paid back.'])
    const agent = desk([], { model, ...options })
    const asked: string[][] = []
    const scorer = createScorer({
      id: 'short',
      score: ({ messages, output }) => {
        asked.push(messages.map(({ role, content }) => `${role}: ${textOf(content)}`))
        return output === 'It is paid back.' ? 1 : 0
      },
    })
    const { cases, passed, usage } = await evaluate(
      agent,
      [{ prompt: 'My lamp is broken.', user: ['Order a.'], recording: recorded('receipt') }],
      { scorers: [scorer] },
    )
    const conversation = ['user: My lamp is broken.', 'assistant: Which order?', 'user: Order a.']
    expect(textsOf(model.calls[1]?.request ?? { messages: [] })).toEqual(conversation)
    expect(asked).toEqual([[...conversation, 'assistant: It is paid back.']])
    expect(passed).toBe(true)
    expect(usage.totalTokens).toBe(45)
    const [one] = cases
    expect(one?.turns.map(({ prompt, result, calls }) => [prompt, result.text, calls.length])).toEqual([
      ['My lamp is broken.', 'Which order?', 0],
      ['Order a.', 'It is paid back.', 1],
    ])
    expect(one).toMatchObject({ replayed: 1, ran: 0, unused: [], recording: recorded('receipt') })
  })

  test('of a router, which always remembers', async () => {
    const model = scriptedModel(['One.', 'Two.', 'Three.'].map((answer) => done(answer, 'It is said.')))
    const router = createRouter({
      id: 'front',
      instructions: 'Route.',
      model,
      memory: true,
      tools: { refund },
    })
    const { cases, passed } = await evaluate(router, [{ prompt: 'Go', user: ['Two', 'Three'] }])
    expect(cases[0]?.turns.map(({ result }) => result.text)).toEqual(['One.', 'Two.', 'Three.'])
    expect(passed).toBe(true)
  })

  test('goes on by a function, with what it is given, until the function has done', async () => {
    const seen: unknown[] = []
    const user: EvaluationUser = ({ messages, turn, result, signal }) => {
      seen.push([messages.length, turn, result.text, signal.aborted])
      return turn < 3
        ? { text: `And ${turn}?`, usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }
        : undefined
    }
    const { cases, passed } = await evaluate(desk(['One.', 'Two.', 'Three.']), [{ prompt: 'Go', user }])
    expect(seen).toEqual([
      [2, 1, 'One.', false],
      [4, 2, 'Two.', false],
      [6, 3, 'Three.', false],
    ])
    expect(passed).toBe(true)
    expect(cases[0]?.userUsage).toEqual({ inputTokens: 2, outputTokens: 4, totalTokens: 6 })
  })

  test('is cut by a user that never has done', async () => {
    const agent = desk(['One.', 'Two.'])
    const { cases } = await evaluate(agent, [{ prompt: 'Go', user: () => 'More', maxTurns: 2 }])
    expect(cases[0]).toMatchObject({
      passed: false,
      reasons: ['The user has not done after 2 turns.'],
      result: { outcome: 'completed', text: 'Two.' },
    })
  })

  test.each<[string, EvaluationUser, RegExp]>([
    ['throws', () => Promise.reject(new Error('No mood.')), /^The user failed after turn 1: No mood\.$/],
    ['says nothing', () => '  ', /must be a text that is not empty, not " {2}"/],
    ['says a number', (() => 7) as never, /must be a text that is not empty, not 7/],
    ['never answers', () => new Promise<string>(() => undefined), /did not answer within 20 ms/],
  ])('fails with a user that %s', async (_name, user, reason) => {
    const { cases, passed } = await evaluate(desk(['One.']), [{ prompt: 'Go', user }], { userTimeout: 20 })
    expect(passed).toBe(false)
    expect(cases[0]?.reasons).toEqual([expect.stringMatching(reason)])
  })

  test('goes on after an answer without a text, and under an id of its first run alone', async () => {
    const picture = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
    const seen: string[] = []
    const user: EvaluationUser = ({ messages, turn }) => {
      seen.push(textOf(messages.at(-1)?.content ?? 'none'))
      return turn === 1 ? 'And in words?' : undefined
    }
    const model = scriptedModel([{ text: '', files: [picture] }, 'A cat.'])
    const { cases } = await evaluate(desk([], { model }), [{ prompt: 'Draw', user, run: { runId: 'mine' } }])
    expect(cases[0]).toMatchObject({ passed: true, reasons: [] })
    expect(seen).toEqual(['', 'A cat.'])
    expect(textsOf(model.calls[1]?.request ?? { messages: [] })).toEqual([
      'user: Draw',
      'user: And in words?',
    ])
  })

  test('ends where a call has no recording, and where a turn ends otherwise', async () => {
    const user = ['Again', 'And again']
    const unrecorded = await evaluate(desk(['One.', callsRefund]), [{ prompt: 'Go', user }])
    expect(unrecorded.cases[0]?.turns).toHaveLength(2)
    expect(unrecorded.cases[0]?.reasons).toEqual(['There is no recording of the call refund {"order":"a"}.'])
    const failed = await evaluate(desk(['One.', { error: new Error('Down.') }], { retries: 0 }), [
      { prompt: 'Go', user },
    ])
    expect(failed.cases[0]?.turns).toHaveLength(2)
    expect(failed.cases[0]?.reasons).toEqual([
      expect.stringMatching(/^Turn 2: the outcome is failed, expected: completed, bailed, stopped\./),
    ])
  })

  test('has a turn for each message, whatever the messages are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
          { maxLength: 6 },
        ),
        fc.boolean(),
        async (user, memory) => {
          const model = scriptedModel([], { otherwise: 'Yes.' })
          const agent = createAgent({
            id: 'yes',
            instructions: 'Agree.',
            model,
            ...(memory ? { memory: true } : {}),
          })
          const { cases } = await evaluate(agent, [{ prompt: 'Go', user }])
          expect(cases[0]?.turns.map(({ prompt }) => prompt)).toEqual(['Go', ...user])
          expect(cases[0]?.passed).toBe(true)
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('a simulated user', () => {
  const says = (message: string, done = false): ScriptedStep => ({ text: JSON.stringify({ done, message }) })

  test('reads the conversation from its side, and ends it', async () => {
    const person = scriptedModel([says('The order is a.'), says('', true)])
    const user = simulatedUser({ model: person, instructions: 'You want order a to be paid back.' })
    const agent = desk(['Which order?', callsRefund, 'Done.'])
    const { cases, passed, usage } = await evaluate(agent, [
      { prompt: 'My lamp is broken.', user, recording: recorded('receipt') },
    ])
    expect(passed).toBe(true)
    expect(cases[0]?.turns.map(({ prompt }) => prompt)).toEqual(['My lamp is broken.', 'The order is a.'])
    expect(textsOf(person.calls[1]?.request ?? { messages: [] })).toEqual([
      'user: Hello, how can I help you?',
      'assistant: My lamp is broken.',
      'user: Which order?',
      'assistant: The order is a.',
      'user: Done.',
    ])
    expect(textOf(person.calls[0]?.request.messages[0]?.content ?? '')).toContain(
      'You want order a to be paid back.',
    )
    expect(cases[0]?.userUsage.totalTokens).toBe(30)
    expect(usage.totalTokens).toBe(45)
  })

  test('whose model fails, or says nothing, fails the case', async () => {
    const reasonsWith = async (...steps: readonly ScriptedStep[]) => {
      const user = simulatedUser({ model: scriptedModel(steps), instructions: 'Ask.' })
      return (await evaluate(desk(['One.']), [{ prompt: 'Go', user }])).cases[0]?.reasons
    }
    expect(await reasonsWith(says(''))).toEqual([expect.stringContaining('must be a text that is not empty')])
    expect(await reasonsWith()).toEqual([expect.stringMatching(/^The user failed after turn 1: /)])
  })

  test('refuses wrong options', () => {
    // @ts-expect-error -- a person has instructions
    expect(() => simulatedUser({ model: scriptedModel([]) })).toThrow(/instructions/)
  })
})

describe('gates', () => {
  const half = createScorer({ id: 'half', threshold: 0, score: ({ output }) => (output === 'Good.' ? 1 : 0) })
  const cases = [{ prompt: 'One' }, { prompt: 'Two' }]
  const run = (gates: object, replies: readonly string[] = ['Good.', 'Bad.']) =>
    evaluate(desk(replies), cases, { scorers: [half], gates })

  test('hold, or say what does not', async () => {
    expect(await run({ scores: { half: 0.5 }, tokens: 30 })).toMatchObject({ passed: true })
    const broken = await run({ scores: { half: 0.6 }, tokens: 29 })
    expect(broken).toMatchObject({
      passed: false,
      gates: [
        { gate: 'passed', limit: 1, value: 1, passed: true },
        { gate: 'scores.half', limit: 0.6, value: 0.5, passed: false },
        { gate: 'tokens', limit: 29, value: 30, passed: false },
      ],
    })
    expect(formatEvaluation(broken)).toContain(
      '- The mean of "half" is 0.5; it may be 0.6 at least.\n- The number of tokens is 30; it may be 29 at most.\n',
    )
  })

  test('let a share of the cases fail', async () => {
    const strict = createScorer({ id: 'strict', score: ({ output }) => (output === 'Good.' ? 1 : 0) })
    const passed = async (share: number) =>
      (await evaluate(desk(['Good.', 'Bad.']), cases, { scorers: [strict], gates: { passed: share } })).passed
    expect([await passed(0.5), await passed(0.51)]).toEqual([true, false])
  })

  test('refuse a scorer that is not there, and a share that is none', async () => {
    await expect(run({ scores: { hlaf: 1 } })).rejects.toThrow('there is no scorer "hlaf". Known: half.')
    await expect(run({ passed: 90 })).rejects.toThrow(/gates\.passed must be a number from 0 to 1/)
  })
})

describe('two versions side by side', () => {
  const polite = createScorer({
    id: 'polite',
    threshold: 0,
    score: ({ output }) => (output.includes('please') ? 1 : 0.5),
  })
  const cases = [
    { name: 'lamp', prompt: 'My lamp is broken.', recording: recorded('receipt') },
    { name: 'chair', prompt: 'My chair is broken.' },
  ]
  const reportOf = (steps: readonly ScriptedStep[]) =>
    evaluate(desk(steps, { retries: 0 }), cases, { scorers: [polite] })

  test('tell what changed, case by case', async () => {
    const before = await reportOf([callsRefund, 'Paid, please wait.', 'No.'])
    const after = await reportOf(['No.', { error: new Error('Down.') }])
    const compared = compareEvaluations(before, after, { gates: { scores: { polite: 0.1 }, tokens: 0 } })
    expect(compared).toMatchObject({
      passed: false,
      gates: [
        { gate: 'passed', passed: false },
        { gate: 'scores.polite', limit: 0.65, value: 0.5, passed: false },
        { gate: 'tokens', passed: true },
      ],
      cases: [
        { name: 'lamp', calls: { before: ['refund {"order":"a"}'], after: [] } },
        { name: 'chair', before: { outcome: 'completed' }, after: { outcome: 'failed', passed: false } },
      ],
    })
    expect(formatComparison(compared)).toBe(
      [
        '| case | passed | outcome | polite | tokens |',
        '| --- | --- | --- | --- | --- |',
        '| lamp | yes | completed | 1.00 → 0.50 | 30 → 15 |',
        '| chair | yes → no | completed → failed | 0.50 | 15 → 0 |',
        '| all | 2 of 2 → 1 of 2 |  | 0.75 → 0.50 | 45 → 15 |',
        '',
        '- lamp: the call refund {"order":"a"} is made no more.',
        '- The share of cases that passed is 0.5; it may be 1 at least.',
        '- The mean of "polite" is 0.5; it may be 0.65 at least.',
        '',
      ].join('\n'),
    )
  })

  test('hold where nothing is lost, also after a way through JSON', async () => {
    const report = await reportOf([callsRefund, 'Paid, please wait.', 'No.'])
    const kept = JSON.parse(JSON.stringify(report)) as typeof report
    const compared = compareEvaluations(kept, report, { gates: { scores: { polite: 0 }, tokens: 0 } })
    expect(compared).toMatchObject({ passed: true, cases: [{ calls: { before: [], after: [] } }, {}] })
    expect(formatComparison(compared)).not.toContain('→')
  })

  test('refuse what is no report, and a scorer that neither has', async () => {
    const report = await reportOf([callsRefund, 'Paid.', 'No.'])
    expect(() => compareEvaluations({} as never, report)).toThrow(
      /^compareEvaluations: before\.cases must be a list of cases/,
    )
    expect(() => compareEvaluations(report, report, { gates: { scores: { none: 0 } } })).toThrow(
      'there is no scorer "none". Known: polite.',
    )
  })
})

test('something else than an agent is refused', async () => {
  await expect(evaluate({} as never, [])).rejects.toThrow(
    'evaluate: the first argument must be an agent, not {}.',
  )
})

test('an evaluation is checked where it is made, and runs later', async () => {
  const made = createEvaluation({ id: 'desk', agent: desk(['Hello.']), cases: [{ prompt: 'Hi' }] })
  expect(await made.run()).toMatchObject({ passed: true, cases: [{ name: 'case 1' }] })
  expect(() => createEvaluation({ id: 'desk', agent: desk([]), cases: [{ prompt: '' }] })).toThrow(
    'evaluate: case 1: The prompt is empty.',
  )
})
