/** A handoff: an agent ends as `handedOff`, and another goes on with its conversation in its place. */
import {
  createAgent,
  createRouter,
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type HandoffFilterContext,
  type Message,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test, vi } from 'vitest'
import { createActor, toPromise } from 'xstate'
import { z } from 'zod'
import {
  allEvents,
  calls,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { transfer } from '../../support/agents/handoffs.ts'
import { offered } from '../../support/agents/tool-groups.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'

const said = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${textOf(content)}`)

const notice = (from: string, ...more: readonly string[]) =>
  [`The agent "${from}" has handed this conversation to you: go on with it in its place.`, ...more].join('\n')

const look = (found: string, performed: string[] = []) =>
  createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => {
      performed.push('look')
      return found
    },
  })

/** Two agents that hand to each other. */
function pair(first: readonly ScriptedStep[], second: readonly ScriptedStep[], maxHandoffs?: number) {
  const models = { ada: scriptedModel(first), bob: scriptedModel(second) }
  const common = { instructions: 'Talk.', ...(maxHandoffs === undefined ? {} : { maxHandoffs }) }
  const ada = createAgent({
    id: 'ada',
    description: 'Begins.',
    model: models.ada,
    handoffs: [(): AgentDefinition => bob],
    ...common,
  })
  const bob = createAgent({
    id: 'bob',
    description: 'Goes on.',
    instructions: 'Talk.',
    model: models.bob,
    handoffs: [ada],
  })
  return { ada, bob, models }
}

describe('a handoff at the root', () => {
  test('the run goes on with the target, and the result says by whom', async () => {
    const billing = worker('billing', ['It was refunded.'])
    const { agent, model } = worker(
      'triage',
      [
        {
          text: 'Let me pass you on.',
          ...calls(transfer('billing', { reason: 'money', prompt: 'Be kind.' })),
        },
      ],
      { handoffs: [billing.agent] },
    )
    const run = agent.stream('Refund me')
    const text: string[] = []
    for await (const piece of run.textStream) text.push(piece)
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'It was refunded.',
      by: 'billing',
      handoffs: [{ from: 'triage', to: 'billing', reason: 'money' }],
    })
    expect(result.steps.map((step) => step.text)).toEqual(['Let me pass you on.', 'It was refunded.'])
    expect(result.steps[0]?.toolResults).toEqual([
      { id: 'triage/handoff:1.1', name: 'transfer-to-billing', outcome: 'handedOff', value: 'billing' },
    ])
    expect(Object.keys(result.usage.byAgent)).toEqual(['triage', 'billing'])
    expect(result.usage.totalTokens).toBe(30)
    expect(text.join('')).toBe('Let me pass you on.It was refunded.')
    expect(model.calls).toHaveLength(1)

    const events = await allEvents(run)
    expect(only(events, 'handoff').map(({ payload, path, agent }) => ({ payload, path, agent }))).toEqual([
      { payload: { from: 'triage', to: 'billing', reason: 'money' }, path: 'triage', agent: 'triage' },
    ])
    expect(only(events, 'step-start').map(({ path, agent }) => ({ path, agent }))).toEqual([
      { path: 'triage', agent: 'triage' },
      { path: 'billing~1', agent: 'billing' },
    ])
    expect(only(events, 'run-finish').map(({ payload, messageId }) => ({ ...payload, messageId }))).toEqual([
      expect.objectContaining({
        by: 'billing',
        handoffs: [{ from: 'triage', to: 'billing', reason: 'money' }],
        messageId: 'billing~1:m1',
      }),
    ])
  })

  test('the target sees the conversation without system prompt, tool parts and the library’s own messages', async () => {
    const billing = worker('billing', ['Done.'])
    const { agent } = worker(
      'triage',
      [
        { text: 'I look.', ...calls({ name: 'look' }) },
        { text: '', finishReason: 'stop' },
        { text: 'Over to billing.', ...calls(transfer('billing', { reason: 'money', prompt: 'Be kind.' })) },
      ],
      { handoffs: [billing.agent], tools: { look: look('an invoice') } },
    )
    await agent.generate([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi, what is it?' },
      { role: 'user', content: 'Refund me' },
    ])
    expect(said(shown(billing.model, 1))).toEqual([
      'system: I am billing.',
      'user: Hello',
      'assistant: Hi, what is it?',
      'user: Refund me',
      'assistant: I look.',
      'assistant: Over to billing.',
      `user: ${notice('triage', 'Its reason: money', 'Be kind.')}`,
    ])
  })

  test('of a long conversation it sees the last messages, and the prompt always', async () => {
    const billing = worker('billing', ['Done.'])
    const steps = [1, 2, 3].map((n) => ({ text: `Look ${n}.`, ...calls({ name: 'look' }) }))
    const { agent } = lead('triage', [...steps, calls(transfer('billing'))], {
      handoffs: [billing.agent],
      tools: { look: look('x') },
      delegation: { maxMessages: 2 },
    })
    await agent.generate('Refund me')
    expect(said(shown(billing.model, 1)).slice(1, -1)).toEqual(['user: Refund me', 'assistant: Look 3.'])
  })

  test('two agents may hand to each other, and each keeps to its own part', async () => {
    const { ada, models } = pair(
      [{ text: 'One.', ...calls(transfer('bob')) }, 'Five.'],
      [{ text: 'Two.', ...calls(transfer('ada')) }],
    )
    const run = ada.stream('Count')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Five.', by: 'ada' })
    expect(result.handoffs).toEqual([
      { from: 'ada', to: 'bob' },
      { from: 'bob', to: 'ada' },
    ])
    expect(said(shown(models.ada, 2))).toEqual([
      'system: Talk.',
      'user: Count',
      'assistant: One.',
      'assistant: Two.',
      `user: ${notice('bob')}`,
    ])
    expect(only(await allEvents(run), 'step-start').map(({ path }) => path)).toEqual([
      'ada',
      'bob~1',
      'ada~2',
    ])
  })

  test('at the cap the agent that would hand on again has the last word', async () => {
    const on = (name: string) => calls(transfer(name))
    const { ada, models } = pair([on('bob'), on('bob')], [on('ada'), 'The last word.'], 2)
    const result = await ada.generate('Go')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'handoffs', by: 'ada' })
    expect(result.handoffs).toHaveLength(2)
    expect(models.ada.calls.map(({ request }) => request.toolChoice)).toEqual(['auto', 'auto', 'none'])
    expect(result.steps.at(-1)?.toolResults).toMatchObject([
      { outcome: 'failed', error: { code: 'MAX_HANDOFFS' } },
    ])
  })

  test('by default five may follow one another; the cap of the first agent is that of all', async () => {
    const on = (name: string) => calls(transfer(name))
    const five = pair([on('bob'), on('bob'), on('bob')], [on('ada'), on('ada'), on('ada'), 'Enough.'])
    expect(await five.ada.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'handoffs',
      text: 'Enough.',
      by: 'bob',
    })
    const six = pair(Array(4).fill(on('bob')), [on('ada'), on('ada'), on('ada'), 'Enough.'], 6)
    const { handoffs } = await six.ada.generate('Go', { onExhausted: 'stop' })
    expect(handoffs).toHaveLength(6)
  })

  test('an agent within the line may lower the cap, and not raise it', async () => {
    const end = worker('end', ['The end.'])
    const middle = worker('middle', [calls(transfer('end')), 'My word.'], {
      handoffs: [end.agent],
      maxHandoffs: 1,
    })
    const { agent } = worker('start', [calls(transfer('middle'))], { handoffs: [middle.agent] })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'handoffs',
      by: 'middle',
    })
  })

  test('the outcome is that of the last agent: a failure is one', async () => {
    const broken = worker('broken', [{ error: new Error('no') }])
    const { agent } = worker('start', [calls(transfer('broken'))], { handoffs: [broken.agent] })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      by: 'broken',
      error: { message: 'no' },
      handoffs: [{ from: 'start', to: 'broken' }],
    })
  })

  test('who bails for the target is told as in any run', async () => {
    const expert = worker('expert', ['The answer.'])
    const desk = lead('desk', [calls(to('expert', 'Say'))], {
      agents: { expert: expert.agent },
      delegation: { onDelegationComplete: (context) => context.bail() },
    })
    const { agent } = worker('start', [calls(transfer('desk'))], { handoffs: [desk.agent] })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'bailed',
      by: 'expert',
      text: 'The answer.',
      delegations: [{ id: 'desk~1/delegation:1.1' }],
      handoffs: [{ from: 'start', to: 'desk' }],
    })
  })
})

describe('the step that hands off', () => {
  test('its other calls come first, and the model is not asked again', async () => {
    const performed: string[] = []
    const billing = worker('billing', ['Done.'])
    const { agent, model } = worker('triage', [calls(transfer('billing'), { name: 'look' })], {
      handoffs: [billing.agent],
      tools: { look: look('x', performed) },
      toolCallConcurrency: 1,
    })
    const result = await agent.generate('Go')
    expect(performed).toEqual(['look'])
    expect(model.calls).toHaveLength(1)
    expect(result.steps[0]?.toolResults.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'transfer-to-billing handedOff',
      'look succeeded',
    ])
    expect(result).toMatchObject({ outcome: 'completed', by: 'billing' })
  })

  test('of two handoffs the first counts, and the other is on record', async () => {
    const [one, two] = [worker('one', ['First.']), worker('two', ['Second.'])]
    const { agent } = worker('triage', [calls(transfer('one'), transfer('two'))], {
      handoffs: { one: one.agent, two: two.agent },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ by: 'one', text: 'First.', handoffs: [{ from: 'triage', to: 'one' }] })
    expect(only(await allEvents(run), 'step-finish').map(({ payload }) => payload.handoffs)).toEqual([
      ['transfer-to-one', 'transfer-to-two'],
      undefined,
    ])
    expect(result.steps[0]?.toolResults).toMatchObject([
      { outcome: 'handedOff' },
      { outcome: 'failed', error: { code: 'HANDOFF_OVERTAKEN' } },
    ])
    expect(two.model.calls).toEqual([])
  })

  test('a bail in the same step wins', async () => {
    const [expert, billing] = [worker('expert', ['The answer.']), worker('billing', [])]
    const { agent } = lead('desk', [calls(transfer('billing'), to('expert', 'Say'))], {
      agents: { expert: expert.agent },
      handoffs: [billing.agent],
      delegation: { onDelegationComplete: (context) => context.bail() },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', by: 'expert' })
    expect(result).not.toHaveProperty('handoffs')
  })

  test('a handoff that is malformed, or to nobody, comes back to the model with what is allowed', async () => {
    const billing = worker('billing', ['Done.'])
    const { agent, model } = worker(
      'triage',
      [calls({ name: 'transfer-to-billing', args: { reason: 7 } }, transfer('nobody')), 'I stay.'],
      { handoffs: [billing.agent] },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'I stay.' })
    expect(toldOfCalls(model, 2)).toEqual([
      expect.stringContaining('Invalid arguments for \\"transfer-to-billing\\"'),
      expect.stringContaining('Available: transfer-to-billing'),
    ])
  })

  test('neither reviewer nor scorers are asked of it, nor of what the target answers', async () => {
    const asked: string[] = []
    const billing = worker('billing', ['Done.'], {
      onFinish: ({ outcome }) => void asked.push(`billing ${outcome}`),
    })
    const { agent } = lead('desk', [calls(transfer('billing'))], {
      handoffs: [billing.agent],
      completion: { scorers: [createScorer({ id: 'judge', score: () => asked.push('scorer') })] },
      onIterationComplete: () => void asked.push('reviewer'),
      onFinish: (context) => {
        const { outcome, text, handoffs = [] } = context
        expect(context).not.toHaveProperty('handoff')
        asked.push(`desk ${outcome} "${text}" to ${handoffs.map((handoff) => handoff.to).join()}`)
      },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', scores: [] })
    expect(asked).toEqual(['desk handedOff "" to billing', 'billing completed'])
    expect(only(await allEvents(run), 'iteration-end').map(({ payload }) => payload)).toEqual([
      { iteration: 1, continue: false },
    ])
  })

  test('who is at work in the background is dismissed first', async () => {
    const slow = worker('slow', [{ hang: true }])
    const billing = worker('billing', ['Done.'])
    const { agent } = lead('desk', [calls(to('slow', 'Dig')), calls(transfer('billing'))], {
      agents: { slow: slow.agent },
      backgroundTasks: { slow: {} },
      handoffs: [billing.agent],
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'completed',
      by: 'billing',
      delegations: [{ agent: 'slow', outcome: 'cancelled' }],
    })
  })
})

describe('a handoff within a delegation', () => {
  const chain = (steps: readonly ScriptedStep[] = ['C says.']) => {
    const clerk = worker('clerk', steps)
    const desk = worker('desk', [calls(transfer('clerk'))], { handoffs: [clerk.agent] })
    return { clerk, desk }
  }

  test('the delegation goes on, and its outcome is that of the target', async () => {
    const { desk, clerk } = chain()
    const { agent, model } = lead('lead', [calls(to('desk', 'Ask', { maxSteps: 3 })), 'All told.'], {
      agents: { desk: desk.agent },
      maxDepth: 1,
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result.delegations).toMatchObject([
      {
        agent: 'desk',
        outcome: 'succeeded',
        text: 'C says.',
        by: 'clerk',
        handoffs: [{ from: 'desk', to: 'clerk' }],
      },
    ])
    expect(result).not.toHaveProperty('by')
    expect(toldOfCalls(model, 2)).toEqual(['C says.'])
    expect(Object.keys(result.usage.byAgent).toSorted()).toEqual(['clerk', 'desk', 'lead'])
    expect(said(shown(clerk.model, 1))).toEqual([
      'system: I am clerk.',
      'user: Go',
      'user: Ask',
      `user: ${notice('desk')}`,
    ])
    const events = await allEvents(run)
    expect(only(events, 'step-start').map(({ path }) => path)).toEqual([
      'lead',
      'lead/delegation:1.1/desk',
      'lead/delegation:1.1/clerk~1',
      'lead',
    ])
    expect(only(events, 'delegation-end').map(({ payload }) => payload.by)).toEqual(['clerk'])
  })

  test('a bail for it is by the target', async () => {
    const { desk } = chain()
    const { agent } = lead('lead', [calls(to('desk', 'Ask'))], {
      agents: { desk: desk.agent },
      delegation: { onDelegationComplete: (context) => context.bail() },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'bailed', by: 'clerk', text: 'C says.' })
  })

  test('its timeout counts for all of them', async () => {
    const clock = new ManualClock()
    const { desk, clerk } = chain([{ hang: true }])
    const { agent } = lead('lead', [calls(to('desk', 'Ask')), 'Too late.'], {
      agents: { desk: desk.agent },
      delegation: { timeout: 1_000 },
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start', ({ path }) => path.endsWith('clerk~1'))
    clock.advance(1_000)
    expect(await run.result).toMatchObject({
      delegations: [{ outcome: 'timedOut', by: 'clerk', error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(clerk.model.calls[0]?.signal.aborted).toBe(true)
  })

  test('a cancel reaches the target, and the chain ends with it', async () => {
    const { desk, clerk } = chain([{ hang: true }])
    const { agent } = lead('lead', [calls(to('desk', 'Ask')), 'On without.'], {
      agents: { desk: desk.agent },
    })
    const run = agent.stream('Go')
    await until(run, 'step-start', ({ path }) => path.endsWith('clerk~1'))
    await run.cancel('enough', { delegationId: 'lead/delegation:1.1' })
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'cancelled', by: 'clerk' }],
    })
    expect(clerk.model.calls[0]?.signal.aborted).toBe(true)
  })

  test('a call that was denied beside the handoff holds nothing up', async () => {
    const clerk = worker('clerk', ['C says.'])
    const desk = worker('desk', [calls({ name: 'look' }, transfer('clerk'))], {
      handoffs: [clerk.agent],
      tools: {
        look: createTool({
          id: 'look',
          description: 'Looks.',
          inputSchema: z.object({}),
          requireApproval: true,
          execute: () => 1,
        }),
      },
    })
    const { agent } = lead('lead', [calls(to('desk', 'Ask')), 'All told.'], {
      agents: { desk: desk.agent },
      delegation: { timeout: 60_000 },
    })
    const run = agent.stream('Go')
    await run.whenIdle
    await run.deny('lead/delegation:1.1/desk/call:1.1', 'no')
    expect(await run.result).toMatchObject({ delegations: [{ outcome: 'succeeded', by: 'clerk' }] })
  })
})

describe('the target under the conditions of the run', () => {
  test('it may wait for a person, and the run is suspended with what there is', async () => {
    const billing = worker('billing', [calls({ name: 'pay' }), 'Paid.'], {
      tools: {
        pay: createTool({
          id: 'pay',
          description: 'Pays.',
          inputSchema: z.object({}),
          requireApproval: true,
          execute: () => 'ok',
        }),
      },
    })
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const run = agent.stream('Go')
    const idle = await run.whenIdle
    expect(idle).toMatchObject({
      outcome: 'suspended',
      handoffs: [{ from: 'triage', to: 'billing' }],
      awaiting: [{ toolCallId: 'billing~1/call:1.1', agent: 'billing' }],
    })
    expect(idle.steps).toHaveLength(1)
    await run.approve('billing~1/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Paid.', by: 'billing' })
  })

  test('a cancel reaches it', async () => {
    const billing = worker('billing', [{ hang: true }])
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const run = agent.stream('Go')
    await until(run, 'step-start', ({ agent: speaker }) => speaker === 'billing')
    await run.cancel('enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough', by: 'billing' })
    expect(billing.model.calls[0]?.signal.aborted).toBe(true)
  })

  test('after a cancel nobody goes on, also when the agent was just telling of its end', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const billing = worker('billing', [])
    const { agent } = worker('triage', [calls(transfer('billing'))], {
      handoffs: [billing.agent],
      onFinish: () => {
        resolve()
        return new Promise<void>(() => undefined)
      },
    })
    const run = agent.stream('Go')
    await promise
    await run.cancel('enough')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect(result).not.toHaveProperty('handoffs')
    expect(only(await allEvents(run), 'handoff')).toEqual([])
    expect(billing.model.calls).toEqual([])
  })

  test('the budget of the run holds over all of them', async () => {
    const billing = worker('billing', [calls({ name: 'look' })], {
      tools: { look: look('x') },
      onExhausted: 'stop',
      budget: { modelCalls: 9 },
    })
    const { agent } = worker('triage', [calls(transfer('billing'))], {
      handoffs: [billing.agent],
      budget: { modelCalls: 2 },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'budget',
      by: 'billing',
    })
    expect(billing.model.calls).toHaveLength(1)
  })

  test('the options of the call are for the first agent alone', async () => {
    const steps: string[] = []
    const billing = worker('billing', ['Done.'])
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    await agent.generate('Go', {
      instructions: 'Be quick.',
      maxSteps: 1,
      onStepFinish: ({ agentId }) => void steps.push(agentId),
    })
    expect(said(shown(billing.model, 1))[0]).toBe('system: I am billing.')
    expect(steps).toEqual(['triage'])
  })

  test('the depth of the tree is that of the run', async () => {
    const expert = worker('expert', [])
    const desk = lead('desk', [calls(to('expert', 'Say')), 'Alone.'], {
      agents: { expert: expert.agent },
      maxDepth: 9,
    })
    const { agent } = lead('start', [calls(transfer('desk'))], { handoffs: [desk.agent] })
    const top = lead('top', [calls(to('start', 'Go')), 'Done.'], { agents: { start: agent }, maxDepth: 1 })
    await top.agent.generate('Go')
    expect(toldOfCalls(desk.model, 2)[0]).toContain('reached a limit (depth)')
    expect(expert.model.calls).toEqual([])
  })
})

describe('what goes with it', () => {
  test('a filter of the user’s may shape it', async () => {
    let asked: HandoffFilterContext | undefined
    const billing = worker('billing', ['Done.'])
    const { agent } = worker(
      'triage',
      [{ text: 'The pin is 1234.', ...calls(transfer('billing', { reason: 'money' })) }],
      {
        handoffs: [billing.agent],
        handoffFilter: async (context) => {
          asked = context
          return context.messages.filter(({ content }) => !textOf(content).includes('1234'))
        },
      },
    )
    const { runId } = await agent.generate('Refund me')
    expect(asked).toMatchObject({
      runId,
      from: 'triage',
      to: 'billing',
      reason: 'money',
      originalTask: 'Refund me',
      messages: [
        { role: 'user', content: 'Refund me' },
        { role: 'assistant', content: 'The pin is 1234.' },
      ],
    })
    expect(said(shown(billing.model, 1))).toEqual([
      'system: I am billing.',
      'user: Refund me',
      `user: ${notice('triage', 'Its reason: money')}`,
    ])
  })

  test('one that throws fails the agent, and nobody goes on', async () => {
    const billing = worker('billing', [])
    const { agent } = worker('triage', [calls(transfer('billing'))], {
      handoffs: [billing.agent],
      handoffFilter: () => {
        throw new Error('no')
      },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'failed', error: { message: 'no' } })
    expect(result).not.toHaveProperty('handoffs')
    expect(billing.model.calls).toEqual([])
  })

  test('where that is ignored, the prompt goes alone', async () => {
    const billing = worker('billing', ['Done.'])
    const { agent } = worker('triage', [{ text: 'The pin is 1234.', ...calls(transfer('billing')) }], {
      handoffs: [billing.agent],
      hookErrors: 'ignore',
      handoffFilter: () => {
        throw new Error('no')
      },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(said(shown(billing.model, 1)).slice(1, -1)).toEqual(['user: Go'])
    expect(only(await allEvents(run), 'error')).toMatchObject([{ payload: { error: { message: 'no' } } }])
  })
})

describe('the shape of the answer', () => {
  const shape = z.object({ amount: z.number() })

  test('is the one that was asked of the run, and the target’s own counts for nothing there', async () => {
    const billing = worker('billing', ['{"amount": 7}'], {
      structuredOutput: { schema: z.object({ other: z.string() }) },
    })
    const agent = createAgent({
      id: 'triage',
      instructions: '',
      model: scriptedModel([calls(transfer('billing'))]),
      handoffs: [billing.agent],
      structuredOutput: { schema: shape.transform(({ amount }) => ({ euros: amount })) },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', object: { euros: 7 }, by: 'billing' })
    expect(shown(billing.model, 1)[0]?.content).toContain('amount')
  })

  test('also where it was asked for in the call', async () => {
    const billing = worker('billing', ['nothing', '{"amount": 7}'])
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const result = await agent.generate('Go', { structuredOutput: { schema: shape } })
    expect(result).toMatchObject({ outcome: 'completed', object: { amount: 7 }, by: 'billing' })
  })

  test('where none was asked for, the target answers with text', async () => {
    const billing = worker('billing', ['Seven.'], { structuredOutput: { schema: shape } })
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Seven.' })
    expect(billing.model.calls[0]?.request).not.toHaveProperty('responseFormat')
  })
})

describe('memory', () => {
  test('the exchange is kept in the thread of the conversation, and what that holds is not shown twice', async () => {
    const billing = worker('billing', ['Refunded.', 'Again.'], { memory: true })
    const { agent, model } = worker('triage', ['Hello.', calls(transfer('billing')), 'It was.'], {
      handoffs: [billing.agent],
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent] })
    for (const prompt of ['Hi', 'Refund me', 'Was it refunded?']) {
      await (
        await troupe.start(agent, prompt, { threadId: 't1' })
      ).result
    }
    expect(said(shown(billing.model, 1))).toEqual([
      'system: I am billing.',
      'user: Hi',
      'assistant: Hello.',
      'user: Refund me',
      `user: ${notice('triage')}`,
    ])
    expect(said(shown(model, 3)).slice(1)).toEqual([
      'user: Hi',
      'assistant: Hello.',
      'user: Refund me',
      'assistant: Refunded.',
      'user: Was it refunded?',
    ])
    expect((await troupe.memory.messages('t1')).map((message) => message.agent)).toEqual([
      undefined,
      'triage',
      undefined,
      'billing',
      undefined,
      'triage',
    ])
  })

  test('also where the target remembers nothing itself, and in the thread that the run has by itself', async () => {
    const billing = worker('billing', ['Refunded.'])
    const { agent } = worker('triage', [calls(transfer('billing'))], {
      handoffs: [billing.agent],
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Refund me')
    await run.result
    expect(said((await troupe.memory.messages(`${run.id}/triage`)) as unknown as Message[])).toEqual([
      'user: Refund me',
      'assistant: Refunded.',
    ])
  })

  test('where the first agent remembers nothing, the target’s memory is its own', async () => {
    const billing = worker('billing', ['One.', 'Two.'], { memory: true })
    const { agent } = worker('triage', [calls(transfer('billing')), calls(transfer('billing'))], {
      handoffs: [billing.agent],
    })
    const troupe = createTroupe({ agents: [agent] })
    for (const prompt of ['First', 'Second']) {
      await (
        await troupe.start(agent, prompt, { threadId: 't1' })
      ).result
    }
    expect(said(shown(billing.model, 2)).slice(1, -1)).toEqual([
      'user: First',
      'assistant: One.',
      'user: Second',
    ])
  })
})

describe('on record', () => {
  test('a run with handoffs replays exactly, to its end and to any point', async () => {
    const billing = worker('billing', [calls({ name: 'look' }), 'Done.'], { tools: { look: look('x') } })
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(await allEvents(run))
    const half = await troupe.replay(run.id, { until: 3 })
    expect(half.actors.map(({ id, path, machine }) => ({ id, path, machine }))).toEqual([
      { id: 'billing~1', path: 'billing~1', machine: 'react' },
    ])
  })

  test('a delegation of an agent that is gone cannot be cancelled', async () => {
    const expert = worker('expert', ['Facts.'])
    const desk = lead('desk', [calls(to('expert', 'Say')), 'Done.'], {
      agents: { expert: worker('slow', [{ hang: true }]).agent },
    })
    const { agent } = lead('start', [calls(to('expert', 'Say'), transfer('desk'))], {
      agents: { expert: expert.agent },
      handoffs: [desk.agent],
    })
    const run = agent.stream('Go')
    await until(run, 'delegation-start', ({ path }) => path === 'desk~1/delegation:1.1')
    await expect(run.cancel('enough', { delegationId: 'start/delegation:1.1' })).rejects.toThrow(
      /start\/delegation:1\.1/,
    )
    await run.cancel('enough', { delegationId: 'desk~1/delegation:1.1' })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('the actor of the run shows whoever is at work', async () => {
    const billing = worker('billing', [{ hang: true }])
    const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
    const run = agent.stream('Go')
    await until(run, 'step-start', ({ agent: speaker }) => speaker === 'billing')
    expect(Object.keys(run.actor.getSnapshot().children)).toEqual(['billing~1'])
    await run.cancel()
    await run.result
  })
})

test('hosted in an app, its actor shows whoever is at work, and is done with the answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const billing = worker('billing', [{ text: 'Done.', until: promise }])
  const { agent } = worker('triage', [calls(transfer('billing'))], { handoffs: [billing.agent] })
  const actor = createActor(createTroupe({ agents: [agent] }).logic(agent), { input: { prompt: 'Go' } })
  const handedOver = new Promise((heard) => actor.on('handoff', heard))
  const ended = toPromise(actor)
  actor.start()
  await handedOver
  const { children } = actor.getSnapshot()
  expect([children['billing~1']?.id, children['triage']]).toEqual(['billing~1', undefined])
  resolve()
  expect(await ended).toMatchObject({ outcome: 'completed', text: 'Done.', by: 'billing' })
})

describe('its definition', () => {
  const other = worker('other', []).agent
  const define = (config: object) => () =>
    createAgent({ id: 'me', instructions: '', model: scriptedModel([]), ...config })

  test.for([
    ['no agents', { handoffs: 'other' }, /handoffs must be a list of agents, or an object/],
    ['something that is no agent', { handoffs: [{}] }, /"0" must come from createAgent/],
    ['an agent twice', { handoffs: [other, other] }, /names the agent "other" twice/],
    ['an agent under two names', { handoffs: { a: other, b: other } }, /names the agent "other" twice/],
    ['a name that is too long', { handoffs: { ['a'.repeat(53)]: other } }, /Expected 1 to 52 letters/],
    ['itself', { handoffs: [worker('me', []).agent] }, /cannot hand its conversation to itself/],
    [
      'an agent without a description',
      { handoffs: [worker('mute', [], { description: '' }).agent] },
      /no description/,
    ],
    ['a cap of 0', { handoffs: [other], maxHandoffs: 0 }, /maxHandoffs must be a positive integer/],
    ['a filter that is none', { handoffs: [other], handoffFilter: 1 }, /handoffFilter must be a function/],
    ['a cap without handoffs', { maxHandoffs: 2 }, /mean nothing without handoffs/],
    [
      'a tool of that name',
      { tools: { 'transfer-to-x': look('x') } },
      /not beginning with "agent-" or "transfer-to-"/,
    ],
    ['an id of that name', { id: 'transfer-to-x' }, /reserved for handoff/],
  ] as const)('%s is refused', ([, config, message]) => {
    expect(define(config)).toThrow(message)
  })

  test('what a function names is checked when the agent comes into a troupe', () => {
    const { agent } = worker('me', [], { handoffs: [() => worker('me', []).agent] })
    expect(() => createTroupe({ agents: [agent] })).toThrow(/cannot hand its conversation to itself/)
  })

  test('two agents of one id are refused, as among subagents', () => {
    const { agent } = worker('me', [], { handoffs: [other] })
    expect(() => createTroupe({ agents: [agent, worker('other', []).agent] })).toThrow(/two different agents/)
  })

  test('a pattern without a loop of tool calls does not have them, and may be handed to', async () => {
    const tools = { look: look('x') }
    const router = (config: object) =>
      createRouter({
        id: 'router',
        description: 'Routes.',
        instructions: '',
        memory: true,
        tools,
        model: scriptedModel([
          '{"primitiveId":"none","primitiveType":"none","prompt":"Routed.","selectionReason":"easy"}',
        ]),
        ...config,
      })
    expect(() => router({ handoffs: [other] })).toThrow(/there is no option "handoffs"/)
    const { agent } = worker('me', [calls(transfer('router'))], { handoffs: [router({})] })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Routed.', by: 'router' })
  })

  test('parts that are functions of the run leave the handoffs as they are', async () => {
    const billing = worker('billing', ['Done.'])
    const model = scriptedModel([calls(transfer('billing'))])
    const agent = createAgent({
      id: 'triage',
      instructions: ({ runId }) => `In ${runId}.`,
      model: () => model,
      handoffs: [billing.agent],
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', by: 'billing' })
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['transfer-to-billing'])
  })
})

describe('a handoff keeps to what holds for the one that hands on', () => {
  const scoped = (id: string, group: string) =>
    createTool({ id, description: id, groups: [group], inputSchema: z.object({}), execute: () => id })
  const tools = { ledger: scoped('ledger', 'finance'), court: scoped('court', 'legal') }

  test.for([
    [['finance'], undefined, ['ledger']],
    [['finance'], ['finance', 'legal'], ['ledger']],
    [['finance', 'legal'], ['legal'], ['court']],
    [['*'], ['legal'], ['court']],
    [undefined, ['legal'], ['court']],
  ] as const)('its groups of tools: %j of a run, and %j of the target', async ([ofRun, ofTarget, offer]) => {
    const target = worker('clerk', ['Done.'], {
      tools,
      ...(ofTarget === undefined ? {} : { toolGroups: ofTarget }),
    })
    const { agent } = worker('desk', [calls(transfer('clerk'))], { handoffs: [target.agent] })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', ofRun === undefined ? {} : { toolGroups: ofRun })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', by: 'clerk' })
    expect(offered(target.model, 1)).toEqual(offer)
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('the versions of the run: the target is the one that was asked for, and introduced as such', async () => {
    const clerk = (version: string) =>
      createAgent({
        id: 'clerk',
        version,
        description: `Version ${version}.`,
        instructions: 'Answer.',
        model: scriptedModel([], { otherwise: version }),
        handoffs: [],
      })
    const { agent, model } = worker('desk', [calls(transfer('clerk'))], { handoffs: [clerk('1')] })
    const troupe = createTroupe({ agents: [agent, clerk('2')] })
    const run = await troupe.start(agent, 'Go', { versions: { agents: { clerk: { versionId: '2' } } } })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: '2', by: 'clerk' })
    expect(model.calls[0]?.request.tools[0]?.description).toContain('Version 2.')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})

describe('handoffs as a function of the run', () => {
  const contextSchema = z.object({ plan: z.enum(['free', 'pro']) })

  function desk() {
    const asked: string[] = []
    const billing = worker('billing', [], { otherwise: 'Paid.' })
    const lawyer = worker('lawyer', [], { otherwise: 'Sued.' })
    const model = scriptedModel([], {
      otherwise: ({ tools }) => calls(transfer(tools.at(-1)?.name.slice('transfer-to-'.length) ?? '')),
    })
    const agent = createAgent({
      id: 'desk',
      contextSchema,
      instructions: 'Help.',
      model,
      handoffs: async ({ context, runId }) => {
        asked.push(runId)
        return context.plan === 'pro' ? { bills: billing.agent, law: lawyer.agent } : [billing.agent]
      },
    })
    return { agent, model, asked, billing, lawyer }
  }

  test('each run has the agents that the function names for its context', async () => {
    const { agent, model } = desk()
    expect(await agent.generate('Go', { context: { plan: 'free' } })).toMatchObject({
      by: 'billing',
      handoffs: [{ from: 'desk', to: 'billing' }],
    })
    expect(await agent.generate('Go', { context: { plan: 'pro' } })).toMatchObject({ by: 'lawyer' })
    expect(model.calls.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([
      ['transfer-to-billing'],
      ['transfer-to-bills', 'transfer-to-law'],
    ])
  })

  test('it is called once a run, its answer is journaled, and a replay calls nothing', async () => {
    const { agent, asked, billing, lawyer } = desk()
    const troupe = createTroupe({ agents: [agent, billing.agent, lawyer.agent] })
    const run = await troupe.start(agent, 'Go', { context: { plan: 'pro' } })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', by: 'lawyer' })
    expect((await troupe.journal(run.id))[1]).toMatchObject({
      key: 'desk/hook:configure#1',
      settlement: { value: { handoffs: { law: { id: 'lawyer', description: 'Does lawyer work.' } } } },
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(asked).toEqual([run.id])
  })

  test('in a troupe the agents must be known to it, so that the run can be resumed', async () => {
    const { agent } = desk()
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go', { context: { plan: 'free' } })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    if (result.outcome === 'failed') {
      expect(result.error.message).toMatch(/handoffs\.billing of "desk".*createTroupe\(\{ agents \}\)/)
    }
  })

  test('a wrong answer fails the agent before its model is called', async () => {
    const model = scriptedModel([])
    const agent = createAgent({
      id: 'desk',
      instructions: '',
      model,
      handoffs: (_run) => [createAgent({ id: 'mute', instructions: '', model }) as never],
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    if (result.outcome === 'failed') expect(result.error.message).toMatch(/"mute" has no description/)
    expect(model.calls).toEqual([])
  })

  test.each<[string, () => unknown]>([
    ['later', async () => worker('other', []).agent],
    ['with a promise that rejects', () => Promise.reject(new Error('There is no agent.'))],
    ['with a list', () => [worker('other', []).agent]],
    ['with nothing', () => undefined],
  ])('a function in the place of one agent cannot answer %s', (_name, other) => {
    const { agent } = worker('me', [], { handoffs: [other as () => AgentDefinition] })
    expect(() => createTroupe({ agents: [agent] })).toThrow(
      /handoffs\[0\].* must answer with an agent at once/,
    )
  })

  test('a function in the place of one agent is called once, by its name in an object too', async () => {
    let calledTimes = 0
    const billing = worker('billing', [], { otherwise: 'Paid.' })
    const bills = (): AgentDefinition => {
      calledTimes++
      return billing.agent
    }
    const { agent } = worker('desk', [], {
      otherwise: calls(transfer('bills')),
      handoffs: { bills: { agent: bills } },
    })
    const troupe = createTroupe({ agents: [agent] })
    for (const task of ['One', 'Two']) {
      expect(await (await troupe.start(agent, task)).result).toMatchObject({ text: 'Paid.', by: 'billing' })
    }
    expect(calledTimes).toBe(1)
  })

  describe('is told by its place alone, whatever its parameters', () => {
    interface Given {
      readonly context: { readonly plan: string }
    }
    type Handoffs = (run: Given) => AgentDefinition[]
    const agents: Record<string, AgentDefinition> = {
      free: worker('free', [], { otherwise: 'Free.' }).agent,
      pro: worker('pro', [], { otherwise: 'Pro.' }).agent,
    }
    const named = (plan = 'free'): AgentDefinition[] => [agents[plan] as AgentDefinition]
    function bare(this: unknown): AgentDefinition[] {
      return named((arguments[0] as Given).context.plan)
    }
    const byDefault = ({ context }: Partial<Given> = {}): AgentDefinition[] => named(context?.plan)
    const defaultsWithin = ({
      context: { plan = 'free' } = {},
    }: { context?: Partial<Given['context']> } = {}): AgentDefinition[] => named(plan)
    const shapes: Readonly<Record<string, Handoffs>> = {
      'a parameter': (run) => named(run.context.plan),
      destructured: ({ context }) => named(context.plan),
      'a default': byDefault,
      'defaults within': defaultsWithin,
      rest: (...[run]: readonly [Given]) => named(run.context.plan),
      bound: ((_first: string, run: Given) => named(run.context.plan)).bind(undefined, ''),
      arguments: bare,
      spied: vi.fn<(run: Given) => AgentDefinition[]>(({ context }) => named(context.plan)),
    }

    test.each(Object.entries(shapes))('%s', async (_name, handoffs) => {
      const { agent } = worker('desk', [], {
        otherwise: ({ tools }) => calls(transfer(tools[0]?.name.slice('transfer-to-'.length) ?? '')),
        handoffs: handoffs as never,
      })
      for (const plan of ['pro', 'free', 'pro']) {
        expect(await agent.generate('Go', { context: { plan } })).toMatchObject({
          outcome: 'completed',
          by: plan,
        })
      }
    })
  })
})

describe('a filter for one run', () => {
  function line(own: Record<string, object> = {}) {
    const last = worker('last', [], { otherwise: 'Done.' })
    const second = worker('second', [], {
      otherwise: calls(transfer('last')),
      handoffs: [last.agent],
      ...own['second'],
    })
    const first = worker('first', [], {
      otherwise: calls(transfer('second')),
      handoffs: [second.agent],
      ...own['first'],
    })
    return { first, second, last }
  }

  function counting() {
    const asked: string[] = []
    return {
      asked,
      handoffFilter: ({ from, to, messages }: HandoffFilterContext) => {
        asked.push(`${from} to ${to}`)
        return messages
      },
    }
  }

  test('is called in every handoff of the conversation', async () => {
    const { first } = line()
    const { asked, handoffFilter } = counting()
    const troupe = createTroupe({ agents: [first.agent] })
    const run = await troupe.start(first.agent, 'Go', { handoffFilter })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', by: 'last' })
    expect(asked).toEqual(['first to second', 'second to last'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(asked).toHaveLength(2)
  })

  test('takes the place of the definition’s of the first agent, not of a successor’s', async () => {
    const own = { first: counting(), second: counting() }
    const { first } = line({
      first: { handoffFilter: own.first.handoffFilter },
      second: { handoffFilter: own.second.handoffFilter },
    })
    const { asked, handoffFilter } = counting()
    await first.agent.generate('Go', { handoffFilter })
    expect([asked, own.first.asked, own.second.asked]).toEqual([['first to second'], [], ['second to last']])
  })

  test('is not that of a subagent’s handoffs', async () => {
    const { first } = line()
    const { agent } = lead('lead', [calls(to('first', 'Go')), 'Done.'], {
      agents: { first: first.agent },
      handoffs: [first.agent],
    })
    const { asked, handoffFilter } = counting()
    expect((await agent.generate('Go', { handoffFilter })).outcome).toBe('completed')
    expect(asked).toEqual([])
  })

  test('is refused for an agent without handoffs', () => {
    const { last } = line()
    const { handoffFilter } = counting()
    expect(() => last.agent.stream('Go', { handoffFilter })).toThrow(/"last" has no handoffs/)
  })

  test('is given again where the run goes on', async () => {
    const { first } = line()
    const { asked, handoffFilter } = counting()
    const troupe = createTroupe({ agents: [first.agent] })
    const run = await troupe.start(first.agent, 'Go', { handoffFilter })
    await run.result
    await expect(troupe.fork(run.id, { at: 1 })).rejects.toThrow(/Hand them in again: handoffFilter/)
    const fork = await troupe.fork(run.id, { at: 1 }, { handoffFilter })
    expect(await fork.result).toMatchObject({ outcome: 'completed', by: 'last' })
    expect(asked).toHaveLength(4)
  })
})
