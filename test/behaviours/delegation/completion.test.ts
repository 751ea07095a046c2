/** Behaviours 23 to 26: when an answer counts as complete, who says so, and what becomes of it if nobody does. */
import {
  createScorer,
  createTool,
  createTroupe,
  type CompletionResult,
  type Scorer,
  type ScoringContext,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, until } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

/** A scorer that gives these scores, one a call, and the last one from then on. */
function scores(id: string, ...given: readonly number[]): Scorer & { readonly asked: readonly string[] } {
  const asked: string[] = []
  const scorer = createScorer({
    id,
    score: ({ output }) => {
      asked.push(output)
      return given[asked.length - 1] ?? given.at(-1) ?? 0
    },
  })
  return { ...scorer, asked }
}

/** A scorer that never answers, and tells when it was asked. */
function hanging(id: string) {
  const { promise: asked, resolve } = Promise.withResolvers<ScoringContext>()
  const scorer = createScorer({
    id,
    score: (context) => {
      resolve(context)
      return new Promise<number>(() => undefined)
    },
  })
  return { scorer, asked }
}

describe('23: strategies', () => {
  test('all: a fail then a pass make two scorings, with the feedback in between', async () => {
    const judge = createScorer({
      id: 'judge',
      score: ({ iteration }) => (iteration === 1 ? { score: 0.4, reason: 'No sources.' } : 1),
    })
    const { agent, model } = lead('lead', ['A draft.', 'With sources.'], { completion: { scorers: [judge] } })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'With sources.' })
    expect(result.scores).toEqual([
      {
        iteration: 1,
        outcome: 'failed',
        results: [{ id: 'judge', score: 0.4, reason: 'No sources.', passed: false }],
      },
      { iteration: 2, outcome: 'passed', results: [{ id: 'judge', score: 1, passed: true }] },
    ])
    const feedback =
      'The task is not complete yet. Unmet criteria:\n- judge: score 0.4. No sources.\nImprove the answer accordingly.'
    expect(shown(model, 2).at(-1)).toEqual({ role: 'user', content: feedback, internal: 'scoring' })
    const told = only(
      await allEvents(run),
      'scoring-start',
      'scorer-result',
      'scoring-complete',
      'iteration-feedback',
    )
    expect(told.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'scoring-start', payload: { scorerIds: ['judge'] } },
      {
        type: 'scorer-result',
        payload: { id: 'judge', score: 0.4, reason: 'No sources.', passed: false },
      },
      {
        type: 'scoring-complete',
        payload: {
          complete: false,
          outcome: 'failed',
          results: [{ id: 'judge', score: 0.4, reason: 'No sources.', passed: false }],
        },
      },
      { type: 'iteration-feedback', payload: { iteration: 1, message: feedback } },
      { type: 'scoring-start', payload: { scorerIds: ['judge'] } },
      { type: 'scorer-result', payload: { id: 'judge', score: 1, passed: true } },
      {
        type: 'scoring-complete',
        payload: { complete: true, outcome: 'passed', results: [{ id: 'judge', score: 1, passed: true }] },
      },
    ])
  })

  test('a scorer sees task, answer, messages and iteration', async () => {
    const seen: Omit<ScoringContext, 'signal'>[] = []
    const judge = createScorer({
      id: 'judge',
      score: ({ signal, ...context }) => {
        seen.push(context)
        return signal.aborted ? 0 : 1
      },
    })
    const { agent } = lead('lead', ['Answer.'], { completion: { scorers: [judge] } })
    expect(await agent.generate('Task')).toMatchObject({ outcome: 'completed' })
    expect(seen).toEqual([
      {
        input: 'Task',
        output: 'Answer.',
        run: { input: 'Task', output: 'Answer.' },
        iteration: 1,
        messages: [
          { role: 'system', content: 'I am lead.' },
          { role: 'user', content: 'Task' },
          { role: 'assistant', content: 'Answer.' },
        ],
      },
    ])
  })

  test('all: every scorer must pass, and in parallel every scorer is heard', async () => {
    const [style, facts] = [scores('style', 0, 1), scores('facts', 1)]
    const { agent } = lead('lead', ['One.', 'Two.'], { completion: { scorers: [style, facts] } })
    const result = await agent.generate('Go')
    expect(
      result.scores.map(({ outcome, results }) => [outcome, results.map((r) => [r.id, r.passed])]),
    ).toEqual([
      [
        'failed',
        [
          ['style', false],
          ['facts', true],
        ],
      ],
      [
        'passed',
        [
          ['style', true],
          ['facts', true],
        ],
      ],
    ])
    expect(facts.asked).toEqual(['One.', 'Two.'])
  })

  test('any, parallel: the first pass ends the scoring, and the others are aborted', async () => {
    const { scorer, asked } = hanging('slow')
    const { agent } = lead('lead', ['Answer.'], {
      completion: { scorers: [scorer, scores('quick', 1)], strategy: 'any' },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'completed',
      scores: [{ outcome: 'passed', results: [{ id: 'quick', score: 1, passed: true }] }],
    })
    expect(result.scores[0]?.results).toHaveLength(1)
    expect((await asked).signal.aborted).toBe(true)
  })

  test('any, sequential: nobody is asked after the first pass', async () => {
    const [first, second, third] = [scores('first', 0), scores('second', 1), scores('third', 1)]
    const { agent } = lead('lead', ['Answer.'], {
      completion: { scorers: [first, second, third], strategy: 'any', parallel: false },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    expect([first, second, third].map((scorer) => scorer.asked.length)).toEqual([1, 1, 0])
  })

  test('any: none passes, so it failed', async () => {
    const { agent } = lead('lead', ['Answer.'], {
      completion: { scorers: [scores('a', 0), scores('b', 0.5)], strategy: 'any', continueOnFail: false },
      onExhausted: 'stop',
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'completion' })
    expect(result.scores.map((record) => record.outcome)).toEqual(['failed'])
  })

  test('all, sequential: nobody is asked after the first fail', async () => {
    const [first, second, third] = [scores('first', 1), scores('second', 0, 1), scores('third', 1)]
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: [first, second, third], parallel: false },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Two.' })
    expect(first.asked).toEqual(['One.', 'Two.'])
    expect(second.asked).toEqual(['One.', 'Two.'])
    expect(third.asked).toEqual(['Two.'])
  })
})

describe('24: scorers that throw or hang', () => {
  test('a throw is errored with id and reason: not a score of 0, and the model is not told what was thrown', async () => {
    let asked = 0
    const judge = createScorer({
      id: 'judge',
      score: () => {
        if (++asked === 1) throw new Error('secret endpoint down')
        return 1
      },
    })
    const { agent, model } = lead('lead', ['One.', 'Two.'], { completion: { scorers: [judge] } })
    const result = await agent.generate('Go')
    expect(result.outcome).toBe('completed')
    expect(result.scores[0]).toEqual({
      iteration: 1,
      outcome: 'errored',
      results: [
        {
          id: 'judge',
          passed: false,
          error: { name: 'Error', code: 'SCORER_FAILED', message: 'secret endpoint down' },
        },
      ],
    })
    const told = shown(model, 2).at(-1)?.content
    expect(told).toContain('- judge: could not be scored')
    expect(told).not.toContain('secret')
  })

  test.each([
    { what: '2', score: () => 2 },
    { what: '-0.1', score: () => -0.1 },
    { what: 'NaN', score: () => Number.NaN },
    { what: 'an object without a score', score: () => JSON.parse('{"reason":"none"}') as number },
    { what: 'nothing', score: () => JSON.parse('null') as number },
  ])('a score that is $what is errored', async ({ score }) => {
    const { agent } = lead('lead', ['One.'], {
      completion: { scorers: [createScorer({ id: 'judge', score })], continueOnFail: false },
      onExhausted: 'stop',
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'exhausted',
      reason: 'completion',
      scores: [{ outcome: 'errored', results: [{ id: 'judge', error: { code: 'INVALID_SCORE' } }] }],
    })
  })

  test.each([{ parallel: true }, { parallel: false }])(
    'any, parallel $parallel: a scorer that gives no score is not asked again, the others are, and its error stands',
    async ({ parallel }) => {
      const wrong = scores('wrong', 7)
      const judge = scores('judge', 0, 0, 1)
      const { agent, model } = lead('lead', ['One.', 'Two.', 'Three.'], {
        completion: { scorers: [wrong, judge], strategy: 'any', parallel },
      })
      const troupe = createTroupe({ agents: [agent] })
      const run = await troupe.start(agent, 'Go')
      const result = await run.result
      expect(result).toMatchObject({ outcome: 'completed', text: 'Three.' })
      expect([wrong.asked, judge.asked]).toEqual([['One.'], ['One.', 'Two.', 'Three.']])
      const results = result.scores.map((record) => record.results.map(({ id, error }) => [id, error?.code]))
      const both = [
        ['wrong', 'INVALID_SCORE'],
        ['judge', undefined],
      ]
      expect(results).toEqual([both, both, both])
      expect(result.scores.map(({ outcome }) => outcome)).toEqual(['errored', 'errored', 'passed'])
      expect(shown(model, 3).at(-1)?.content).toContain('- wrong: could not be scored')
      const events = await allEvents(run)
      const asked = only(events, 'scoring-start').map(({ payload }) => payload.scorerIds)
      expect(asked).toEqual([['wrong', 'judge'], ['judge'], ['judge']])
      expect(only(events, 'scorer-result').filter(({ payload }) => payload.id === 'wrong')).toHaveLength(1)
      expect((await troupe.replay(run.id)).result).toEqual(result)
    },
  )

  test('any: a run whose scorers all give no score ends at once', async () => {
    const both = [scores('wrong', 7), scores('worse', -1)]
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: both, strategy: 'any' },
      onExhausted: 'stop',
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'completion',
      text: 'One.',
    })
    expect(both.map(({ asked }) => asked)).toEqual([['One.'], ['One.']])
  })

  test('any: scorers give no score in different steps: the run ends with the last of them', async () => {
    const wrong = scores('wrong', 7)
    const late = scores('late', 0, 7)
    const { agent } = lead('lead', ['One.', 'Two.', 'Three.'], {
      completion: { scorers: [wrong, late], strategy: 'any' },
      onExhausted: 'stop',
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'completion',
      text: 'Two.',
    })
    expect([wrong.asked, late.asked]).toEqual([['One.'], ['One.', 'Two.']])
  })

  test('any: a scorer that throws is asked again: what it needs may be there by then', async () => {
    let asked = 0
    const judge = createScorer({
      id: 'judge',
      score: () => {
        if (++asked === 1) throw new Error('The endpoint is down.')
        return 1
      },
    })
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: [judge, scores('other', 0)], strategy: 'any' },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Two.' })
  })

  test('a fail beside an error is failed; an error beside a pass is errored', async () => {
    const throws = createScorer({
      id: 'throws',
      score: () => {
        throw new Error('down')
      },
    })
    const outcomeWith = async (other: Scorer) => {
      const { agent } = lead('lead', ['One.'], {
        completion: { scorers: [throws, other], continueOnFail: false },
        onExhausted: 'stop',
      })
      return (await agent.generate('Go')).scores.map((record) => record.outcome)
    }
    expect(await outcomeWith(scores('other', 0))).toEqual(['failed'])
    expect(await outcomeWith(scores('other', 1))).toEqual(['errored'])
  })

  test('the deadline is shared and holds: who has not answered is errored, aborted, and no timer is left', async () => {
    const clock = virtualClock()
    const { scorer, asked } = hanging('slow')
    const { agent } = lead('lead', ['One.'], {
      completion: { scorers: [scores('quick', 1), scorer], timeout: 400, continueOnFail: false },
      onExhausted: 'stop',
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const { signal } = await asked
    await until(run, 'scorer-result')
    expect(clock.pending).toBe(1)
    clock.advance(399)
    expect([clock.pending, signal.aborted]).toEqual([1, false])
    clock.advance(1)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'completion' })
    expect(result.scores).toEqual([
      {
        iteration: 1,
        outcome: 'errored',
        results: [
          { id: 'quick', score: 1, passed: true },
          {
            id: 'slow',
            passed: false,
            error: { name: 'ScorerError', code: 'SCORER_TIMEOUT', message: 'No score within 400 ms.' },
          },
        ],
      },
    ])
    expect(signal.aborted).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('sequential: the deadline is not started anew for the second scorer', async () => {
    const clock = virtualClock()
    const gate = Promise.withResolvers<number>()
    const first = createScorer({ id: 'first', score: () => gate.promise })
    const { scorer, asked } = hanging('second')
    const { agent } = lead('lead', ['One.'], {
      completion: { scorers: [first, scorer], parallel: false, timeout: 400, continueOnFail: false },
      onExhausted: 'stop',
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.armed()
    clock.advance(300)
    gate.resolve(1)
    await asked
    clock.advance(100)
    const result = await run.result
    expect(result.scores[0]?.results.map(({ id, error }) => [id, error?.code])).toEqual([
      ['first', undefined],
      ['second', 'SCORER_TIMEOUT'],
    ])
  })

  test('the default deadline is 30 seconds; a scoring in time leaves no timer behind', async () => {
    const clock = virtualClock(0)
    const gate = Promise.withResolvers<number>()
    const judge = createScorer({ id: 'judge', score: () => gate.promise })
    const { agent } = lead('lead', ['One.'], { completion: { scorers: [judge] } })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.armed()
    clock.advance(29_999)
    expect(clock.pending).toBe(1)
    gate.resolve(1)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(clock.pending).toBe(0)
  })

  test('a score that comes after the deadline changes nothing', async () => {
    const clock = virtualClock()
    const gate = Promise.withResolvers<number>()
    const late = createScorer({
      id: 'late',
      score: ({ iteration }) => (iteration === 1 ? gate.promise : 1),
    })
    const second = Promise.withResolvers<void>()
    const { agent } = lead('lead', ['One.', { text: 'Two.', until: second.promise }], {
      completion: { scorers: [late], timeout: 50 },
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await clock.armed()
    clock.advance(50)
    await until(run, 'scoring-complete')
    gate.resolve(1)
    second.resolve()
    const result = await run.result
    expect(result.scores.map((record) => record.outcome)).toEqual(['errored', 'passed'])
    expect(result.text).toBe('Two.')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})

describe('25: thresholds, caps and what is unmet', () => {
  test.each([
    { score: 0.95, threshold: 0.9, outcome: 'completed' },
    { score: 0.9, threshold: 0.9, outcome: 'completed' },
    { score: 0.89, threshold: 0.9, outcome: 'exhausted' },
    { score: 0.99, threshold: undefined, outcome: 'exhausted' },
    { score: 0, threshold: 0, outcome: 'completed' },
  ])('a score of $score at threshold $threshold: $outcome', async ({ score, threshold, outcome }) => {
    const judge = createScorer({
      id: 'judge',
      score: () => score,
      ...(threshold === undefined ? {} : { threshold }),
    })
    const { agent } = lead('lead', ['Answer.'], {
      completion: { scorers: [judge], continueOnFail: false },
      onExhausted: 'stop',
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome, text: 'Answer.' })
  })

  test('unmet at the cap is exhausted, reason completion, with a last word that is not scored', async () => {
    const judge = scores('judge', 0)
    const { agent, model } = lead('lead', ['One.', 'Two.', 'Last word.'], {
      maxSteps: 2,
      completion: { scorers: [judge] },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'completion',
      text: 'Last word.',
    })
    expect(judge.asked).toEqual(['One.', 'Two.'])
    expect(model.calls[2]?.request.toolChoice).toBe('none')
  })

  test('`continueOnFail: false`: exhausted at once, through the final turn', async () => {
    const judge = scores('judge', 0)
    const { agent, model } = lead('lead', ['One.', 'Last word.'], {
      completion: { scorers: [judge], continueOnFail: false },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'completion',
      text: 'Last word.',
    })
    expect(judge.asked).toEqual(['One.'])
    expect(model.calls).toHaveLength(2)
  })

  test('`feedbackToLLM: false`: another try, and the model is not told why', async () => {
    const { agent, model } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: [scores('judge', 0, 1)], feedbackToLLM: false },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Two.' })
    expect(JSON.stringify(shown(model, 2))).not.toContain('judge')
    expect(only(await allEvents(run), 'iteration-feedback')).toEqual([])
  })

  test('a stop condition ends an unmet run as stopped', async () => {
    const { agent } = lead('lead', ['One.'], {
      completion: { scorers: [scores('judge', 0)] },
      stopWhen: () => true,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'stopped', reason: 'stopWhen', text: 'One.' })
  })

  test('an iteration that the hook objects to is not scored', async () => {
    const judge = scores('judge', 1)
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: [judge] },
      onIterationComplete: ({ iteration }) =>
        iteration === 1 ? { continue: true, feedback: 'Again.' } : undefined,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Two.' })
    expect(judge.asked).toEqual(['Two.'])
  })

  test('an iteration whose hook fails is scored all the same, where hook errors are ignored', async () => {
    const judge = scores('judge', 0, 1)
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: { scorers: [judge] },
      hookErrors: 'ignore',
      onIterationComplete: () => {
        throw new Error('The reviewer is ill.')
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      text: 'Two.',
      scores: [{ outcome: 'failed' }, { outcome: 'passed' }],
    })
    expect(judge.asked).toEqual(['One.', 'Two.'])
  })

  test('a completion given with the run stands in place of that of the definition', async () => {
    const [own, given] = [scores('own', 0), scores('given', 1)]
    const { agent } = lead('lead', ['One.'], { completion: { scorers: [own] } })
    expect(await agent.generate('Go', { completion: { scorers: [given] } })).toMatchObject({
      outcome: 'completed',
      scores: [{ results: [{ id: 'given' }] }],
    })
    expect([own.asked.length, given.asked.length]).toEqual([0, 1])
  })
})

describe("scoreEvery 'iteration'", () => {
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema: z.object({}),
    execute: () => 'found',
  })
  const callsLookup = calls({ name: 'lookup' })

  test('by default an iteration with tool calls is not scored', async () => {
    const judge = scores('judge', 1)
    const { agent } = lead('lead', [callsLookup, 'Done.'], {
      tools: { lookup },
      completion: { scorers: [judge] },
    })
    await agent.generate('Go')
    expect(judge.asked).toEqual(['Done.'])
  })

  test('each iteration is scored; a pass on one without an answer goes through the final turn', async () => {
    const judge = scores('judge', 0, 1)
    const { agent, model } = lead('lead', [callsLookup, callsLookup, 'Summary.'], {
      tools: { lookup },
      scoreEvery: 'iteration',
      completion: { scorers: [judge] },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Summary.' })
    expect(result.scores.map(({ iteration, outcome }) => [iteration, outcome])).toEqual([
      [1, 'failed'],
      [2, 'passed'],
    ])
    expect(judge.asked).toHaveLength(2)
    expect(model.calls[2]?.request).toMatchObject({ tools: [], toolChoice: 'none' })
  })

  test('an answer that passes is the answer', async () => {
    const judge = scores('judge', 0, 1)
    const { agent, model } = lead('lead', [callsLookup, 'Done.'], {
      tools: { lookup },
      scoreEvery: 'iteration',
      completion: { scorers: [judge] },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(model.calls).toHaveLength(2)
  })
})

describe('26: onComplete', () => {
  test('is told of each scoring', async () => {
    const told: CompletionResult[] = []
    const { agent } = lead('lead', ['One.', 'Two.'], {
      completion: {
        scorers: [scores('judge', 0.5, 1)],
        onComplete: (result) => {
          told.push(result)
        },
      },
    })
    await agent.generate('Go')
    expect(told).toMatchObject([
      {
        complete: false,
        outcome: 'failed',
        iteration: 1,
        results: [{ id: 'judge', score: 0.5, passed: false }],
      },
      { complete: true, outcome: 'passed', iteration: 2, results: [{ id: 'judge', score: 1, passed: true }] },
    ])
  })

  test('that throws does not kill the run: it is announced, and nothing else changes', async () => {
    const { agent } = lead('lead', ['One.'], {
      completion: {
        scorers: [scores('judge', 1)],
        onComplete: () => {
          throw new Error('observer down')
        },
      },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'One.' })
    expect(only(await allEvents(run), 'error').map(({ payload, path }) => ({ payload, path }))).toEqual([
      {
        path: 'lead/completion:1',
        payload: {
          error: { name: 'Error', code: 'HOOK_FAILED', message: 'observer down' },
          willRetry: false,
        },
      },
    ])
  })
})

test.each(['refusal', 'content-filter'] as const)(
  'scored complete without an answer, and a last word that ends by %s: there is no answer, so the run failed',
  async (finishReason) => {
    const { agent } = lead('lead', [calls({ name: 'nothing' }), { text: 'I will not.', finishReason }], {
      scoreEvery: 'iteration',
      completion: { scorers: [scores('done', 1)] },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { code: 'NO_ANSWER' } })
  },
)
