/** Behaviours 11, 12 and 14: what a subagent is shown, and what never reaches it. */
import { createScorer, createTool, createTroupe, type MessageFilterContext, textOf } from 'troupe'
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
  worker,
} from '../../support/agents/agents.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `TOOL RESULT ${q}`,
})

describe('the conversation of the parent', () => {
  test("11: the user's earlier messages and the parent's texts are shared, tool calls and results are not", async () => {
    const researcher = worker('researcher', ['Facts.'])
    const { agent } = lead(
      'lead',
      [
        { text: 'Let me look.', toolCalls: [{ name: 'lookup', args: { q: 'TOOL ARGUMENT' } }] },
        { toolCalls: [{ name: 'lookup', args: { q: 'again' } }] },
        { text: 'I will ask.', toolCalls: [to('researcher', 'Find facts')] },
        'Done.',
      ],
      { tools: { lookup }, agents: { researcher: researcher.agent } },
    )
    await agent.generate([
      { role: 'user', content: 'I like cats.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'Write about pets.' },
    ])
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'system', content: 'I am researcher.' },
      { role: 'user', content: 'I like cats.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'Write about pets.' },
      { role: 'assistant', content: 'Let me look.' },
      { role: 'assistant', content: 'I will ask.' },
      { role: 'user', content: 'Find facts' },
    ])
    expect(everythingShown(researcher.model)).not.toContain('TOOL')
  })

  test('11: what the filter drops appears in no request of the subagent', async () => {
    const researcher = worker('researcher', [calls({ name: 'lookup', args: { q: 'x' } }), 'Facts.'], {
      tools: { lookup },
    })
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        messageFilter: ({ messages }) =>
          messages.filter((message) => !textOf(message.content).includes('SECRET')),
      },
    })
    await agent.generate([
      { role: 'user', content: 'The code is SECRET 1234.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'Write about pets.' },
    ])
    expect(researcher.model.calls).toHaveLength(2)
    expect(everythingShown(researcher.model)).not.toContain('SECRET')
    expect(shown(researcher.model, 1).map((message) => message.content)).toEqual([
      'I am researcher.',
      'Noted.',
      'Write about pets.',
      'Find facts',
    ])
  })

  test('11: the filter sees the modified prompt, who is asked, and the conversation without its system prompt', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const seen: MessageFilterContext[] = []
    const { agent } = lead(
      'lead',
      [calls({ name: 'lookup', args: { q: 'x' } }), calls(to('scout', 'ORIGINAL')), 'Done.'],
      {
        tools: { lookup },
        agents: { scout: researcher.agent },
        delegation: {
          onDelegationStart: () => ({ modifiedPrompt: 'Modified' }),
          messageFilter: async (context) => {
            seen.push(context)
            return []
          },
        },
      },
    )
    await agent.generate('Go')
    expect(seen).toMatchObject([
      {
        prompt: 'Modified',
        agentName: 'scout',
        agentId: 'researcher',
        primitiveId: 'researcher',
        delegationId: 'lead/delegation:2.1',
        iteration: 2,
        originalTask: 'Go',
      },
    ])
    expect(seen[0]?.messages).toEqual([{ role: 'user', content: 'Go' }])
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'system', content: 'I am researcher.' },
      { role: 'user', content: 'Modified' },
    ])
  })

  test('11: a filter that throws fails the delegation, and the subagent never runs', async () => {
    const researcher = worker('researcher', [])
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        messageFilter: () => {
          throw new Error('filter broke')
        },
      },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', hookError: { code: 'HOOK_FAILED', message: 'filter broke' } }],
    })
    expect(researcher.model.calls).toEqual([])
    expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"researcher\\" failed."}'])
  })

  test('11: a filter that answers with something else than messages fails the delegation', async () => {
    const researcher = worker('researcher', [])
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        messageFilter: ({ messages }) => JSON.parse(JSON.stringify({ messages })) as typeof messages,
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', hookError: { code: 'INVALID_HOOK_RESULT' } }],
    })
    expect(researcher.model.calls).toEqual([])
  })

  test('11: a filter that throws and is ignored shares nothing', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      hookErrors: 'ignore',
      delegation: {
        messageFilter: () => {
          throw new Error('filter broke')
        },
      },
    })
    const run = agent.stream('SECRET task')
    const { delegations } = await run.result
    expect(delegations).toMatchObject([{ outcome: 'succeeded', hookError: { message: 'filter broke' } }])
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'system', content: 'I am researcher.' },
      { role: 'user', content: 'Find facts' },
    ])
    expect(only(await allEvents(run), 'error')).toMatchObject([
      { payload: { error: { message: 'filter broke' } } },
    ])
  })

  test("12: the parent's system prompt appears in no request of a subagent, nested ones included", async () => {
    const researcher = worker('researcher', [calls({ name: 'lookup', args: { q: 'x' } }), 'Facts.'], {
      tools: { lookup },
    })
    const middle = lead('middle', [calls(to('researcher', 'Find facts')), 'Middle.'], {
      instructions: 'MIDDLE SYSTEM PROMPT',
      agents: { researcher: researcher.agent },
    })
    const { agent, model } = lead('lead', [calls(to('middle', 'Organise')), 'Done.'], {
      instructions: 'ROOT SYSTEM PROMPT',
      agents: { middle: middle.agent },
    })
    await agent.generate('Go')
    expect(shown(model, 1)[0]).toEqual({ role: 'system', content: 'ROOT SYSTEM PROMPT' })
    expect(shown(middle.model, 1)[0]).toEqual({ role: 'system', content: 'MIDDLE SYSTEM PROMPT' })
    expect(everythingShown(middle.model)).not.toContain('ROOT')
    expect(researcher.model.calls).toHaveLength(2)
    expect(everythingShown(researcher.model)).not.toContain('SYSTEM PROMPT')
  })

  test('at most maxMessages of the conversation are shared, the latest; the default is 20', async () => {
    const history = Array.from({ length: 24 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `m${index + 1}`,
    }))
    const contentsWith = async (delegation: { maxMessages?: number }): Promise<string[]> => {
      const researcher = worker('researcher', ['Facts.'])
      const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
        agents: { researcher: researcher.agent },
        delegation,
      })
      await agent.generate([...history, { role: 'user', content: 'm25' }])
      return shown(researcher.model, 1).map((message) => textOf(message.content))
    }
    expect(await contentsWith({ maxMessages: 2 })).toEqual(['I am researcher.', 'm24', 'm25', 'Find facts'])
    expect(await contentsWith({})).toEqual([
      'I am researcher.',
      ...Array.from({ length: 20 }, (_, index) => `m${index + 6}`),
      'Find facts',
    ])
  })

  test('what a filter returns is taken as it is, whatever maxMessages says; the filter sees the whole conversation', async () => {
    const researcher = worker('researcher', ['Facts.'])
    let seen = 0
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        maxMessages: 1,
        messageFilter: ({ messages }) => {
          seen = messages.length
          return messages
        },
      },
    })
    await agent.generate([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'three' },
    ])
    expect(seen).toBe(3)
    expect(shown(researcher.model, 1).map((message) => message.content)).toEqual([
      'I am researcher.',
      'one',
      'two',
      'three',
      'Find facts',
    ])
  })

  test('includeConversationHistory: false shares nothing, and the filter is not asked', async () => {
    const researcher = worker('researcher', ['Facts.'])
    let asked = 0
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        includeConversationHistory: false,
        messageFilter: ({ messages }) => {
          asked++
          return messages
        },
      },
    })
    await agent.generate('Go')
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'system', content: 'I am researcher.' },
      { role: 'user', content: 'Find facts' },
    ])
    expect(asked).toBe(0)
  })
})

describe('messages of the library', () => {
  const withHookFeedback = async (delegation: { filterInternalMessages?: boolean }): Promise<string[]> => {
    const researcher = worker('researcher', ['Facts.', 'Better facts.'])
    const { agent } = lead(
      'lead',
      [calls(to('researcher', 'Find facts')), calls(to('researcher', 'Find better')), 'Done.'],
      {
        agents: { researcher: researcher.agent },
        delegation: {
          ...delegation,
          onDelegationComplete: ({ iteration }) => (iteration === 1 ? { feedback: 'BETWEEN US' } : undefined),
        },
      },
    )
    await agent.generate('Go')
    return shown(researcher.model, 2).map((message) => textOf(message.content))
  }

  test('feedback of a hook is kept from subagents', async () => {
    expect(await withHookFeedback({})).toEqual(['I am researcher.', 'Go', 'Find better'])
  })

  test('filterInternalMessages: false shares it', async () => {
    expect(await withHookFeedback({ filterInternalMessages: false })).toEqual([
      'I am researcher.',
      'Go',
      'BETWEEN US',
      'Find better',
    ])
  })

  const criteria = createScorer({
    id: 'sources',
    score: ({ output }) => (output.includes('[1]') ? 1 : { score: 0.2, reason: 'NO SOURCES NAMED' }),
  })

  test('14: feedback of the scorers reaches a delegation of the next iteration', async () => {
    const researcher = worker('researcher', ['Source one.'])
    const { agent, model } = lead(
      'lead',
      ['A draft.', calls(to('researcher', 'Find sources')), 'An article [1].'],
      { agents: { researcher: researcher.agent }, completion: { scorers: [criteria] } },
    )
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'An article [1].' })
    expect(result.scores.map((score) => score.outcome)).toEqual(['failed', 'passed'])
    expect(shown(model, 2).at(-1)?.content).toContain('NO SOURCES NAMED')
    expect(shown(model, 2).at(-1)).toMatchObject({ role: 'user', internal: 'scoring' })
    const contents = shown(researcher.model, 1).map((message) => message.content)
    expect(contents).toHaveLength(5)
    expect(contents.slice(0, 3)).toEqual(['I am researcher.', 'Go', 'A draft.'])
    expect(contents[3]).toContain('NO SOURCES NAMED')
    expect(contents[4]).toBe('Find sources')
  })

  test('14: it reaches the subagents of a subagent too', async () => {
    const researcher = worker('researcher', ['Source one.'])
    const middle = lead('middle', [calls(to('researcher', 'Search')), 'Found.'], {
      agents: { researcher: researcher.agent },
    })
    const { agent } = lead('lead', ['A draft.', calls(to('middle', 'Find sources')), 'An article [1].'], {
      agents: { middle: middle.agent },
      completion: { scorers: [criteria] },
    })
    await agent.generate('Go')
    expect(everythingShown(researcher.model)).toContain('NO SOURCES NAMED')
  })

  test('14: with feedbackToLLM: false neither the model nor a subagent is told', async () => {
    const researcher = worker('researcher', ['Source one.'])
    const { agent, model } = lead(
      'lead',
      ['A draft.', calls(to('researcher', 'Find sources')), 'An article [1].'],
      { agents: { researcher: researcher.agent }, completion: { scorers: [criteria], feedbackToLLM: false } },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'An article [1].' })
    expect(everythingShown(model) + everythingShown(researcher.model)).not.toContain('NO SOURCES NAMED')
  })
})

describe('the system message of a subagent', () => {
  test("its own instructions first, then what the parent's model added, then what the hook added", async () => {
    const researcher = worker('researcher', ['Facts.'], { instructions: 'OWN' })
    const { agent } = lead(
      'lead',
      [calls(to('researcher', 'Find facts', { instructions: 'MODEL' })), 'Done.'],
      {
        agents: { researcher: researcher.agent },
        delegation: { onDelegationStart: () => ({ modifiedInstructions: 'HOOK' }) },
      },
    )
    await agent.generate('Go')
    const systems = shown(researcher.model, 1).filter((message) => message.role === 'system')
    expect(systems).toEqual([{ role: 'system', content: 'OWN\n\nMODEL\n\nHOOK' }])
  })

  test('what is blank leaves no trace, and without any there is no system message', async () => {
    const researcher = worker('researcher', ['Facts.'], { instructions: '' })
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts', { instructions: '  ' })), 'Done.'], {
      agents: { researcher: researcher.agent },
    })
    await agent.generate('Go')
    expect(shown(researcher.model, 1)).toEqual([
      { role: 'user', content: 'Go' },
      { role: 'user', content: 'Find facts' },
    ])
  })

  test('what is added for one delegation is gone in the next', async () => {
    const researcher = worker('researcher', ['Facts.', 'More facts.'])
    const { agent } = lead(
      'lead',
      [calls(to('researcher', 'A', { instructions: 'Only now.' })), calls(to('researcher', 'B')), 'Done.'],
      { agents: { researcher: researcher.agent } },
    )
    await agent.generate('Go')
    expect(shown(researcher.model, 1)[0]?.content).toBe('I am researcher.\n\nOnly now.')
    expect(shown(researcher.model, 2)[0]?.content).toBe('I am researcher.')
  })
})

describe('what a filter may do', () => {
  test('it may rewrite what the subagent sees; the conversation of the parent stays as it was', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        messageFilter: ({ messages }) => messages.map((message) => ({ ...message, content: 'redacted' })),
      },
    })
    await agent.generate('Go')
    expect(shown(researcher.model, 1).map((message) => message.content)).toEqual([
      'I am researcher.',
      'redacted',
      'Find facts',
    ])
    expect(shown(model, 2)[1]).toEqual({ role: 'user', content: 'Go' })
  })
})

describe('what a supervisor’s model is told of a subagent', () => {
  const ask = (delegation: object) => {
    const scout = worker('scout', [calls({ name: 'lookup', args: { q: 'tides' } }), 'Tides rise.'], {
      tools: { lookup },
    })
    return lead('lead', [calls(to('scout', 'Go.')), 'Done.'], { agents: { scout: scout.agent }, delegation })
  }

  test('is its text alone', async () => {
    const { agent, model } = ask({})
    await agent.generate('Go')
    expect(toldOfCalls(model, 2)).toEqual(['Tides rise.'])
  })

  test('is what its tools gave too, with `includeSubAgentToolResultsInModelContext`', async () => {
    const { agent, model } = ask({ includeSubAgentToolResultsInModelContext: true })
    const { runId } = await agent.generate('Go')
    expect(toldOfCalls(model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      {
        text: 'Tides rise.',
        threadId: `${runId}/lead/delegation:1.1`,
        toolResults: [{ name: 'lookup', outcome: 'succeeded', value: 'TOOL RESULT tides' }],
      },
    ])
  })
})

describe('instructions given for one run', () => {
  test('take the place of the agent’s own, for the root alone, and replay', async () => {
    const scout = worker('scout', ['Facts.'], { instructions: 'Scout.' })
    const { agent, model } = lead('lead', [calls(to('scout', 'Go.')), 'Done.'], {
      agents: { scout: scout.agent },
      instructions: 'Lead.',
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { instructions: 'Lead in Norwegian.' })
    const result = await run.result
    expect(shown(model, 1)[0]).toEqual({ role: 'system', content: 'Lead in Norwegian.' })
    expect(shown(scout.model, 1)[0]).toEqual({ role: 'system', content: 'Scout.' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})
