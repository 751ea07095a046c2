/** `budget.wallClock`: a timer of the run. It cuts what is under way, each agent has its last word, and it fires once. */
import {
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type Run,
  type Troupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { firstLease, released } from '../../../src/runtime/journal/store.ts'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'
import { virtualClock, type VirtualClock } from '../../support/clocks/virtual-clock.ts'

const spent = { outcome: 'exhausted', reason: 'budget' } as const
const budget = { wallClock: 1_000 }

/** A tool that never ends by itself; it settles late where it is told to. */
function slowTool(id = 'work') {
  const begun = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const gate = Promise.withResolvers<string>()
  const tool = createTool({
    id,
    description: 'Works.',
    inputSchema: z.object({}),
    execute: (_, { signal }) => {
      signals.push(signal)
      begun.resolve()
      return gate.promise
    },
  })
  return { tool, begun: begun.promise, signals, gate }
}

async function started<Options extends object>(
  agent: AgentDefinition<Options>,
  options: Options,
  clock: VirtualClock,
) {
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], clock, store })
  return { troupe, store, run: await troupe.start(agent, 'Go', options) }
}

async function ending(troupe: Troupe, run: Run) {
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  const journal = await troupe.journal(run.id)
  return { result, events, journal, fired: journal.filter((entry) => entry.type === 'timer.fired') }
}

test('a model call in flight is cut, and the agent has its last word', async () => {
  const clock = virtualClock()
  const { agent, model } = worker('solo', [{ hang: true }], { otherwise: 'Last.' })
  const { troupe, run } = await started(agent, { budget }, clock)
  await until(run, 'step-start')
  clock.advance(1_000)
  const { result, events, fired } = await ending(troupe, run)
  expect(result).toMatchObject({ ...spent, text: 'Last.' })
  expect(model.calls.map(({ request, signal }) => [request.toolChoice, signal.aborted])).toEqual([
    ['auto', true],
    ['none', false],
  ])
  expect(fired).toMatchObject([{ key: 'budget:wallClock', dueAt: 2_000 }])
  expect(only(events, 'error').map(({ payload }) => payload.error.message)).toEqual([
    'The budget of the run is used up: wallClock 1000 of 1000.',
  ])
})

describe('a cancel in the turn in which the time is over', () => {
  const happenings = {
    cancel: (run: Run): void => void run.cancel('enough'),
    time: (_: Run, clock: VirtualClock): void => clock.advance(1_000),
  }
  const orders: readonly (readonly (keyof typeof happenings)[])[] = [
    ['cancel', 'time'],
    ['time', 'cancel'],
  ]
  test.each(orders)('first the %s, then the %s', async (...order) => {
    const clock = virtualClock()
    const { agent } = worker('solo', [{ hang: true }], { otherwise: 'Last.' })
    const { troupe, run } = await started(agent, { budget }, clock)
    await until(run, 'step-start')
    for (const happening of order) happenings[happening](run, clock)
    const { result } = await ending(troupe, run)
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  })
})

test("under onExhausted 'stop' there is no last word", async () => {
  const clock = virtualClock()
  const { agent, model } = worker('solo', [{ hang: true }])
  const { troupe, run } = await started(agent, { budget, onExhausted: 'stop' }, clock)
  await until(run, 'step-start')
  clock.advance(1_000)
  const { result } = await ending(troupe, run)
  expect(result).toMatchObject({ ...spent, text: 'The agent stopped before it reached an answer.' })
  expect(model.calls).toHaveLength(1)
})

test('tools in flight expire, waiting ones are not begun, and every call has its answer', async () => {
  const clock = virtualClock()
  const { tool, begun, signals, gate } = slowTool()
  const { agent, model } = worker('solo', [calls({ name: 'work' }, { name: 'work' }, { name: 'work' })], {
    tools: { work: tool },
    toolCallConcurrency: 2,
    otherwise: 'Last.',
  })
  const { troupe, run } = await started(agent, { budget }, clock)
  await begun
  await until(run, 'tool-call', ({ payload }) => payload.toolCallId === 'solo/call:1.2')
  clock.advance(1_000)
  const result = await run.result
  expect(signals).toHaveLength(2)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
  expect(result).toMatchObject({ ...spent, text: 'Last.' })
  expect(result.steps[0]?.toolResults).toMatchObject(
    Array.from({ length: 3 }, () => ({ outcome: 'cancelled', error: { code: 'BUDGET_EXCEEDED' } })),
  )
  const last = model.calls.at(-1)?.request.messages ?? []
  expect(last.filter(({ role }) => role === 'tool')).toHaveLength(3)
  gate.resolve('late')
  await ending(troupe, run)
})

test('what a tool gives after it is recorded as late', async () => {
  const clock = virtualClock()
  const { tool, begun, gate } = slowTool()
  const answering = Promise.withResolvers<void>()
  const { agent } = worker('solo', [calls({ name: 'work' }), { text: 'Last.', until: answering.promise }], {
    tools: { work: tool },
  })
  const { troupe, run } = await started(agent, { budget }, clock)
  await begun
  clock.advance(1_000)
  await until(run, 'tool-error')
  gate.resolve('late')
  await new Promise((resolve) => setImmediate(resolve))
  answering.resolve()
  const { journal } = await ending(troupe, run)
  expect(journal.filter((entry) => entry.type === 'effect.settled' && entry.late === true)).toMatchObject([
    { kind: 'tool', settlement: { value: { type: 'returned', value: 'late' } } },
  ])
})

test('a hook in flight expires, and what was not asked yet never is', async () => {
  const clock = virtualClock()
  const asked: string[] = []
  const hanging = Promise.withResolvers<void>()
  const sub = worker('sub', [])
  const { agent, model } = lead('lead', [calls(to('sub', 'a'))], {
    agents: { sub: sub.agent },
    otherwise: 'Last.',
    delegation: {
      onDelegationStart: () => {
        asked.push('start')
        hanging.resolve()
        return new Promise(() => undefined)
      },
      onDelegationComplete: () => void asked.push('complete'),
    },
  })
  const { troupe, run } = await started(agent, { budget }, clock)
  await hanging.promise
  clock.advance(1_000)
  const { result } = await ending(troupe, run)
  expect(result).toMatchObject({ ...spent, text: 'Last.', delegations: [{ outcome: 'exhausted', text: '' }] })
  expect(asked).toEqual(['start'])
  expect([model.calls.length, sub.model.calls.length]).toEqual([2, 0])
})

test('the whole tree is told: delegations are exhausted with the last words of their agents', async () => {
  const clock = virtualClock()
  const asked: string[] = []
  const sub = worker('sub', [{ hang: true }, { hang: true }], {
    otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'So far.' : 'x'),
  })
  const inner = lead('inner', [calls(to('sub', 'a'))], { agents: { sub: sub.agent }, otherwise: 'Inner.' })
  const { agent } = lead('lead', [calls(to('inner', 'a'), to('sub', 'b'))], {
    agents: { inner: inner.agent, sub: sub.agent },
    otherwise: 'Last.',
    delegation: { onDelegationComplete: () => void asked.push('complete') },
  })
  const { troupe, run } = await started(agent, { budget }, clock)
  await until(run, 'step-start', ({ path }) => path.startsWith('lead/delegation:1.1/inner/'))
  clock.advance(1_000)
  const { result, events, fired } = await ending(troupe, run)
  expect(result).toMatchObject({
    ...spent,
    text: 'Last.',
    delegations: [
      { agent: 'inner', outcome: 'exhausted', text: 'Inner.' },
      { agent: 'sub', outcome: 'exhausted', text: 'So far.' },
    ],
  })
  expect(fired).toHaveLength(1)
  expect(asked).toEqual([])
  expect(only(events, 'iteration-end')).toHaveLength(only(events, 'iteration-start').length)
})

test('work in the background is told too', async () => {
  const clock = virtualClock()
  const sub = worker('sub', [{ hang: true }], { otherwise: 'So far.' })
  const { agent } = lead('lead', [calls(to('sub', 'a')), 'Meanwhile.'], {
    agents: { sub: sub.agent },
    backgroundTasks: { sub: {} },
    otherwise: 'Last.',
  })
  const { troupe, run } = await started(agent, { budget }, clock)
  await until(run, 'step-finish', ({ payload, path }) => path === 'lead' && payload.step === 2)
  clock.advance(1_000)
  const { result, events } = await ending(troupe, run)
  expect(result).toMatchObject({
    ...spent,
    text: 'Last.',
    delegations: [{ outcome: 'exhausted', text: 'So far.' }],
  })
  expect(only(events, 'background-end')).toHaveLength(1)
})

test('a reply that processors have not accepted is not shown, and an unready agent has no last word', async () => {
  const clock = virtualClock()
  const looking = Promise.withResolvers<void>()
  const drafts = worker('solo', ['Secret.'])
  const options = {
    budget,
    onExhausted: 'stop',
    outputProcessors: [
      {
        id: 'guard',
        processOutput: () => {
          looking.resolve()
          return new Promise<string>(() => undefined)
        },
      },
    ],
  } as const
  const first = await started(drafts.agent, options, clock)
  await looking.promise
  clock.advance(1_000)
  const { result } = await ending(first.troupe, first.run)
  expect(result).toMatchObject(spent)
  expect(JSON.stringify(result)).not.toContain('Secret')
  const reading = Promise.withResolvers<void>()
  const unread = worker('other', [])
  const second = await started(
    unread.agent,
    {
      budget,
      inputProcessors: [
        {
          id: 'guard',
          processInput: () => {
            reading.resolve()
            return new Promise<undefined>(() => undefined)
          },
        },
      ],
    },
    clock,
  )
  await reading.promise
  clock.advance(1_000)
  expect((await ending(second.troupe, second.run)).result).toMatchObject(spent)
  expect(unread.model.calls).toEqual([])
})

describe('the clock', () => {
  /** Its first reply takes 400 ms; it is followed by a question to a person. */
  const asking = (clock: VirtualClock) => {
    const tool = createTool({
      id: 'publish',
      description: 'Publishes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'published',
    })
    const asks = () => {
      clock.advance(400)
      return calls({ name: 'publish' })
    }
    return worker('solo', [asks, { hang: true }], {
      tools: { publish: tool },
      otherwise: 'Last.',
    })
  }

  test('stands still while the run is suspended, and goes on with what was left', async () => {
    const clock = virtualClock()
    const { agent } = asking(clock)
    const { troupe, run } = await started(agent, { budget }, clock)
    await run.whenIdle
    clock.advance(86_400_000)
    expect(clock.pending).toBe(0)
    const question = await until(run, 'tool-call-approval')
    await run.approve(question.payload.toolCallId)
    await until(run, 'step-start', ({ payload }) => payload.step === 2)
    clock.advance(599)
    await new Promise((resolve) => setImmediate(resolve))
    expect((await troupe.journal(run.id)).some(({ type }) => type === 'timer.fired')).toBe(false)
    clock.advance(1)
    const { result, fired } = await ending(troupe, run)
    expect(result).toMatchObject({ ...spent, text: 'Last.' })
    expect(fired).toHaveLength(1)
  })

  test('runs on over a restart, and fires before anything goes on', async () => {
    const clock = virtualClock()
    const store = memoryStore()
    const { agent, model } = worker('solo', [{ hang: true }], { otherwise: 'Last.' })
    const first = createTroupe({ agents: [agent], clock, store })
    const run = await first.start(agent, 'Go', { budget })
    run.result.catch(() => undefined)
    await until(run, 'step-start')
    await first.close()
    clock.jump(5_000)
    const second = createTroupe({ agents: [agent], clock, store })
    const again = await second.resume(run.id)
    const { result, fired } = await ending(second, again)
    expect(result).toMatchObject({ ...spent, text: 'Last.' })
    expect(fired).toHaveLength(1)
    expect(model.calls.map(({ request }) => request.toolChoice)).toEqual(['auto', 'none'])
  })

  test('fires once: a restart in the last word does not fire it again', async () => {
    const clock = virtualClock()
    const store = memoryStore()
    const { agent } = worker('solo', [{ hang: true }, { hang: true }], { otherwise: 'Last.' })
    const first = createTroupe({ agents: [agent], clock, store })
    const run = await first.start(agent, 'Go', { budget })
    run.result.catch(() => undefined)
    await until(run, 'step-start')
    clock.advance(1_000)
    await until(run, 'error')
    await first.close()
    clock.jump(10_000)
    const second = createTroupe({ agents: [agent], clock, store })
    const { result, fired } = await ending(second, await second.resume(run.id))
    expect(result).toMatchObject({ ...spent, text: 'Last.' })
    expect(fired).toHaveLength(1)
  })

  test('fires once, wherever the process ended', async () => {
    const cast = () => {
      const sub = worker('sub', [], {
        otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'So far.' : { hang: true }),
      })
      const asks = calls(to('sub', 'a'))
      return lead('lead', [], {
        agents: { sub: sub.agent },
        otherwise: ({ toolChoice }) => (toolChoice === 'none' ? 'Last.' : asks),
      })
    }
    const clock = virtualClock()
    const whole = await started(cast().agent, { budget }, clock)
    await until(whole.run, 'step-start', ({ path }) => path.startsWith('lead/delegation'))
    clock.advance(1_000)
    const { journal } = await ending(whole.troupe, whole.run)
    expect(journal.length).toBeGreaterThan(4)
    clock.jump(60_000)
    for (let cut = 1; cut < journal.length; cut++) {
      const store = memoryStore()
      const lease = firstLease(whole.run.id, 'gone', clock.now())
      await store.append(journal.slice(0, cut).map((entry) => ({ runId: lease.runId, lease, entry })))
      await store.renew([released(lease)])
      const next = cast()
      const troupe = createTroupe({ agents: [next.agent], clock, store })
      const after = await ending(troupe, await troupe.resume(whole.run.id))
      expect(after.result).toMatchObject({ ...spent, text: 'Last.' })
      expect(after.fired).toHaveLength(1)
      // Nothing begins after it but last words, and what was settled is not done again.
      expect(next.model.calls.every(({ request }) => request.toolChoice === 'none')).toBe(true)
    }
  })

  test('is stopped by the end of the run, and by a cancel', async () => {
    const clock = virtualClock()
    const done = worker('solo', ['Answer.'])
    const one = await started(done.agent, { budget }, clock)
    await one.run.result
    expect(clock.pending).toBe(0)
    const hung = worker('solo', [{ hang: true }])
    const two = await started(hung.agent, { budget }, clock)
    await until(two.run, 'step-start')
    await two.run.cancel('enough')
    expect(await two.run.result).toMatchObject({ outcome: 'cancelled' })
    expect(clock.pending).toBe(0)
  })
})

describe('in every pattern', () => {
  const hanging = (id = 'w') => {
    const begun = Promise.withResolvers<void>()
    const model = scriptedModel([], {
      modelId: id,
      otherwise: ({ toolChoice }) => {
        begun.resolve()
        return toolChoice === 'none' ? 'So far.' : { hang: true }
      },
    })
    return {
      begun: begun.promise,
      agent: createAgent({ id, description: 'Works.', instructions: 'x', model }),
    }
  }
  const common = { id: 'root', description: 'x', instructions: 'x' }
  const route = { primitiveType: 'agent', primitiveId: 'w', prompt: 'a', selectionReason: 'only' }
  const first = {
    router: JSON.stringify(route),
    dispatcher: JSON.stringify(route),
    planner: JSON.stringify({ steps: [{ id: 'a', goal: 'g', toolHint: 'agent-w' }] }),
    fanOut: JSON.stringify({
      goals: [
        { goal: 'g', agent: 'w' },
        { goal: 'h', agent: 'w' },
      ],
    }),
    debate: 'x',
    metaRouter: 'x',
    reflexion: 'x',
  }

  test.each(Object.keys(first) as (keyof typeof first)[])('%s', async (name) => {
    const clock = virtualClock()
    const w = hanging()
    const v = hanging('v')
    const agents = { w: w.agent, v: v.agent }
    const model = scriptedModel(name === 'debate' || name === 'metaRouter' ? [] : [first[name]], {
      otherwise: 'Last.',
    })
    const own = hanging('root')
    const made = {
      router: () => createRouter({ ...common, model, agents, memory: true }),
      dispatcher: () => createDispatcher({ ...common, model, agents }),
      planner: () => createPlanner({ ...common, model, agents }),
      fanOut: () => createFanOut({ ...common, model, agents, toolCallConcurrency: 1 }),
      debate: () => createDebate({ ...common, model, agents }),
      metaRouter: () => createMetaRouter({ ...common, model, agents: { w: w.agent } }),
      reflexion: () => createReflexion({ ...common, model: (own.agent as AgentDefinition).model }),
    }[name]
    const agent = made() as AgentDefinition
    const { troupe, run } = await started(agent, { budget }, clock)
    await (name === 'reflexion' ? own.begun : w.begun)
    clock.advance(1_000)
    const { result, fired } = await ending(troupe, run)
    expect(result).toMatchObject(spent)
    expect(result.text).toBe(
      name === 'reflexion' || name === 'dispatcher' || name === 'metaRouter' ? 'So far.' : 'Last.',
    )
    expect(fired).toHaveLength(1)
  })
})
