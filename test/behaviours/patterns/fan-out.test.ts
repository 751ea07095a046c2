/** Behaviours 34 and 35: a task is divided, its goals are worked on side by side, and one synthesis is made of it. */
import {
  createFanOut,
  createTool,
  createTroupe,
  memoryStore,
  type JournalEntry,
  type Message,
  type RunEvent,
  type Store,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedReply } from 'troupe/testing'
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
  until,
  worker,
} from '../../support/agents/agents.ts'
import { asksFor, divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { patternTree } from '../../support/agents/pattern-tree.ts'

/** What a model is told of the results of a round: the JSON of the notice, by child. */
function resultsShown(model: ScriptedModel, call: number, round = 1): Record<string, unknown> {
  const notice = shown(model, call).find((message) =>
    textOf(message.content).includes(`results of round ${round}`),
  )
  const json = textOf(notice?.content ?? '').split('\n')[1]
  if (json === undefined) throw new Error(`Call ${call} was not told the results of round ${round}.`)
  return JSON.parse(json) as Record<string, unknown>
}

/** A store that tells when a late entry has been appended. */
function lateStore(): { readonly store: Store; readonly late: Promise<JournalEntry> } {
  const inner = memoryStore()
  const { promise: late, resolve } = Promise.withResolvers<JournalEntry>()
  return {
    late,
    store: {
      ...inner,
      async append(appends) {
        await inner.append(appends)
        for (const { entry } of appends) if (entry?.type === 'effect.settled' && entry.late) resolve(entry)
      },
    },
  }
}

/** Answers as the last message asks it to. */
function told(...answers: readonly (readonly [goal: string, reply: string | ScriptedReply])[]) {
  return {
    otherwise: ({ messages }: { readonly messages: readonly Message[] }) => {
      const goal = textOf(messages.at(-1)?.content ?? '')
      const found = answers.find(([asked]) => goal.startsWith(asked))
      return found?.[1] ?? `About ${goal}.`
    },
  }
}

const oneRound = { maxRounds: 1 }

describe('34: a round', () => {
  test('three goals, two of them equal: three children, and one synthesis after the third', async () => {
    const gate = Promise.withResolvers<void>()
    const scout = worker('scout', ['One.', { text: 'Two.', until: gate.promise }, 'Three.'])
    const { agent, model } = fanOut('desk', [divides('tides', 'tides', 'winds'), 'All told.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    const run = agent.stream('What moves the sea?')
    await until(run, 'delegation-end', ({ delegationId }) => delegationId === 'desk/delegation:1.3')
    expect(model.calls).toHaveLength(1)
    gate.resolve()
    const result = await run.result

    expect(result).toMatchObject({ outcome: 'completed', text: 'All told.' })
    expect(result.delegations.map(({ id, agent, outcome, text }) => [id, agent, outcome, text])).toEqual([
      ['desk/delegation:1.1', 'scout', 'succeeded', 'One.'],
      ['desk/delegation:1.2', 'scout', 'succeeded', 'Two.'],
      ['desk/delegation:1.3', 'scout', 'succeeded', 'Three.'],
    ])
    expect(resultsShown(model, 2)).toEqual({
      'desk/delegation:1.1': { goal: 'tides', agent: 'scout', outcome: 'succeeded', result: 'One.' },
      'desk/delegation:1.2': { goal: 'tides', agent: 'scout', outcome: 'succeeded', result: 'Two.' },
      'desk/delegation:1.3': { goal: 'winds', agent: 'scout', outcome: 'succeeded', result: 'Three.' },
    })
    const events = await allEvents(run)
    const correlationId = `${run.id}/desk/round-1`
    const agentOf = { agentName: 'scout', agentId: 'scout' }
    expect(only(events, 'fan-out').map(({ payload }) => payload)).toEqual([
      {
        correlationId,
        round: 1,
        goals: [
          { id: 'desk/delegation:1.1', goal: 'tides', ...agentOf },
          { id: 'desk/delegation:1.2', goal: 'tides', ...agentOf },
          { id: 'desk/delegation:1.3', goal: 'winds', ...agentOf },
        ],
      },
    ])
    expect(only(events, 'fan-in').map(({ payload }) => payload)).toEqual([
      {
        correlationId,
        round: 1,
        completions: {
          'desk/delegation:1.1': 'succeeded',
          'desk/delegation:1.2': 'succeeded',
          'desk/delegation:1.3': 'succeeded',
        },
      },
    ])
    expect(only(events, 'synthesis-start').map(({ payload }) => payload)).toEqual([
      { correlationId, round: 1, missing: [] },
    ])
    // Registration precedes dispatch; the synthesis follows the last completion.
    const order = events.map(({ type }) => type)
    expect(order.indexOf('fan-out')).toBeLessThan(order.indexOf('delegation-start'))
    expect(order.lastIndexOf('delegation-end')).toBeLessThan(order.indexOf('fan-in'))
    expect(order.indexOf('fan-in')).toBeLessThan(order.indexOf('synthesis-start'))
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', messageId: 'desk:m3', final: true })
  })

  test('the answer streams, and only the answer: what is decided on the way is quiet', async () => {
    const { agent } = fanOut('desk', [divides('tides'), enough, 'All told.'], {
      agents: { scout: worker('scout', ['One.']).agent },
    })
    const run = agent.stream('Go')
    let streamed = ''
    for await (const text of run.textStream) streamed += text
    expect(streamed).toBe('All told.')
    const own = (await allEvents(run)).filter(({ path }) => path === 'desk')
    expect(only(own, 'text-end').map(({ payload }) => payload)).toEqual([
      { text: 'All told.', status: 'complete' },
    ])
  })

  test('a failed child is a completion: the synthesis has its error, but not what it threw', async () => {
    const scout = worker('scout', [], told(['b', { error: new Error('password 1234') }]))
    const { agent, model } = fanOut('desk', [divides('a', 'b', 'c'), 'Without b.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Without b.' })
    expect(result.delegations.map(({ outcome, error }) => [outcome, error?.message])).toEqual([
      ['succeeded', undefined],
      ['failed', 'password 1234'],
      ['succeeded', undefined],
    ])
    expect(resultsShown(model, 2)['desk/delegation:1.2']).toEqual({
      goal: 'b',
      agent: 'scout',
      outcome: 'failed',
      result: '{"error":"The agent \\"scout\\" failed."}',
    })
    expect(JSON.stringify(shown(model, 2))).toContain(
      '1 of 3 goals have no complete result: desk/delegation:1.2 (failed).',
    )
    expect(everythingShown(model)).not.toContain('1234')
    expect(only(await allEvents(run), 'synthesis-start')[0]?.payload.missing).toEqual(['desk/delegation:1.2'])
  })

  test('one hangs: after the timeout a partial synthesis names it; its late result changes nothing', async () => {
    const clock = new ManualClock()
    const gate = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const scout = worker('scout', [], told(['b', { text: 'Much too late.', until: gate.promise }]))
    const { agent, model } = fanOut(
      'desk',
      [divides('a', 'b', 'c'), { text: 'Without b.', until: answer.promise }],
      { agents: { scout: scout.agent }, ...oneRound },
    )
    const { store, late } = lateStore()
    const troupe = createTroupe({ agents: [agent], store, clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'delegation-end', ({ delegationId }) => delegationId === 'desk/delegation:1.3')
    clock.advance(119_999)
    expect(model.calls).toHaveLength(1)
    clock.advance(1)
    await until(run, 'synthesis-start')
    gate.resolve()
    const recorded = await late
    answer.resolve()

    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Without b.' })
    expect(result.delegations).toMatchObject([
      { id: 'desk/delegation:1.1', outcome: 'succeeded', text: 'About a.' },
      {
        id: 'desk/delegation:1.2',
        outcome: 'timedOut',
        text: '',
        duration: 120_000,
        error: {
          name: 'TimeoutError',
          code: 'DELEGATION_TIMEOUT',
          message: 'The agent "scout" did not finish within 120000 ms.',
        },
      },
      { id: 'desk/delegation:1.3', outcome: 'succeeded', text: 'About c.' },
    ])
    expect(recorded).toMatchObject({
      type: 'effect.settled',
      key: 'desk/delegation:1.2/scout/model#1',
      settlement: { value: { text: 'Much too late.' } },
      late: true,
    })
    expect(scout.model.calls[1]?.signal.aborted).toBe(true)
    expect(model.calls).toHaveLength(2)
    expect(everythingShown(model)).not.toContain('Much too late.')
    expect(JSON.stringify(shown(model, 2))).toContain('desk/delegation:1.2 (timedOut)')
    const events = await allEvents(run)
    expect(only(events, 'fan-in').map(({ payload }) => payload.completions)).toEqual([
      {
        'desk/delegation:1.1': 'succeeded',
        'desk/delegation:1.2': 'timedOut',
        'desk/delegation:1.3': 'succeeded',
      },
    ])
    expect(only(events, 'synthesis-start').map(({ payload }) => payload.missing)).toEqual([
      ['desk/delegation:1.2'],
    ])
    expect(clock.due).toEqual([])
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.entries).toBe((await troupe.journal(run.id)).length)
  })

  test('a result may come when the run has long ended: it is recorded, and the run is as it was', async () => {
    const clock = new ManualClock()
    const work = Promise.withResolvers<string>()
    const started = Promise.withResolvers<AbortSignal>()
    const dig = createTool({
      id: 'dig',
      description: 'Digs.',
      inputSchema: z.object({}),
      execute: (_, { signal }) => {
        started.resolve(signal)
        return work.promise
      },
    })
    const digger = worker('digger', [calls({ name: 'dig' })], { tools: { dig } })
    const { agent } = fanOut('desk', [divides('dig'), 'Nothing was found.'], {
      agents: { digger: digger.agent },
      ...oneRound,
      goalTimeout: 1_000,
    })
    const { store, late } = lateStore()
    const troupe = createTroupe({ agents: [agent], store, clock })
    const run = await troupe.start(agent, 'Go')
    const signal = await started.promise
    clock.advance(1_000)
    const result = await run.result
    const before = await allEvents(run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Nothing was found.' })
    expect(signal.aborted).toBe(true)
    work.resolve('gold')
    expect(await late).toMatchObject({
      key: 'desk/delegation:1.1/digger/call:1.1/tool#1',
      settlement: { value: { type: 'returned', value: 'gold' } },
      late: true,
    })
    expect(await allEvents(run)).toEqual(before)
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('what an aborted call throws is not recorded: it is the answer to the signal', async () => {
    const clock = new ManualClock()
    const scout = worker('scout', [{ hang: true }])
    const { agent } = fanOut('desk', [divides('a'), 'Nothing.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start', ({ agent }) => agent === 'scout')
    clock.advance(120_000)
    await run.result
    const journal = await troupe.journal(run.id)
    expect(journal.filter((entry) => entry.type === 'effect.settled' && entry.late === true)).toEqual([])
  })

  test('all of them fail: there is a synthesis all the same', async () => {
    const scout = worker('scout', [], { otherwise: { error: new Error('no') } })
    const { agent, model } = fanOut('desk', [divides('a', 'b'), 'Nothing could be found.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      text: 'Nothing could be found.',
      delegations: [{ outcome: 'failed' }, { outcome: 'failed' }],
    })
    expect(JSON.stringify(shown(model, 2))).toContain('2 of 2 goals have no complete result')
  })

  test('goals that wait for a place when the time is up are never started, and count as timed out', async () => {
    const clock = new ManualClock()
    const scout = worker('scout', [], told(['slow', { hang: true }]))
    const { agent, model } = fanOut('desk', [divides('fast', 'slow', 'queued 1', 'queued 2'), 'Partly.'], {
      agents: { scout: scout.agent },
      toolCallConcurrency: 1,
      ...oneRound,
      goalTimeout: 5_000,
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'step-start', ({ path }) => path.startsWith('desk/delegation:1.2/'))
    clock.advance(5_000)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Partly.' })
    expect(result.delegations.map(({ id, outcome, duration }) => [id, outcome, duration])).toEqual([
      ['desk/delegation:1.1', 'succeeded', 0],
      ['desk/delegation:1.2', 'timedOut', 5_000],
      ['desk/delegation:1.3', 'timedOut', 0],
      ['desk/delegation:1.4', 'timedOut', 0],
    ])
    expect(scout.model.calls).toHaveLength(2)
    expect(resultsShown(model, 2)['desk/delegation:1.4']).toEqual({
      goal: 'queued 2',
      agent: 'scout',
      outcome: 'timedOut',
      result: '{"error":"There was no time left for this goal."}',
    })
    expect(only(await allEvents(run), 'delegation-start').map(({ delegationId }) => delegationId)).toEqual([
      'desk/delegation:1.1',
      'desk/delegation:1.2',
    ])
  })

  test('children that finish in time do not start the clock of the round anew', async () => {
    const clock = new ManualClock()
    const scout = worker('scout', [], told(['slow', { hang: true }]))
    const { agent } = fanOut('desk', [divides('fast', 'slow'), 'Partly.'], {
      agents: { scout: scout.agent },
      toolCallConcurrency: 1,
      ...oneRound,
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'step-start', ({ path }) => path.startsWith('desk/delegation:1.2/'))
    expect(clock.due).toEqual([120_000])
  })

  test('a child that waits for a person holds only itself, and the clock stands still meanwhile', async () => {
    const clock = new ManualClock()
    let wiped = 0
    const wipe = createTool({
      id: 'wipe',
      description: 'Wipes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => ++wiped,
    })
    const cleaner = worker('cleaner', [calls({ name: 'wipe' }), 'Clean.'], { tools: { wipe } })
    const scout = worker('scout', [], told())
    const { agent } = fanOut(
      'desk',
      [
        divides(
          { goal: 'clean', agent: 'cleaner' },
          { goal: 'a', agent: 'scout' },
          { goal: 'b', agent: 'scout' },
        ),
        'Done.',
      ],
      { agents: { cleaner: cleaner.agent, scout: scout.agent }, toolCallConcurrency: 1, ...oneRound },
    )
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const suspended = await run.whenIdle
    expect(suspended.outcome).toBe('suspended')
    expect(scout.model.calls).toHaveLength(2)
    expect(clock.due).toEqual([])
    clock.advance(1_000_000)
    const approval = only(await untilSuspended(run.events), 'tool-call-approval')[0]
    await run.approve(approval?.payload.toolCallId ?? '')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ text: 'Clean.' }, { text: 'About a.' }, { text: 'About b.' }],
    })
    expect(wiped).toBe(1)
  })
})

async function untilSuspended(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const seen: RunEvent[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'suspended') break
  }
  return seen
}

describe('how many', () => {
  const sizes = [
    { children: 1, each: 0 },
    { children: 2, each: 0 },
    { children: 10, each: 3 },
    { children: 100, each: 20 },
    { children: 1_000, each: 100 },
  ]
  test.for(sizes)(
    '$children children, $each failing, $each hanging and one late: exactly one synthesis',
    async ({ children, each }) => {
      const clock = new ManualClock()
      const gate = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      const kindOf = (index: number) =>
        index === 0 ? 'late' : index <= each ? 'fail' : index <= 2 * each ? 'hang' : 'succeed'
      const goals = Array.from({ length: children }, (_, index) => `${kindOf(index)} ${index}`)
      const scout = worker(
        'scout',
        [],
        told(
          ['late', { text: 'Too late.', until: gate.promise }],
          ['fail', { error: new Error('no') }],
          ['hang', { hang: true }],
        ),
      )
      const { agent, model } = fanOut(
        'desk',
        [divides(...goals), { text: 'All told.', until: answer.promise }],
        {
          agents: { scout: scout.agent },
          maxGoals: children,
          maxRounds: 1,
          toolCallConcurrency: each + 10,
        },
      )
      const { store, late } = lateStore()
      const troupe = createTroupe({ agents: [agent], store, clock })
      const run = await troupe.start(agent, 'Go')
      let [begun, ended] = [0, 0]
      for await (const event of run.events) {
        if (event.type === 'step-start' && event.agent === 'scout') begun++
        if (event.type === 'delegation-end') ended++
        if (begun === children && ended === children - each - 1) break
      }
      clock.advance(120_000)
      await until(run, 'synthesis-start')
      gate.resolve()
      await late
      answer.resolve()
      const result = await run.result

      expect(result).toMatchObject({ outcome: 'completed', text: 'All told.' })
      const expected = { succeeded: children - 2 * each - 1, failed: each, timedOut: each + 1 }
      const counted = { succeeded: 0, failed: 0, timedOut: 0 }
      const events = await allEvents(run)
      const fanIns = only(events, 'fan-in')
      expect(fanIns).toHaveLength(1)
      for (const outcome of Object.values(fanIns[0]?.payload.completions ?? {})) {
        counted[outcome as keyof typeof counted]++
      }
      expect(counted).toEqual(expected)
      expect(new Set(result.delegations.map(({ id }) => id)).size).toBe(children)
      expect(only(events, 'synthesis-start')).toHaveLength(1)
      expect(only(events, 'delegation-end')).toHaveLength(children)
      expect(model.calls).toHaveLength(2)
      expect(Object.keys(resultsShown(model, 2))).toEqual(
        goals.map((_, index) => `desk/delegation:1.${index + 1}`),
      )
      expect((await troupe.replay(run.id)).result).toEqual(result)
    },
  )

  test('the window bounds how many are live', async () => {
    let live = 0
    let most = 0
    const scout = worker('scout', [], { otherwise: 'Done.' })
    const { agent } = fanOut(
      'desk',
      [divides(...Array.from({ length: 50 }, (_, i) => `goal ${i}`)), 'All.'],
      {
        agents: { scout: scout.agent },
        maxGoals: 50,
        ...oneRound,
      },
    )
    for await (const { type } of agent.stream('Go').events) {
      if (type === 'delegation-start') most = Math.max(most, ++live)
      if (type === 'delegation-end') live--
    }
    expect({ live, most }).toEqual({ live: 0, most: 10 })
  })
})

describe('goals', () => {
  test('each goes to the agent that was chosen for it, with its slice of the context', async () => {
    const scout = worker('scout', ['Scouted.'])
    const editor = worker('editor', ['Edited.'])
    const { agent, model } = fanOut(
      'desk',
      [
        divides(
          { goal: 'Find tides.', agent: 'scout', context: 'Only the North Sea.' },
          { goal: 'Edit it.', agent: 'editor', context: null },
        ),
        'Done.',
      ],
      { agents: { scout: scout.agent, editor: editor.agent }, ...oneRound },
    )
    const run = agent.stream('About the sea.')
    await run.result
    expect(shown(scout.model, 1)).toEqual([
      { role: 'system', content: 'I am scout.' },
      { role: 'user', content: 'About the sea.' },
      { role: 'user', content: 'Find tides.\n\nContext:\nOnly the North Sea.' },
    ])
    expect(shown(editor.model, 1).at(-1)).toEqual({ role: 'user', content: 'Edit it.' })
    expect(everythingShown(scout.model)).not.toContain('Edit it.')
    expect(only(await allEvents(run), 'fan-out')[0]?.payload.goals).toEqual([
      {
        id: 'desk/delegation:1.1',
        goal: 'Find tides.',
        context: 'Only the North Sea.',
        agentName: 'scout',
        agentId: 'scout',
      },
      { id: 'desk/delegation:1.2', goal: 'Edit it.', agentName: 'editor', agentId: 'editor' },
    ])
    expect(shown(model, 1).at(-1)?.content).toContain(
      '- scout: Does scout work.\n- editor: Does editor work.',
    )
    expect(model.calls[0]?.request.tools).toEqual([])
    expect(model.calls[0]?.request.responseFormat?.name).toBe('goals')
  })

  test('each agent works by a pattern of its own', async () => {
    const chosen = ['plan-then-execute', 'router', 'debate', 'reflexion'] as const
    const trees = chosen.map((pattern) => patternTree([pattern], { suffix: `-of-${pattern}` }))
    const agents = Object.fromEntries(trees.map(({ agent }) => [agent.pattern, agent]))
    const { agent } = fanOut(
      'desk',
      [divides(...chosen.map((pattern) => ({ goal: 'Dig.', agent: pattern }))), 'All told.'],
      { agents, ...oneRound },
    )
    const run = agent.stream('Go')
    const { delegations } = await run.result
    expect(delegations.map(({ text }) => text)).toEqual(trees.map(({ answer }) => answer))
    const events = await allEvents(run)
    const traces = only(events, 'plan-created', 'routing-decision', 'critique')
    expect([...new Set(traces.map(({ agent: who }) => who))].toSorted()).toEqual([
      'plan-then-execute-0-of-plan-then-execute',
      'reflexion-0-of-reflexion',
      'router-0-of-router',
    ])
  })

  test('an agent that does not exist goes back once, with those that do', async () => {
    const scout = worker('scout', ['Scouted.'])
    const editor = worker('editor', [])
    const { agent, model } = fanOut(
      'desk',
      [divides({ goal: 'a', agent: 'nobody' }), divides({ goal: 'a', agent: 'scout' }), 'Done.'],
      { agents: { scout: scout.agent, editor: editor.agent }, ...oneRound },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(shown(model, 2).at(-1)?.content).toBe(
      'Your answer is not a valid list of goals: goals.0.agent: Invalid option: expected one of "scout"|"editor"\nAnswer again, with the JSON value alone.',
    )
  })

  test.for([
    ['no JSON', 'Let me think.'],
    ['no goals', divides()],
    ['more goals than are allowed', divides('a', 'b', 'c')],
    ['a goal without words', divides('  ')],
  ])('%s, twice: the run fails with a typed error, and nobody was asked', async ([, answer = '']) => {
    const scout = worker('scout', [])
    const { agent, model } = fanOut('desk', [answer, answer], {
      agents: { scout: scout.agent },
      maxGoals: 2,
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'INVALID_DECISION',
        message: expect.stringContaining('no valid list of goals') as string,
      },
      delegations: [],
    })
    expect(model.calls).toHaveLength(2)
    expect(scout.model.calls).toHaveLength(0)
  })

  test('delegation hooks see every goal: one is reworded, one is rejected', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut('desk', [divides('a', 'b'), 'Done.'], {
      agents: { scout: scout.agent },
      ...oneRound,
      delegation: {
        onDelegationStart: ({ prompt, iteration }) =>
          prompt === 'a'
            ? { modifiedPrompt: `a, round ${iteration}` }
            : { proceed: false, rejectionReason: 'too dear' },
        onDelegationComplete: () => ({ feedback: 'Mind the source.', resultText: 'Checked.' }),
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'succeeded', text: 'About a, round 1.' }, { outcome: 'rejected' }],
    })
    expect(resultsShown(model, 2)).toMatchObject({
      'desk/delegation:1.1': { result: 'Checked.' },
      'desk/delegation:1.2': { result: '{"error":"Delegation rejected: too dear","rejected":true}' },
    })
    expect(shown(model, 2).at(-2)).toEqual({
      role: 'user',
      content: 'Mind the source.',
      internal: 'feedback',
    })
  })
})

describe('rounds', () => {
  test('the synthesis may ask for refined goals, under a new correlation id', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut(
      'desk',
      [divides('a', 'b'), asksFor('a, but in winter'), enough, 'All told.'],
      { agents: { scout: scout.agent } },
    )
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'All told.' })
    expect(result.delegations.map(({ id, text }) => [id, text])).toEqual([
      ['desk/delegation:1.1', 'About a.'],
      ['desk/delegation:1.2', 'About b.'],
      ['desk/delegation:2.1', 'About a, but in winter.'],
    ])
    expect(result.steps.map(({ step, text, toolCalls }) => [step, text, toolCalls.length])).toEqual([
      [1, '', 2],
      [2, '', 1],
      [3, 'All told.', 0],
    ])
    expect(Object.keys(resultsShown(model, 4, 1))).toEqual(['desk/delegation:1.1', 'desk/delegation:1.2'])
    expect(Object.keys(resultsShown(model, 4, 2))).toEqual(['desk/delegation:2.1'])
    const events = await allEvents(run)
    expect(
      only(events, 'fan-out', 'fan-in', 'synthesis-start').map(({ type, payload }) => [
        type,
        payload.correlationId?.slice(run.id.length),
      ]),
    ).toEqual([
      ['fan-out', '/desk/round-1'],
      ['fan-in', '/desk/round-1'],
      ['synthesis-start', '/desk/round-1'],
      ['fan-out', '/desk/round-2'],
      ['fan-in', '/desk/round-2'],
      ['synthesis-start', '/desk/round-2'],
    ])
  })

  test('at `maxRounds` nobody is asked whether there should be another', async () => {
    const scout = worker('scout', [], told())
    const steps = [divides('a'), asksFor('b'), asksFor('c'), 'After three.']
    const { agent, model } = fanOut('desk', steps, { agents: { scout: scout.agent } })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', text: 'After three.' })
    expect(result.delegations).toHaveLength(3)
    model.assertConsumed()
  })

  test('for one run the cap may be another', async () => {
    const scout = worker('scout', [], told())
    const { agent } = fanOut('desk', [divides('a'), 'After one.'], { agents: { scout: scout.agent } })
    expect(await agent.generate('Go', { maxRounds: 1 })).toMatchObject({ text: 'After one.' })
  })

  test('`maxSteps` stands over the rounds: the last word is had all the same', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut('desk', [divides('a'), 'The last word.'], {
      agents: { scout: scout.agent },
      maxSteps: 1,
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'The last word.',
      delegations: [{ outcome: 'succeeded' }],
    })
    expect(resultsShown(model, 2)).toMatchObject({ 'desk/delegation:1.1': { result: 'About a.' } })
  })

  test('a model that cannot say whether it is enough is asked for the answer', async () => {
    const scout = worker('scout', [], told())
    const { agent } = fanOut('desk', [divides('a'), 'Well,', 'I wonder.', 'The answer.'], {
      agents: { scout: scout.agent },
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'The answer.' })
    expect(only(await allEvents(run), 'error').map(({ payload }) => payload.error.code)).toEqual([
      'INVALID_DECISION',
    ])
  })

  test('an empty synthesis is asked for again, a cut one is a cap', async () => {
    const scout = worker('scout', [], told())
    const make = (...steps: (string | ScriptedReply)[]) =>
      fanOut('desk', [divides('a'), ...steps], { agents: { scout: scout.agent }, ...oneRound })
    const empty = make('', 'The answer.')
    expect(await empty.agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'The answer.' })
    expect(shown(empty.model, 3).at(-1)).toMatchObject({
      role: 'user',
      content: 'Your last reply was empty. Answer the task.',
    })
    const cut = make({ text: 'The ans', finishReason: 'length' }, 'In short.')
    expect(await cut.agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'length',
      text: 'In short.',
    })
  })

  test('a tool call where no tools are offered is dropped', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut('desk', [divides('a'), calls(to('scout', 'More')), 'The answer.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'The answer.' })
    expect(scout.model.calls).toHaveLength(1)
    expect(shown(model, 3).filter((message) => 'toolCalls' in message)).toEqual([])
  })

  test('`stopWhen` ends it before another round', async () => {
    const scout = worker('scout', [], told())
    const { agent } = fanOut('desk', [divides('a'), asksFor('b')], {
      agents: { scout: scout.agent },
      stopWhen: ({ stepCount }) => stepCount === 1,
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'stopped',
      reason: 'stopWhen',
      delegations: [{ text: 'About a.' }],
    })
  })

  test('without means for the assessment the last word is had from what there is', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut('desk', [divides('a'), 'In short.'], {
      agents: { scout: scout.agent },
      budget: { modelCalls: 2 },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'exhausted',
      reason: 'budget',
      text: 'In short.',
    })
    expect(resultsShown(model, 2)).toMatchObject({ 'desk/delegation:1.1': { result: 'About a.' } })
  })
})

describe('a bail', () => {
  test("a child's answer is the run's: the others are told, the rest is never started, nothing is synthesised", async () => {
    const scout = worker('scout', [], told(['slow', { hang: true }]))
    const { agent, model } = fanOut('desk', [divides('slow', 'this is it', 'queued')], {
      agents: { scout: scout.agent },
      toolCallConcurrency: 2,
      delegation: {
        onDelegationComplete: ({ prompt, bail }) => {
          if (prompt === 'this is it') bail()
        },
      },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'bailed', by: 'scout', text: 'About this is it.' })
    expect(result.delegations.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['desk/delegation:1.1', 'cancelled'],
      ['desk/delegation:1.2', 'bailed'],
    ])
    expect(model.calls).toHaveLength(1)
    expect(scout.model.calls.map(({ signal }) => signal.aborted)).toEqual([true, false])
    const events = await allEvents(run)
    expect(only(events, 'synthesis-start', 'iteration-end')).toEqual([])
    const [fanIn] = only(events, 'fan-in')
    expect(fanIn?.payload.completions).toEqual({
      'desk/delegation:1.1': 'cancelled',
      'desk/delegation:1.2': 'bailed',
    })
    expect(result.steps).toMatchObject([{ step: 1, toolResults: [{}, {}] }])
  })
})

describe('a cancel', () => {
  test('reaches every child, and nothing starts afterwards', async () => {
    const scout = worker('scout', [], { otherwise: { hang: true } })
    const { agent, model } = fanOut('desk', [divides('a', 'b', 'c')], {
      agents: { scout: scout.agent },
      toolCallConcurrency: 2,
    })
    const run = agent.stream('Go')
    await until(run, 'step-start', ({ path }) => path.startsWith('desk/delegation:1.2/'))
    await run.cancel('enough')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'cancelled',
      reason: 'enough',
      delegations: [{ outcome: 'cancelled' }, { outcome: 'cancelled' }],
    })
    expect(scout.model.calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
    expect(model.calls).toHaveLength(1)
  })
})

describe('35: nesting', () => {
  test('a fan-out of fan-outs: each answer reaches the one that asked, one final message at the root', async () => {
    const scout = worker('scout', [], told())
    const inner = (id: string) =>
      fanOut(id, [divides(`${id} 1`, `${id} 2`), `${id} is done.`], {
        agents: { scout: scout.agent },
        ...oneRound,
      })
    const [left, right] = [inner('left'), inner('right')]
    const root = fanOut(
      'root',
      [divides({ goal: 'Go left.', agent: 'left' }, { goal: 'Go right.', agent: 'right' }), 'Both done.'],
      { agents: { left: left.agent, right: right.agent }, ...oneRound },
    )
    const run = root.agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Both done.',
      delegations: [
        { agent: 'left', text: 'left is done.' },
        { agent: 'right', text: 'right is done.' },
      ],
    })
    expect(Object.keys(resultsShown(left.model, 2))).toEqual([
      'root/delegation:1.1/left/delegation:1.1',
      'root/delegation:1.1/left/delegation:1.2',
    ])
    const events = await allEvents(run)
    expect(
      new Set(only(events, 'fan-out').map(({ payload }) => payload.correlationId.slice(run.id.length))),
    ).toEqual(
      new Set(['/root/round-1', '/root/delegation:1.1/left/round-1', '/root/delegation:1.2/right/round-1']),
    )
    expect(events.filter(({ final }) => final === true)).toHaveLength(1)
    const sum = Object.values(result.usage.byAgent).reduce((total, { totalTokens }) => total + totalTokens, 0)
    expect(sum).toBe(result.usage.totalTokens)
    expect(result.usage.byAgent['scout']?.totalTokens).toBe(4 * 15)
  })

  test('beyond `maxDepth` goals are exhausted without running, and the synthesis knows', async () => {
    const scout = worker('scout', [])
    const inner = fanOut('inner', [divides('deeper'), 'Nothing below.'], {
      agents: { scout: scout.agent },
      ...oneRound,
    })
    const root = fanOut('root', [divides('deep'), 'Done.'], {
      agents: { inner: inner.agent },
      ...oneRound,
      maxDepth: 1,
    })
    expect(await root.agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ agent: 'inner', outcome: 'succeeded', text: 'Nothing below.' }],
    })
    expect(scout.model.calls).toHaveLength(0)
    expect(JSON.stringify(shown(inner.model, 2))).toContain(
      'root/delegation:1.1/inner/delegation:1.1 (exhausted)',
    )
  })

  test('below a supervisor, above a supervisor; a hook of the nested one does not hold the timeout', async () => {
    const clock = new ManualClock()
    const fired: string[] = []
    const slow = worker('slow', [{ hang: true }])
    const inner = lead('inner', [calls(to('slow', 'Take your time'))], {
      agents: { slow: slow.agent },
      delegation: { onDelegationComplete: ({ outcome }) => void fired.push(outcome) },
    })
    const desk = fanOut('desk', [divides('a'), 'Too slow.'], { agents: { inner: inner.agent }, ...oneRound })
    const root = lead('root', [calls(to('desk', 'Go')), 'All in all.'], { agents: { desk: desk.agent } })
    const run = await createTroupe({ agents: [root.agent], clock }).start(root.agent, 'Go')
    await until(run, 'step-start', ({ agent }) => agent === 'slow')
    clock.advance(120_000)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'All in all.',
      delegations: [{ agent: 'desk', outcome: 'succeeded', text: 'Too slow.' }],
    })
    expect(slow.model.calls[0]?.signal.aborted).toBe(true)
    expect(fired).toEqual([])
    const ends = only(await allEvents(run), 'delegation-end')
    expect(ends.map(({ payload }) => [payload.agentId, payload.outcome])).toEqual([
      ['slow', 'cancelled'],
      ['inner', 'timedOut'],
      ['desk', 'succeeded'],
    ])
  })
})

describe('answers of a shape, memory, definitions', () => {
  test('the synthesis may be data', async () => {
    const scout = worker('scout', [], told())
    const { agent } = fanOut('desk', [divides('a'), 'Seven.', '{"count":7}'], {
      agents: { scout: scout.agent },
      ...oneRound,
      structuredOutput: { schema: z.object({ count: z.number() }) },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', object: { count: 7 } })
  })

  test('with memory only prompt and answer are kept', async () => {
    const scout = worker('scout', [], told())
    const { agent, model } = fanOut('desk', [divides('a'), 'First.', divides('b'), 'Second.'], {
      agents: { scout: scout.agent },
      ...oneRound,
      memory: true,
    })
    const troupe = createTroupe({ agents: [agent] })
    await (
      await troupe.start(agent, 'One', { threadId: 't' })
    ).result
    await (
      await troupe.start(agent, 'Two', { threadId: 't' })
    ).result
    expect(shown(model, 3).slice(0, -1)).toEqual([
      { role: 'system', content: 'I am desk.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'First.' },
      { role: 'user', content: 'Two' },
    ])
  })

  test('agents may be made for the run; none at all is a typed failure, and no model is asked', async () => {
    const model = scriptedModel([])
    const none = createFanOut({ id: 'desk', instructions: 'I am desk.', model, agents: () => ({}) })
    expect(await none.generate('Go')).toMatchObject({
      outcome: 'failed',
      error: { code: 'NO_CANDIDATES', message: 'A fan-out needs at least one agent.' },
    })
    expect(model.calls).toHaveLength(0)
    const some = createFanOut({
      id: 'desk',
      instructions: 'I am desk.',
      model: scriptedModel([divides('a'), 'Done.']),
      agents: () => ({ scout: worker('scout', [], told()).agent }),
      maxRounds: 1,
    })
    expect(await some.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test.for<[string, object, string]>([
    ['no agents', { agents: {} }, 'createFanOut("desk"): agents must hold at least one agent.'],
    ['a cap of none', { maxGoals: 0 }, 'createFanOut("desk"): maxGoals must be a positive integer, not 0.'],
    ['a part of a round', { maxRounds: 1.5 }, 'maxRounds must be a positive integer, not 1.5.'],
    ['no time', { goalTimeout: -1 }, 'goalTimeout must be a positive integer, not -1.'],
    ['tools', { tools: {} }, '"tools"'],
    ['another pattern’s cap', { maxReplans: 1 }, '"maxReplans"'],
  ])('a definition with %s is refused', ([, wrong, message]) => {
    const { agent } = worker('scout', [])
    const config = { id: 'desk', instructions: '', model: scriptedModel([]), agents: { scout: agent } }
    expect(() => createFanOut({ ...config, ...wrong })).toThrow(message)
  })
})
