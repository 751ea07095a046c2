/** Behaviours 1 to 10: what becomes of one delegation, and who learns what of it. */
import { createTool, createTroupe, TerminalError, type DelegationCompleteContext } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  allEvents,
  calls,
  everythingShown,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `found ${q}`,
})

describe('hooks', () => {
  test('1: a regular tool call fires no delegation hook', async () => {
    const fired: string[] = []
    const { agent, model } = lead('lead', [calls({ name: 'lookup', args: { q: 'x' } }), 'Done.'], {
      tools: { lookup },
      agents: { researcher: worker('researcher', []).agent },
      delegation: {
        onDelegationStart: () => void fired.push('start'),
        onDelegationComplete: () => void fired.push('complete'),
        messageFilter: ({ messages }) => {
          fired.push('filter')
          return messages
        },
      },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', delegations: [] })
    expect(fired).toEqual([])
    expect(toldOfCalls(model, 2)).toEqual(['found x'])
  })

  test('1: one delegation fires start once and then complete once, with what each is promised', async () => {
    const clock = new ManualClock()
    const hold = Promise.withResolvers<void>()
    const researcher = worker('researcher', [{ text: 'Facts.', until: hold.promise }])
    const fired: unknown[] = []
    const { agent } = lead(
      'lead',
      [
        calls({ name: 'lookup', args: { q: 'x' } }),
        calls(to('scout', 'Find facts', { maxSteps: 4 })),
        'Done.',
      ],
      {
        tools: { lookup },
        agents: { scout: researcher.agent },
        delegation: {
          onDelegationStart: ({ messages, ...context }) =>
            void fired.push(['start', context, messages.length]),
          onDelegationComplete: ({ messages, bail, ...context }) =>
            void fired.push(['complete', context, messages.length, typeof bail]),
        },
      },
    )
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Write about x')
    await until(run, 'delegation-start')
    clock.advance(250)
    hold.resolve()
    const result = await run.result
    const common = {
      runId: run.id,
      delegationId: 'lead/delegation:2.1',
      agentName: 'scout',
      agentId: 'researcher',
      primitiveId: 'researcher',
      primitiveType: 'agent',
      prompt: 'Find facts',
      args: { prompt: 'Find facts', maxSteps: 4 },
      iteration: 2,
      originalTask: 'Write about x',
    }
    expect(fired).toMatchObject([
      ['start', common, 5],
      [
        'complete',
        {
          ...common,
          outcome: 'succeeded',
          text: 'Facts.',
          result: { text: 'Facts.' },
          usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
          duration: 250,
        },
        5,
        'function',
      ],
    ])
    expect(result.delegations).toEqual([
      {
        id: 'lead/delegation:2.1',
        agent: 'researcher',
        outcome: 'succeeded',
        text: 'Facts.',
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        toolResults: [],
        threadId: `thread:${result.runId}/researcher/${result.runId}/lead/delegation:2.1`,
        duration: 250,
      },
    ])
  })

  test('1: hooks that are given with the run take the place of those of the definition', async () => {
    const fired: string[] = []
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: worker('researcher', ['Facts.']).agent },
      delegation: {
        onDelegationStart: () => void fired.push('start of the definition'),
        onDelegationComplete: () => void fired.push('complete of the definition'),
      },
    })
    await agent.generate('Go', {
      delegation: { onDelegationStart: () => void fired.push('start of the run') },
    })
    expect(fired).toEqual(['start of the run', 'complete of the definition'])
  })

  test('2: a rejected subagent is never called, and the model is told why', async () => {
    const researcher = worker('researcher', [])
    let completions = 0
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Without facts.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        onDelegationStart: () => ({ proceed: false, rejectionReason: 'too expensive' }),
        onDelegationComplete: () => void completions++,
      },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Without facts.' })
    expect(result.delegations).toEqual([
      {
        id: 'lead/delegation:1.1',
        agent: 'researcher',
        outcome: 'rejected',
        text: '',
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        toolResults: [],
        reason: 'too expensive',
        duration: 0,
      },
    ])
    expect(researcher.model.calls).toEqual([])
    expect(completions).toBe(0)
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { error: 'Delegation rejected: too expensive', rejected: true },
    ])
    const events = await allEvents(run)
    expect(only(events, 'delegation-rejected')).toMatchObject([
      {
        agent: 'lead',
        delegationId: 'lead/delegation:1.1',
        payload: { agentName: 'researcher', agentId: 'researcher', reason: 'too expensive' },
      },
    ])
    expect(only(events, 'delegation-start')).toEqual([])
  })

  test('3: a modified prompt is all that the subagent sees of the task', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const { agent } = lead('lead', [calls(to('researcher', 'ORIGINAL')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        onDelegationStart: ({ prompt }) => ({ modifiedPrompt: `Not the ${prompt.length} letters` }),
      },
    })
    const run = agent.stream('Go')
    await run.result
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'system', content: 'I am researcher.' },
      { role: 'user', content: 'Go' },
      { role: 'user', content: 'Not the 8 letters' },
    ])
    expect(everythingShown(researcher.model)).not.toContain('ORIGINAL')
    const [start] = only(await allEvents(run), 'delegation-start')
    expect(start?.payload.prompt).toBe('Not the 8 letters')
  })

  test("3: instructions of the parent's model and of the hook follow the subagent's own", async () => {
    const researcher = worker('researcher', ['Facts.', 'More facts.'])
    const { agent } = lead(
      'lead',
      [
        calls(to('researcher', 'Find facts', { instructions: 'By the model.' })),
        calls(to('researcher', 'Find more')),
        'Done.',
      ],
      {
        agents: { researcher: researcher.agent },
        delegation: {
          includeConversationHistory: false,
          onDelegationStart: ({ iteration }) =>
            iteration === 1 ? { modifiedInstructions: 'By the hook.' } : undefined,
        },
      },
    )
    await agent.generate('Go')
    expect(shown(researcher.model, 1)[0]).toEqual({
      role: 'system',
      content: 'I am researcher.\n\nBy the model.\n\nBy the hook.',
    })
    expect(shown(researcher.model, 2)[0]).toEqual({ role: 'system', content: 'I am researcher.' })
  })

  test('4: a start hook that throws fails its delegation alone, and the subagent does not run', async () => {
    const researcher = worker('researcher', [])
    const writer = worker('writer', ['Draft.'])
    const { agent, model } = lead(
      'lead',
      [calls(to('researcher', 'Find facts'), to('writer', 'Write')), 'Done.'],
      {
        agents: { researcher: researcher.agent, writer: writer.agent },
        delegation: {
          onDelegationStart: ({ agentId }) => {
            if (agentId === 'researcher') throw new Error('no such quota: s3cret')
          },
        },
      },
    )
    const result = await agent.stream('Go').result
    expect(result.outcome).toBe('completed')
    expect(result.delegations).toMatchObject([
      {
        agent: 'researcher',
        outcome: 'failed',
        error: { code: 'HOOK_FAILED', message: 'no such quota: s3cret' },
        hookError: { code: 'HOOK_FAILED', message: 'no such quota: s3cret' },
      },
      { agent: 'writer', outcome: 'succeeded', text: 'Draft.' },
    ])
    expect(researcher.model.calls).toEqual([])
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"researcher\\" failed."}', 'Draft.'])
    expect(everythingShown(model)).not.toContain('s3cret')
  })

  test('4: under hookErrors "ignore" the subagent runs, and the error is recorded', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      hookErrors: 'ignore',
      delegation: {
        onDelegationStart: () => {
          throw new Error('start broke')
        },
      },
    })
    const run = agent.stream('Go')
    const { delegations } = await run.result
    expect(delegations).toMatchObject([
      { outcome: 'succeeded', text: 'Facts.', hookError: { code: 'HOOK_FAILED', message: 'start broke' } },
    ])
    expect(delegations[0]).not.toHaveProperty('error')
    expect(toldOfCalls(model, 2)).toEqual(['Facts.'])
    const events = await allEvents(run)
    expect(only(events, 'error').map((event) => event.payload)).toEqual([
      { error: { name: 'Error', code: 'HOOK_FAILED', message: 'start broke' }, willRetry: false },
    ])
    expect(only(events, 'delegation-end')[0]?.payload.hookError?.message).toBe('start broke')
  })

  test('4: a hook that answers with nonsense fails its delegation', async () => {
    const researcher = worker('researcher', [])
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: { onDelegationStart: () => ({ modifiedMaxSteps: 0 }) },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', hookError: { code: 'INVALID_HOOK_RESULT' } }],
    })
    expect(researcher.model.calls).toEqual([])
  })

  test('5: a complete hook that throws fails the delegation, and is called exactly once', async () => {
    let called = 0
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: worker('researcher', ['Facts.']).agent },
      delegation: {
        onDelegationComplete: () => {
          called++
          throw new Error('complete broke')
        },
      },
    })
    const result = await agent.generate('Go')
    expect(called).toBe(1)
    expect(result.outcome).toBe('completed')
    expect(result.delegations).toMatchObject([
      { outcome: 'failed', text: 'Facts.', hookError: { message: 'complete broke' } },
    ])
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"researcher\\" failed."}'])
  })

  test('5: a complete hook that bails and then throws does not bail', async () => {
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: worker('researcher', ['Facts.']).agent },
      delegation: {
        onDelegationComplete: ({ bail }) => {
          bail()
          throw new Error('complete broke')
        },
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ outcome: 'failed' }],
    })
  })
})

describe('errors between agents', () => {
  test("6: what a subagent threw is the hook's, the event's and the journal's, never the parent model's", async () => {
    const secret = 'password=hunter2'
    const researcher = worker('researcher', [
      { error: new TerminalError(`refused, ${secret}`, { code: 'DENIED' }) },
    ])
    const seen: DelegationCompleteContext[] = []
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: { onDelegationComplete: (context) => void seen.push(context) },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const error = { name: 'TerminalError', code: 'DENIED', message: `refused, ${secret}` }
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(result.delegations).toMatchObject([{ outcome: 'failed', error }])
    expect(seen).toMatchObject([{ outcome: 'failed', error }])
    expect(only(await allEvents(run), 'delegation-end')).toMatchObject([
      { payload: { outcome: 'failed', error } },
    ])
    expect(JSON.stringify(await troupe.journal(run.id))).toContain(secret)
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"researcher\\" failed."}'])
    expect(everythingShown(model)).not.toContain(secret)
  })

  test("6: what a subagent's tool threw reaches no model", async () => {
    const secret = 'password=hunter2'
    const leaky = createTool({
      id: 'leaky',
      description: 'Throws.',
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error(secret)
      },
    })
    const researcher = worker('researcher', [calls({ name: 'leaky' }), 'No luck.'], { tools: { leaky } })
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'succeeded' }] })
    expect(only(await allEvents(run), 'tool-error')).toMatchObject([
      {
        agent: 'researcher',
        payload: { outcome: 'failed', error: { code: 'TOOL_FAILED', message: secret } },
      },
    ])
    expect(toldOfCalls(researcher.model, 2)).toEqual(['{"error":"The tool \\"leaky\\" failed."}'])
    expect(everythingShown(researcher.model) + everythingShown(model)).not.toContain(secret)
  })

  test('7: an agent that does not exist is a tool error that lists those that do, and the run goes on', async () => {
    const fired: string[] = []
    const { agent, model } = lead('lead', [calls(to('nobody', 'Find facts')), 'Done.'], {
      agents: { researcher: worker('researcher', []).agent, writer: worker('writer', []).agent },
      delegation: { onDelegationStart: () => void fired.push('start') },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.', delegations: [] })
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { error: 'There is no agent "agent-nobody". Available: agent-researcher, agent-writer.' },
    ])
    expect(fired).toEqual([])
    expect(only(await allEvents(run), 'tool-error')).toMatchObject([
      {
        payload: {
          toolCallId: 'lead/call:1.1',
          toolName: 'agent-nobody',
          outcome: 'failed',
          error: { code: 'INVALID_TOOL_CALL' },
        },
      },
    ])
  })
})

describe('side by side', () => {
  test('8: two delegations of one step run at once, and each is announced as it ends', async () => {
    const slowMayEnd = Promise.withResolvers<void>()
    const slow = worker('slow', [{ text: 'Slow facts.', until: slowMayEnd.promise }])
    const fast = worker('fast', ['Fast facts.'])
    const { agent, model } = lead('lead', [calls(to('slow', 'A'), to('fast', 'B')), 'Done.'], {
      agents: { slow: slow.agent, fast: fast.agent },
    })
    const run = agent.stream('Go')
    await until(run, 'delegation-end', (event) => event.payload.agentId === 'fast')
    slowMayEnd.resolve()
    await run.result
    const order = only(await allEvents(run), 'delegation-start', 'delegation-end').map(
      (event) => `${event.type} ${event.payload.agentId}`,
    )
    expect(order).toEqual([
      'delegation-start slow',
      'delegation-start fast',
      'delegation-end fast',
      'delegation-end slow',
    ])
    expect(toldOfCalls(model, 2)).toEqual(['Slow facts.', 'Fast facts.'])
  })

  test('9: feedback of the complete hook is in the very next prompt, as a message of the library', async () => {
    const { agent, model } = lead('lead', [calls(to('researcher', 'A'), to('writer', 'B')), 'Done.'], {
      agents: {
        researcher: worker('researcher', ['Facts.']).agent,
        writer: worker('writer', ['Draft.']).agent,
      },
      delegation: {
        onDelegationComplete: ({ agentId }) =>
          agentId === 'researcher' ? { feedback: 'Cite your sources.' } : undefined,
      },
    })
    await agent.generate('Go')
    expect(shown(model, 2).slice(3)).toEqual([
      { role: 'tool', toolCallId: 'scripted-1-1', toolName: 'agent-researcher', content: 'Facts.' },
      { role: 'tool', toolCallId: 'scripted-1-2', toolName: 'agent-writer', content: 'Draft.' },
      { role: 'user', content: 'Cite your sources.', internal: 'feedback' },
    ])
  })

  test("9: resultText takes the place of the subagent's text for the parent's model, and for nobody else", async () => {
    const { agent, model } = lead('lead', [calls(to('researcher', 'A')), 'Done.'], {
      agents: { researcher: worker('researcher', ['Facts: UGLY.']).agent },
      delegation: { onDelegationComplete: () => ({ resultText: 'Nice facts.' }) },
    })
    const result = await agent.generate('Go')
    expect(toldOfCalls(model, 2)).toEqual(['Nice facts.'])
    expect(everythingShown(model)).not.toContain('UGLY')
    expect(result.delegations).toMatchObject([{ outcome: 'succeeded', text: 'Facts: UGLY.' }])
  })

  test('9: the complete hook of a failed subagent may explain to the model', async () => {
    const { agent, model } = lead('lead', [calls(to('researcher', 'A')), 'Done.'], {
      agents: { researcher: worker('researcher', [{ error: new Error('down') }]).agent },
      delegation: {
        onDelegationComplete: ({ outcome, error }) => ({
          resultText: `${outcome}: ${error?.code}`,
          feedback: 'Go on.',
        }),
      },
    })
    const result = await agent.generate('Go')
    expect(toldOfCalls(model, 2)).toEqual(['failed: MODEL_FAILED'])
    expect(shown(model, 2).at(-1)).toEqual({ role: 'user', content: 'Go on.', internal: 'feedback' })
    expect(result.delegations).toMatchObject([{ outcome: 'failed', error: { message: 'down' } }])
  })

  test('10: a subagent that waits for approval does not hold its siblings', async () => {
    const ran: string[] = []
    const publish = createTool({
      id: 'publish',
      description: 'Publishes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => {
        ran.push('publish')
        return 'published'
      },
    })
    const careful = worker('careful', [calls({ name: 'publish' }), 'It is out.'], { tools: { publish } })
    const free = worker('free', [calls({ name: 'lookup', args: { q: 'x' } }), 'Found it.'], {
      tools: { lookup },
    })
    const { agent, model } = lead('lead', [calls(to('careful', 'A'), to('free', 'B')), 'Done.'], {
      agents: { careful: careful.agent, free: free.agent },
    })
    const run = agent.stream('Go')
    const idle = await run.whenIdle
    expect(idle).toMatchObject({
      outcome: 'suspended',
      awaiting: [
        {
          toolCallId: 'lead/delegation:1.1/careful/call:1.1',
          type: 'approval',
          agent: 'careful',
          toolName: 'publish',
        },
      ],
      delegations: [{ agent: 'free', outcome: 'succeeded', text: 'Found it.' }],
    })
    expect(ran).toEqual([])
    expect(model.calls).toHaveLength(1)
    await run.approve('lead/delegation:1.1/careful/call:1.1')
    const result = await run.result
    expect(ran).toEqual(['publish'])
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2)).toEqual(['It is out.', 'Found it.'])
  })
})
