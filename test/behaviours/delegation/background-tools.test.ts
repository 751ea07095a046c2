/** Supervisors with tools in the background, and subagents that have such tools. */
import { createReflexion, createTroupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { allEvents, calls, lead, shown, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'
import { asks, background, research } from '../../support/agents/background-tools.ts'

const satisfied = JSON.stringify({ satisfied: true, critique: '' })

describe('a subagent with tools in the background', () => {
  function team(backgroundTasks?: NonNullable<Parameters<typeof lead>[2]>['backgroundTasks']) {
    const { tool, end, started } = research()
    const finder = worker('finder', [], {
      otherwise: ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'Found: the moon.' : asks('tides'),
      tools: { research: tool },
    })
    const { agent, model } = lead('lead', [calls(to('finder', 'Find')), 'A draft.', 'Done.'], {
      agents: { finder: finder.agent },
      ...(backgroundTasks === undefined ? {} : { backgroundTasks }),
    })
    return { agent, model, finder, end, started }
  }

  const delegated = 'lead/delegation:1.1'

  test('is delegated to in the background, and waits for its tools itself', async () => {
    const { agent, model, finder, end } = team()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
    end('tides').resolve('The moon.')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      delegations: [{ agent: 'finder', outcome: 'succeeded', text: 'Found: the moon.' }],
    })
    expect(background(await allEvents(run))).toEqual([
      ['background-start', { taskId: delegated, agentName: 'finder' }],
      ['background-end', { taskId: delegated, agentName: 'finder', outcome: 'succeeded' }],
    ])
    expect(toldOfCalls(finder.model, 2)).toEqual(['The moon.'])
    expect(shown(model, 3).at(-1)?.content).toContain('of the agent "finder" has ended (succeeded)')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('that the supervisor lists is run as it says', async () => {
    const { agent, finder, end } = team({ finder: { concurrency: 1 } })
    end('tides').resolve('The moon.')
    const run = agent.stream('Go')
    expect((await run.result).delegations).toMatchObject([{ outcome: 'succeeded' }])
    expect(toldOfCalls(finder.model, 2)).toEqual(['The moon.'])
    expect(background(await allEvents(run))).toHaveLength(2)
  })

  test('that the supervisor waits for runs its tools in the background', async () => {
    const { agent, finder, end } = team({ finder: { enabled: false } })
    end('tides').resolve('The moon.')
    const run = agent.stream('Go')
    expect((await run.result).delegations).toMatchObject([{ outcome: 'succeeded' }])
    expect(toldOfCalls(finder.model, 2).join()).toContain('running in the background')
    expect(background(await allEvents(run)).map(([, payload]) => payload)).toMatchObject([
      { toolName: 'research' },
      { toolName: 'research' },
    ])
  })
})

test('a supervisor has tools and subagents in the background side by side', async () => {
  const { tool, end } = research()
  const finder = worker('finder', ['Found.'])
  const { agent } = lead(
    'lead',
    [
      calls({ name: 'research', args: { topic: 'tides' } }, to('finder', 'Find')),
      'A draft.',
      'Half.',
      'Done.',
    ],
    {
      agents: { finder: finder.agent },
      tools: { research: tool },
      backgroundTasks: { finder: {} },
      maxSteps: 8,
    },
  )
  const run = agent.stream('Go')
  await until(run, 'background-end', ({ payload }) => payload.agentName === 'finder')
  await until(run, 'text-end', ({ payload }) => payload.text === 'Half.')
  end('tides').resolve('The moon.')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('a tool and a subagent of the same name have places of their own', async () => {
  const { tool, started, end } = research({ concurrency: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const finder = worker('finder', [{ text: 'Found.', until: promise }])
  const { agent } = lead(
    'lead',
    [
      calls({ name: 'research', args: { topic: 'tides' } }, to('research', 'Find')),
      'A draft.',
      'Half.',
      'Done.',
    ],
    {
      agents: { research: finder.agent },
      tools: { research: tool },
      backgroundTasks: { research: { concurrency: 1 } },
      maxSteps: 8,
    },
  )
  const run = agent.stream('Go')
  await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
  expect(started).toEqual(['tides'])
  expect(finder.model.calls).toHaveLength(1)
  end('tides').resolve('The moon.')
  await until(run, 'text-end', ({ payload }) => payload.text === 'Half.')
  resolve()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

test('a bail lets go of a tool in the background, whose late result is on record', async () => {
  const { tool, aborted, end } = research()
  const finder = worker('finder', ['Found.'])
  const { agent } = lead(
    'lead',
    [calls({ name: 'research', args: { topic: 'tides' } }, to('finder', 'Find'))],
    {
      agents: { finder: finder.agent },
      tools: { research: tool },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    },
  )
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'bailed', text: 'Found.' })
  end('tides').resolve('The moon.')
  await troupe.close()
  expect(aborted).toEqual([])
  expect(background(await allEvents(run)).at(-1)).toEqual([
    'background-end',
    { taskId: 'lead/call:1.1', toolName: 'research', outcome: 'cancelled' },
  ])
})

test('an agent of another pattern is delegated to in the background because of its tools', async () => {
  const { tool, end } = research({ concurrency: 3 })
  const thinker = createReflexion({
    id: 'thinker',
    description: 'Thinks.',
    instructions: '',
    model: scriptedModel([asks('tides'), satisfied, 'The moon.', satisfied]),
    tools: { research: tool },
  })
  const { agent } = lead('lead', [calls(to('thinker', 'Think')), 'A draft.', 'Done.'], {
    agents: { thinker },
  })
  const run = agent.stream('Go')
  await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
  end('tides').resolve('The moon.')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(background(await allEvents(run)).map(([, payload]) => payload)).toMatchObject([
    { agentName: 'thinker' },
    { agentName: 'thinker', outcome: 'succeeded' },
  ])
})

test('as many delegations run at a time as the tools of the subagent allow calls', async () => {
  const { tool, started, end } = research({ concurrency: 1 })
  const finder = worker('finder', [], {
    otherwise: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Found.' : asks('tides')),
    tools: { research: tool },
  })
  const { agent } = lead(
    'lead',
    [calls(to('finder', 'One'), to('finder', 'Two')), 'A draft.', 'Half.', 'Done.'],
    { agents: { finder: finder.agent }, maxSteps: 8 },
  )
  const run = agent.stream('Go')
  await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
  expect(started).toEqual(['tides'])
  end('tides').resolve('The moon.')
  expect((await run.result).delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded'])
  expect(started).toEqual(['tides', 'tides'])
})

test('so it is with a subagent that a function of the run names', async () => {
  const { tool, end } = research()
  const finder = worker('finder', [asks('tides'), 'Found.'], { tools: { research: tool } })
  const { agent } = lead('lead', [calls(to('finder', 'Find')), 'A draft.', 'Done.'], {
    agents: () => ({ finder: finder.agent }),
  })
  const troupe = createTroupe({ agents: [agent, finder.agent] })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'text-end', ({ payload }) => payload.text === 'A draft.')
  end('tides').resolve('The moon.')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(background(await allEvents(run))).toHaveLength(2)
  expect((await troupe.replay(run.id)).result).toEqual(result)
})
