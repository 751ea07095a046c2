/** Behaviours 32 and 33: checked before they run, revised within bounds, told in the end. */
import {
  createPlanner,
  createTool,
  createTroupe,
  TerminalError,
  type Run,
  type RunEvent,
  type Troupe,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, only, shown, until, worker } from '../../support/agents/agents.ts'
import { plan, planner, statuses } from '../../support/agents/planner.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'

/** A tool that fails for these words, and notes what it was asked. */
function lookupTool(...bad: readonly string[]) {
  const asked: string[] = []
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => {
      asked.push(q)
      if (bad.includes(q)) throw new Error('the secret reason')
      return `facts on ${q}`
    },
  })
  return { lookup, asked }
}

/** A tool whose calls end when they are told to. */
function heldTool() {
  const gates = new Map<string, PromiseWithResolvers<string>>()
  const started: string[] = []
  const gate = (id: string) => {
    const known = gates.get(id) ?? Promise.withResolvers<string>()
    gates.set(id, known)
    return known
  }
  const work = createTool({
    id: 'work',
    description: 'Works until it is told to stop.',
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => {
      started.push(id)
      return gate(id).promise
    },
  })
  return { work, started, release: (id: string) => gate(id).resolve(`worked on ${id}`) }
}

const working = (id: string, ...dependsOn: string[]) => ({ id, toolHint: 'work', args: { id }, dependsOn })
const looking = (id: string, ...dependsOn: string[]) => ({
  id,
  toolHint: 'lookup',
  args: { q: id },
  dependsOn,
})

/** `start b`, `complete b`, … */
function course(events: readonly RunEvent[]): string[] {
  return only(events, 'plan-step-start', 'plan-step-end').map(({ type, payload }) =>
    type === 'plan-step-start' ? `start ${payload.stepId}` : `${payload.status} ${payload.stepId}`,
  )
}

async function played(cast: ReturnType<typeof planner>, task = 'Report on tides') {
  const troupe = createTroupe({ agents: [cast.agent] })
  return ending(troupe, await troupe.start(cast.agent, task))
}

async function ending(troupe: Troupe, run: Run) {
  const result = await run.result
  const events = await allEvents(run) // each message as one delta, as a replay has it
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events, course: course(events), types: events.map(({ type }) => type) }
}

describe('32: a plan is carried out in the order of its dependencies', () => {
  test('[A needs B, B] runs B first, and A is given its result', async () => {
    const writer = worker('writer', ['An article.'])
    const { lookup, asked } = lookupTool()
    const cast = planner(
      { plans: [plan({ id: 'a', toolHint: 'agent-writer', dependsOn: ['b'] }, looking('b'))] },
      { tools: { lookup }, agents: { writer: writer.agent } },
    )
    const { result, events, course } = await played(cast)
    expect(course).toEqual(['start b', 'complete b', 'start a', 'complete a'])
    expect(asked).toEqual(['b'])
    expect(shown(writer.model, 1).at(-1)?.content).toBe(
      'goal of a\n\nWhat was found before:\n- goal of b\n  facts on b',
    )
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'The answer.',
      delegations: [{ id: 'planner/delegation:1.1', agent: 'writer', outcome: 'succeeded' }],
      plan: {
        revision: 1,
        steps: [
          { id: 'a', status: 'complete', result: 'An article.', callId: 'planner/delegation:1.1' },
          { id: 'b', status: 'complete', result: 'facts on b', callId: 'planner/call:1.2' },
        ],
      },
    })
    expect(only(events, 'plan-created').map(({ payload }) => payload.steps.map(({ id }) => id))).toEqual([
      ['a', 'b'],
    ])
    expect(cast.prompts('answer')[0]).toContain('- "a" (complete): goal of a\n  An article.')
    expect(only(events, 'synthesis-start')[0]?.payload).toEqual({ missing: [] })
  })

  test('the plan is in the events, in the journal and in the result', async () => {
    const { lookup } = lookupTool()
    const cast = planner({ plans: [plan(looking('a'), looking('b', 'a'))] }, { tools: { lookup } })
    const troupe = createTroupe({ agents: [cast.agent] })
    const run = await troupe.start(cast.agent, 'Go')
    const { plan: carriedOut } = await run.result
    const [created] = only(await allEvents(run), 'plan-created')
    const journaled = (await troupe.journal(run.id)).flatMap((entry) =>
      entry.type === 'effect.settled' || entry.type === 'run.settled' ? [JSON.stringify(entry)] : [],
    )
    const told = ({ id, goal, dependsOn }: { id: string; goal: string; dependsOn: readonly string[] }) => [
      id,
      goal,
      dependsOn,
    ]
    const expected = [
      ['a', 'goal of a', []],
      ['b', 'goal of b', ['a']],
    ]
    expect(created?.payload.steps.map(told)).toEqual(expected)
    expect(carriedOut?.steps.map(told)).toEqual(expected)
    expect(created?.payload.steps.map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect(journaled[0]).toContain('goal of b')
    expect(journaled.at(-1)).toContain('"type":"run.settled"')
  })

  test('independent steps run side by side, within the window', async () => {
    const { work, started, release } = heldTool()
    const ids = ['a', 'b', 'c']
    const cast = planner(
      { plans: [plan(...ids.map((id) => working(id)), working('d', 'a'))] },
      { tools: { work }, toolCallConcurrency: 2 },
    )
    const run = createTroupe({ agents: [cast.agent] }).start(cast.agent, 'Go')
    const live = await run
    await until(live, 'tool-call', ({ payload }) => payload.toolCallId.endsWith('1.2'))
    expect(started).toEqual(['a', 'b'])
    release('b')
    await until(live, 'tool-call', ({ payload }) => payload.toolCallId.endsWith('1.3'))
    expect(started).toEqual(['a', 'b', 'c'])
    for (const id of ['c', 'a', 'd']) release(id)
    expect(await live.result).toMatchObject({ outcome: 'completed' })
    expect(course(await allEvents(live))).toEqual([
      'start a',
      'start b',
      'complete b',
      'start c',
      'complete c',
      'complete a',
      'start d',
      'complete d',
    ])
  })

  test('eight steps finish, and cost neither steps nor a cap', async () => {
    const { lookup, asked } = lookupTool()
    const ids = ['1', '2', '3', '4', '5', '6', '7', '8']
    const steps = ids.map((id, index) => looking(id, ...ids.slice(Math.max(0, index - 1), index)))
    const cast = planner({ plans: [plan(...steps)] }, { tools: { lookup }, maxSteps: 1 })
    const { result } = await played(cast)
    expect(result.outcome).toBe('completed')
    expect(asked).toEqual(ids)
    expect(statuses(result)).toEqual(ids.map((id) => `${id}: complete`))
    expect(result.steps).toHaveLength(1)
    expect(result.usage.byAgent['planner']?.totalTokens).toBe(30) // the plan and the answer
  })

  test.each([
    ['a circle', plan(looking('a', 'b'), looking('b', 'a'), looking('c')), '"a", "b"'],
    ['a step that waits for itself', plan(looking('a', 'a')), '"a"'],
    ['an unknown id', plan(looking('a', 'z')), 'Step "a" depends on "z", which is no step of the plan.'],
    ['an id that stands twice', plan(looking('a'), looking('a')), 'The id "a" stands twice.'],
    ['no steps', plan(), 'It has no steps.'],
    [
      'too many steps',
      plan(...['a', 'b', 'c', 'd'].map((id) => looking(id))),
      'It has 4 steps, and at most 3 are allowed.',
    ],
  ])('%s leads to another plan, and nothing of the first one runs', async (_what, bad, problem) => {
    const { lookup, asked } = lookupTool()
    const cast = planner({ plans: [bad, plan(looking('ok'))] }, { tools: { lookup }, maxPlanSteps: 3 })
    const { result, events } = await played(cast)
    expect(result).toMatchObject({ outcome: 'completed', plan: { revision: 1 } })
    expect(asked).toEqual(['ok'])
    expect(cast.prompts('plan')[1]).toContain(problem)
    expect(only(events, 'error').map(({ payload }) => payload)).toMatchObject([
      { error: { code: 'INVALID_PLAN' }, willRetry: true },
    ])
  })

  test('a plan that can never be carried out ends the run as failed, after maxReplans more', async () => {
    const bad = plan(looking('a', 'z'))
    const cast = planner({ plans: [bad, bad, bad] }, { tools: { lookup: lookupTool().lookup } })
    const { result, types } = await played(cast)
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_PLAN' } })
    expect(result.plan).toBeUndefined()
    expect(cast.prompts('plan')).toHaveLength(3)
    expect(types).not.toContain('plan-created')
  })

  test.each([
    ['prose', 'First I would look.', 'it is not JSON'],
    [
      'an unknown tool',
      plan({ id: 'a', toolHint: 'google' }),
      'There is no tool "google". Available: lookup.',
    ],
    [
      'arguments that do not fit',
      plan({ id: 'a', toolHint: 'lookup', args: { q: 7 } }),
      'Step "a": Invalid arguments for "lookup"',
    ],
  ])('%s instead of a plan is repaired once, which is no re-planning', async (_what, bad, problem) => {
    const { lookup } = lookupTool()
    const cast = planner({ plans: [bad, plan(looking('ok'))] }, { tools: { lookup }, maxReplans: 1 })
    const { result, types } = await played(cast)
    expect(statuses(result)).toEqual(['ok: complete'])
    expect(cast.prompts('plan')[1]).toContain(problem)
    expect(types).not.toContain('error')

    const stubborn = planner(
      { plans: [bad, bad, bad, plan(looking('ok'))] },
      { tools: { lookup }, maxReplans: 1 },
    )
    expect(statuses((await played(stubborn)).result)).toEqual(['ok: complete'])
    const hopeless = planner({ plans: [bad, bad, bad, bad] }, { tools: { lookup }, maxReplans: 1 })
    expect((await played(hopeless)).result).toMatchObject({
      outcome: 'failed',
      error: { code: 'INVALID_DECISION' },
    })
  })
})

describe('33: a step that fails', () => {
  test('leads to a plan of what remains; finished steps are kept and not run again', async () => {
    const { lookup, asked } = lookupTool('b')
    const cast = planner(
      {
        plans: [
          plan(looking('a'), looking('b', 'a'), looking('c', 'b')),
          // A model may well repeat what is finished.
          plan(looking('a'), looking('b2', 'a'), looking('c', 'b2')),
        ],
      },
      { tools: { lookup } },
    )
    const { result, events } = await played(cast)
    expect(asked).toEqual(['a', 'b', 'b2', 'c'])
    expect(result.outcome).toBe('completed')
    expect(result.plan?.revision).toBe(2)
    expect(statuses(result)).toEqual([
      'a: complete',
      'b: failed',
      'c: revised',
      'b2: complete',
      'c: complete',
    ])
    expect(result.plan?.steps[1]?.error).toMatchObject({ code: 'TOOL_FAILED', message: 'the secret reason' })
    const [revised] = only(events, 'plan-revised')
    expect(revised?.payload.reason).toBe(
      'The step "b" did not succeed (failed): {"error":"The tool \\"lookup\\" failed."}',
    )
    expect(revised?.payload.steps.map(({ id, status }) => `${id}: ${status}`)).toEqual([
      'a: complete',
      'b: failed',
      'c: revised',
      'b2: pending',
      'c: pending',
    ])
    expect(cast.prompts('plan')[1]).toContain('- "a" (complete): goal of a\n  facts on a')
    expect(JSON.stringify(cast.model.calls)).not.toContain('secret')
  })

  test('at the bound: an answer of what there is, which is told what failed', async () => {
    const { lookup, asked } = lookupTool('b')
    const cast = planner(
      {
        plans: [plan(looking('a'), looking('b'), looking('c', 'b')), plan(looking('b')), plan(looking('b'))],
        answer: 'A is known; b could not be found.',
      },
      { tools: { lookup }, toolCallConcurrency: 1 },
    )
    const { result, events } = await played(cast)
    expect(asked).toEqual(['a', 'b', 'b', 'b'])
    expect(result).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxReplans',
      text: 'A is known; b could not be found.',
      plan: { revision: 3 },
    })
    expect(statuses(result)).toEqual(['a: complete', 'b: failed', 'c: revised', 'b: failed', 'b: failed'])
    expect(cast.prompts('answer')[0]).toContain('These steps were not carried out:\n- "b": goal of b')
    expect(cast.prompts('answer')[0]).toContain('say plainly what failed and what is missing')
    expect(only(events, 'synthesis-start')[0]?.payload).toEqual({ missing: ['b'] })
    expect(only(events, 'plan-revised')).toHaveLength(2)
  })

  test('what had not begun at the bound is skipped', async () => {
    const { lookup } = lookupTool('a')
    const bad = plan(looking('a'), looking('b', 'a'))
    const cast = planner({ plans: [bad, bad] }, { tools: { lookup }, maxReplans: 1 })
    const { result, events } = await played(cast)
    expect(statuses(result)).toEqual(['a: failed', 'b: revised', 'a: failed', 'b: skipped'])
    expect(only(events, 'synthesis-start')[0]?.payload).toEqual({ missing: ['a', 'b'] })
  })

  test("with onExhausted: 'stop' there is no answer", async () => {
    const { lookup } = lookupTool('a')
    const cast = planner(
      { plans: [plan(looking('a'), looking('b', 'a')), 'No.', 'No.'] },
      { tools: { lookup }, maxReplans: 1, onExhausted: 'stop' },
    )
    const { result } = await played(cast)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxReplans' })
    expect(statuses(result)).toEqual(['a: failed', 'b: skipped'])
    expect(cast.prompts('answer')).toEqual([])
  })

  test('no step more: what was found is enough', async () => {
    const { lookup } = lookupTool('b')
    const cast = planner(
      { plans: [plan(looking('a'), looking('b', 'a'), looking('c', 'b')), plan()] },
      { tools: { lookup } },
    )
    const { result } = await played(cast)
    expect(result).toMatchObject({ outcome: 'completed', plan: { revision: 2 } })
    expect(statuses(result)).toEqual(['a: complete', 'b: failed', 'c: revised'])
  })

  test('those under way beside it are waited for and kept; no other begins', async () => {
    const { lookup } = lookupTool('bad')
    const { work, started, release } = heldTool()
    const cast = planner(
      {
        plans: [
          plan(looking('bad'), working('slow'), working('later', 'slow')),
          plan(working('rest', 'slow')),
        ],
      },
      { tools: { lookup, work } },
    )
    const run = await createTroupe({ agents: [cast.agent] }).start(cast.agent, 'Go')
    await until(run, 'plan-step-end')
    release('slow')
    release('rest')
    const result = await run.result
    expect(started).toEqual(['slow', 'rest'])
    expect(statuses(result)).toEqual(['bad: failed', 'slow: complete', 'later: revised', 'rest: complete'])
  })

  test('what a subagent ends with decides: rejected, exhausted and timed out are not done', async () => {
    const clock = new ManualClock()
    const slow = worker('slow', [{ hang: true }])
    const capped = worker('capped', [calls({ name: 'lookup', args: { q: 'x' } }), 'So far.'], {
      maxSteps: 1,
      tools: { lookup: lookupTool().lookup },
    })
    const refused = worker('refused', [])
    const cast = planner(
      {
        plans: [
          plan(
            { id: 's', toolHint: 'agent-slow' },
            { id: 'c', toolHint: 'agent-capped' },
            { id: 'r', toolHint: 'agent-refused' },
          ),
          plan({ id: 'self' }),
        ],
      },
      {
        agents: { slow: slow.agent, capped: capped.agent, refused: refused.agent },
        delegation: {
          timeout: 1_000,
          onDelegationStart: ({ agentName, iteration }) =>
            agentName === 'refused' ? { proceed: false, rejectionReason: `not in ${iteration}` } : undefined,
        },
      },
    )
    const troupe = createTroupe({ agents: [cast.agent], clock })
    const run = await troupe.start(cast.agent, 'Report on tides')
    await until(run, 'step-start', ({ agent }) => agent === 'slow')
    await until(run, 'delegation-end', ({ payload }) => payload.agentId === 'capped')
    expect(clock.due).toEqual([1_000])
    clock.advance(1_000)
    const { result } = await ending(troupe, run)
    expect(result.outcome).toBe('completed')
    expect(result.plan?.steps.map(({ status, error, result }) => [status, error?.code, result])).toEqual([
      ['failed', 'DELEGATION_TIMEOUT', ''],
      ['failed', 'STEP_EXHAUSTED', 'So far.'],
      ['failed', 'STEP_REJECTED', ''],
      ['complete', undefined, 'did self'],
    ])
    expect(cast.prompts('plan')[1]).toContain('Delegation rejected: not in 1')
  })
})

describe('a step that the plan does not say everything of', () => {
  test('the model says what to do for it, from what was found before', async () => {
    const { lookup, asked } = lookupTool()
    const cast = planner(
      {
        plans: [plan({ id: 'a', toolHint: 'lookup' }, { id: 'b', dependsOn: ['a'] })],
        steps: { a: { tool: 'lookup', args: { q: 'moon' } }, b: { answer: 'The moon does it.' } },
      },
      { tools: { lookup } },
    )
    const { result } = await played(cast)
    expect(asked).toEqual(['moon'])
    expect(result.plan?.steps).toMatchObject([
      { id: 'a', result: 'facts on moon', callId: 'planner/call:1.1' },
      { id: 'b', result: 'The moon does it.' },
    ])
    expect(result.plan?.steps[1]).not.toHaveProperty('callId')
    const [first, second] = cast.prompts('step')
    expect(first).toContain('The plan suggests "lookup".')
    expect(second).toContain('What was found before:\n- goal of a\n  facts on moon')
  })

  test('it may choose an agent; what is not on offer is sent back once, then the step has failed', async () => {
    const writer = worker('writer', ['An article.'])
    const cast = planner(
      {
        plans: [plan({ id: 'a' }), plan({ id: 'b' })],
        steps: { a: { tool: 'google', args: {} }, b: { tool: 'agent-writer', args: { prompt: 'Write.' } } },
      },
      { agents: { writer: writer.agent } },
    )
    const { result } = await played(cast)
    expect(statuses(result)).toEqual(['a: failed', 'b: complete'])
    expect(result.plan?.steps[0]?.error?.code).toBe('INVALID_DECISION')
    expect(shown(writer.model, 1).at(-1)?.content).toBe('Write.')
  })

  test('it may find that the step makes no sense any more: the rest is planned anew', async () => {
    const { lookup } = lookupTool()
    const cast = planner(
      {
        plans: [plan(looking('a'), { id: 'b', dependsOn: ['a'] }), plan({ id: 'c' })],
        steps: { b: { replan: 'There are no tides there.' } },
      },
      { tools: { lookup } },
    )
    const { result, events, course } = await played(cast)
    expect(statuses(result)).toEqual(['a: complete', 'b: skipped', 'c: complete'])
    expect(course).toContain('skipped b')
    expect(only(events, 'plan-revised')[0]?.payload.reason).toBe(
      'The step "b" makes no sense any more: There are no tides there.',
    )
  })
})

describe('reviewSteps', () => {
  const script = (review: object) => ({
    plans: [plan(looking('a'), looking('b', 'a')), plan(looking('c', 'a'))],
    reviews: { a: review },
  })

  test('a surprising result leads to a new plan of the rest', async () => {
    const { lookup, asked } = lookupTool()
    const cast = planner(script({ replan: 'It is about beer.' }), { tools: { lookup }, reviewSteps: true })
    const { result, events } = await played(cast)
    expect(asked).toEqual(['a', 'c'])
    expect(statuses(result)).toEqual(['a: complete', 'b: revised', 'c: complete'])
    expect(only(events, 'plan-revised')[0]?.payload.reason).toBe(
      'The result of the step "a" changes the plan: It is about beer.',
    )
    expect(cast.prompts('review')[0]).toContain('gave:\nfacts on a')
  })

  test('without an objection the plan goes on; the last result is not looked at', async () => {
    const { lookup, asked } = lookupTool()
    const cast = planner(script({ replan: null }), { tools: { lookup }, reviewSteps: true })
    const { result } = await played(cast)
    expect(asked).toEqual(['a', 'b'])
    expect(result.outcome).toBe('completed')
    expect(cast.prompts('review')).toHaveLength(1)
  })

  test('a review that is none is announced, and the plan goes on', async () => {
    const { lookup } = lookupTool()
    const cast = planner(script({ replan: 7 }), { tools: { lookup }, reviewSteps: true })
    const { result, events } = await played(cast)
    expect(statuses(result)).toEqual(['a: complete', 'b: complete'])
    expect(only(events, 'error').map(({ payload }) => payload.error.code)).toEqual(['INVALID_DECISION'])
  })

  test('is off by default', async () => {
    const { lookup } = lookupTool()
    const cast = planner(script({ replan: 'It is about beer.' }), { tools: { lookup } })
    expect(statuses((await played(cast)).result)).toEqual(['a: complete', 'b: complete'])
  })
})

describe('the end', () => {
  test('a bail of a step ends the run with its text; the others are told', async () => {
    const quick = worker('quick', ['This is it.'])
    const slow = worker('slow', [{ hang: true }])
    const cast = planner(
      {
        plans: [
          plan({ id: 'q', toolHint: 'agent-quick' }, { id: 's', toolHint: 'agent-slow' }, looking('l', 'q')),
        ],
      },
      {
        tools: { lookup: lookupTool().lookup },
        agents: { quick: quick.agent, slow: slow.agent },
        delegation: { onDelegationComplete: ({ agentName, bail }) => void (agentName === 'quick' && bail()) },
      },
    )
    const { result, types } = await played(cast)
    expect(result).toMatchObject({ outcome: 'bailed', by: 'quick', text: 'This is it.' })
    expect(statuses(result)).toEqual(['q: complete', 's: failed', 'l: skipped'])
    expect(result.plan?.steps[1]?.error?.code).toBe('CANCELLED')
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['bailed', 'cancelled'])
    expect(types).not.toContain('synthesis-start')
    expect(cast.model.calls).toHaveLength(1)
  })

  test.each([
    ['while it plans', { hang: true as const }, []],
    ['while steps run', plan(working('a'), working('b', 'a')), ['a: failed', 'b: skipped']],
    ['while a step is decided', plan({ id: 'ask' }), ['ask: failed']],
  ])('a cancel %s', async (_when, first, expected) => {
    const { work } = heldTool()
    const cast = planner({ plans: [first], steps: { ask: { hang: true } } }, { tools: { work } })
    const run = await createTroupe({ agents: [cast.agent] }).start(cast.agent, 'Go')
    if (expected.length > 0) await until(run, 'plan-step-start')
    else await until(run, 'run-start')
    await run.cancel('enough')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
    expect(statuses(result)).toEqual(expected)
  })

  test('a budget that is used up ends in one last turn, with what was found', async () => {
    const { lookup } = lookupTool()
    const cast = planner(
      { plans: [plan(looking('a'), { id: 'b', dependsOn: ['a'] })], answer: 'Only a.' },
      { tools: { lookup }, budget: { tokens: 15 } },
    )
    const { result } = await played(cast)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'Only a.' })
    expect(result.plan?.steps.map(({ status, error }) => [status, error?.code])).toEqual([
      ['complete', undefined],
      ['failed', 'BUDGET_EXCEEDED'],
    ])
    expect(JSON.stringify(cast.model.calls.at(-1)?.request.messages)).toContain('facts on a')
  })

  test('a budget that is used up by a review: the reviewed result counts, and no other step begins', async () => {
    const { lookup, asked } = lookupTool()
    const cast = planner(
      { plans: [plan(looking('a'), looking('b', 'a'))], answer: 'Only a.' },
      { tools: { lookup }, reviewSteps: true, budget: { tokens: 15 } },
    )
    const { result, events } = await played(cast)
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget', text: 'Only a.' })
    expect(asked).toEqual(['a'])
    expect(statuses(result)).toEqual(['a: complete', 'b: skipped'])
    expect(only(events, 'error').map(({ payload }) => payload.error.code)).toEqual(['BUDGET_EXCEEDED'])
  })

  test('a model that is down fails the run, with its error', async () => {
    const cast = planner({ plans: [{ error: new TerminalError('down', { code: 'DOWN' }) }] })
    expect((await played(cast)).result).toMatchObject({ outcome: 'failed', error: { code: 'DOWN' } })
  })

  test('an answer that is empty, or calls tools all the same, is asked for again', async () => {
    const { lookup } = lookupTool()
    let answers = 0
    const said = [calls({ name: 'lookup', args: { q: 'x' } }), '', 'At last.']
    const cast = planner(
      { plans: [plan(looking('a'))], answer: () => said[answers++] ?? '' },
      { tools: { lookup } },
    )
    const { result } = await played(cast)
    expect(result).toMatchObject({ outcome: 'completed', text: 'At last.' })
    const [, , again] = cast.model.calls
    expect(again?.request.messages.some((message) => 'toolCalls' in message)).toBe(false)
    expect(again?.request.tools).toEqual([])

    const mute = planner({ plans: [plan(looking('a'))], answer: '' }, { tools: { lookup }, maxSteps: 2 })
    expect((await played(mute)).result).toMatchObject({ outcome: 'exhausted', reason: 'maxSteps' })
    const cut = planner(
      { plans: [plan(looking('a'))], answer: { text: 'Half', finishReason: 'length' } },
      { tools: { lookup } },
    )
    expect((await played(cut)).result).toMatchObject({ outcome: 'exhausted', reason: 'length', text: 'Half' })
  })

  test('a typed answer', async () => {
    const { lookup } = lookupTool()
    const cast = planner(
      { plans: [plan(looking('a'))], answer: '{"height":3}' },
      { tools: { lookup }, structuredOutput: { schema: z.object({ height: z.number() }) } },
    )
    expect((await played(cast)).result).toMatchObject({ outcome: 'completed', object: { height: 3 } })
  })
})

describe('a step that waits for a person', () => {
  test('holds only itself; the run is suspended with its plan, and goes on', async () => {
    const publish = createTool({
      id: 'publish',
      description: 'Publishes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'published',
    })
    const { lookup, asked } = lookupTool()
    const cast = planner(
      {
        plans: [
          plan(
            { id: 'p', toolHint: 'publish', args: {} },
            looking('a'),
            looking('b', 'a'),
            looking('c', 'p'),
          ),
        ],
      },
      { tools: { publish, lookup }, toolCallConcurrency: 1 },
    )
    const troupe = createTroupe({ agents: [cast.agent] })
    const run = await troupe.start(cast.agent, 'Go')
    const suspended = await run.whenIdle
    expect(asked).toEqual(['a', 'b'])
    expect(suspended.outcome).toBe('suspended')
    expect(statuses(suspended)).toEqual(['p: running', 'a: complete', 'b: complete', 'c: pending'])
    await run.approve('planner/call:1.1')
    const result = await run.result
    expect(result.outcome).toBe('completed')
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  test('a denial fails the step', async () => {
    const publish = createTool({
      id: 'publish',
      description: 'Publishes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'published',
    })
    const cast = planner(
      { plans: [plan({ id: 'p', toolHint: 'publish', args: {} }), plan({ id: 'q' })] },
      { tools: { publish } },
    )
    const run = await createTroupe({ agents: [cast.agent] }).start(cast.agent, 'Go')
    await run.whenIdle
    await run.deny('planner/call:1.1', 'too early')
    const result = await run.result
    expect(statuses(result)).toEqual(['p: failed', 'q: complete'])
    expect(cast.prompts('plan')[1]).toContain('Tool call denied: too early')
  })
})

describe('definitions', () => {
  test('a planner is an agent: under a supervisor, a plan is its own', async () => {
    const { lookup } = lookupTool()
    const of = { id: 'below', description: 'Plans.', tools: { lookup } }
    const below = planner({ plans: [plan(looking('a'))] }, of)
    const above = planner(
      { plans: [plan({ id: 'all', toolHint: 'agent-below' })] },
      { agents: { below: below.agent } },
    )
    const { result, events } = await played(above)
    expect(statuses(result)).toEqual(['all: complete'])
    expect(only(events, 'plan-created').map(({ path }) => path)).toEqual([
      'planner',
      'planner/delegation:1.1/below',
    ])
    expect(result.usage.totalTokens).toBe(60)
  })

  test.each([
    [{ maxReplans: 0 }, 'maxReplans must be a positive integer, not 0.'],
    [{ maxPlanSteps: 1.5 }, 'maxPlanSteps must be a positive integer, not 1.5.'],
    [{ reviewSteps: 'yes' }, 'reviewSteps must be true or false, not "yes".'],
    [{ stopWhen: () => true }, 'stopWhen'],
    [{ bailStrategy: 'last' }, 'bailStrategy'],
  ])('wrong options: %o', (options, message) => {
    expect(() => planner({ plans: [] }, options as object)).toThrow(message)
  })

  test('one whose parts depend on the run plans with what it is given', async () => {
    const { lookup, asked } = lookupTool()
    const writer = worker('writer', ['An article.'])
    const cast = planner({
      plans: [plan(looking('a'), { id: 'b', toolHint: 'agent-writer', dependsOn: ['a'] }, { id: 'c' })],
    })
    const agent = createPlanner({
      id: 'dynamic',
      tools: () => ({ lookup }),
      agents: () => ({ writer: writer.agent }),
      instructions: () => 'Plan well.',
      model: async () => cast.model,
    })
    const troupe = createTroupe({ agents: [agent, writer.agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(statuses(result)).toEqual(['a: complete', 'b: complete', 'c: complete'])
    expect(result).toMatchObject({ outcome: 'completed', text: 'The answer.' })
    expect(asked).toEqual(['a'])
    expect(shown(cast.model, 1)[0]).toEqual({ role: 'system', content: 'Plan well.' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('a thread keeps the task and the answer, and nothing of the plan', async () => {
    const { lookup } = lookupTool()
    const cast = planner({ plans: [plan(looking('a'))] }, { tools: { lookup }, memory: true })
    const troupe = createTroupe({ agents: [cast.agent] })
    const run = await troupe.start(cast.agent, 'Report on tides', { threadId: 't' })
    await run.result
    expect((await troupe.memory.messages('t')).map(({ content }) => content)).toEqual([
      'Report on tides',
      'The answer.',
    ])
  })

  test('feedback of a delegation hook is in the very next prompts', async () => {
    const writer = worker('writer', ['An article.'])
    const cast = planner(
      { plans: [plan({ id: 'a', toolHint: 'agent-writer' }, { id: 'b', dependsOn: ['a'] })] },
      {
        agents: { writer: writer.agent },
        delegation: {
          onDelegationComplete: () => ({ feedback: 'Mind the length.', resultText: 'Written.' }),
        },
      },
    )
    const { result } = await played(cast)
    expect(result.plan?.steps[0]?.result).toBe('An article.')
    expect(shown(cast.model, 2).map(({ content }) => content)).toContain('Mind the length.')
    expect(cast.prompts('step')[0]).toContain('- goal of a\n  Written.')
    expect(cast.prompts('answer')[0]).toContain('- "a" (complete): goal of a\n  Written.')
  })

  test('a subagent is shown the task, and nothing of what the planner asks its model', async () => {
    const writer = worker('writer', ['An article.'])
    const cast = planner(
      { plans: [plan({ id: 'a', toolHint: 'agent-writer' })] },
      { agents: { writer: writer.agent } },
    )
    await played(cast, 'Report on tides')
    expect(shown(writer.model, 1).map(({ content }) => content)).toEqual([
      'I am writer.',
      'Report on tides',
      'goal of a',
    ])
  })

  test('options of a run stand over those of the definition', async () => {
    const { lookup } = lookupTool('a')
    const bad = plan(looking('a'))
    const cast = planner({ plans: [bad, bad, bad, bad] }, { tools: { lookup }, maxReplans: 3 })
    const result = await cast.agent.generate('Go', { maxReplans: 1 })
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'maxReplans' })
    expect(cast.prompts('plan')).toHaveLength(2)
  })
})
