/** A plan waits for a person, who approves it, changes its steps, or rejects it with a reason. */
import { createPlanner, createTool, createTroupe, memoryStore, type JsonValue, type RunStore } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents } from '../../support/agents/agents.ts'

type Approve = Parameters<typeof createPlanner>[0]['approvePlan']

const step = (id: string, ...dependsOn: string[]) => ({
  id,
  goal: `Find ${id}.`,
  toolHint: 'lookup',
  args: { q: id },
  dependsOn,
})

const plan = (...steps: object[]): string => JSON.stringify({ steps })

function desk(steps: readonly ScriptedStep[], approvePlan: Approve, more: object = {}) {
  const asked: string[] = []
  const lookup = createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => {
      asked.push(q)
      if (q === 'bad') throw new Error('broken')
      return `facts on ${q}`
    },
  })
  const model = scriptedModel(steps, { modelId: 'm' })
  const agent = createPlanner({
    id: 'desk',
    model,
    tools: { lookup },
    ...(approvePlan === undefined ? {} : { approvePlan }),
    ...more,
  })
  return { agent, asked, model }
}

async function waiting(
  steps: readonly ScriptedStep[],
  approvePlan: Approve = true,
  more: object = {},
  store: RunStore = memoryStore(),
) {
  const made = desk(steps, approvePlan, more)
  const troupe = createTroupe({ agents: [made.agent], store })
  const run = await troupe.start(made.agent, 'Go')
  const idle = await run.whenIdle
  return { ...made, troupe, run, store, idle }
}

describe('a plan that waits', () => {
  test('runs no step before a person approves it', async () => {
    const { run, idle, asked, troupe } = await waiting([plan(step('tides'), step('winds')), 'Done.'])
    expect(idle).toMatchObject({
      outcome: 'suspended',
      awaiting: [
        {
          toolCallId: 'desk/plan:1',
          type: 'approval',
          agent: 'desk',
          toolName: 'plan',
          args: { steps: [step('tides'), step('winds')] },
          payload: { revision: 1, finished: [], maxPlanSteps: 20 },
        },
      ],
    })
    expect(asked).toEqual([])
    expect(await troupe.awaiting()).toMatchObject({ items: [{ toolCallId: 'desk/plan:1', path: 'desk' }] })
    await run.approve('desk/plan:1', { by: 'ann' })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(asked.toSorted()).toEqual(['tides', 'winds'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('runs the steps that a person has put in the place of those of the model', async () => {
    const { run, asked, troupe } = await waiting([plan(step('tides')), 'Done.'])
    await run.approve('desk/plan:1', { args: { steps: [step('winds'), step('rain', 'winds')] }, by: 'ann' })
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      plan: {
        revision: 1,
        steps: [
          { id: 'winds', status: 'complete' },
          { id: 'rain', status: 'complete' },
        ],
      },
    })
    expect(asked).toEqual(['winds', 'rain'])
    const events = await allEvents(run)
    expect(events.map(({ type }) => type).filter((type) => /plan-c|answered|approval/.test(type))).toEqual([
      'tool-call-approval',
      'tool-call-answered',
      'plan-created',
    ])
    expect(events.find(({ type }) => type === 'tool-call-answered')?.payload).toMatchObject({
      by: 'ann',
      args: { steps: [step('winds'), step('rain', 'winds')] },
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test.each<[string, JsonValue, RegExp]>([
    ['no step', { steps: [] }, /no steps/],
    ['a cycle', { steps: [step('a', 'b'), step('b', 'a')] }, /wait for one another/],
    ['an unknown id', { steps: [step('a', 'z')] }, /"z", which is no step/],
    ['the same id twice', { steps: [step('a'), step('a')] }, /stands twice/],
    ['an unknown tool', { steps: [{ ...step('a'), toolHint: 'nothing' }] }, /nothing/],
    ['arguments that do not fit', { steps: [{ ...step('a'), args: { q: 7 } }] }, /q/],
    ['no plan at all', 'nothing', /steps|object/],
    ['more steps than allowed', { steps: [step('a'), step('b'), step('c')] }, /at most 2/],
  ])('refuses changes with %s, and still asks', async (_name, args, problem) => {
    const { run, asked } = await waiting([plan(step('tides')), 'Done.'], true, { maxPlanSteps: 2 })
    const refused = run.approve('desk/plan:1', { args })
    await expect(refused).rejects.toMatchObject({ code: 'SIGNAL_ARGS_INVALID' })
    await expect(refused).rejects.toThrow(problem)
    expect(asked).toEqual([])
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('is planned again with the reason of a no, within maxReplans, and asked about again', async () => {
    const { run, asked, model } = await waiting([plan(step('tides')), plan(step('winds')), 'Done.'])
    await run.deny('desk/plan:1', 'Too wet.')
    expect(await run.whenIdle).toMatchObject({
      awaiting: [{ toolCallId: 'desk/plan:2', payload: { reason: 'A person rejected the plan: Too wet.' } }],
    })
    expect(JSON.stringify(model.calls.at(-1))).toContain('Too wet.')
    await run.approve('desk/plan:2')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(asked).toEqual(['winds'])
  })

  test('fails the run when the last plan is refused', async () => {
    const { run, asked } = await waiting([plan(step('tides')), plan(step('winds'))], true, { maxReplans: 1 })
    await run.deny('desk/plan:1')
    await run.whenIdle
    await run.deny('desk/plan:2', 'Nor this.')
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'PLAN_REJECTED',
        message: 'A person rejected the plan: Nor this.',
      },
    })
    expect(asked).toEqual([])
  })

  test('asks about each revision, and keeps what is done', async () => {
    const { run, asked } = await waiting([
      plan(step('tides'), step('bad', 'tides')),
      plan(step('winds', 'tides')),
      'Done.',
    ])
    await run.approve('desk/plan:1')
    expect(await run.whenIdle).toMatchObject({
      awaiting: [{ toolCallId: 'desk/plan:2', payload: { revision: 2, finished: ['tides'] } }],
    })
    await run.approve('desk/plan:2', { args: { steps: [step('rain', 'tides')] } })
    expect(await run.result).toMatchObject({ outcome: 'completed', plan: { revision: 2 } })
    expect(asked).toEqual(['tides', 'bad', 'rain'])
  })

  test('answers from the results that there are when the last revision is refused', async () => {
    const { run } = await waiting(
      [plan(step('tides'), step('bad', 'tides')), plan(step('winds')), 'In part.'],
      true,
      { maxReplans: 1 },
    )
    await run.approve('desk/plan:1')
    await run.whenIdle
    await run.deny('desk/plan:2', 'Enough.')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'maxReplans', text: 'In part.' })
  })

  test('is no plan to change what is done: the id of a finished step is for that step alone', async () => {
    const again = step('tides')
    const { run, asked } = await waiting([
      plan(step('tides'), step('bad', 'tides')),
      plan(again, step('winds', 'tides')),
      'Done.',
    ])
    await run.approve('desk/plan:1')
    await run.whenIdle
    for (const steps of [
      [{ ...again, args: { q: 'tides again' } }],
      [{ ...again, goal: 'Find more.' }, step('rain')],
    ]) {
      const refused = run.approve('desk/plan:2', { args: { steps } })
      await expect(refused).rejects.toMatchObject({ code: 'SIGNAL_ARGS_INVALID' })
      await expect(refused).rejects.toThrow('The step "tides" is finished, and does not run again.')
    }
    await run.approve('desk/plan:2', { args: { steps: [again, step('rain', 'tides')] } })
    expect(await run.result).toMatchObject({ outcome: 'completed', plan: { revision: 2 } })
    expect(asked).toEqual(['tides', 'bad', 'rain'])
  })

  test('is decided each time: "always" is refused', async () => {
    const { run } = await waiting([plan(step('tides')), 'Done.'])
    await expect(run.approve('desk/plan:1', { always: true })).rejects.toMatchObject({
      code: 'SIGNAL_TYPE_MISMATCH',
    })
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('ends with its run', async () => {
    const { run, troupe } = await waiting([plan(step('tides'))])
    await run.cancel('No more.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    await expect(run.approve('desk/plan:1')).rejects.toMatchObject({ code: 'SIGNAL_TOO_LATE' })
    expect(await troupe.awaiting()).toEqual({ items: [] })
  })
})

describe('a function', () => {
  test('decides for each plan', async () => {
    const seen: unknown[] = []
    const { run, asked } = await waiting(
      [plan(step('tides'), step('bad', 'tides')), plan(step('winds')), 'Done.'],
      ({ revision, proposed, reason, originalTask }) => {
        seen.push([revision, proposed.map(({ id }) => id), reason === undefined, originalTask])
        return revision > 1
      },
    )
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(seen).toEqual([
      [1, ['tides', 'bad'], true, 'Go'],
      [2, ['winds'], false, 'Go'],
    ])
    expect(asked).toEqual(['tides', 'bad', 'winds'])
  })

  test('that throws fails the run, and no step runs', async () => {
    const { run, asked } = await waiting([plan(step('tides'))], () => {
      throw new Error('no idea')
    })
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { message: 'no idea' } })
    expect(asked).toEqual([])
  })

  test('that throws leads to a person where hook errors are ignored', async () => {
    const { idle } = await waiting(
      [plan(step('tides'))],
      () => {
        throw new Error('no idea')
      },
      { hookErrors: 'ignore' },
    )
    expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolName: 'plan' }] })
  })
})

describe('what was approved', () => {
  const act = (tool: string | null, answer: string | null = null) =>
    JSON.stringify({ tool, args: tool === 'book' ? { what: 'train' } : { q: 'tides' }, answer, replan: null })

  /** The model chooses the call of the one step. */
  async function carriedOut(hint: string | null, approvePlan: Approve, ...replies: readonly ScriptedStep[]) {
    const booked: string[] = []
    const book = createTool({
      id: 'book',
      description: 'Books tickets.',
      inputSchema: z.object({ what: z.string() }),
      execute: ({ what }) => void booked.push(what),
    })
    const { lookup } = desk([], true).agent.tools
    const proposed = plan({ ...step('tides'), toolHint: hint, args: null })
    const tools = { book, ...(lookup === undefined ? {} : { lookup }) }
    const made = await waiting([proposed, ...replies], approvePlan, { tools, retries: 0 })
    return { ...made, booked }
  }

  test.each<[string, Approve]>([
    ['a person', true],
    ['a function', () => false],
  ])('by %s is the only tool that a step with a hint may call', async (_, approve) => {
    const next = plan(step('winds'))
    const { run, booked, model, troupe } = await carriedOut(
      'lookup',
      approve,
      act('book'),
      act('book'),
      next,
      'Done.',
    )
    if (approve === true) await run.approve('desk/plan:1')
    if (approve === true) {
      expect(await run.whenIdle).toMatchObject({ awaiting: [{ toolCallId: 'desk/plan:2' }] })
      await run.approve('desk/plan:2')
    }
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      plan: {
        steps: [
          { id: 'tides', status: 'failed' },
          { id: 'winds', status: 'complete' },
        ],
      },
    })
    expect(JSON.stringify(result.plan?.steps[0]?.error)).toContain('was approved with')
    expect(booked).toEqual([])
    const offered = JSON.stringify(model.calls[1])
    expect(offered).toContain('- lookup:')
    expect(offered).not.toContain('- book:')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test.each([
    ['its own tool', act('lookup')],
    ['its own answer', act(null, 'High at six.')],
  ])('may be carried out by %s', async (_, reply) => {
    const { run, booked } = await carriedOut('lookup', true, reply, 'Done.')
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      plan: { steps: [{ status: 'complete' }] },
    })
    expect(booked).toEqual([])
  })

  test('leaves a step without a hint open', async () => {
    const { run, booked } = await carriedOut(null, true, act('book'), 'Done.')
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(booked).toEqual(['train'])
  })

  test('binds nothing where nobody approves plans', async () => {
    const { run, booked, model } = await carriedOut('lookup', false, act('book'), 'Done.')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(booked).toEqual(['train'])
    expect(JSON.stringify(model.calls[1])).toContain('The plan suggests')
  })

  test('binds nothing in a run that began before it did', async () => {
    const store = memoryStore()
    const older: RunStore = {
      ...store,
      append: (given) => store.append(withoutBinding(given)),
    }
    const first = await waiting([plan({ ...step('tides'), args: null })], true, {}, older)
    await first.troupe.close()
    const next = desk([act('lookup'), 'Done.'], true)
    const troupe = createTroupe({ agents: [next.agent], store })
    const run = await troupe.resume(first.run.id)
    await run.approve('desk/plan:1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(JSON.stringify(next.model.calls[0])).toContain('The plan suggests')
  })
})

/** As the journals of before have it. */
function withoutBinding<Given>(given: Given): Given {
  return JSON.parse(JSON.stringify(given), (name, value: unknown) =>
    name === 'bindsSteps' ? undefined : value,
  ) as Given
}

describe('a restart', () => {
  test('before and after the answer repeats nothing', async () => {
    const { run, troupe, store } = await waiting([plan(step('tides')), 'Done.'])
    await troupe.close()
    const second = desk(['Done.'], true)
    const other = createTroupe({ agents: [second.agent], store })
    await other.signal(run.id, {
      type: 'approve',
      toolCallId: 'desk/plan:1',
      args: { steps: [step('rain')] },
    })
    await other.close()
    const third = desk(['Done.'], true)
    const last = createTroupe({ agents: [third.agent], store })
    const result = await (await last.resume(run.id)).result
    expect(result).toMatchObject({ outcome: 'completed', plan: { steps: [{ id: 'rain' }] } })
    expect([...second.asked, ...third.asked]).toEqual(['rain'])
    expect((await last.replay(run.id)).result).toEqual(result)
  })
})

describe('a deploy', () => {
  async function redeployed(before: Approve, after: Approve, steps: readonly ScriptedStep[]) {
    const first = await waiting([plan(step('tides'), step('bad', 'tides'))], before, {
      tools: { lookup: heldLookup() },
    })
    await first.troupe.close()
    const next = desk(steps, after)
    const troupe = createTroupe({ agents: [next.agent], store: first.store })
    return { run: await troupe.resume(first.run.id), ...next, troupe, store: first.store }
  }

  const heldLookup = () =>
    createTool({
      id: 'lookup',
      description: 'Looks something up.',
      inputSchema: z.object({ q: z.string() }),
      requireApproval: true,
      execute: () => 'never',
    })

  test.each<[string, Approve]>([
    ['true', true],
    ['a function', () => true],
  ])('that asks by now (%s) asks about the next plan, and the verdict stands', async (_name, after) => {
    const { run, store, troupe } = await redeployed(false, after, [plan(step('winds')), 'Done.'])
    await run.deny('desk/call:1.1', 'Not this.')
    expect(await run.whenIdle).toMatchObject({ awaiting: [{ toolCallId: 'desk/plan:1' }] })
    await troupe.close()
    const later = desk(['Done.'], undefined)
    const last = createTroupe({ agents: [later.agent], store })
    const resumed = await last.resume(run.id)
    expect(await resumed.whenIdle).toMatchObject({ awaiting: [{ toolCallId: 'desk/plan:1' }] })
    await last.close()
  })

  test('that asks no more still asks, also about later plans', async () => {
    const first = await waiting([plan(step('tides'))])
    await first.troupe.close()
    const next = desk([plan(step('winds')), 'Done.'], undefined)
    const troupe = createTroupe({ agents: [next.agent], store: first.store })
    const run = await troupe.resume(first.run.id)
    await run.deny('desk/plan:1', 'No.')
    expect(await run.whenIdle).toMatchObject({ awaiting: [{ toolCallId: 'desk/plan:2' }] })
    await run.approve('desk/plan:2')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(next.asked).toEqual(['winds'])
  })

  test.each<[string, Approve]>([
    ['gone', undefined],
    ['false by now', false],
  ])('asks a person where the function that decided is %s', async (_, after) => {
    const first = await waiting([plan(step('tides'))], () => true)
    await first.troupe.close()
    const next = desk([plan(step('winds')), 'Done.'], after)
    const troupe = createTroupe({ agents: [next.agent], store: first.store })
    const run = await troupe.resume(first.run.id)
    await run.deny('desk/plan:1', 'No.')
    expect(await run.whenIdle).toMatchObject({ awaiting: [{ toolCallId: 'desk/plan:2' }] })
    expect(next.asked).toEqual([])
    await run.approve('desk/plan:2')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})
