/** What hooks and models answer is checked: a wrong answer fails closed, and no error hides behind another. */
import {
  createScorer,
  createTool,
  createTroupe,
  RetryableError,
  TerminalError,
  type AgentDefinition,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

/** Answers that the types would refuse: users of JavaScript give them too. */
const wrong = (value: unknown) => value as never

/** Runs it, and holds that the journal tells the same. */
async function settled<Options extends object>(agent: AgentDefinition<Options>) {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

const invalid = (where: string) => ({
  name: 'TerminalError',
  code: 'INVALID_HOOK_RESULT',
  message: expect.stringContaining(`${where} answered with something else than expected: `) as string,
})

describe('what hooks answer', () => {
  const helps = [calls(to('helper', 'Help')), 'Done.']

  test.each<{ answer: unknown }>([{ answer: 'str' }, { answer: 5 }, { answer: [] }])(
    'onDelegationComplete → $answer fails the delegation',
    async ({ answer }) => {
      const { agent } = lead('lead', helps, {
        agents: { helper: worker('helper', ['Help.']).agent },
        delegation: { onDelegationComplete: () => wrong(answer) },
      })
      expect((await settled(agent)).result).toMatchObject({
        outcome: 'completed',
        delegations: [{ outcome: 'failed', hookError: invalid('onDelegationComplete') }],
      })
    },
  )

  test.each<{ answer: unknown }>([{ answer: 'no' }, { answer: {} }])(
    'stopWhen → $answer fails the run, also as one of several',
    async ({ answer }) => {
      for (const stopWhen of [() => wrong(answer), [() => false, () => wrong(answer)]]) {
        const { agent } = worker('solo', ['', 'Done.'], { stopWhen })
        expect((await settled(agent)).result).toMatchObject({ outcome: 'failed', error: invalid('stopWhen') })
      }
    },
  )

  test("feedback '' adds no message", async () => {
    const { agent, model } = lead('lead', helps, {
      agents: { helper: worker('helper', ['Help.']).agent },
      delegation: { onDelegationComplete: () => ({ feedback: '' }) },
    })
    expect((await settled(agent)).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(shown(model, 2).map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool'])
  })

  test("modifiedPrompt '' is refused: the subagent never runs", async () => {
    const helper = worker('helper', ['Help.'])
    const { agent } = lead('lead', helps, {
      agents: { helper: helper.agent },
      delegation: { onDelegationStart: () => ({ modifiedPrompt: '' }) },
    })
    expect((await settled(agent)).result.delegations).toMatchObject([
      { outcome: 'failed', hookError: invalid('onDelegationStart') },
    ])
    expect(helper.model.calls).toHaveLength(0)
  })

  test('where a subagent fails and the complete hook throws, both errors are kept apart', async () => {
    const { agent } = lead('lead', helps, {
      agents: {
        helper: worker('helper', [{ error: new TerminalError('It broke.', { code: 'BROKE' }) }]).agent,
      },
      delegation: {
        onDelegationComplete: () => {
          throw new Error('The hook broke.')
        },
      },
    })
    const { result, events } = await settled(agent)
    const both = {
      outcome: 'failed',
      error: { code: 'BROKE', message: 'It broke.' },
      hookError: { code: 'HOOK_FAILED', message: 'The hook broke.' },
    }
    expect(result.delegations).toMatchObject([both])
    expect(only(events, 'delegation-end').map((event) => event.payload)).toMatchObject([both])
  })
})

describe('a final turn', () => {
  const note = createTool({
    id: 'note',
    description: 'Notes.',
    inputSchema: z.object({}),
    execute: () => 'noted',
  })
  const notes = calls({ name: 'note' })

  test('that fails leaves a run that was scored complete without an answer: failed, with its error', async () => {
    const { agent } = lead('lead', [notes, { error: new TerminalError('It broke.', { code: 'BROKE' }) }], {
      tools: { note },
      scoreEvery: 'iteration',
      completion: { scorers: [createScorer({ id: 'lenient', score: () => 1 })] },
    })
    const { result } = await settled(agent)
    expect(result).toMatchObject({
      outcome: 'failed',
      text: '',
      error: { code: 'BROKE', message: 'It broke.' },
      scores: [{ outcome: 'passed' }],
    })
  })

  test.each(['refusal', 'content-filter'] as const)(
    'that ends by %s: the last text stands',
    async (finishReason) => {
      for (const make of [worker, lead]) {
        const { agent } = make(
          'solo',
          [
            { text: 'A thought.', ...notes },
            { text: 'I cannot help with that.', finishReason },
          ],
          { tools: { note }, maxSteps: 1 },
        )
        expect((await settled(agent)).result).toMatchObject({
          outcome: 'exhausted',
          reason: 'maxSteps',
          text: 'A thought.',
        })
      }
    },
  )
})

test('a retryAfterMs that is no time is none: backing off is as usual', async () => {
  const clock = virtualClock()
  const busy = (retryAfterMs: number) => ({
    error: new RetryableError('busy', { code: 'BUSY', retryAfterMs }),
  })
  const { agent } = worker('solo', [busy(Number.NaN), busy(Number.POSITIVE_INFINITY), 'Done.'])
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  for (const longest of [500, 1_000]) {
    await clock.armed()
    clock.advance(longest)
    expect(clock.pending).toBe(0)
  }
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const error = { name: 'RetryableError', code: 'BUSY', message: 'busy', retryable: true }
  expect(only(await allEvents(run), 'error').map((event) => event.payload)).toEqual([
    { error, willRetry: true, failures: 1 },
    { error, willRetry: true, failures: 2 },
  ])
})
