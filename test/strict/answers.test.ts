/** A misspelt answer of a hook, filter, processor or scorer lets nothing through: it fails closed and names the nearest. */
import { createAgent, createScorer, createTroupe, type AnyAgent } from 'troupe'
import { describe, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'

/** What the types would refuse: users of JavaScript write it too. */
const answer = (value: unknown) => () => value as never

/** Runs it, and holds that the journal tells the same. */
async function settled<Options extends object>(agent: AnyAgent<Options>) {
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  expect((await troupe.replay(run.id)).result).toEqual(result)
  return result
}

const invalid = (text: string, code = 'INVALID_HOOK_RESULT') => ({
  name: 'TerminalError',
  code,
  message: expect.stringContaining(text) as string,
})

const helps = [calls(to('helper', 'Help')), 'Done.']
const strayMessage = [{ role: 'user', content: 'Hello.', nme: 'Ann' }]
const noField = (misspelt: string, meant: string) =>
  `there is no field "${misspelt}"; did you mean "${meant}"?`

describe('hooks of a delegation', () => {
  test.for([
    ['onDelegationStart', { proced: false }, noField('proced', 'proceed')],
    ['onDelegationStart', { proceed: true, modifiedPromt: 'x' }, noField('modifiedPromt', 'modifiedPrompt')],
    ['messageFilter', strayMessage, 'there is no field "nme"'],
  ] as const)('%s → %j: the subagent never runs', async ([hook, given, message]) => {
    const helper = worker('helper', ['Help.'])
    const { agent } = lead('lead', helps, {
      agents: { helper: helper.agent },
      delegation: { [hook]: answer(given) },
    })
    expect((await settled(agent)).delegations).toMatchObject([
      { outcome: 'failed', hookError: invalid(message) },
    ])
    expect(helper.model.calls).toHaveLength(0)
  })

  test.for([
    [{ feedbck: 'Again.' }, noField('feedbck', 'feedback')],
    [{ bail: true }, 'there is no field "bail"'],
  ] as const)('onDelegationComplete → %j fails the delegation', async ([given, message]) => {
    const { agent } = lead('lead', helps, {
      agents: { helper: worker('helper', ['Help.']).agent },
      delegation: { onDelegationComplete: answer(given) },
    })
    expect((await settled(agent)).delegations).toMatchObject([
      { outcome: 'failed', hookError: invalid(message) },
    ])
  })
})

test('onIterationComplete: { contine: false } fails the run', async () => {
  const { agent } = lead('lead', ['Done.'], { onIterationComplete: answer({ contine: false }) })
  expect(await settled(agent)).toMatchObject({
    outcome: 'failed',
    error: invalid(noField('contine', 'continue')),
  })
})

test('what a class has as accessors counts, and what it has as methods does not', async () => {
  class Refusal {
    proceed = false
    rejectionReason = 'No.'
    helper(): void {}
  }
  const helper = worker('helper', ['Help.'])
  const { agent } = lead('lead', helps, {
    agents: { helper: helper.agent },
    delegation: { onDelegationStart: () => new Refusal() },
  })
  expect((await settled(agent)).delegations).toMatchObject([{ outcome: 'rejected' }])
})

test('an input processor whose message has a stray key fails the run before its model is called', async () => {
  const { agent, model } = worker('solo', ['Done.'], {
    inputProcessors: [{ id: 'guard', processInput: answer(strayMessage) }],
  })
  expect(await settled(agent)).toMatchObject({ outcome: 'failed', error: invalid('there is no field "nme"') })
  expect(model.calls).toHaveLength(0)
})

test('abort with a misspelt option refuses all the same, and says what is wrong', async () => {
  const { agent, model } = worker('solo', ['Bad.', 'Good.'], {
    outputProcessors: [
      { id: 'guard', processOutput: ({ abort }) => abort('Bad words', { rety: true } as never) },
    ],
  })
  expect(await settled(agent)).toMatchObject({
    outcome: 'tripped',
    reason: expect.stringContaining('did you mean "retry"?') as string,
  })
  expect(model.calls).toHaveLength(1)
})

test.for([
  [{ score: 1, reasn: 'Fine.' }, noField('reasn', 'reason')],
  [{ scor: 1 }, noField('scor', 'score')],
  [{ score: 2 }, 'score must be a number from 0 to 1, not 2.'],
] as const)('a scorer that answers %j is errored, and never a pass', async ([given, message]) => {
  const { agent } = lead('lead', ['Done.'], {
    completion: { scorers: [createScorer({ id: 'judge', score: answer(given) })], continueOnFail: false },
  })
  const result = await settled(agent)
  expect(result).toMatchObject({ outcome: 'exhausted', reason: 'completion' })
  expect(result.scores[0]?.results).toMatchObject([{ error: invalid(message, 'INVALID_SCORE') }])
})

test('a reply of a model is read leniently: it may have more than is known', async () => {
  const reply = {
    text: 'Done.',
    toolCalls: [],
    finishReason: 'stop' as const,
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    vendor: { region: 'eu' },
  }
  const model = { provider: 'lavish', modelId: 'lavish', generate: async () => reply }
  expect(await settled(createAgent({ id: 'solo', instructions: '', model }))).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
  })
})
