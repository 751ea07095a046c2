/** Behaviours 15 to 17: a subagent's answer ends the run, at once or after the others, and nothing undoes it. */
import {
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  type DelegationCompleteContext,
  type JournalEntry,
  type Store,
  textOf,
} from 'troupe'
import { viewOf } from 'troupe/view'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'

/** A complete hook that bails for the agents named. */
function bailFor(...agents: readonly string[]) {
  return {
    onDelegationComplete(context: DelegationCompleteContext): void {
      if (agents.includes(context.agentId)) context.bail()
    },
  }
}

/** A store that tells when an entry has been appended. */
function watchedStore(fits: (entry: JournalEntry) => boolean): {
  store: Store
  seen: Promise<JournalEntry>
} {
  const inner = memoryStore()
  const { promise: seen, resolve } = Promise.withResolvers<JournalEntry>()
  return {
    seen,
    store: {
      ...inner,
      async append(appends) {
        await inner.append(appends)
        for (const { entry } of appends) if (entry !== undefined && fits(entry)) resolve(entry)
      },
    },
  }
}

describe('15: the first completion bails', () => {
  test('one iteration, no further model call, the text of the child', async () => {
    let reviews = 0
    let scorings = 0
    const researcher = worker('researcher', ['Facts.'])
    const { agent, model } = lead(
      'lead',
      [{ text: 'Let me ask.', ...calls(to('researcher', 'Find facts')) }],
      {
        agents: { researcher: researcher.agent },
        delegation: bailFor('researcher'),
        completion: { scorers: [createScorer({ id: 'judge', score: () => ++scorings })] },
        onIterationComplete: () => {
          reviews++
          return { continue: true, feedback: 'Go on.' }
        },
      },
    )
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'bailed',
      by: 'researcher',
      text: 'Facts.',
      scores: [],
      delegations: [{ agent: 'researcher', outcome: 'bailed', text: 'Facts.' }],
    })
    expect(result).not.toHaveProperty('error')
    expect(result.steps.map(({ step, text }) => ({ step, text }))).toEqual([{ step: 1, text: 'Let me ask.' }])
    expect(model.calls).toHaveLength(1)
    expect({ reviews, scorings }).toEqual({ reviews: 0, scorings: 0 })

    const events = await allEvents(run)
    expect(only(events, 'delegation-bail').map(({ payload, path }) => ({ payload, path }))).toEqual([
      { payload: { agentName: 'researcher', agentId: 'researcher' }, path: 'lead/delegation:1.1' },
    ])
    expect(only(events, 'scoring-start', 'iteration-feedback')).toEqual([])
    expect(only(events, 'iteration-end').map((event) => event.payload)).toEqual([
      { iteration: 1, continue: false },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'run-finish',
      payload: { outcome: 'bailed', by: 'researcher', text: 'Facts.' },
      messageId: 'lead/delegation:1.1/researcher:m1',
      final: true,
    })
  })

  test('`resultText` is for the model: a bail keeps the text of the child', async () => {
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts'))], {
      agents: { researcher: worker('researcher', ['Facts.']).agent },
      delegation: {
        onDelegationComplete: (context) => {
          context.bail()
          return { resultText: 'For the model only.' }
        },
      },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'bailed', text: 'Facts.' })
  })

  test('a bail in a later iteration ends there', async () => {
    const { agent, model } = lead(
      'lead',
      [calls(to('researcher', 'Find facts')), calls(to('writer', 'Write it up'))],
      {
        agents: {
          researcher: worker('researcher', ['Facts.']).agent,
          writer: worker('writer', ['Article.']).agent,
        },
        delegation: bailFor('writer'),
      },
    )
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', by: 'writer', text: 'Article.' })
    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['researcher', 'succeeded'],
      ['writer', 'bailed'],
    ])
    expect(model.calls).toHaveLength(2)
  })

  test('a rejected delegation cannot bail: its complete hook does not fire', async () => {
    const fired: string[] = []
    const { agent } = lead('lead', [calls(to('researcher', 'Find facts')), 'Without facts.'], {
      agents: { researcher: worker('researcher', []).agent },
      delegation: {
        onDelegationStart: () => ({ proceed: false, rejectionReason: 'Not today.' }),
        onDelegationComplete: (context) => {
          fired.push(context.agentId)
          context.bail()
        },
      },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Without facts.' })
    expect(fired).toEqual([])
  })
})

describe('16: what a bail ends', () => {
  test('on a failed delegation the run ends too, with the error kept and a fixed sentence', async () => {
    const researcher = worker('researcher', [{ error: new Error('the database is on fire') }])
    const { agent, model } = lead('lead', [calls(to('researcher', 'Find facts'))], {
      agents: { researcher: researcher.agent },
      delegation: bailFor('researcher'),
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({
      outcome: 'bailed',
      by: 'researcher',
      text: 'The agent "researcher" did not finish its task.',
      error: { name: 'Error', code: 'MODEL_FAILED', message: 'the database is on fire' },
      delegations: [{ outcome: 'bailed', error: { message: 'the database is on fire' } }],
    })
    expect(model.calls).toHaveLength(1)
  })

  test.each([
    { name: 'succeeded', reply: 'Facts.', own: 'succeeded' },
    { name: 'failed', reply: { error: new Error('no model') }, own: 'failed' },
    {
      name: 'reached a limit',
      reply: { text: 'Half.', ...calls({ name: 'look', args: {} }) },
      own: 'exhausted',
    },
    { name: 'was too late', reply: { hang: true }, own: 'timedOut', timeout: 20 },
  ] as const)(
    'a bail after the subagent $name does not hide it',
    async ({ reply, own, timeout = 10_000 }) => {
      const look = createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema: z.object({}),
        execute: () => 1,
      })
      const researcher = worker('researcher', [reply, reply], { tools: { look }, maxSteps: 1 })
      const { agent } = lead('lead', [calls(to('researcher', 'Find facts'))], {
        agents: { researcher: researcher.agent },
        delegation: { ...bailFor('researcher'), timeout },
      })
      const run = agent.stream('Go')
      const result = await run.result
      const facts = { outcome: 'bailed', subagentOutcome: own }
      expect(result).toMatchObject({ outcome: 'bailed', delegations: [facts] })
      const events = await allEvents(run)
      expect(only(events, 'delegation-end').map(({ payload }) => payload)).toMatchObject([facts])
      expect(only(events, 'delegation-bail')).toHaveLength(1)
      const part = viewOf(events).agents.at(0)?.parts.at(-1)
      expect(part).toMatchObject({ type: 'delegation', status: 'bailed', subagentOutcome: own, bailed: true })
    },
  )

  test('inside a nested supervisor it ends that one, not its parent', async () => {
    const researcher = worker('researcher', ['Facts.'])
    const desk = lead('desk', [calls(to('researcher', 'Find facts'))], {
      agents: { researcher: researcher.agent },
      delegation: bailFor('researcher'),
    })
    const { agent, model } = lead('lead', [calls(to('desk', 'Ask around')), 'In short: facts.'], {
      agents: { desk: desk.agent },
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'In short: facts.',
      delegations: [{ id: 'lead/delegation:1.1', agent: 'desk', outcome: 'succeeded', text: 'Facts.' }],
    })
    expect(result).not.toHaveProperty('by')
    expect(desk.model.calls).toHaveLength(1)
    expect(model.calls).toHaveLength(2)
    const events = await allEvents(run)
    expect(only(events, 'delegation-bail').map((event) => event.path)).toEqual([
      'lead/delegation:1.1/desk/delegation:1.1',
    ])
  })

  test('an answer of the nested supervisor by bail may bail again, one level up', async () => {
    const desk = lead('desk', [calls(to('researcher', 'Find facts'))], {
      agents: { researcher: worker('researcher', ['Facts.']).agent },
      delegation: bailFor('researcher'),
    })
    const { agent } = lead('lead', [calls(to('desk', 'Ask around'))], {
      agents: { desk: desk.agent },
      delegation: bailFor('desk'),
    })
    const run = agent.stream('Go')
    expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'desk', text: 'Facts.' })
    expect((await allEvents(run)).at(-1)).toMatchObject({
      messageId: 'lead/delegation:1.1/desk/delegation:1.1/researcher:m1',
    })
  })

  test('a bail of one run does not touch another run of the same agents', async () => {
    const researcher = worker('researcher', [], {
      otherwise: (request) => `About ${textOf(request.messages.at(-1)?.content ?? '')}.`,
    })
    const { agent } = lead('lead', [], {
      otherwise: ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? 'Summed up.'
          : calls(to('researcher', textOf(messages.at(-1)?.content ?? ''))),
      agents: { researcher: researcher.agent },
      delegation: {
        onDelegationComplete: (context) => {
          if (context.prompt === 'cats') context.bail()
        },
      },
    })
    const troupe = createTroupe({ agents: [agent] })
    const runs = [await troupe.start(agent, 'cats'), await troupe.start(agent, 'dogs')]
    const results = await Promise.all(runs.map((run) => run.result))
    expect(results.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['bailed', 'About cats.'],
      ['completed', 'Summed up.'],
    ])
  })
})

describe('17: usage', () => {
  test('a bailed run reports all of its tokens, and they are fewer by the synthesis', async () => {
    const make = (bails: boolean) =>
      lead(
        'lead',
        [
          { ...calls(to('researcher', 'Find facts')), usage: { inputTokens: 100, outputTokens: 20 } },
          { text: 'Synthesis.', usage: { inputTokens: 150, outputTokens: 40 } },
        ],
        {
          agents: {
            researcher: worker('researcher', [
              { text: 'Facts.', usage: { inputTokens: 30, outputTokens: 7 } },
            ]).agent,
          },
          delegation: bails ? bailFor('researcher') : {},
        },
      ).agent.generate('Go')
    const [bailed, whole] = [await make(true), await make(false)]
    expect(bailed.usage).toEqual({
      inputTokens: 130,
      outputTokens: 27,
      totalTokens: 157,
      byAgent: {
        lead: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
        researcher: { inputTokens: 30, outputTokens: 7, totalTokens: 37 },
      },
    })
    expect(whole.usage.totalTokens - bailed.usage.totalTokens).toBe(190)
  })
})

describe("bailStrategy 'first'", () => {
  test('a slow sibling does not hold the bail: it is aborted, reports, and asks its model no more', async () => {
    const fast = worker('fast', ['Quick answer.'])
    const slow = worker('slow', [{ hang: true }])
    const { agent, model } = lead('lead', [calls(to('slow', 'Think long'), to('fast', 'Be quick'))], {
      agents: { fast: fast.agent, slow: slow.agent },
      delegation: bailFor('fast'),
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'bailed', by: 'fast', text: 'Quick answer.' })
    expect(result.delegations.map(({ id, agent, outcome }) => [id, agent, outcome])).toEqual([
      ['lead/delegation:1.1', 'slow', 'cancelled'],
      ['lead/delegation:1.2', 'fast', 'bailed'],
    ])
    expect(slow.model.calls.map((call) => call.signal.aborted)).toEqual([true])
    expect(model.calls).toHaveLength(1)
    const ends = only(await allEvents(run), 'delegation-end').map(({ payload }) => [
      payload.agentId,
      payload.outcome,
    ])
    expect(ends).toEqual([
      ['fast', 'bailed'],
      ['slow', 'cancelled'],
    ])
  })

  test('a sibling with an onFinish hook that never answers does not hold it either', async () => {
    const fast = worker('fast', ['Quick answer.'])
    const slow = worker('slow', [{ hang: true }], { onFinish: () => new Promise<void>(() => undefined) })
    const { agent } = lead('lead', [calls(to('slow', 'Think long'), to('fast', 'Be quick'))], {
      agents: { fast: fast.agent, slow: slow.agent },
      delegation: bailFor('fast'),
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'bailed', text: 'Quick answer.' })
  })

  test('a sibling that waits for a person is cancelled, and its approval comes too late', async () => {
    const gate = Promise.withResolvers<void>()
    let ran = 0
    const wipe = createTool({
      id: 'wipe',
      description: 'Wipes the disk.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => ++ran,
    })
    const fast = worker('fast', [{ text: 'Quick answer.', until: gate.promise }])
    const held = worker('held', [calls({ name: 'wipe' })], { tools: { wipe } })
    const { agent } = lead('lead', [calls(to('held', 'Wipe'), to('fast', 'Be quick'))], {
      agents: { fast: fast.agent, held: held.agent },
      delegation: bailFor('fast'),
    })
    const run = agent.stream('Go')
    const { payload } = await until(run, 'tool-call-approval')
    gate.resolve()
    expect(await run.result).toMatchObject({
      outcome: 'bailed',
      delegations: [{ outcome: 'cancelled' }, { outcome: 'bailed' }],
    })
    await expect(run.approve(payload.toolCallId)).rejects.toThrow(
      expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }),
    )
    expect(ran).toBe(0)
  })

  test("a child's tool in flight is detached: it may finish, is journaled as late, and changes nothing", async () => {
    const started = Promise.withResolvers<AbortSignal>()
    const work = Promise.withResolvers<string>()
    const save = createTool({
      id: 'save',
      description: 'Saves the work.',
      inputSchema: z.object({}),
      execute: (_, { signal }) => {
        started.resolve(signal)
        return work.promise
      },
    })
    const saver = worker('saver', [calls({ name: 'save' })], { tools: { save } })
    const fast = worker('fast', [{ text: 'Quick answer.', until: started.promise }])
    const { agent } = lead('lead', [calls(to('saver', 'Save'), to('fast', 'Be quick'))], {
      agents: { saver: saver.agent, fast: fast.agent },
      delegation: bailFor('fast'),
    })
    const { store, seen } = watchedStore((entry) => entry.type === 'effect.settled' && entry.late === true)
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const signal = await started.promise
    const eventsAtEnd = await allEvents(run)
    expect(result).toMatchObject({
      outcome: 'bailed',
      delegations: [
        { agent: 'saver', outcome: 'cancelled' },
        { agent: 'fast', outcome: 'bailed' },
      ],
    })
    expect(signal.aborted).toBe(false)
    expect((await troupe.journal(run.id)).at(-1)?.type).toBe('run.settled')

    work.resolve('saved')
    expect(await seen).toMatchObject({
      type: 'effect.settled',
      kind: 'tool',
      key: 'lead/delegation:1.1/saver/call:1.1/tool#1',
      settlement: { value: { type: 'returned', value: 'saved' } },
      late: true,
    })
    expect(signal.aborted).toBe(false)
    expect(saver.model.calls).toHaveLength(1)
    expect(await allEvents(run)).toEqual(eventsAtEnd)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.entries).toBe((await troupe.journal(run.id)).length)
  })

  test("a tool of the supervisor's own is detached too, also when it fails late", async () => {
    const started = Promise.withResolvers<void>()
    const work = Promise.withResolvers<string>()
    const save = createTool({
      id: 'save',
      description: 'Saves the work.',
      inputSchema: z.object({}),
      execute: () => {
        started.resolve()
        return work.promise
      },
    })
    const fast = worker('fast', [{ text: 'Quick answer.', until: started.promise }])
    const { agent } = lead('lead', [calls({ name: 'save' }, to('fast', 'Be quick'))], {
      agents: { fast: fast.agent },
      tools: { save },
      delegation: bailFor('fast'),
    })
    const { store, seen } = watchedStore((entry) => entry.type === 'effect.settled' && entry.late === true)
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
    const result = await run.result
    expect(result.outcome).toBe('bailed')
    expect(result.steps[0]?.toolResults.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['lead/call:1.1', 'cancelled'],
      ['lead/delegation:1.2', 'bailed'],
    ])
    work.reject(new Error('disk full'))
    expect(await seen).toMatchObject({
      key: 'lead/call:1.1/tool#1',
      settlement: { error: { code: 'TOOL_FAILED', message: 'disk full' } },
      late: true,
    })
  })

  test('nothing queued starts once a bail is recorded', async () => {
    let ran = 0
    const note = createTool({
      id: 'note',
      description: 'Takes a note.',
      inputSchema: z.object({}),
      execute: () => ++ran,
    })
    const second = worker('second', [])
    const { agent } = lead('lead', [calls(to('first', 'Go'), to('second', 'Go'), { name: 'note' })], {
      agents: { first: worker('first', ['Done.']).agent, second: second.agent },
      tools: { note },
      toolCallConcurrency: 1,
      delegation: bailFor('first'),
    })
    const run = agent.stream('Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'bailed', by: 'first' })
    expect(result.delegations.map((delegation) => delegation.agent)).toEqual(['first'])
    expect(second.model.calls).toHaveLength(0)
    expect(ran).toBe(0)
    const events = await allEvents(run)
    expect(only(events, 'delegation-start').map((event) => event.payload.agentId)).toEqual(['first'])
    expect(only(events, 'tool-call')).toEqual([])
    const step = result.steps[0]
    expect(step?.toolCalls).toHaveLength(3)
    expect(step?.toolResults).toHaveLength(1)
  })

  test('of two bails the first counts', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent } = lead('lead', [calls(to('late', 'Go'), to('early', 'Go'))], {
      agents: {
        late: worker('late', [{ text: 'Late.', until: gate.promise }]).agent,
        early: worker('early', ['Early.']).agent,
      },
      delegation: {
        onDelegationComplete: (context) => {
          context.bail()
          gate.resolve()
        },
      },
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'bailed', by: 'early', text: 'Early.' })
  })
})

describe("bailStrategy 'last'", () => {
  test('waits for all; the last bail wins, and no result is lost', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model } = lead('lead', [calls(to('late', 'Go'), to('early', 'Go'), to('third', 'Go'))], {
      agents: {
        late: worker('late', [{ text: 'Late.', until: gate.promise }]).agent,
        early: worker('early', ['Early.']).agent,
        third: worker('third', ['Third.']).agent,
      },
      bailStrategy: 'last',
      delegation: {
        onDelegationComplete: (context) => {
          if (context.agentId !== 'third') context.bail()
          if (context.agentId === 'early') gate.resolve()
        },
      },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', by: 'late', text: 'Late.' })
    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['late', 'bailed'],
      ['early', 'bailed'],
      ['third', 'succeeded'],
    ])
    expect(model.calls).toHaveLength(1)
  })

  test('starts what is queued, though a bail is recorded', async () => {
    const { agent } = lead('lead', [calls(to('first', 'Go'), to('second', 'Go'))], {
      agents: { first: worker('first', ['First.']).agent, second: worker('second', ['Second.']).agent },
      bailStrategy: 'last',
      toolCallConcurrency: 1,
      delegation: bailFor('first'),
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'bailed', by: 'first', text: 'First.' })
    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['first', 'bailed'],
      ['second', 'succeeded'],
    ])
  })
})
