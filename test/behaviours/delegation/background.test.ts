/** Delegations in the background: the supervisor goes on, is told when they have ended, and ends only when idle. */
import {
  ConfigurationError,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  TerminalError,
  type FinalResult,
  type Message,
  type Run,
  type RunEvent,
  type SupervisorOptions,
  type Tool,
  type Troupe,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  actorsBelow,
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
import { thrown } from '../../support/agents/model-calls.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const first = 'lead/delegation:1.1'

/** What a model is told when a delegation has gone to the background. */
const begun = (task: string): string =>
  JSON.stringify({
    status: 'running in the background',
    task,
    note: 'Go on; you will be told when it has ended.',
  })

/** What a model is told when it has ended. */
const ended = (task: string, key: string, outcome: string, content: string): Message => ({
  role: 'user',
  content: `The background task "${task}" of the agent "${key}" has ended (${outcome}): ${content}`,
  internal: 'notice',
})

/** The last `count` messages of a model's call. */
const tail = (model: ScriptedModel, call: number, count = 1): readonly Message[] =>
  shown(model, call).slice(-count)

/** The result and the events of a run, which a replay must give too. */
async function ending(troupe: Troupe, run: Run): Promise<{ result: FinalResult; events: RunEvent[] }> {
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

interface Desk {
  readonly troupe: Troupe
  readonly run: Run
  readonly model: ScriptedModel
  readonly researcher: ScriptedModel
  /** Lets the researcher speak. */
  readonly speak: () => void
}

/** A lead with a researcher in the background, who speaks when it is let. */
async function desk(
  steps: readonly ScriptedStep[],
  options: SupervisorOptions & {
    readonly speech?: object
    readonly tools?: Readonly<Record<string, Tool>>
  } = {},
): Promise<Desk> {
  const { speech = { text: 'Facts.' }, ...config } = options
  const gate = Promise.withResolvers<void>()
  const researcher = worker('researcher', [{ ...speech, until: gate.promise }], {
    onExhausted: 'stop',
    maxSteps: 1,
  })
  const { agent, model } = lead('lead', steps, {
    agents: { researcher: researcher.agent },
    backgroundTasks: { researcher: {} },
    ...config,
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  return { troupe, run, model, researcher: researcher.model, speak: () => gate.resolve() }
}

const asks = calls(to('researcher', 'Find facts'))

/** Until the root agent has said this. */
const hasSaid = (run: Run, text: string) =>
  until(run, 'text-end', (event) => event.agent === 'lead' && event.payload.text === text)

const hasEnded = (run: Run) => until(run, 'background-end')

/** The state that the root agent is in. */
const stateOf = (run: Run): unknown =>
  (run.actor.getSnapshot().children['lead']?.getSnapshot() as { value?: unknown } | undefined)?.value

describe('a delegation in the background', () => {
  test('is acknowledged at once; an answer waits for it, and its end is news for one more iteration', async () => {
    const { troupe, run, model, speak } = await desk([asks, 'Meanwhile, this.', 'Now I know.'])
    await hasSaid(run, 'Meanwhile, this.')
    expect(stateOf(run)).toEqual({ waiting: 'working' })
    expect(tail(model, 2)).toEqual([
      { role: 'tool', toolCallId: 'scripted-1-1', toolName: 'agent-researcher', content: begun(first) },
    ])
    speak()
    const { result, events } = await ending(troupe, run)
    expect(tail(model, 3, 2)).toEqual([
      { role: 'assistant', content: 'Meanwhile, this.' },
      ended(first, 'researcher', 'succeeded', 'Facts.'),
    ])
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Now I know.',
      delegations: [{ id: first, agent: 'researcher', outcome: 'succeeded', text: 'Facts.' }],
    })
    expect(result.steps.map((step) => step.toolResults)).toEqual([
      [
        {
          id: first,
          name: 'agent-researcher',
          outcome: 'background',
          toolResults: [],
          threadId: result.delegations[0]?.threadId,
        },
      ],
      [],
      [],
    ])
    const told = ['background-start', 'delegation-start', 'delegation-end', 'background-end', 'iteration-end']
    expect(
      events.filter(({ type }) => told.includes(type)).map(({ type, payload }) => ({ type, payload })),
    ).toEqual([
      { type: 'background-start', payload: { taskId: first, agentName: 'researcher' } },
      { type: 'delegation-start', payload: expect.objectContaining({ prompt: 'Find facts' }) as unknown },
      { type: 'iteration-end', payload: { iteration: 1, continue: true } },
      { type: 'iteration-end', payload: { iteration: 2, continue: true } },
      { type: 'delegation-end', payload: expect.objectContaining({ outcome: 'succeeded' }) as unknown },
      {
        type: 'background-end',
        payload: { taskId: first, agentName: 'researcher', outcome: 'succeeded' },
      },
      { type: 'iteration-end', payload: { iteration: 3, continue: false } },
    ])
  })

  test('that ends before its step does is news in the very next prompt', async () => {
    const gate = Promise.withResolvers<string>()
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => gate.promise,
    })
    const both = calls(to('researcher', 'Find facts'), { name: 'look' })
    const { troupe, run, model, speak } = await desk([both, 'Done.'], { tools: { look } })
    speak()
    await hasEnded(run)
    gate.resolve('seen')
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2)).toEqual([begun(first), 'seen'])
    expect(tail(model, 2)).toEqual([ended(first, 'researcher', 'succeeded', 'Facts.')])
  })

  test('costs what it costs: usage, by agent and by delegation', async () => {
    const { troupe, run, speak } = await desk([asks, 'Meanwhile.', 'Done.'])
    speak()
    const { result } = await ending(troupe, run)
    expect(result.usage).toMatchObject({
      totalTokens: 60,
      byAgent: { lead: { totalTokens: 45 }, researcher: { totalTokens: 15 } },
    })
    expect(result.delegations[0]?.usage).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 })
  })

  test('leaves no actor behind', async () => {
    const { run, speak } = await desk([asks, 'Meanwhile.', 'Done.'])
    speak()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(actorsBelow(run, 'lead')).toEqual([])
  })

  test('has hooks as others have, and their feedback is news too', async () => {
    const { troupe, run, model, researcher, speak } = await desk([asks, 'Meanwhile.', 'Done.'], {
      delegation: {
        onDelegationStart: () => ({ modifiedPrompt: 'Find more' }),
        onDelegationComplete: ({ text }) => ({ resultText: `${text} Checked.`, feedback: 'Cite them.' }),
      },
    })
    await hasSaid(run, 'Meanwhile.')
    speak()
    await ending(troupe, run)
    expect(tail(researcher, 1)).toEqual([{ role: 'user', content: 'Find more' }])
    expect(tail(model, 3, 2)).toEqual([
      ended(first, 'researcher', 'succeeded', 'Facts. Checked.'),
      { role: 'user', content: 'Cite them.', internal: 'feedback' },
    ])
  })

  test('stands beside others of the same step: the step waits for those alone', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = worker('slow', [{ text: 'Slow.', until: gate.promise }])
    const quick = worker('quick', ['Quick.', 'Quick again.'])
    const add = createTool({
      id: 'add',
      description: 'Adds.',
      inputSchema: z.object({}),
      execute: () => 'added',
    })
    const { agent, model } = lead(
      'lead',
      [calls(to('quick', 'a'), to('slow', 'b'), { name: 'add' }, to('quick', 'c')), 'Meanwhile.', 'Done.'],
      {
        agents: { slow: slow.agent, quick: quick.agent },
        tools: { add },
        backgroundTasks: { slow: {} },
        toolCallConcurrency: 1, // those in the background take no place
      },
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasSaid(run, 'Meanwhile.')
    expect(toldOfCalls(model, 2)).toEqual(['Quick.', begun('lead/delegation:1.2'), 'added', 'Quick again.'])
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result.delegations.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['lead/delegation:1.1', 'succeeded'],
      ['lead/delegation:1.2', 'succeeded'],
      ['lead/delegation:1.4', 'succeeded'],
    ])
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual([
      'succeeded',
      'background',
      'succeeded',
      'succeeded',
    ])
  })
})

describe('news of one that did not succeed', () => {
  interface Case {
    readonly outcome: string
    readonly content: string
    readonly options: Parameters<typeof desk>[1]
  }
  const cases: readonly Case[] = [
    {
      outcome: 'failed',
      content: '{"error":"The agent \\"researcher\\" failed."}',
      options: { speech: { error: new TerminalError('secret of the server') } },
    },
    {
      outcome: 'exhausted',
      content:
        '{"text":"Half","incomplete":"The agent \\"researcher\\" reached a limit (length) before it was done."}',
      options: { speech: { text: 'Half', finishReason: 'length' } },
    },
    {
      outcome: 'rejected',
      content: '{"error":"Delegation rejected: Not today.","rejected":true}',
      options: {
        delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'Not today.' }) },
      },
    },
    {
      outcome: 'failed',
      content: '{"error":"The agent \\"researcher\\" failed."}',
      options: {
        delegation: {
          onDelegationComplete: () => {
            throw new Error('secret of the hook')
          },
        },
      },
    },
  ]
  test.for(cases)('$outcome', async ({ outcome, content, options }) => {
    const gate = Promise.withResolvers<void>()
    const { troupe, run, model, speak } = await desk(
      [asks, { text: 'Meanwhile.', until: gate.promise }, 'So be it.'],
      options,
    )
    speak()
    await hasEnded(run)
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(tail(model, 3)).toEqual([ended(first, 'researcher', outcome, content)])
    expect(result).toMatchObject({ outcome: 'completed', text: 'So be it.', delegations: [{ outcome }] })
    expect(JSON.stringify(model.calls.map(({ request }) => request))).not.toContain('secret')
  })

  test('timedOut: after its own timeout, not that of other delegations', async () => {
    const clock = virtualClock()
    const researcher = worker('researcher', [{ hang: true }])
    const { agent, model } = lead('lead', [asks, 'Meanwhile.', 'So be it.'], {
      agents: { researcher: researcher.agent },
      delegation: { timeout: 100 },
      backgroundTasks: { researcher: { timeoutMs: 5_000 } },
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await hasSaid(run, 'Meanwhile.')
    clock.advance(4_999)
    expect(stateOf(run)).toEqual({ waiting: 'working' })
    clock.advance(1)
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'timedOut', duration: 5_000, error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(tail(model, 3)).toEqual([
      ended(first, 'researcher', 'timedOut', '{"error":"The agent \\"researcher\\" timed out."}'),
    ])
    expect(researcher.model.calls[0]?.signal.aborted).toBe(true)
  })
})

describe('news that come while the supervisor', () => {
  test('thinks: an answer given without them is not the end', async () => {
    const gate = Promise.withResolvers<void>()
    const { troupe, run, model, speak } = await desk([
      asks,
      { text: 'Without.', until: gate.promise },
      'With.',
    ])
    speak()
    await hasEnded(run)
    expect(stateOf(run)).toEqual({ thinking: 'calling' })
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'With.' })
    expect(tail(model, 3, 2)).toEqual([
      { role: 'assistant', content: 'Without.' },
      ended(first, 'researcher', 'succeeded', 'Facts.'),
    ])
  })

  test('acts: they follow the results of its calls', async () => {
    const gate = Promise.withResolvers<string>()
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => gate.promise,
    })
    const { troupe, run, model, speak } = await desk([asks, calls({ name: 'look' }), 'Done.'], {
      tools: { look },
    })
    await until(run, 'tool-call')
    speak()
    await hasEnded(run)
    expect(stateOf(run)).toEqual({ acting: 'working' })
    gate.resolve('seen')
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(tail(model, 3, 2)).toEqual([
      { role: 'tool', toolCallId: 'scripted-2-1', toolName: 'look', content: 'seen' },
      ended(first, 'researcher', 'succeeded', 'Facts.'),
    ])
  })

  test('is reviewed', async () => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { troupe, run, model, speak } = await desk([asks, 'Without.', 'With.'], {
      onIterationComplete: async ({ iteration }) => {
        if (iteration !== 2) return
        asked.resolve()
        await gate.promise
      },
    })
    await asked.promise
    speak()
    await hasEnded(run)
    expect(stateOf(run)).toEqual({ reviewing: 'askingReviewer' })
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'With.' })
    expect(tail(model, 3)).toEqual([ended(first, 'researcher', 'succeeded', 'Facts.')])
  })

  test('is scored: a pass does not end it, and the next answer is scored again', async () => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const outputs: string[] = []
    const scorer = createScorer({
      id: 'any',
      score: async ({ output }) => {
        outputs.push(output)
        asked.resolve()
        await gate.promise
        return 1
      },
    })
    const { troupe, run, speak } = await desk([asks, 'Without.', 'With.'], {
      completion: { scorers: [scorer] },
    })
    await asked.promise
    speak()
    await hasEnded(run)
    expect(stateOf(run)).toEqual({ scoring: 'working' })
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'With.' })
    expect(outputs).toEqual(['Without.', 'With.'])
    expect(result.scores.map(({ outcome }) => outcome)).toEqual(['passed', 'passed'])
  })

  test('is scored at every iteration: what is scored complete is not the end while something is at work', async () => {
    const scorer = createScorer({ id: 'done', score: () => 1 })
    const { troupe, run, speak } = await desk([asks, 'With.'], {
      completion: { scorers: [scorer] },
      scoreEvery: 'iteration',
    })
    await until(run, 'scoring-complete')
    speak()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'With.',
      delegations: [{ outcome: 'succeeded' }],
    })
  })
})

describe('stopWhen is asked of an answer that is not the end', () => {
  test('and may end the run: what is at work is cancelled', async () => {
    const texts: string[] = []
    const { troupe, run, researcher } = await desk([asks, 'Enough.'], {
      stopWhen: ({ text }) => {
        texts.push(text)
        return text === 'Enough.'
      },
    })
    const { result } = await ending(troupe, run)
    expect(texts).toEqual(['', 'Enough.'])
    expect(result).toMatchObject({
      outcome: 'stopped',
      reason: 'stopWhen',
      text: 'Enough.',
      delegations: [{ id: first, outcome: 'cancelled' }],
    })
    expect(researcher.calls[0]?.signal.aborted).toBe(true)
  })

  test('or not', async () => {
    const texts: string[] = []
    const { troupe, run, speak } = await desk([asks, 'Meanwhile.', 'Done.'], {
      stopWhen: ({ text }) => {
        texts.push(text)
        return false
      },
    })
    await hasSaid(run, 'Meanwhile.')
    speak()
    expect((await ending(troupe, run)).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(texts).toEqual(['', 'Meanwhile.'])
  })
})

describe('concurrency', () => {
  /** Subagents that speak when they are told, and who has begun so far. */
  function crew(keys: readonly string[]) {
    const begun: string[] = []
    const gates = new Map<string, () => void>()
    const members = keys.map((key) => {
      const speak: ScriptedStep = ({ messages }) => {
        const prompt = messages.at(-1)?.content ?? ''
        begun.push(textOf(prompt))
        const gate = Promise.withResolvers<void>()
        gates.set(textOf(prompt), gate.resolve)
        return { text: `${textOf(prompt)}!`, until: gate.promise }
      }
      return [key, worker(key, [], { otherwise: speak }).agent] as const
    })
    return { begun, agents: Object.fromEntries(members), finish: (prompt: string) => gates.get(prompt)?.() }
  }

  test('by subagent: the others wait for a place, in their order', async () => {
    const { begun: started, agents, finish } = crew(['a', 'b'])
    const step = calls(to('a', 'a1'), to('a', 'a2'), to('b', 'b1'), to('a', 'a3'), to('b', 'b2'))
    const { agent, model } = lead('lead', [step, 'Meanwhile.'], {
      agents,
      otherwise: 'Meanwhile.',
      maxSteps: 20,
      backgroundTasks: { a: { concurrency: 1 }, b: {} },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasSaid(run, 'Meanwhile.')
    expect(toldOfCalls(model, 2)).toEqual([1, 2, 3, 4, 5].map((n) => begun(`lead/delegation:1.${n}`)))
    expect(started).toEqual(['a1', 'b1', 'b2'])
    finish('a1')
    await until(run, 'background-start', ({ payload }) => payload.taskId === 'lead/delegation:1.2')
    await until(run, 'step-start', ({ path }) => path === 'lead/delegation:1.2/a')
    expect(started).toEqual(['a1', 'b1', 'b2', 'a2'])
    for (const prompt of ['b2', 'a2']) finish(prompt)
    await until(run, 'step-start', ({ path }) => path === 'lead/delegation:1.4/a')
    for (const prompt of ['a3', 'b1']) finish(prompt)
    const { result, events } = await ending(troupe, run)
    expect(result.delegations.map(({ text }) => text)).toEqual(['a1!', 'a2!', 'b1!', 'a3!', 'b2!'])
    const news = shown(model, model.calls.length).filter(
      (message) => message.role === 'user' && message.internal === 'notice',
    )
    expect(news).toHaveLength(5)
    let running = 0
    for (const { payload, type } of only(events, 'background-start', 'background-end')) {
      if (payload.agentName !== 'a') continue
      running += type === 'background-start' ? 1 : -1
      expect(running).toBeLessThanOrEqual(1)
    }
  })

  test('over steps', async () => {
    const { begun: started, agents, finish } = crew(['a'])
    const steps = [calls(to('a', 'a1')), calls(to('a', 'a2')), 'Meanwhile.']
    const { agent } = lead('lead', steps, {
      agents,
      otherwise: 'Meanwhile.',
      maxSteps: 20,
      backgroundTasks: { a: { concurrency: 1 } },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasSaid(run, 'Meanwhile.')
    expect(started).toEqual(['a1'])
    finish('a1')
    await until(run, 'step-start', ({ path }) => path === 'lead/delegation:2.1/a')
    finish('a2')
    const { result } = await ending(troupe, run)
    expect(result.delegations.map(({ text }) => text)).toEqual(['a1!', 'a2!'])
  })

  test.for(['thinks', 'waits'] as const)(
    'one that comes to wait for a person while the supervisor %s has given up its place',
    async (when) => {
      const sign = createTool({
        id: 'sign',
        description: 'Signs.',
        inputSchema: z.object({}),
        requireApproval: true,
        execute: () => 'signed',
      })
      const clerkMay = Promise.withResolvers<void>()
      const leadMay = Promise.withResolvers<void>()
      const signs: ScriptedStep = { ...calls({ name: 'sign' }), until: clerkMay.promise }
      const clerk = worker('clerk', [signs, signs], { tools: { sign }, otherwise: 'Signed.' })
      const both = calls(to('clerk', 'a'), to('clerk', 'b'))
      const { agent } = lead('lead', [both, { text: 'Meanwhile.', until: leadMay.promise }], {
        agents: { clerk: clerk.agent },
        otherwise: 'Done.',
        backgroundTasks: { clerk: { concurrency: 1 } },
      })
      const troupe = createTroupe({ agents: [agent] })
      const run = await troupe.start(agent, 'Go')
      const second = () =>
        until(run, 'tool-call-approval', ({ path }) => path.startsWith('lead/delegation:1.2/'))
      if (when === 'thinks') {
        clerkMay.resolve()
        await second()
        expect(stateOf(run)).toEqual({ thinking: 'calling' })
        leadMay.resolve()
      } else {
        leadMay.resolve()
        await hasSaid(run, 'Meanwhile.')
        expect(stateOf(run)).toEqual({ waiting: 'working' })
        clerkMay.resolve()
        await second()
      }
      const idle = await run.whenIdle
      expect(idle.outcome === 'suspended' && idle.awaiting.map(({ toolCallId }) => toolCallId)).toEqual([
        'lead/delegation:1.1/clerk/call:1.1',
        'lead/delegation:1.2/clerk/call:1.1',
      ])
      await run.approve('lead/delegation:1.2/clerk/call:1.1')
      await run.approve('lead/delegation:1.1/clerk/call:1.1')
      const { result } = await ending(troupe, run)
      expect(result).toMatchObject({
        outcome: 'completed',
        delegations: [{ outcome: 'succeeded' }, { outcome: 'succeeded' }],
      })
    },
  )
})

describe('a bail from the background ends the run, while the supervisor', () => {
  const bails = {
    onDelegationComplete: ({ agentId, bail }: { agentId: string; bail(): void }) => {
      if (agentId === 'researcher') bail()
    },
  }
  const bailed = { outcome: 'bailed', by: 'researcher', text: 'Facts.' }

  test('thinks: its model call is aborted', async () => {
    const { troupe, run, model, speak } = await desk([asks, { hang: true }], { delegation: bails })
    await until(run, 'iteration-start', ({ payload }) => payload.iteration === 2)
    speak()
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({ ...bailed, delegations: [{ outcome: 'bailed' }] })
    expect(model.calls[1]?.signal.aborted).toBe(true)
    expect(model.calls).toHaveLength(2)
    expect(result.steps).toHaveLength(1)
    expect(only(events, 'background-end').map(({ payload }) => payload.outcome)).toEqual(['bailed'])
  })

  test('is about to try a model call again', async () => {
    const clock = virtualClock()
    const gate = Promise.withResolvers<void>()
    const researcher = worker('researcher', [{ text: 'Facts.', until: gate.promise }])
    const busy = { error: Object.assign(new Error('busy'), { status: 503, retryable: true }) }
    const { agent, model } = lead('lead', [asks, busy], {
      agents: { researcher: researcher.agent },
      backgroundTasks: { researcher: {} },
      delegation: bails,
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'error')
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject(bailed)
    expect(model.calls).toHaveLength(2)
    expect(clock.pending).toBe(0)
  })

  test.for(['first', 'last'] as const)('acts, under bailStrategy %s', async (bailStrategy) => {
    const gate = Promise.withResolvers<void>()
    const other = worker('other', [{ text: 'Other.', until: gate.promise }])
    const behind = worker('researcher', ['Facts.'])
    const { agent } = lead('lead', [calls(to('researcher', 'a'), to('other', 'b'))], {
      agents: { researcher: behind.agent, other: other.agent },
      backgroundTasks: { researcher: {} },
      delegation: bails,
      bailStrategy,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasEnded(run)
    if (bailStrategy === 'last') {
      expect(stateOf(run)).toEqual({ acting: 'working' })
      gate.resolve()
    }
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({
      ...bailed,
      delegations: [
        { agent: 'researcher', outcome: 'bailed' },
        { agent: 'other', outcome: bailStrategy === 'first' ? 'cancelled' : 'succeeded' },
      ],
    })
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual([
      'background',
      bailStrategy === 'first' ? 'cancelled' : 'succeeded',
    ])
    gate.resolve()
  })

  test("acts, under bailStrategy 'last', and starts nothing that waits for a place", async () => {
    const gate = Promise.withResolvers<void>()
    const behind = worker('researcher', ['Facts.'])
    const other = worker('other', [{ text: 'Other.', until: gate.promise }])
    const step = calls(to('researcher', 'a'), to('researcher', 'b'), to('other', 'c'))
    const { agent } = lead('lead', [step], {
      agents: { researcher: behind.agent, other: other.agent },
      backgroundTasks: { researcher: { concurrency: 1 } },
      delegation: bails,
      bailStrategy: 'last',
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasEnded(run)
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject(bailed)
    expect(result.delegations.map(({ id }) => id)).toEqual(['lead/delegation:1.1', 'lead/delegation:1.3'])
    expect(behind.model.calls).toHaveLength(1)
  })

  test('is reviewed: the hook is let go', async () => {
    const asked = Promise.withResolvers<void>()
    const { troupe, run, speak } = await desk([asks, 'Meanwhile.'], {
      delegation: bails,
      onIterationComplete: ({ iteration }) => {
        if (iteration === 1) return
        asked.resolve()
        return new Promise<undefined>(() => undefined)
      },
    })
    await asked.promise
    speak()
    expect((await ending(troupe, run)).result).toMatchObject(bailed)
  })

  test('is scored: the scoring is let go, and counts for nothing', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const scorer = createScorer({
      id: 'slow',
      score: ({ signal }) => {
        asked.resolve(signal)
        return new Promise<number>(() => undefined)
      },
    })
    const { troupe, run, speak } = await desk([asks, 'Meanwhile.'], {
      delegation: bails,
      completion: { scorers: [scorer] },
    })
    const signal = await asked.promise
    speak()
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject(bailed)
    expect(signal.aborted).toBe(true)
    expect(only(events, 'iteration-end').map(({ payload }) => payload)).toEqual([
      { iteration: 1, continue: true },
      { iteration: 2, continue: false },
    ])
  })

  test('waits', async () => {
    const { troupe, run, model, speak } = await desk([asks, 'Meanwhile.'], { delegation: bails })
    await hasSaid(run, 'Meanwhile.')
    speak()
    expect((await ending(troupe, run)).result).toMatchObject(bailed)
    expect(model.calls).toHaveLength(2)
  })

  test('has its last turn: that model call is aborted', async () => {
    const { troupe, run, model, speak } = await desk([asks, { hang: true }], {
      delegation: bails,
      onIterationComplete: () => ({ continue: false, feedback: 'Finish.' }),
    })
    await until(run, 'iteration-feedback')
    speak()
    expect((await ending(troupe, run)).result).toMatchObject(bailed)
    expect(model.calls[1]?.request.toolChoice).toBe('none')
    expect(model.calls[1]?.signal.aborted).toBe(true)
  })

  test('and the others in the background are cancelled', async () => {
    const slow = worker('slow', [{ hang: true }])
    const quick = worker('researcher', ['Facts.'])
    const { agent } = lead('lead', [calls(to('slow', 'a'), to('researcher', 'b'))], {
      agents: { slow: slow.agent, researcher: quick.agent },
      backgroundTasks: { slow: {}, researcher: {} },
      delegation: bails,
      otherwise: { hang: true },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({
      ...bailed,
      delegations: [
        { agent: 'slow', outcome: 'cancelled' },
        { agent: 'researcher', outcome: 'bailed' },
      ],
    })
    expect(only(events, 'background-end').map(({ payload }) => [payload.agentName, payload.outcome])).toEqual(
      [
        ['researcher', 'bailed'],
        ['slow', 'cancelled'],
      ],
    )
  })
})

describe('at a cap', () => {
  const lastTurn: Message = {
    role: 'user',
    content: 'This is your last turn and no tools are available. Give the best answer that you can now.',
    internal: 'notice',
  }

  test('the last turn waits for what is at work, and knows of it', async () => {
    const { troupe, run, model, speak } = await desk([asks, 'Meanwhile.', 'My last word.'], { maxSteps: 2 })
    await hasSaid(run, 'Meanwhile.')
    expect(stateOf(run)).toEqual({ waiting: 'working' })
    speak()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'My last word.' })
    expect(tail(model, 3, 2)).toEqual([ended(first, 'researcher', 'succeeded', 'Facts.'), lastTurn])
    expect(model.calls[2]?.request.toolChoice).toBe('none')
  })

  test('so it is where the last step was one of calls', async () => {
    const { troupe, run, model, speak } = await desk([asks, 'My last word.'], { maxSteps: 1 })
    await until(run, 'iteration-end')
    expect(stateOf(run)).toEqual({ waiting: 'working' })
    speak()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'My last word.' })
    expect(tail(model, 2, 2)).toEqual([ended(first, 'researcher', 'succeeded', 'Facts.'), lastTurn])
  })

  test('and where news came while the model gave the last answer that it may', async () => {
    const gate = Promise.withResolvers<void>()
    const { troupe, run, model, speak } = await desk(
      [asks, { text: 'Without.', until: gate.promise }, 'With.'],
      { maxSteps: 2 },
    )
    speak()
    await hasEnded(run)
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps', text: 'With.' })
    expect(tail(model, 3, 2)).toEqual([ended(first, 'researcher', 'succeeded', 'Facts.'), lastTurn])
  })

  test("onExhausted 'stop' waits for nothing", async () => {
    const { troupe, run, model } = await desk([asks], { maxSteps: 1, onExhausted: 'stop' })
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      delegations: [{ outcome: 'cancelled' }],
    })
    expect(model.calls).toHaveLength(1)
  })
})

describe('a run that ends otherwise cancels what is at work, and ends after it', () => {
  interface Case {
    readonly name: string
    readonly next: ScriptedStep
    readonly options: SupervisorOptions
    readonly expected: object
  }
  const cases: readonly Case[] = [
    { name: 'failed', next: { error: new Error('down') }, options: {}, expected: { outcome: 'failed' } },
    {
      name: 'refused',
      next: { text: 'No.', finishReason: 'refusal' },
      options: {},
      expected: { outcome: 'failed', error: { code: 'MODEL_REFUSED' } },
    },
    {
      name: 'stopped by a review',
      next: 'Enough.',
      options: { onIterationComplete: ({ iteration }) => ({ continue: iteration < 2 }) },
      expected: { outcome: 'stopped', reason: 'onIterationComplete' },
    },
    {
      name: 'stopped by a review, after a last word',
      next: 'Enough.',
      options: { onIterationComplete: () => ({ continue: false, feedback: 'Finish.' }) },
      expected: { outcome: 'stopped', text: 'Enough.' },
    },
    {
      name: 'tripped',
      next: 'Not this.',
      options: {
        outputProcessors: [
          { id: 'no', processOutput: ({ text, abort }) => void (text === 'Not this.' && abort('no')) },
        ],
      },
      expected: { outcome: 'tripped', reason: 'no' },
    },
  ]
  test.for(cases)('$name', async ({ next, options, expected }) => {
    const { troupe, run, researcher } = await desk([asks, next], options)
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({ ...expected, delegations: [{ id: first, outcome: 'cancelled' }] })
    expect(researcher.calls[0]?.signal.aborted).toBe(true)
    expect(only(events, 'delegation-end', 'background-end', 'run-finish').map(({ type }) => type)).toEqual([
      'delegation-end',
      'background-end',
      'run-finish',
    ])
  })

  test('a last turn after a review starts nothing more', async () => {
    const gate = Promise.withResolvers<void>()
    const quick = worker('quick', ['Quick.'])
    const step = calls(to('quick', 'a'), to('quick', 'b'))
    const asked = Promise.withResolvers<void>()
    const { agent, model } = lead(
      'lead',
      [
        step,
        () => {
          asked.resolve()
          return { text: 'Enough.', until: gate.promise }
        },
      ],
      {
        agents: { quick: quick.agent },
        backgroundTasks: { quick: { concurrency: 1 } },
        delegation: { onDelegationComplete: () => asked.promise },
        onIterationComplete: () => ({ continue: false, feedback: 'Finish.' }),
      },
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await hasEnded(run)
    gate.resolve()
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'stopped', text: 'Enough.', delegations: [{ text: 'Quick.' }] })
    expect(result.delegations).toHaveLength(1)
    expect(quick.model.calls).toHaveLength(1)
    expect(model.calls[1]?.request.toolChoice).toBe('none')
  })

  test('cancelled by the user: while it waits, as in every state', async () => {
    const { troupe, run, researcher } = await desk([asks, 'Meanwhile.'])
    await hasSaid(run, 'Meanwhile.')
    await run.cancel('Never mind.')
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({
      outcome: 'cancelled',
      reason: 'Never mind.',
      delegations: [{ outcome: 'cancelled' }],
    })
    expect(researcher.calls[0]?.signal.aborted).toBe(true)
    expect(only(events, 'background-end').map(({ payload }) => payload.outcome)).toEqual(['cancelled'])
  })

  test('what waits for a place is never started', async () => {
    const slow = worker('slow', [{ hang: true }])
    const { agent } = lead('lead', [calls(to('slow', 'a'), to('slow', 'b')), { error: new Error('down') }], {
      agents: { slow: slow.agent },
      backgroundTasks: { slow: { concurrency: 1 } },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'failed', delegations: [{ outcome: 'cancelled' }] })
    expect(slow.model.calls).toHaveLength(1)
  })
})

describe('one that waits for a person', () => {
  const sign = createTool({
    id: 'sign',
    description: 'Signs.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'signed',
  })
  const callId = 'lead/delegation:1.1/clerk/call:1.1'

  test('does not suspend the run while anything else is at work', async () => {
    const gate = Promise.withResolvers<void>()
    const clerk = worker('clerk', [calls({ name: 'sign' }), 'Signed.'], { tools: { sign } })
    const { agent, model } = lead(
      'lead',
      [calls(to('clerk', 'Sign')), { text: 'Meanwhile.', until: gate.promise }, 'All signed.'],
      { agents: { clerk: clerk.agent }, backgroundTasks: { clerk: {} } },
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'tool-call-approval')
    let isIdle = false
    const idle = run.whenIdle.then((result) => {
      isIdle = true
      return result
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isIdle).toBe(false)
    gate.resolve()
    expect(await idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId: callId }] })
    expect(stateOf(run)).toEqual({ waiting: 'held' })
    await run.approve(callId)
    const { result, events } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'All signed.' })
    expect(tail(model, 3)).toEqual([ended('lead/delegation:1.1', 'clerk', 'succeeded', 'Signed.')])
    expect(only(events, 'suspended', 'resumed').map(({ type }) => type)).toEqual(['suspended', 'resumed'])
  })

  test('below a supervisor that waits for it, in the background of another', async () => {
    const clerk = worker('clerk', [calls({ name: 'sign' }), 'Signed.'], { tools: { sign } })
    const middle = lead('middle', [calls(to('clerk', 'Sign')), 'Meanwhile.', 'Middle done.'], {
      agents: { clerk: clerk.agent },
      backgroundTasks: { clerk: {} },
    })
    const { agent, model } = lead('lead', [calls(to('middle', 'Go')), 'Meanwhile.', 'All done.'], {
      agents: { middle: middle.agent },
      backgroundTasks: { middle: {} },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const idle = await run.whenIdle
    const toolCallId = 'lead/delegation:1.1/middle/delegation:1.1/clerk/call:1.1'
    expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolCallId }] })
    expect(stateOf(run)).toEqual({ waiting: 'held' })
    await run.approve(toolCallId)
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'completed', text: 'All done.' })
    expect(tail(model, 3)).toEqual([ended('lead/delegation:1.1', 'middle', 'succeeded', 'Middle done.')])
    expect(tail(middle.model, 3)).toEqual([
      ended('lead/delegation:1.1/middle/delegation:1.1', 'clerk', 'succeeded', 'Signed.'),
    ])
  })
})

test('a nested supervisor is done only when its own background is idle', async () => {
  const gate = Promise.withResolvers<void>()
  const scout = worker('scout', [{ text: 'Scouted.', until: gate.promise }])
  const middle = lead('middle', [calls(to('scout', 'Scout')), 'Meanwhile.', 'Middle done.'], {
    agents: { scout: scout.agent },
    backgroundTasks: { scout: {} },
  })
  const { agent, model } = lead('lead', [calls(to('middle', 'Go')), 'All done.'], {
    agents: { middle: middle.agent },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await until(run, 'text-end', ({ payload }) => payload.text === 'Meanwhile.')
  expect(model.calls).toHaveLength(1)
  gate.resolve()
  const { result } = await ending(troupe, run)
  expect(result).toMatchObject({ outcome: 'completed', text: 'All done.' })
  expect(toldOfCalls(model, 2)).toEqual(['Middle done.'])
  expect(result.usage.byAgent).toMatchObject({
    lead: { totalTokens: 30 },
    middle: { totalTokens: 45 },
    scout: { totalTokens: 15 },
  })
})

describe('a restart', () => {
  /** The same agents, made anew as another process would; what they were asked goes to `asked`. */
  function cast(asked: string[], gate: Promise<unknown>) {
    const saying =
      (id: string, text: string, wait?: Promise<unknown>): ScriptedStep =>
      () => {
        asked.push(id)
        return wait === undefined ? text : { text, until: wait }
      }
    const quick = worker('quick', [], { otherwise: saying('quick', 'Quick.') })
    const slow = worker('slow', [], { otherwise: saying('slow', 'Slow.', gate) })
    const model = scriptedModel([], {
      modelId: 'lead',
      otherwise: ({ messages }) => {
        asked.push('lead')
        const news = messages.filter((message) => message.role === 'user' && message.internal === 'notice')
        if (messages.every((message) => message.role !== 'tool'))
          return calls(to('quick', 'a'), to('slow', 'b'))
        return `${news.length} heard`
      },
    })
    return createSupervisor({
      id: 'lead',
      instructions: '',
      model,
      agents: { quick: quick.agent, slow: slow.agent },
      backgroundTasks: { quick: {}, slow: { concurrency: 1 } },
    })
  }

  test('in the middle: what was settled is not done again, the rest is finished', async () => {
    const store = memoryStore()
    const before: string[] = []
    const agent = cast(before, new Promise(() => undefined))
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await hasSaid(run, '1 heard')
    await troupe.close()
    expect(before.filter((id) => id !== 'lead').toSorted()).toEqual(['quick', 'slow'])

    const after: string[] = []
    const again = createTroupe({ agents: [cast(after, Promise.resolve())], store })
    const resumed = await again.resume(run.id)
    const { result } = await ending(again, resumed)
    expect(result).toMatchObject({
      outcome: 'completed',
      text: '2 heard',
      delegations: [
        { agent: 'quick', outcome: 'succeeded', text: 'Quick.' },
        { agent: 'slow', outcome: 'succeeded', text: 'Slow.' },
      ],
    })
    expect(after).toEqual(['slow', 'lead'])
  })
})

describe('configuration', () => {
  const make = (backgroundTasks: Record<string, object>) =>
    thrown(() => lead('lead', [], { agents: { writer: worker('writer', []).agent }, backgroundTasks }))

  test.for([
    [{ nobody: {} }, 'backgroundTasks names "nobody", which is no key of agents. It has: writer.'],
    [{ writer: { timeout: 5 } }, 'timeout'],
    [{ writer: { enabled: 'yes' } }, 'backgroundTasks.writer.enabled must be true or false, not "yes".'],
    [{ writer: { timeoutMs: 0 } }, 'timeoutMs must be a positive number of milliseconds, not 0.'],
    [{ writer: { timeoutMs: Number.NaN } }, 'timeoutMs must be a positive number of milliseconds, not NaN.'],
    [{ writer: { concurrency: 0 } }, 'concurrency must be a positive integer, not 0.'],
    [{ writer: { concurrency: 1.5 } }, 'concurrency must be a positive integer, not 1.5.'],
    [{ writer: true }, 'backgroundTasks.writer must be an object, not true'],
    [['writer'], 'backgroundTasks must be an object by the keys of agents, not ["writer"].'],
    ['writer', 'backgroundTasks must be an object by the keys of agents, not "writer".'],
  ] as const)('%j is refused', ([tasks, message]) => {
    const error = make(tasks as Record<string, object>)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toContain('createSupervisor("lead")')
    expect((error as Error).message).toContain(message)
  })

  test('of a run too', async () => {
    const { agent } = lead('lead', [], { agents: { writer: worker('writer', []).agent } })
    await expect(agent.generate('Go', { backgroundTasks: { nobody: {} } })).rejects.toThrow(
      'options of a run of "lead": backgroundTasks names "nobody"',
    )
  })

  test('of a run it lies over that of the definition, key by key', async () => {
    const one = worker('one', ['1'])
    const two = worker('two', ['2'])
    const { agent } = lead('lead', [calls(to('one', 'a'), to('two', 'b'))], {
      agents: { one: one.agent, two: two.agent },
      otherwise: 'Done.',
      backgroundTasks: { one: {}, two: {} },
    })
    const result = await agent.generate('Go', { backgroundTasks: { two: { enabled: false } } })
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual(['background', 'succeeded'])
  })

  test('enabled: false on a definition is none', async () => {
    const one = worker('one', ['1'])
    const { agent } = lead('lead', [calls(to('one', 'a')), 'Done.'], {
      agents: { one: one.agent },
      backgroundTasks: { one: { enabled: false, concurrency: 2 } },
    })
    const result = await agent.generate('Go')
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual(['succeeded'])
  })

  test('a wrong call to a subagent in the background is told at once, like any other', async () => {
    const one = worker('one', [])
    const { agent, model } = lead('lead', [calls({ name: 'agent-one', args: { promt: 'a' } }), 'Done.'], {
      agents: { one: one.agent },
      backgroundTasks: { one: {} },
    })
    const result = await agent.generate('Go')
    expect(result).toMatchObject({ outcome: 'completed', delegations: [] })
    expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(toldOfCalls(model, 2).join()).toContain('prompt')
  })
})
