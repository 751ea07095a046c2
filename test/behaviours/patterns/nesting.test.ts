/** Behaviours 35 and 38, depth and identity: supervisors below supervisors, and what each of them costs. */
import { createTool, createTroupe, RetryableError, type FinalResult, type Usage, textOf } from 'troupe'
import type { ScriptedReply } from 'troupe/testing'
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

describe('three deep', () => {
  const threeDeep = () => {
    const scout = worker('scout', ['Scouted.'])
    const low = lead('low', [calls(to('scout', 'Scout')), 'Low answer.'], { agents: { scout: scout.agent } })
    const middle = lead('middle', [calls(to('low', 'Go low')), 'Middle answer.'], {
      agents: { low: low.agent },
    })
    const root = lead('root', [calls(to('middle', 'Go on')), 'Root answer.'], {
      agents: { middle: middle.agent },
    })
    return { scout, low, middle, root }
  }

  test('35: each answer reaches the parent that asked, and nobody else', async () => {
    const { scout, low, middle, root } = threeDeep()
    const result = await root.agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Root answer.' })
    expect(toldOfCalls(low.model, 2)).toEqual(['Scouted.'])
    expect(toldOfCalls(middle.model, 2)).toEqual(['Low answer.'])
    expect(toldOfCalls(root.model, 2)).toEqual(['Middle answer.'])
    expect(everythingShown(middle.model)).not.toContain('Scouted')
    expect(everythingShown(root.model)).not.toMatch(/Scouted|Low answer/)
    expect(shown(scout.model, 1).at(-1)).toEqual({ role: 'user', content: 'Scout' })
    expect(result.delegations).toMatchObject([
      { id: 'root/delegation:1.1', agent: 'middle', text: 'Middle answer.' },
    ])
  })

  test("35: the root's client sees one final message, and where every event comes from", async () => {
    const { root } = threeDeep()
    const run = root.agent.stream('Go')
    const streamed: string[] = []
    for await (const text of run.textStream) streamed.push(text)
    expect(streamed.join('')).toBe('Root answer.')
    const events = await allEvents(run)
    expect(events.filter((event) => event.final === true)).toMatchObject([
      {
        type: 'run-finish',
        agent: 'root',
        path: 'root',
        messageId: 'root:m2',
        payload: { text: 'Root answer.' },
      },
    ])
    expect(
      only(events, 'text-end').map(({ agent, path, delegationId, messageId, payload }) => ({
        agent,
        path,
        delegationId,
        messageId,
        text: payload.text,
      })),
    ).toEqual([
      {
        agent: 'scout',
        path: 'root/delegation:1.1/middle/delegation:1.1/low/delegation:1.1/scout',
        delegationId: 'root/delegation:1.1/middle/delegation:1.1/low/delegation:1.1',
        messageId: 'root/delegation:1.1/middle/delegation:1.1/low/delegation:1.1/scout:m1',
        text: 'Scouted.',
      },
      {
        agent: 'low',
        path: 'root/delegation:1.1/middle/delegation:1.1/low',
        delegationId: 'root/delegation:1.1/middle/delegation:1.1',
        messageId: 'root/delegation:1.1/middle/delegation:1.1/low:m2',
        text: 'Low answer.',
      },
      {
        agent: 'middle',
        path: 'root/delegation:1.1/middle',
        delegationId: 'root/delegation:1.1',
        messageId: 'root/delegation:1.1/middle:m2',
        text: 'Middle answer.',
      },
      { agent: 'root', path: 'root', delegationId: undefined, messageId: 'root:m2', text: 'Root answer.' },
    ])
  })

  test("35: hooks belong to their own supervisor's delegations", async () => {
    const fired: string[] = []
    const scout = worker('scout', ['Scouted.'])
    const middle = lead('middle', [calls(to('scout', 'Scout')), 'Middle answer.'], {
      agents: { scout: scout.agent },
      delegation: { onDelegationStart: ({ agentId }) => void fired.push(`middle asks ${agentId}`) },
    })
    const root = lead('root', [calls(to('middle', 'Go on')), 'Root answer.'], {
      agents: { middle: middle.agent },
    })
    await root.agent.generate('Go', {
      delegation: { onDelegationStart: ({ agentId }) => void fired.push(`root asks ${agentId}`) },
    })
    expect(fired).toEqual(['root asks middle', 'middle asks scout'])
  })
})

describe('a nested bail', () => {
  test('ends the nested supervisor only: its parent goes on with the text that it bailed with', async () => {
    const scout = worker('scout', ['Scouted.'])
    const middle = lead('middle', [calls(to('scout', 'Scout'))], {
      agents: { scout: scout.agent },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const writer = worker('writer', ['Written.'])
    const root = lead('root', [calls(to('middle', 'Go on')), calls(to('writer', 'Write')), 'Root answer.'], {
      agents: { middle: middle.agent, writer: writer.agent },
    })
    const run = root.agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Root answer.',
      delegations: [
        { agent: 'middle', outcome: 'succeeded', text: 'Scouted.' },
        { agent: 'writer', outcome: 'succeeded', text: 'Written.' },
      ],
    })
    expect(middle.model.calls).toHaveLength(1)
    expect(toldOfCalls(root.model, 2)).toEqual(['Scouted.'])
    const events = await allEvents(run)
    expect(only(events, 'delegation-bail')).toMatchObject([
      {
        agent: 'middle',
        delegationId: 'root/delegation:1.1/middle/delegation:1.1',
        payload: { agentId: 'scout' },
      },
    ])
    expect(only(events, 'delegation-end').map(({ payload }) => [payload.agentId, payload.outcome])).toEqual([
      ['scout', 'bailed'],
      ['middle', 'succeeded'],
      ['writer', 'succeeded'],
    ])
  })

  test('on a failed delegation is a success of the nested supervisor that says who failed', async () => {
    const scout = worker('scout', [{ error: new Error('lost') }])
    const middle = lead('middle', [calls(to('scout', 'Scout'))], {
      agents: { scout: scout.agent },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const root = lead('root', [calls(to('middle', 'Go on')), 'Root answer.'], {
      agents: { middle: middle.agent },
    })
    expect(await root.agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Root answer.' })
    expect(toldOfCalls(root.model, 2)).toEqual(['The agent "scout" did not finish its task.'])
    expect(everythingShown(root.model)).not.toContain('lost')
  })
})

describe('maxDepth', () => {
  test('a delegation beyond it is exhausted without running, and the run goes on', async () => {
    const low = lead('low', [])
    const middle = lead('middle', [calls(to('low', 'Go low')), 'Middle answer.'], {
      agents: { low: low.agent },
    })
    const root = lead('root', [calls(to('middle', 'Go on')), 'Root answer.'], {
      agents: { middle: middle.agent },
      maxDepth: 1,
    })
    const run = root.agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Root answer.',
      delegations: [{ agent: 'middle', outcome: 'succeeded', text: 'Middle answer.' }],
    })
    expect(low.model.calls).toEqual([])
    const ends = only(await allEvents(run), 'delegation-end')
    expect(ends.map(({ payload }) => [payload.agentId, payload.outcome, payload.error?.code])).toEqual([
      ['low', 'exhausted', 'MAX_DEPTH'],
      ['middle', 'succeeded', undefined],
    ])
    expect(toldOfCalls(middle.model, 2).map((content): unknown => JSON.parse(content))).toEqual([
      { text: '', incomplete: 'The agent "low" reached a limit (depth) before it was done.' },
    ])
  })

  test('a nested supervisor can lower it for what is below, never lift it', async () => {
    const depthsReached = async (rootMax: number, middleMax: number): Promise<number> => {
      const scout = worker('scout', ['Scouted.'])
      const low = lead('low', [calls(to('scout', 'Scout')), 'Low.'], { agents: { scout: scout.agent } })
      const middle = lead('middle', [calls(to('low', 'Go low')), 'Middle.'], {
        agents: { low: low.agent },
        maxDepth: middleMax,
      })
      const root = lead('root', [calls(to('middle', 'Go on')), 'Root.'], { agents: { middle: middle.agent } })
      await root.agent.generate('Go', { maxDepth: rootMax })
      return [middle, low, scout].filter(({ model }) => model.calls.length > 0).length
    }
    expect(await depthsReached(3, 3)).toBe(3)
    expect(await depthsReached(2, 9)).toBe(2)
    expect(await depthsReached(1, 9)).toBe(1)
    expect(await depthsReached(9, 2)).toBe(2)
  })

  test('by default a chain of delegations ends five levels below the root', async () => {
    const levels = Array.from({ length: 7 }, (_, index) => `level${index}`)
    const bottom = lead('bottom', ['Bottom.'])
    const models = [bottom.model]
    let below = bottom.agent
    for (const id of levels.toReversed()) {
      const level = lead(id, [calls(to('below', 'Deeper')), `${id} answers.`], { agents: { below } })
      models.unshift(level.model)
      below = level.agent
    }
    expect(await below.generate('Go')).toMatchObject({ outcome: 'completed', text: 'level0 answers.' })
    expect(models.map((model) => model.calls.length)).toEqual([2, 2, 2, 2, 2, 2, 0, 0])
  })

  test('the maxDepth of a run holds for all supervisors that set none', async () => {
    const bottom = worker('bottom', [])
    let level = lead('seven', [calls(to('below', 'Deeper')), 'seven answers.'], {
      agents: { below: bottom.agent },
    })
    const models = [level.model, bottom.model]
    for (const id of ['six', 'five', 'four', 'three', 'two', 'one', 'root']) {
      level = lead(id, [calls(to('below', 'Deeper')), `${id} answers.`], { agents: { below: level.agent } })
      models.unshift(level.model)
    }
    const result = await level.agent.generate('Go', { maxDepth: 7 })
    expect(result).toMatchObject({ outcome: 'completed', text: 'root answers.' })
    expect(models.map((model) => model.calls.length)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 0])
  })
})

describe('identity', () => {
  test('two equal goals are two children, each with an outcome of its own', async () => {
    const first = Promise.withResolvers<void>()
    const scout = worker('scout', [{ text: 'One.', until: first.promise }, 'Two.'])
    const root = lead('root', [calls(to('scout', 'The goal'), to('scout', 'The goal')), 'Done.'], {
      agents: { scout: scout.agent },
    })
    const run = root.agent.stream('Go')
    await until(run, 'delegation-end')
    first.resolve()
    const result = await run.result
    expect(result.delegations).toMatchObject([
      { id: 'root/delegation:1.1', agent: 'scout', outcome: 'succeeded', text: 'One.' },
      { id: 'root/delegation:1.2', agent: 'scout', outcome: 'succeeded', text: 'Two.' },
    ])
    expect(toldOfCalls(root.model, 2)).toEqual(['One.', 'Two.'])
    expect(only(await allEvents(run), 'delegation-end').map((event) => event.delegationId)).toEqual([
      'root/delegation:1.2',
      'root/delegation:1.1',
    ])
  })

  test('the same goal in a later step is a child of its own', async () => {
    const scout = worker('scout', ['One.', 'Two.'])
    const root = lead('root', [calls(to('scout', 'The goal')), calls(to('scout', 'The goal')), 'Done.'], {
      agents: { scout: scout.agent },
    })
    const result = await root.agent.generate('Go')
    expect(result.delegations.map(({ id, text }) => [id, text])).toEqual([
      ['root/delegation:1.1', 'One.'],
      ['root/delegation:2.1', 'Two.'],
    ])
  })

  test('one agent may work for two supervisors at once', async () => {
    const shared = worker('shared', [
      ({ messages }) => `For ${textOf(messages.at(-1)?.content ?? '')}.`,
      ({ messages }) => `For ${textOf(messages.at(-1)?.content ?? '')}.`,
    ])
    const left = lead('left', [calls(to('shared', 'left')), 'L.'], { agents: { shared: shared.agent } })
    const right = lead('right', [calls(to('shared', 'right')), 'R.'], { agents: { shared: shared.agent } })
    const root = lead('root', [calls(to('left', 'A'), to('right', 'B')), 'Done.'], {
      agents: { left: left.agent, right: right.agent },
    })
    expect(await root.agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    expect(toldOfCalls(left.model, 2)).toEqual(['For left.'])
    expect(toldOfCalls(right.model, 2)).toEqual(['For right.'])
  })
})

describe('usage', () => {
  /** Powers of two: every sum says which calls it is made of. */
  const costing = (tokens: number, reply: ScriptedReply): ScriptedReply => ({
    ...reply,
    usage: { inputTokens: tokens, outputTokens: 0 },
  })
  const input = (tokens: number): Usage => ({ inputTokens: tokens, outputTokens: 0, totalTokens: tokens })

  function addsUp({ usage }: FinalResult): void {
    const agents = Object.values(usage.byAgent)
    const sum = (of: 'inputTokens' | 'outputTokens' | 'totalTokens'): number =>
      agents.reduce((total, agent) => total + agent[of], 0)
    expect({
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      totalTokens: usage.totalTokens,
    }).toEqual({
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      totalTokens: sum('totalTokens'),
    })
  }

  test('38: over iterations, children, retries, empty replies and final turns', async () => {
    const clock = new ManualClock()
    const noop = createTool({
      id: 'noop',
      description: 'Nothing.',
      inputSchema: z.object({}),
      execute: () => 'ok',
    })
    const scout = worker(
      'scout',
      [
        { error: new RetryableError('busy') },
        costing(1, calls({ name: 'noop' })),
        costing(2, { text: '' }),
        costing(4, { text: 'Final turn of the scout.' }),
        costing(8, { text: 'Second answer.' }),
      ],
      { tools: { noop }, maxSteps: 2 },
    )
    const middle = lead('middle', [costing(16, calls(to('scout', 'A'))), costing(32, { text: 'Middle.' })], {
      agents: { scout: scout.agent },
    })
    const root = lead(
      'root',
      [
        costing(64, calls(to('middle', 'B'), { name: 'agent-nobody', args: {} })),
        costing(128, calls(to('scout', 'C'))),
        costing(256, { text: 'Root, in the final turn.' }),
      ],
      { agents: { middle: middle.agent, scout: scout.agent }, maxSteps: 2 },
    )
    const run = await createTroupe({ agents: [root.agent], clock }).start(root.agent, 'Go')
    await until(run, 'error', (event) => event.payload.willRetry)
    clock.advance(500)
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'Root, in the final turn.',
      delegations: [
        {
          id: 'root/delegation:1.1',
          agent: 'middle',
          outcome: 'succeeded',
          usage: input(1 + 2 + 4 + 16 + 32),
        },
        { id: 'root/delegation:2.1', agent: 'scout', outcome: 'succeeded', usage: input(8) },
      ],
    })
    expect(result.usage.byAgent).toEqual({
      root: input(64 + 128 + 256),
      middle: input(16 + 32),
      scout: input(1 + 2 + 4 + 8),
    })
    expect(result.usage.totalTokens).toBe(511)
    addsUp(result)
    const [finish] = only(await allEvents(run), 'run-finish')
    expect(finish?.payload.usage).toEqual(input(511))
    expect(scout.model.calls).toHaveLength(5)
  })

  test('38: failed, rejected, timed out and bailed delegations count what they cost', async () => {
    const clock = new ManualClock()
    const noop = createTool({
      id: 'noop',
      description: 'Nothing.',
      inputSchema: z.object({}),
      execute: () => 'ok',
    })
    const failing = worker('failing', [costing(1, calls({ name: 'noop' })), { error: new Error('no') }], {
      tools: { noop },
    })
    const hanging = worker('hanging', [costing(2, calls({ name: 'noop' })), { hang: true }], {
      tools: { noop },
    })
    const rejected = worker('rejected', [])
    const bailing = worker('bailing', [costing(4, { text: 'Enough.' })])
    const root = lead(
      'root',
      [
        costing(8, calls(to('failing', 'A'), to('hanging', 'B'), to('rejected', 'C'))),
        costing(16, calls(to('bailing', 'D'))),
      ],
      {
        agents: {
          failing: failing.agent,
          hanging: hanging.agent,
          rejected: rejected.agent,
          bailing: bailing.agent,
        },
        delegation: {
          timeout: 1_000,
          onDelegationStart: ({ agentId }) => ({ proceed: agentId !== 'rejected' }),
          onDelegationComplete: ({ agentId, bail }) => {
            if (agentId === 'bailing') bail()
          },
        },
      },
    )
    const run = await createTroupe({ agents: [root.agent], clock }).start(root.agent, 'Go')
    await until(run, 'step-start', ({ agent, payload }) => agent === 'hanging' && payload.step === 2)
    clock.advance(1_000)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'bailed', by: 'bailing', text: 'Enough.' })
    expect(
      result.delegations.map(({ agent, outcome, usage }) => [agent, outcome, usage.totalTokens]),
    ).toEqual([
      ['failing', 'failed', 1],
      ['hanging', 'timedOut', 2],
      ['rejected', 'rejected', 0],
      ['bailing', 'bailed', 4],
    ])
    expect(result.usage.byAgent).toEqual({
      root: input(24),
      failing: input(1),
      hanging: input(2),
      bailing: input(4),
    })
    addsUp(result)
  })

  test('38: cached and reasoning tokens are kept apart', async () => {
    const scout = worker('scout', [
      {
        text: 'Scouted.',
        usage: { inputTokens: 10, outputTokens: 8, cachedInputTokens: 6, reasoningTokens: 3 },
      },
    ])
    const root = lead('root', [calls(to('scout', 'A')), { text: 'Done.', usage: { reasoningTokens: 2 } }], {
      agents: { scout: scout.agent },
    })
    const result = await root.agent.stream('Go').result
    expect(result.usage).toEqual({
      inputTokens: 30,
      outputTokens: 18,
      totalTokens: 48,
      cachedInputTokens: 6,
      reasoningTokens: 5,
      byAgent: {
        root: { inputTokens: 20, outputTokens: 10, totalTokens: 30, reasoningTokens: 2 },
        scout: {
          inputTokens: 10,
          outputTokens: 8,
          totalTokens: 18,
          cachedInputTokens: 6,
          reasoningTokens: 3,
        },
      },
    })
  })
})
