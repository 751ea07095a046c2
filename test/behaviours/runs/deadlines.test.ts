/** Everything of the user's has a deadline: whatever it does, its run ends, with the timeout on record. */
import { createScorer, createTool, createTroupe, memoryStore, type JournalEntry, type Run } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'
import {
  cases,
  limit,
  type Case,
  type Misbehave,
  type Misbehaviour,
} from '../../support/agents/misbehaving.ts'
import { virtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

const isSettled = (entry: JournalEntry): entry is Settled => entry.type === 'effect.settled'

/** Lets time pass until the run has ended, whenever something waits for it. */
async function ended(run: Run, clock: VirtualClock) {
  for (let passed = 0; passed < 200; passed++) {
    const waits = clock.armed().then(() => new Promise<undefined>((resolve) => setTimeout(resolve)))
    const result = await Promise.race([run.result, waits])
    if (result !== undefined) return result
    clock.advance(limit / 2)
  }
  throw new Error('The run has not ended.')
}

function misbehaving(how: Misbehaviour, clock: VirtualClock) {
  const late = Promise.withResolvers<void>()
  let times = 0
  const misbehave: Misbehave = (value) => {
    times++
    if (how === 'hangs') return new Promise(() => undefined)
    if (how === 'is late') return late.promise.then(() => value)
    clock.jump(2 * limit)
    return Promise.resolve(value)
  }
  return { misbehave, comes: () => late.resolve(), asked: () => times }
}

/** Plays one case to its end. */
async function played({ make, code }: Case, how: Misbehaviour) {
  const clock = virtualClock()
  const { misbehave, comes, asked } = misbehaving(how, clock)
  const { agent, store = memoryStore(), options = {} } = make(misbehave)
  const troupe = createTroupe({ agents: [agent], store, clock, onError: () => undefined })
  const run = await troupe.start(agent, 'Go', options)
  const result = await ended(run, clock)
  const settled = async () => ((await store.read(run.id)) ?? []).filter(isSettled)
  const timedOut = (await settled()).find(({ settlement }) => JSON.stringify(settlement).includes(code))
  const lateOnes = async () =>
    (await settled()).filter(({ key, late }) => late === true && key === timedOut?.key)
  return { clock, run, result, timedOut, lateOnes, comes, asked, replay: () => troupe.replay(run.id) }
}

describe.each(Object.entries(cases))('%s', (_name, each) => {
  test.each(each.does ?? (['hangs', 'is late', 'blocks'] as const))('that %s', async (how) => {
    const { clock, run, result, timedOut, lateOnes, comes, asked, replay } = await played(each, how)
    expect(result.outcome).toBe(each.outcome)
    expect(asked()).toBeGreaterThan(0)
    expect(timedOut).toBeDefined()
    expect((await replay()).result).toEqual(result)

    comes()
    const isRecorded = how !== 'hangs' && each.isPart !== true && (each.late ?? [how]).includes(how)
    await expect.poll(async () => (await lateOnes()).length).toBe(isRecorded ? 1 : 0)
    expect((await replay()).result).toEqual(result)
    expect(await run.result).toEqual(result)
    expect(clock.pending).toBe(0)
  })
})

test('an effect that ends in time has cost no alarm', async () => {
  const clock = virtualClock()
  let alarms = 0
  const counting = {
    ...clock,
    after: (...args: Parameters<typeof clock.after>) => (alarms++, clock.after(...args)),
  }
  const { agent } = worker('worker', ['Done.'], {
    onStepFinish: async () => undefined,
    onFinish: () => undefined,
    modelTimeout: limit,
  })
  const run = await createTroupe({ agents: [agent], clock: counting }).start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(alarms).toBe(0)
})

test('the abort signal of a tool that ends in time never fires, nor that of its model call', async () => {
  const signals: AbortSignal[] = []
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({}),
    timeout: limit,
    execute: (_, { signal }) => {
      signals.push(signal)
      return 'acted'
    },
  })
  const { agent, model } = worker('worker', [calls({ name: 'act', args: {} }), 'Done.'], {
    tools: { act },
    modelTimeout: limit,
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  signals.push(...model.calls.map(({ signal }) => signal))
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
})

describe('the timeout of a delegation', () => {
  const helped = () => worker('helper', ['Found.'], {})

  test('covers onDelegationStart: timed out, and neither the subagent nor onDelegationComplete runs', async () => {
    const clock = virtualClock()
    const helper = helped()
    const completed: unknown[] = []
    const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
      agents: { helper: helper.agent },
      delegation: {
        timeout: limit,
        onDelegationStart: () => new Promise(() => undefined),
        onDelegationComplete: (context) => void completed.push(context),
      },
    })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const result = await ended(run, clock)
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'timedOut', error: { code: 'DELEGATION_TIMEOUT' } }],
    })
    expect(helper.model.calls).toHaveLength(0)
    expect(completed).toEqual([])
    expect(clock.pending).toBe(0)
  })

  test.each([
    { hookErrors: 'fail', outcome: 'failed' },
    { hookErrors: 'ignore', outcome: 'succeeded' },
  ] as const)(
    'covers onDelegationComplete: $outcome with hookErrors $hookErrors, and text and usage are kept',
    async ({ hookErrors, outcome }) => {
      const clock = virtualClock()
      const helper = helped()
      const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
        agents: { helper: helper.agent },
        hookErrors,
        delegation: { timeout: limit, onDelegationComplete: () => new Promise(() => undefined) },
      })
      const troupe = createTroupe({ agents: [agent], clock })
      const run = await troupe.start(agent, 'Go')
      const result = await ended(run, clock)
      expect(result.delegations).toMatchObject([
        { outcome, text: 'Found.', hookError: { code: 'HOOK_TIMEOUT' }, duration: limit },
      ])
      expect(result.delegations[0]?.usage.totalTokens).toBeGreaterThan(0)
      expect((await troupe.replay(run.id)).result).toEqual(result)
      expect(clock.pending).toBe(0)
    },
  )
})

test('the model is told what it can act on when a tool takes too long', async () => {
  const clock = virtualClock()
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({}),
    timeout: limit,
    execute: () => new Promise(() => undefined),
  })
  const { agent, model } = worker('worker', [calls({ name: 'act', args: {} }), 'Done.'], { tools: { act } })
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  expect(await ended(run, clock)).toMatchObject({
    steps: [{ toolResults: [{ outcome: 'failed', error: { code: 'TOOL_TIMEOUT' } }] }, {}],
  })
  expect(toldOfCalls(model, 2)).toEqual([
    '{"error":"The tool \\"act\\" did not finish within 1000 ms. Ask it for less, or go on without it."}',
  ])
})

test('a scorer that blocks past the deadline of all scorers has come too late', async () => {
  const clock = virtualClock()
  const slow = createScorer({
    id: 'slow',
    score: () => {
      clock.jump(limit)
      return 1
    },
  })
  const { agent } = lead('boss', ['Done.'], {
    completion: { scorers: [slow], timeout: limit, continueOnFail: false },
    onExhausted: 'stop',
  })
  const troupe = createTroupe({ agents: [agent], clock })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  expect(result).toMatchObject({
    outcome: 'exhausted',
    reason: 'completion',
    scores: [{ outcome: 'errored', results: [{ passed: false, error: { code: 'SCORER_TIMEOUT' } }] }],
  })
  const late = (await troupe.journal(run.id)).filter((entry) => isSettled(entry) && entry.late === true)
  expect(late).toMatchObject([{ kind: 'scorer', settlement: { value: { score: 1 } } }])
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('of two processors the one that hangs is left out, and the other still guards', async () => {
  const clock = virtualClock()
  const { agent } = worker('worker', ['A secret.'], {
    hookErrors: 'ignore',
    hookTimeout: limit,
    outputProcessors: [
      { id: 'hung', processOutput: () => new Promise(() => undefined) },
      { id: 'guard', processOutput: ({ text, abort }) => (text.includes('secret') ? abort('secret') : text) },
    ],
  })
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  expect(await ended(run, clock)).toMatchObject({ outcome: 'tripped' })
})

test('time in which a tool waits for a person does not count', async () => {
  const clock = virtualClock()
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({}),
    timeout: limit,
    requireApproval: true,
    execute: (_, { suspend, resumeData }) => (resumeData === undefined ? suspend() : 'acted'),
  })
  const { agent } = worker('worker', [calls({ name: 'act', args: {} }), 'Done.'], { tools: { act } })
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  const call = 'worker/call:1.1'
  await until(run, 'tool-call-approval')
  clock.advance(5 * limit)
  await run.approve(call)
  await until(run, 'tool-call-suspended')
  clock.advance(5 * limit)
  await run.resume(call, 'go')
  expect(await run.result).toMatchObject({ steps: [{ toolResults: [{ outcome: 'succeeded' }] }, {}] })
})
