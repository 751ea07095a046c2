/** BEHAVIOUR 36: which tools an agent is offered, by its groups and its state, and what becomes of both below it. */
import {
  ConfigurationError,
  createAgent,
  createDispatcher,
  createReflexion,
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  type AgentOptions,
  type JournalEntry,
  type Tool,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { fromPromise } from 'xstate'
import { describe, expect, test } from 'vitest'
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
import { asksFor, divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { plan, planner, statuses } from '../../support/agents/planner.ts'
import { dispatcher, done, router, toTool } from '../../support/agents/routing.ts'
import { offered, tool, tools } from '../../support/agents/tool-groups.ts'
import { withoutProgram } from '../../support/without-program.ts'

const call = (...names: readonly string[]) => calls(...names.map((name) => ({ name, args: {} })))

/** What an agent with these tools and options is offered at its first step. */
async function firstOffer(
  given: Record<string, Tool>,
  options: AgentOptions = {},
): Promise<readonly string[]> {
  const { agent, model } = worker('solo', ['Done.'], { tools: given })
  await agent.generate('Go', options)
  return offered(model, 1)
}

const grouped = tools({
  plain: {},
  ledger: { groups: ['finance'] },
  audit: { groups: ['finance', 'legal'] },
  clock: { groups: ['*'] },
})

describe('36: groups', () => {
  test('without any: the tools that name none, and those of every group', async () => {
    expect(await firstOffer(grouped)).toEqual(['plain', 'clock'])
    expect(await firstOffer(grouped, { toolGroups: ['default'] })).toEqual(['plain', 'clock'])
  })

  test.for<[readonly string[], string[]]>([
    [['finance'], ['ledger', 'audit', 'clock']],
    [['legal'], ['audit', 'clock']],
    [
      ['legal', 'default'],
      ['plain', 'audit', 'clock'],
    ],
    [['*'], ['plain', 'ledger', 'audit', 'clock']],
    [
      ['*', 'legal'],
      ['plain', 'ledger', 'audit', 'clock'],
    ],
    [['other'], ['clock']],
    [[], ['clock']],
  ])('of %j', async ([toolGroups, expected]) => {
    expect(await firstOffer(grouped, { toolGroups })).toEqual(expected)
  })

  test('those of a definition hold where a run names none; those of a run stand over them', async () => {
    const { agent, model } = worker('solo', ['One.', 'Two.'], { tools: grouped, toolGroups: ['finance'] })
    await agent.generate('Go')
    await agent.generate('Go', { toolGroups: ['default', 'legal'] })
    expect(offered(model, 1)).toEqual(['ledger', 'audit', 'clock'])
    expect(offered(model, 2)).toEqual(['plain', 'audit', 'clock'])
  })

  test('a call to a tool that is not on offer never runs, and is told what is', async () => {
    const ran: string[] = []
    const secret = tool('secret', { groups: ['admin'], execute: () => ran.push('secret') })
    const { agent, model } = worker('solo', [call('secret', 'nothing'), 'Done.'], {
      tools: { plain: tool('plain'), secret },
    })
    const result = await agent.generate('Go')
    expect(ran).toEqual([])
    expect(toldOfCalls(model, 2).map((told) => JSON.parse(told) as unknown)).toEqual([
      { error: 'There is no tool "secret". Available: plain.' },
      { error: 'There is no tool "nothing". Available: plain.' },
    ])
    expect(result.steps[0]?.toolResults.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['failed', 'INVALID_TOOL_CALL'],
      ['failed', 'INVALID_TOOL_CALL'],
    ])
  })

  test('workflows belong to groups and states too', async () => {
    const workflow = createWorkflow({
      id: 'audit',
      description: 'Audits.',
      inputSchema: z.object({}),
      logic: fromPromise(async () => 'audited'),
      groups: ['finance'],
      nextState: 'audited',
    })
    const { agent, model } = worker('solo', ['One.', call('audit'), 'Two.'], {
      workflows: { audit: workflow },
      tools: tools({ report: { groups: ['finance'], applicableStates: ['audited'] } }),
    })
    await agent.generate('Go')
    const result = await agent.generate('Go', { toolGroups: ['finance'] })
    expect([1, 2, 3].map((step) => offered(model, step))).toEqual([[], ['audit'], ['report', 'audit']])
    expect(result.toolState).toBe('audited')
  })

  test('agents are always on offer, and so is the tool of working memory', async () => {
    const helper = worker('helper', [])
    const { agent, model } = lead('lead', ['Done.'], {
      agents: { helper: helper.agent },
      tools: grouped,
      memory: { workingMemory: true },
    })
    await agent.generate('Go', { toolGroups: ['legal'], resourceId: 'user' })
    expect(offered(model, 1)).toEqual(['audit', 'clock', 'update-working-memory', 'agent-helper'])
  })
})

const journey = {
  search: { nextState: 'found' },
  read: { applicableStates: ['found'], nextState: 'undefined' },
  both: { applicableStates: ['undefined', 'found'] },
  always: { applicableStates: ['*'] },
  shut: { groups: ['admin'], applicableStates: ['found'] },
} as const

describe('36: states', () => {
  test('a tool that succeeded moves the state, by which tools are offered; it may lead back', async () => {
    const { agent, model } = worker('solo', [call('search'), call('read'), call('always'), 'Done.'], {
      tools: tools(journey),
    })
    const run = agent.stream('Go')
    const events = await allEvents(run)
    const atFirst = ['search', 'both', 'always']
    expect([1, 2, 3, 4].map((step) => offered(model, step))).toEqual([
      atFirst,
      ['search', 'read', 'both', 'always'],
      atFirst,
      atFirst,
    ])
    expect(
      only(events, 'tool-state').map(({ payload, agent, path }) => ({ ...payload, agent, path })),
    ).toEqual([
      {
        toolCallId: 'solo/call:1.1',
        toolName: 'search',
        state: 'found',
        previousState: 'undefined',
        agent: 'solo',
        path: 'solo',
      },
      {
        toolCallId: 'solo/call:2.1',
        toolName: 'read',
        state: 'undefined',
        previousState: 'found',
        agent: 'solo',
        path: 'solo',
      },
    ])
    expect(await run.result).not.toHaveProperty('toolState')
  })

  test('group and state must both match', async () => {
    const given = tools(journey)
    const inFound = { toolState: 'found' }
    expect(await firstOffer(given, inFound)).toEqual(['search', 'read', 'both', 'always'])
    expect(await firstOffer(given, { ...inFound, toolGroups: ['admin'] })).toEqual(['shut'])
    expect(await firstOffer(given, { toolGroups: ['admin'] })).toEqual([])
    expect(await firstOffer(given, { toolState: 'elsewhere' })).toEqual(['search', 'always'])
  })

  test('an agent begins in the state of its definition, or of the run, and ends in one that a next run may go on from', async () => {
    const { agent, model } = worker('solo', [call('read'), 'One.', 'Two.', 'Three.'], {
      tools: tools({ ...journey, read: { applicableStates: ['found'], nextState: 'read' } }),
      toolState: 'found',
    })
    const first = await agent.generate('Go')
    expect(first.toolState).toBe('read')
    await agent.generate('Go', { toolState: first.toolState ?? 'none' })
    await agent.generate('Go')
    expect(offered(model, 1)).toContain('read')
    expect(offered(model, 3)).toEqual(['search', 'always'])
    expect(offered(model, 4)).toContain('read')
  })

  const gate = tools({ after: { applicableStates: ['moved'] } })

  test.for<[string, Tool]>([
    [
      'throws',
      tool('move', {
        nextState: 'moved',
        execute: () => {
          throw new Error('broken')
        },
      }),
    ],
    [
      'is given what does not fit',
      createTool({
        id: 'move',
        description: 'Moves.',
        inputSchema: z.object({ where: z.string() }),
        nextState: 'moved',
        execute: () => 'moved',
      }),
    ],
    [
      'gives what does not fit',
      createTool({
        id: 'move',
        description: 'Moves.',
        inputSchema: z.object({}),
        outputSchema: z.object({ where: z.string() }),
        nextState: 'moved',
        execute: () => JSON.parse('{}') as { where: string },
      }),
    ],
  ])('a tool that %s moves nothing', async ([, move]) => {
    const { agent, model } = worker('solo', [call('move'), 'Done.'], { tools: { move, ...gate } })
    const run = agent.stream('Go')
    expect(only(await allEvents(run), 'tool-state', 'tool-error').map(({ type }) => type)).toEqual([
      'tool-error',
    ])
    expect(offered(model, 2)).toEqual(['move'])
  })

  test.for([
    ['approve', ['move', 'after']],
    ['deny', ['move']],
  ] as const)('one that waits for a person, who says %s', async ([verdict, expected]) => {
    const move = tool('move', { nextState: 'moved', requireApproval: true })
    const { agent, model } = worker('solo', [call('move'), 'Done.'], { tools: { move, ...gate } })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    await until(run, 'tool-call-approval')
    await run[verdict]('solo/call:1.1')
    await run.result
    expect(offered(model, 2)).toEqual(expected)
  })

  test('one that suspends moves it only when it was resumed', async () => {
    const move = tool('move', {
      nextState: 'moved',
      execute: ({ suspend, resumeData }) => resumeData ?? suspend('Where?'),
    })
    const { agent, model } = worker('solo', [call('move'), 'Done.'], { tools: { move, ...gate } })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    expect(await run.whenIdle).not.toHaveProperty('toolState')
    await run.resume('solo/call:1.1', 'there')
    expect((await run.result).toolState).toBe('moved')
    expect(offered(model, 2)).toEqual(['move', 'after'])
  })

  test('several in one step move it in the order of the calls, whichever ends first, when all have ended', async () => {
    const slow = Promise.withResolvers<void>()
    const given = {
      first: tool('first', { nextState: 'one', execute: () => slow.promise.then(() => 'late') }),
      second: tool('second', { nextState: 'two', execute: () => 'early' }),
      same: tool('same', { nextState: 'two' }),
      broken: tool('broken', { nextState: 'three', execute: () => Promise.reject(new Error('no')) }),
      after: tool('after', { applicableStates: ['two'] }),
    }
    const { agent, model } = worker('solo', [call('first', 'second', 'same', 'broken'), 'Done.'], {
      tools: given,
    })
    const run = agent.stream('Go')
    await until(run, 'tool-result', ({ payload }) => payload.toolName === 'same')
    slow.resolve()
    const events = await allEvents(run)
    expect(
      only(events, 'tool-state').map(({ payload: { toolName, previousState, state } }) => [
        toolName,
        previousState,
        state,
      ]),
    ).toEqual([
      ['first', 'undefined', 'one'],
      ['second', 'one', 'two'],
    ])
    const types = events.map(({ type }) => type)
    expect(types.indexOf('tool-state')).toBeGreaterThan(types.lastIndexOf('tool-result'))
    expect(offered(model, 2)).toContain('after')
  })

  test('calls that wait for a place in the window were on offer when their step began', async () => {
    const { agent } = worker('solo', [call('search', 'once'), 'Done.'], {
      tools: tools({ search: { nextState: 'found' }, once: { applicableStates: ['undefined'] } }),
      toolCallConcurrency: 1,
    })
    const { steps } = await agent.generate('Go')
    expect(steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded'])
  })

  test('the state can be read off the machine, as it was at any time', async () => {
    const { agent } = worker('solo', [call('search'), 'Done.'], { tools: tools(journey) })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await run.result
    const stateAt = async (until: number): Promise<unknown> =>
      (await troupe.replay(run.id, { until })).actors[0]?.context
    const inState = (toolState: string) => ({ input: { profile: { toolState } } })
    expect(await stateAt(2)).toMatchObject(inState('undefined'))
    expect(await stateAt(4)).toMatchObject(inState('found'))
  })
})

/** A chain of agents, each the only subagent of the one before; the last one has tools. */
function chain(groups: readonly (readonly string[] | undefined)[]) {
  const last = worker('last', ['Done.'], { tools: grouped, ...named(groups.at(-1)) })
  const above = groups.slice(0, -1).toReversed()
  const top = above.reduce<{ readonly agent: ReturnType<typeof lead>['agent'] | typeof last.agent }>(
    ({ agent }, toolGroups, index) =>
      lead(`level${above.length - index}`, [calls(to('below', 'Go')), 'Done.'], {
        agents: { below: agent },
        ...named(toolGroups),
      }),
    last,
  )
  return { agent: top.agent, model: last.model }
}

function named(toolGroups: readonly string[] | undefined) {
  return toolGroups === undefined ? {} : { toolGroups }
}

describe('36: subagents', () => {
  const finance = ['ledger', 'audit', 'clock']
  test.for<[string, readonly (readonly string[] | undefined)[], readonly string[]]>([
    ['inherits what its supervisor has', [['finance'], undefined], finance],
    ['inherits it over three levels', [['finance'], undefined, undefined], finance],
    ['narrows it', [['finance', 'legal'], ['legal']], ['audit', 'clock']],
    ['cannot have more', [['legal'], ['finance', 'default', 'legal']], ['audit', 'clock']],
    ['cannot have all', [['legal'], ['*']], ['audit', 'clock']],
    ['has none where nothing is left', [['default'], ['finance']], ['clock']],
    ['may have any of all', [['*'], ['finance']], finance],
    ['inherits all', [['*'], undefined], ['plain', 'ledger', 'audit', 'clock']],
    ['is not bound by those who name none', [undefined, ['finance']], finance],
    ['is narrowed at each level', [['*'], ['finance', 'legal'], ['legal', 'default']], ['audit', 'clock']],
    ['cannot regain what a level has lost', [['*'], ['legal'], ['finance']], ['clock']],
    ['asks for the default where nobody names any', [undefined, undefined, undefined], ['plain', 'clock']],
  ])('one %s', async ([, groups, expected]) => {
    const { agent, model } = chain(groups)
    await agent.generate('Go')
    expect(offered(model, 1)).toEqual(expected)
  })

  test('those of a run bind the whole tree', async () => {
    const { agent, model } = chain([['*'], undefined, ['finance', 'legal']])
    await agent.generate('Go', { toolGroups: ['legal'] })
    expect(offered(model, 1)).toEqual(['audit', 'clock'])
  })

  test('a hook narrows them for one delegation, sees them, and cannot widen them', async () => {
    const seen: unknown[] = []
    const helper = worker('helper', [], { tools: grouped, otherwise: 'Done.' })
    const delegates = [calls(to('helper', 'a')), calls(to('helper', 'b')), calls(to('helper', 'c')), 'Done.']
    const { agent } = lead('lead', delegates, {
      agents: { helper: helper.agent },
      toolGroups: ['finance', 'legal'],
      delegation: {
        onDelegationStart: ({ prompt, toolGroups }) => {
          seen.push(toolGroups)
          if (prompt === 'a') return { modifiedToolGroups: ['legal'] }
          if (prompt === 'b') return { modifiedToolGroups: ['default', '*'] }
        },
        onDelegationComplete: ({ toolGroups }) => void seen.push(toolGroups),
      },
    })
    const events = await allEvents(agent.stream('Go'))
    expect([1, 2, 3].map((step) => offered(helper.model, step))).toEqual([
      ['audit', 'clock'],
      finance,
      finance,
    ])
    const both = ['finance', 'legal']
    expect(seen).toEqual([both, ['legal'], both, both, both, both])
    expect(only(events, 'delegation-start').map(({ payload }) => payload.toolGroups)).toEqual([
      ['legal'],
      both,
      both,
    ])
  })

  test('a hook that names a group which is none fails its delegation', async () => {
    const helper = worker('helper', [])
    const { agent } = lead('lead', [calls(to('helper', 'a')), 'Done.'], {
      agents: { helper: helper.agent },
      delegation: { onDelegationStart: () => ({ modifiedToolGroups: [''] }) },
    })
    const { delegations } = await agent.generate('Go')
    expect(delegations).toMatchObject([{ outcome: 'failed', error: { code: 'INVALID_HOOK_RESULT' } }])
    expect(helper.model.calls).toEqual([])
  })

  test('each agent has a state of its own: it is neither inherited nor handed back', async () => {
    const given = tools(journey)
    const helper = worker('helper', [call('search'), 'Found.'], { tools: given })
    const { agent, model } = lead(
      'lead',
      [call('search'), calls(to('helper', 'Go')), call('read'), 'Done.'],
      {
        agents: { helper: helper.agent },
        tools: given,
      },
    )
    const events = await allEvents(agent.stream('Go'))
    expect(offered(helper.model, 1)).not.toContain('read')
    expect(offered(helper.model, 2)).toContain('read')
    expect([2, 3, 4].map((step) => offered(model, step).includes('read'))).toEqual([true, true, false])
    expect(only(events, 'tool-state').map(({ agent, payload }) => [agent, payload.state])).toEqual([
      ['lead', 'found'],
      ['helper', 'found'],
      ['lead', 'undefined'],
    ])
  })
})

describe('36: the goals of a fan-out', () => {
  function desk(steps: readonly ScriptedStep[], toolGroups?: readonly string[]) {
    const find = worker('find', [], { tools: grouped, otherwise: 'Found.' })
    return {
      find: find.model,
      ...fanOut('desk', steps, { agents: { find: find.agent }, ...named(toolGroups) }),
    }
  }

  test('each may be given groups of its own, of those that the fan-out has', async () => {
    const { agent, model, find } = desk(
      [
        divides(
          { goal: 'a', toolGroups: ['finance'] },
          { goal: 'b', toolGroups: null },
          { goal: 'c', toolGroups: [] },
        ),
        asksFor({ goal: 'd', toolGroups: ['legal'] }),
        enough,
        'Done.',
      ],
      ['finance', 'legal', 'default'],
    )
    const events = await allEvents(agent.stream('Go'))
    const all = ['plain', 'ledger', 'audit', 'clock']
    expect([1, 2, 3, 4].map((step) => offered(find, step))).toEqual([
      ['ledger', 'audit', 'clock'],
      all,
      all,
      ['audit', 'clock'],
    ])
    expect(
      only(events, 'fan-out').map(({ payload }) =>
        payload.goals.map(({ goal, toolGroups }) => [goal, toolGroups]),
      ),
    ).toEqual([
      [
        ['a', ['finance']],
        ['b', undefined],
        ['c', undefined],
      ],
      [['d', ['legal']]],
    ])
    const format = JSON.stringify(model.calls[0]?.request.responseFormat?.schema)
    expect(format).toContain('"enum":["finance","legal","default"]')
  })

  test('a group that the fan-out does not have goes back once, and then the fan-out fails', async () => {
    const outside = divides({ goal: 'a', toolGroups: ['admin'] })
    const repaired = desk(
      [outside, divides({ goal: 'a', toolGroups: ['legal'] }), enough, 'Done.'],
      ['finance', 'legal'],
    )
    expect((await repaired.agent.generate('Go')).outcome).toBe('completed')
    expect(shown(repaired.model, 2).at(-1)?.content).toMatch(/toolGroups.*"finance".*"legal"/)
    expect(offered(repaired.find, 1)).toEqual(['audit', 'clock'])

    const failed = desk([outside, outside], ['finance', 'legal'])
    expect(await failed.agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'INVALID_DECISION' },
    })
    expect(failed.find.calls).toEqual([])
  })

  test('with all groups beside some, a goal that names none has all, and others only what they name', async () => {
    const { agent, find } = desk(
      [divides({ goal: 'a', toolGroups: ['finance'] }, 'b'), enough, 'Done.'],
      ['*', 'finance'],
    )
    await agent.generate('Go')
    expect([1, 2].map((step) => offered(find, step))).toEqual([
      ['ledger', 'audit', 'clock'],
      ['plain', 'ledger', 'audit', 'clock'],
    ])
  })

  test.for<[readonly string[] | undefined, readonly string[]]>([
    [undefined, ['plain', 'clock']],
    [['finance'], ['ledger', 'audit', 'clock']],
    [['*'], ['plain', 'ledger', 'audit', 'clock']],
  ])(
    'with the groups %j there is nothing to choose, and nothing is asked',
    async ([toolGroups, expected]) => {
      const { agent, model, find } = desk(
        [divides({ goal: 'a', toolGroups: ['admin'] }), enough, 'Done.'],
        toolGroups,
      )
      expect((await agent.generate('Go')).outcome).toBe('completed')
      expect(JSON.stringify(model.calls[0]?.request)).not.toContain('toolGroups')
      expect(offered(find, 1)).toEqual(expected)
    },
  )

  test('what a subagent names, and what a hook says, counts within what its goal was given', async () => {
    const find = worker('find', [], { tools: grouped, toolGroups: ['legal', 'default'], otherwise: 'Found.' })
    const { agent } = fanOut(
      'desk',
      [divides({ goal: 'a', toolGroups: ['finance', 'legal'] }), enough, 'Done.'],
      {
        agents: { find: find.agent },
        toolGroups: ['finance', 'legal', 'default'],
        delegation: { onDelegationStart: () => ({ modifiedToolGroups: ['legal', 'default', 'admin'] }) },
      },
    )
    await agent.generate('Go')
    expect(offered(find.model, 1)).toEqual(['audit', 'clock'])
  })

  test('runs with other groups do not see the shapes of one another', async () => {
    const goal = (group: string) => divides({ goal: group, toolGroups: [group] })
    const { agent, find } = desk([goal('finance'), enough, 'A.', goal('default'), enough, 'B.'])
    await agent.generate('Go', { toolGroups: ['finance', 'legal'] })
    await agent.generate('Go', { toolGroups: ['default', 'legal'] })
    expect([1, 2].map((step) => offered(find, step))).toEqual([
      ['ledger', 'audit', 'clock'],
      ['plain', 'clock'],
    ])
  })
})

describe('36: the other patterns', () => {
  test('a planner plans with what is on offer, and each step that succeeded may move the state', async () => {
    const { agent, prompts } = planner(
      {
        plans: [
          plan({ id: 'early', toolHint: 'read', args: {} }),
          plan({ id: 'find', toolHint: 'search', args: {} }, { id: 'look', dependsOn: ['find'] }),
        ],
        steps: { look: { tool: 'read', args: {} } },
      },
      { tools: tools({ search: { nextState: 'found' }, read: { applicableStates: ['found'] } }) },
    )
    const run = agent.stream('Go')
    const events = await allEvents(run)
    const result = await run.result
    expect(statuses(result)).toEqual(['find: complete', 'look: complete'])
    expect(result.toolState).toBe('found')
    expect(prompts('plan')[0]).not.toContain('- read:')
    expect(prompts('plan')[1]).toContain('There is no tool "read". Available: search.')
    expect(prompts('step')[0]).toContain('- read:')
    expect(only(events, 'tool-state').map(({ payload }) => payload.toolCallId)).toEqual(['planner/call:1.1'])
  })

  test('a step that was planned with a tool which is no longer on offer fails, and the rest is planned anew', async () => {
    const { agent } = planner(
      {
        plans: [
          plan(
            { id: 'a', toolHint: 'leave', args: {} },
            { id: 'b', toolHint: 'once', args: {}, dependsOn: ['a'] },
          ),
          plan({ id: 'c', toolHint: 'there', args: {}, dependsOn: ['a'] }),
        ],
      },
      {
        tools: tools({
          leave: { nextState: 'away' },
          once: { applicableStates: ['undefined'] },
          there: { applicableStates: ['away'] },
        }),
      },
    )
    expect(statuses(await agent.generate('Go'))).toEqual(['a: complete', 'b: failed', 'c: complete'])
  })

  test('a step of a plan moves the state also where its tool is meanwhile no longer on offer', async () => {
    const gone = Promise.withResolvers<void>()
    const { agent } = planner(
      {
        plans: [
          plan({ id: 'slow', toolHint: 'stay', args: {} }, { id: 'fast', toolHint: 'leave', args: {} }),
        ],
      },
      {
        tools: {
          stay: tool('stay', {
            applicableStates: ['undefined'],
            nextState: 'last',
            execute: () => gone.promise.then(() => 'stayed'),
          }),
          leave: tool('leave', { nextState: 'away' }),
        },
      },
    )
    const run = agent.stream('Go')
    await until(run, 'tool-state', ({ payload }) => payload.state === 'away')
    gone.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', toolState: 'last' })
  })

  test('a failed step of a plan moves nothing', async () => {
    const { agent } = planner(
      { plans: [plan({ id: 'a', toolHint: 'move', args: {} }), plan({ id: 'b' })] },
      { tools: tools({ move: { nextState: 'moved', execute: () => Promise.reject(new Error('no')) } }) },
    )
    expect(await agent.generate('Go')).not.toHaveProperty('toolState')
  })

  test('the steps of a plan may be given groups, of those that the planner has', async () => {
    const find = worker('find', [], { tools: grouped, otherwise: 'Found.' })
    const { agent, model } = planner(
      {
        plans: [
          plan({ id: 'x', toolHint: 'agent-find', toolGroups: ['admin'] }),
          plan(
            { id: 'a', toolHint: 'agent-find', toolGroups: ['legal'] },
            { id: 'b', toolGroups: ['finance'], dependsOn: ['a'] },
            { id: 'c', toolHint: 'agent-find', toolGroups: null, dependsOn: ['b'] },
          ),
        ],
        steps: { b: { tool: 'agent-find', args: { prompt: 'Look.' } } },
      },
      { agents: { find: find.agent }, toolGroups: ['finance', 'legal'] },
    )
    const result = await agent.generate('Go')
    expect([1, 2, 3].map((step) => offered(find.model, step))).toEqual([
      ['audit', 'clock'],
      ['ledger', 'audit', 'clock'],
      ['ledger', 'audit', 'clock'],
    ])
    expect(result.plan?.steps.map(({ toolGroups }) => toolGroups)).toEqual([
      ['legal'],
      ['finance'],
      undefined,
    ])
    expect(shown(model, 2).at(-1)?.content).toMatch(/toolGroups/)
  })

  test('a router chooses among what is on offer, and what it chose may move the state', async () => {
    const { agent, model } = router(
      'desk',
      [toTool('read', {}), toTool('search', {}), toTool('read', {}), done('Done.')],
      { tools: tools({ search: { nextState: 'found' }, read: { applicableStates: ['found'] }, ...admin }) },
    )
    const run = agent.stream('Go')
    const events = await allEvents(run)
    expect(
      only(events, 'routing-decision').map(({ payload }) => [payload.primitiveId, ...namesOf(payload)]),
    ).toEqual([
      ['search', 'search', 'none'],
      ['read', 'search', 'read', 'none'],
      ['none', 'search', 'read', 'none'],
    ])
    expect(shown(model, 2).at(-1)?.content).toContain('tool "read" is not on offer')
    expect((await run.result).toolState).toBe('found')
  })

  test('a dispatcher has no choice where nothing is on offer, and one tool where one is', async () => {
    const given = { tools: tools({ ...admin, plain: { applicableStates: ['ready'], nextState: 'done' } }) }
    const none = dispatcher('desk', [], given)
    expect(await none.agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'NO_CANDIDATES' },
    })
    const one = dispatcher('desk', [toTool('plain', {})], { ...given, toolState: 'ready' })
    expect(await one.agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      text: 'plain done',
      toolState: 'done',
    })
  })

  test('a reflexion goes through its states like any other agent', async () => {
    const critique = JSON.stringify({ satisfied: true, critique: '' })
    const model = scriptedModel([call('search'), critique, 'Done.', critique])
    const agent = createReflexion({ id: 'solo', instructions: '', model, tools: tools(journey) })
    expect((await agent.generate('Go')).toolState).toBe('found')
    expect(offered(model, 1)).not.toContain('read')
    expect(offered(model, 3)).toContain('read')
  })
})

const admin = { secret: { groups: ['admin'] } } as const
const namesOf = ({ candidates }: { readonly candidates: readonly { readonly primitiveId: string }[] }) =>
  candidates.map(({ primitiveId }) => primitiveId)

describe('36: in the journal', () => {
  async function journalOf(
    options: AgentOptions,
    given: Record<string, Tool>,
  ): Promise<readonly JournalEntry[]> {
    const { agent } = worker('solo', [call('plain'), 'Done.'], { tools: given })
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go', options)
    await run.result
    return (await store.read(run.id)) ?? []
  }
  const digests = (entries: readonly JournalEntry[]) =>
    entries.flatMap((entry) =>
      entry.type === 'effect.settled' ? [[entry.key, entry.kind, entry.digest]] : [],
    )

  test('a run that is offered all of its tools asks for the same, however that came about', async () => {
    const before = digests(await journalOf({}, tools({ plain: {} })))
    expect(before).toHaveLength(3)
    expect(digests(await journalOf({ toolGroups: ['*'], toolState: 'any' }, tools({ plain: {} })))).toEqual(
      before,
    )
    expect(digests(await journalOf({}, tools({ plain: { nextState: 'else' } })))).toEqual(before)
    expect(digests(await journalOf({}, tools({ plain: {}, secret: { groups: ['admin'] } })))).not.toEqual(
      before,
    )
  })

  test('a run with groups and states is replayed without an effect, and differs under other ones', async () => {
    const find = worker('find', [call('search'), call('read'), 'Found.'], { tools: tools(journey) })
    const company = (toolGroups: readonly string[]) =>
      fanOut('desk', [divides({ goal: 'a', toolGroups: ['default'] }), enough, 'Done.'], {
        agents: { find: find.agent },
        toolGroups,
      }).agent
    const store = memoryStore()
    const agent = company(['default', 'admin'])
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const asked = find.model.calls.length
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(find.model.calls).toHaveLength(asked)
    const edited = company(['default', 'finance'])
    expect((await createTroupe({ agents: [edited], store }).replay(run.id)).diverged).toBeUndefined()
    const other = createTroupe({ agents: [edited], store: await withoutProgram(store, run.id) })
    const { diverged, result: replayed } = await other.replay(run.id)
    expect(diverged).toMatchObject({ field: 'digest of the input' })
    expect(replayed).toEqual(result)
    expect(find.model.calls).toHaveLength(asked)
  })

  test('a run goes on with the groups and the state that it was begun with', async () => {
    const store = memoryStore()
    const make = () =>
      worker('solo', [call('ask'), 'Done.'], {
        tools: {
          ask: tool('ask', {
            groups: ['admin'],
            nextState: 'asked',
            execute: ({ suspend, resumeData }) => resumeData ?? suspend('?'),
          }),
          after: tool('after', { groups: ['admin'], applicableStates: ['asked'] }),
        },
      })
    const first = make()
    const troupe = createTroupe({ agents: [first.agent], store })
    const run = await troupe.start(first.agent, 'Go', { toolGroups: ['admin'] })
    await run.whenIdle
    await troupe.close()
    const model = scriptedModel([], { modelId: 'solo', otherwise: 'Done.' })
    const again = createAgent({ ...identity(), tools: first.agent.tools, model })
    const next = createTroupe({ agents: [again], store })
    const resumed = await next.resume(run.id)
    await resumed.resume('solo/call:1.1', 'yes')
    expect(await resumed.result).toMatchObject({ outcome: 'completed', toolState: 'asked' })
    expect(offered(model, 1)).toEqual(['ask', 'after'])
  })

  const identity = () => ({ id: 'solo', description: 'Does solo work.', instructions: 'I am solo.' })
})

describe('36: agents that are made for each run', () => {
  function made(given: (groups: readonly string[]) => Record<string, Tool>) {
    const model = scriptedModel([call('search'), 'Done.'], { modelId: 'solo' })
    const agent = createAgent({
      id: 'solo',
      instructions: 'Go.',
      model,
      tools: () => given(['finance']),
      toolGroups: ['finance'],
      memory: { workingMemory: true },
    })
    return { agent, model }
  }

  test('their tools are offered by group and state too', async () => {
    const { agent, model } = made((groups) =>
      tools({
        search: { groups, nextState: 'found' },
        read: { groups, applicableStates: ['found'] },
        plain: {},
      }),
    )
    const result = await agent.generate('Go', { resourceId: 'user' })
    expect(result).toMatchObject({ outcome: 'completed', toolState: 'found' })
    expect([1, 2].map((step) => offered(model, step))).toEqual([
      ['search', 'update-working-memory'],
      ['search', 'read', 'update-working-memory'],
    ])
  })

  test('functions that put a tool into another group meanwhile are told of: the run keeps the group', async () => {
    let times = 0
    const store = memoryStore()
    const { agent } = made(() => {
      const groups = times++ === 0 ? ['finance'] : ['finance', 'legal']
      return tools({ search: { groups, requireApproval: true } })
    })
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go', { resourceId: 'user' })
    await run.whenIdle
    await troupe.close()
    const resumed = await createTroupe({ agents: [agent], store }).resume(run.id)
    await resumed.approve('solo/call:1.1')
    const { steps } = await resumed.result
    expect(steps[0]?.toolResults[0]).toMatchObject({ outcome: 'succeeded' })
    const edits = [{ agent: 'solo', part: 'tool "search"' }]
    expect(await store.read(run.id)).toContainEqual(
      expect.objectContaining({ type: 'program.drifted', edits }),
    )
  })
})

describe('36: what is refused', () => {
  const model = scriptedModel([], { otherwise: 'Done.' })
  const identity = { id: 'solo', instructions: '', model }
  const wrong: object = { toolState: 'a' }

  test.for<[string, object, RegExp]>([
    ['groups that are no list', { groups: 'finance' }, /groups must be a list of at least one name/],
    ['no group at all', { groups: [] }, /groups must be a list of at least one name/],
    ['a blank group', { groups: ['finance', ' '] }, /groups must be a list/],
    ['a group that is no text', { groups: [1] }, /groups must be a list/],
    ['no state at all', { applicableStates: [] }, /applicableStates must be a list of at least one name/],
    ['a blank state', { applicableStates: [''] }, /applicableStates must be a list/],
    ['all states as the next', { nextState: '*' }, /nextState must be the name of one state/],
    ['a blank next state', { nextState: '' }, /nextState must be the name of one state/],
  ])('createTool: %s', ([, given, message]) => {
    const make = () =>
      createTool({ id: 't', description: 'T.', inputSchema: z.object({}), execute: () => null, ...given })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
    const workflow = () =>
      createWorkflow({
        id: 't',
        description: 'T.',
        inputSchema: z.object({}),
        logic: fromPromise(async () => null),
        ...given,
      })
    expect(workflow).toThrow(message)
  })

  test.for<[string, object, RegExp]>([
    ['groups that are no list', { toolGroups: 'finance' }, /toolGroups must be a list of names/],
    ['a blank group', { toolGroups: [''] }, /toolGroups must be a list of names/],
    ['a state of all', { toolState: '*' }, /toolState must be the name of one state/],
    ['a blank state', { toolState: '' }, /toolState must be the name of one state/],
  ])('an agent and a run: %s', async ([, given, message]) => {
    expect(() => createAgent({ ...identity, ...given })).toThrow(message)
    await expect(createAgent(identity).generate('Go', given)).rejects.toThrow(message)
  })

  test('a state of what calls no tools', () => {
    const helper = worker('helper', []).agent
    expect(() => fanOut('desk', [], { agents: { helper }, ...wrong })).toThrow(
      'there is no option "toolState"',
    )
    expect(() => createDispatcher({ ...identity, agents: { helper }, toolState: 'a' })).not.toThrow()
  })

  test('a list that is changed afterwards changes nothing', async () => {
    const groups = ['finance']
    const ledger = tool('ledger', { groups })
    const toolGroups = ['finance']
    const solo = scriptedModel([], { otherwise: 'Done.' })
    const agent = createAgent({ ...identity, model: solo, tools: { ledger }, toolGroups })
    groups.push('legal')
    toolGroups[0] = 'legal'
    await agent.generate('Go')
    expect(offered(solo, 1)).toEqual(['ledger'])
  })
})
