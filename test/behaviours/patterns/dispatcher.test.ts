/** The dispatcher: one classification, no loop; the answer, or the failure, is that of the one that was chosen. */
import {
  ConfigurationError,
  createDispatcher,
  createTool,
  createTroupe,
  createWorkflow,
  type DispatcherConfig,
  textOf,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import {
  allEvents,
  calls,
  everythingShown,
  lead,
  only,
  shown,
  to,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { done, dispatcher, toAgent, toTool, toWorkflow } from '../../support/agents/routing.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

function team() {
  const sales = worker('sales', ['It costs 3.'])
  const support = worker('support', ['Switch it off and on.'])
  return { sales, support, agents: { sales: sales.agent, support: support.agent } }
}

describe('one classification', () => {
  test('the chosen agent is given the task as it stands, and its answer is the answer', async () => {
    const { sales, support, agents } = team()
    const { agent, model } = dispatcher('desk', [toAgent('support', '', 'It is broken.')], { agents })
    const run = agent.stream('My lamp is dark.')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Switch it off and on.',
      delegations: [{ agent: 'support', outcome: 'succeeded' }],
      usage: { totalTokens: 30, byAgent: { desk: { totalTokens: 15 }, support: { totalTokens: 15 } } },
    })
    expect(result.steps.map(({ text, toolCalls }) => [text, toolCalls.map(({ name }) => name)])).toEqual([
      ['Switch it off and on.', ['agent-support']],
    ])
    const question = shown(model, 1).at(-1)?.content ?? ''
    expect(question).toContain(
      'Do not work on the task yourself. Choose who is to answer it. On offer:\n- agent "sales"',
    )
    expect(question).toContain('An agent is given the task as it stands: leave prompt empty.')
    expect(shown(support.model, 1)).toEqual([
      { role: 'system', content: 'I am support.' },
      { role: 'user', content: 'My lamp is dark.' },
    ])
    expect([model.calls.length, sales.model.calls.length]).toEqual([1, 0])
    const events = await allEvents(run)
    expect(only(events, 'routing-decision').map(({ payload }) => payload)).toEqual([
      {
        iteration: 1,
        candidates: [
          { primitiveId: 'sales', primitiveType: 'agent' },
          { primitiveId: 'support', primitiveType: 'agent' },
        ],
        primitiveId: 'support',
        primitiveType: 'agent',
        prompt: 'My lamp is dark.',
        selectionReason: 'It is broken.',
        criterion: 'model',
      },
    ])
    expect(only(events, 'iteration-start')).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, messageId: 'desk:m3' })
    let text = ''
    for await (const part of run.textStream) text += part
    expect(text).toBe('Switch it off and on.')
  })

  test('the conversation goes along, and the task is not shown twice', async () => {
    const { support, agents } = team()
    const { agent } = dispatcher('desk', [toAgent('support', 'something else')], { agents })
    await agent.generate([
      { role: 'user', content: 'I bought a lamp.' },
      { role: 'assistant', content: 'Congratulations.' },
      { role: 'user', content: 'It is dark.' },
    ])
    expect(shown(support.model, 1).map(({ content }) => content)).toEqual([
      'I am support.',
      'I bought a lamp.',
      'Congratulations.',
      'It is dark.',
    ])
  })

  test('what an input processor made of the task is what the agent is given', async () => {
    const { support, agents } = team()
    const { agent } = dispatcher('desk', [toAgent('support', '')], {
      agents,
      inputProcessors: [
        {
          id: 'mask',
          processInput: ({ messages }) =>
            messages.map((message) => ({
              ...message,
              content: textOf(message.content).replace('SECRET', '***'),
            })),
        },
      ],
    })
    await agent.generate('My SECRET lamp.')
    expect(everythingShown(support.model)).toContain('My *** lamp.')
    expect(everythingShown(support.model)).not.toContain('SECRET')
  })

  test('one agent alone: no model call', async () => {
    const sales = worker('sales', ['It costs 3.'])
    const { agent, model } = dispatcher('desk', [], { agents: { sales: sales.agent } })
    const run = agent.stream('How much?')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It costs 3.' })
    expect(model.calls).toHaveLength(0)
    expect(only(await allEvents(run), 'routing-decision')).toMatchObject([
      { payload: { criterion: 'onlyCandidate', selectionReason: 'It is the only one on offer.' } },
    ])
  })

  test('a tool or a workflow may be chosen, with its input', async () => {
    const price = createTool({
      id: 'price',
      description: 'Tells a price.',
      inputSchema: z.object({ item: z.string() }),
      execute: ({ item }) => ({ item, price: 3 }),
    })
    const shout = createWorkflow({
      id: 'shout',
      description: 'Says it loudly.',
      inputSchema: z.object({ text: z.string() }),
      logic: fromPromise(async ({ input }: { input: { text: string } }) => input.text.toUpperCase()),
    })
    const config = { tools: { price }, workflows: { shout } }
    const first = dispatcher('desk', [toTool('price', { item: 'lamp' })], config)
    expect(await first.agent.generate('How much?')).toMatchObject({
      outcome: 'completed',
      text: '{"item":"lamp","price":3}',
    })
    const second = dispatcher('desk', [toWorkflow('shout', { text: 'hello' })], config)
    expect(await second.agent.generate('Loud!')).toMatchObject({ outcome: 'completed', text: 'HELLO' })
  })

  test('the object of the agent comes along, unless a hook puts another text in its place', async () => {
    const shape = z.object({ price: z.number() })
    const sales = () => worker('sales', ['{"price":3}'], { structuredOutput: { schema: shape } })
    const plain = dispatcher('desk', [], { agents: { sales: sales().agent } })
    const result = await plain.agent.generate('How much?')
    expect(result.outcome === 'completed' && result.object).toEqual({ price: 3 })
    const changed = dispatcher('desk', [], {
      agents: { sales: sales().agent },
      delegation: { onDelegationComplete: () => ({ resultText: 'Ask later.' }) },
    })
    const other = await changed.agent.generate('How much?')
    expect(other).toMatchObject({ outcome: 'completed', text: 'Ask later.' })
    expect(other.outcome === 'completed' && other.object).toBeUndefined()
  })

  test.each([
    ['no JSON', 'Support.', 'it is not JSON'],
    ['nobody who is on offer', toAgent('ghost', ''), 'agent "ghost" is not on offer'],
    ['an end, which it cannot choose', done('I know it myself.'), 'none "none" is not on offer'],
  ])('%s: one repair with the problem, then a typed failure', async (_name, reply, problem) => {
    const { support, agents } = team()
    const repaired = dispatcher('desk', [reply, toAgent('support', '')], { agents })
    expect(await repaired.agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    expect(shown(repaired.model, 2).at(-1)?.content).toContain(problem)
    const failed = dispatcher('desk', [reply, reply], { agents })
    expect(await failed.agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'INVALID_DECISION' },
    })
    expect(failed.model.calls).toHaveLength(2)
    expect(support.model.calls).toHaveLength(1)
  })

  test('with memory, its thread keeps prompt and answer', async () => {
    const { agents } = team()
    const { agent } = dispatcher('desk', [toAgent('sales', '')], { agents, memory: true })
    const troupe = createTroupe({ agents: [agent] })
    await (
      await troupe.start(agent, 'How much?', { threadId: 't' })
    ).result
    expect((await troupe.memory.messages('t')).map(({ content }) => content)).toEqual([
      'How much?',
      'It costs 3.',
    ])
  })

  test('it may stand below a supervisor', async () => {
    const { agents } = team()
    const desk = dispatcher('desk', [toAgent('sales', '')], { agents })
    const boss = lead('boss', [calls(to('desk', 'How much?')), 'It is 3.'], { agents: { desk: desk.agent } })
    const result = await boss.agent.generate('Go')
    expect(result).toMatchObject({
      text: 'It is 3.',
      delegations: [{ agent: 'desk', outcome: 'succeeded', text: 'It costs 3.' }],
    })
  })
})

describe('it ends as the one ended that it chose', () => {
  test('exhausted, with its reason and its text', async () => {
    const again = createTool({
      id: 'again',
      description: 'Again.',
      inputSchema: z.object({}),
      execute: () => 'again',
    })
    const busy = worker('busy', [calls({ name: 'again' }), 'This far.'], { tools: { again }, maxSteps: 1 })
    const { agent, model } = dispatcher('desk', [], { agents: { busy: busy.agent } })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'This far.',
    })
    expect(model.calls).toHaveLength(0)
  })

  test('failed, with what it threw', async () => {
    const broken = worker('broken', [{ error: new Error('out of order') }])
    const { agent } = dispatcher('desk', [], { agents: { broken: broken.agent } })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      text: '',
      error: { message: 'out of order' },
    })
  })

  test('a tool that fails, or is denied', async () => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => {
        throw new Error('no money')
      },
    })
    const make = () => dispatcher('desk', [toTool('pay', {})], { tools: { pay } }).agent
    const approved = make().stream('Go')
    await approved.approve((await until(approved, 'tool-call-approval')).payload.toolCallId)
    expect(await approved.result).toMatchObject({ outcome: 'failed', error: { message: 'no money' } })
    const denied = make().stream('Go')
    await denied.deny((await until(denied, 'tool-call-approval')).payload.toolCallId, 'Too much.')
    const result = await denied.result
    expect(result.outcome).toBe('failed')
    expect(result.steps[0]?.toolResults[0]?.outcome).toBe('denied')
  })

  test('rejected by a hook', async () => {
    const { sales, agents } = team()
    const { agent } = dispatcher('desk', [toAgent('sales', '')], {
      agents,
      delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'Closed.' }) },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'DELEGATION_REJECTED', message: 'Delegation rejected: Closed.' },
    })
    expect(sales.model.calls).toHaveLength(0)
  })

  test('bailed by a hook', async () => {
    const { agents } = team()
    const { agent } = dispatcher('desk', [toAgent('sales', '')], {
      agents,
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'bailed', by: 'sales', text: 'It costs 3.' })
  })

  test('timed out', async () => {
    const clock = virtualClock()
    const slow = worker('slow', [{ hang: true }])
    const { agent } = dispatcher('desk', [], { agents: { slow: slow.agent }, delegation: { timeout: 1000 } })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.armed(1)
    clock.advance(1000)
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'DELEGATION_TIMEOUT' } })
  })

  test('too deep', async () => {
    const inner = dispatcher('inner', [], { agents: { sales: team().sales.agent } })
    const { agent } = dispatcher('outer', [], { agents: { inner: inner.agent }, maxDepth: 1 })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'depth' })
    expect(result.text).not.toBe('')
  })

  test('a budget that is used up before the choice leaves one last word', async () => {
    const { agents } = team()
    const { agent } = dispatcher('desk', ['no choice', 'I cannot say.'], {
      agents,
      budget: { modelCalls: 1 },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'budget',
      text: 'I cannot say.',
    })
  })

  test('a cancel reaches the one that was chosen', async () => {
    const slow = worker('slow', [{ hang: true }])
    const { agent } = dispatcher('desk', [], { agents: { slow: slow.agent } })
    const run = agent.stream('Go')
    await until(run, 'delegation-start')
    await run.cancel('enough')
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'enough',
      delegations: [{ outcome: 'cancelled' }],
    })
  })

  test('nobody, in a run for which functions bring nobody', async () => {
    const { agent } = dispatcher('desk', [], { agents: () => ({}) })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed', error: { code: 'NO_CANDIDATES' } })
  })
})

describe('configuration', () => {
  const { agents } = team()
  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['nothing to choose from', {}, /createDispatcher\("desk"\): expected at least one of agents/],
    ['maxSteps', { agents, maxSteps: 2 }, /maxSteps/],
    ['stopWhen', { agents, stopWhen: () => true }, /stopWhen/],
    ['structuredOutput', { agents, structuredOutput: { schema: z.object({}) } }, /structuredOutput/],
    ['outputProcessors', { agents, outputProcessors: [] }, /outputProcessors/],
    ['completion', { agents, completion: { scorers: [] } }, /completion/],
  ]

  test.each(wrong)('%s is refused', (_name, config, message) => {
    const common: DispatcherConfig = { id: 'desk', instructions: 'Dispatch.', model: scriptedModel([]) }
    const make = () => createDispatcher({ ...common, ...config })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })
})
