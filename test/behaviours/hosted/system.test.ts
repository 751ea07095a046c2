/** Agents in an actor system that is not theirs: its clock, its inspector, its other actors, and its end. */
import {
  createTool,
  createTroupe,
  createWorkflow,
  RetryableError,
  type JournalEntry,
  type Troupe,
  textOf,
} from 'troupe'
import {
  assign,
  createActor,
  fromPromise,
  setup,
  waitFor,
  type AnyActorRef,
  type AnyMachineSnapshot,
  type InspectionEvent,
} from 'xstate'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { parentOf } from '../../../src/actors/xstate-internals.ts'
import { calls, lead, to, worker, type Cast } from '../../support/agents/agents.ts'
import { appMachine, deskOf, heard, heardFrom, served, typesOf } from '../../support/hosting.ts'
import { ArmedClock } from '../../support/clocks/simulated-clock.ts'

const input = { prompt: 'Go' }

describe('the clock of the app', () => {
  /** Its keeper looks at the store now and then, by the time of the machine; nothing else may. */
  const pollInterval = 98_765
  const keeping = { pollInterval, leaseTtl: 3 * pollInterval }

  /** An app on a simulated clock, with every delay that was waited for in real time. */
  function simulated(troupe: Troupe, { agent }: Cast<object>) {
    const real = vi.spyOn(globalThis, 'setTimeout')
    const clock = new ArmedClock()
    const app = createActor(appMachine(troupe.logic(agent)), { input, clock }).start()
    return {
      app,
      clock,
      realDelays: () => real.mock.calls.map(([, delay]) => delay).filter((delay) => delay !== pollInterval),
      [Symbol.dispose]: () => real.mockRestore(),
    }
  }

  test('a back-off waits on it', async () => {
    const busy = { error: new RetryableError('busy', { retryAfterMs: 60_000 }) }
    const solo = worker('solo', [busy, 'Done.'])
    const troupe = createTroupe({ agents: [solo.agent], ...keeping })
    using run = simulated(troupe, solo)
    await run.clock.armed(1)
    expect(run.clock.delays[0]).toBeGreaterThanOrEqual(60_000)
    expect(solo.model.calls).toHaveLength(1)
    run.clock.increment(61_000)
    expect((await served(run.app)).context.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(run.realDelays()).toEqual([])
    const journal = await journalOf(troupe)
    expect(journal[0]?.at).toBe(0)
    expect(journal.at(-1)?.at).toBe(61_000)
  })

  test('the timeout of a delegation runs on it', async () => {
    const slow = worker('slow', [{ hang: true }])
    const boss = lead('boss', [calls(to('slow', 'Work')), 'It took too long.'], {
      agents: { slow: slow.agent },
      delegation: { timeout: 5_000 },
    })
    using run = simulated(createTroupe({ agents: [boss.agent], ...keeping }), boss)
    await run.clock.armed(1)
    expect(run.clock.delays).toEqual([5_000])
    run.clock.increment(5_000)
    const { result } = (await served(run.app)).context
    expect(result?.text).toBe('It took too long.')
    expect(result?.delegations.map(({ outcome, duration }) => [outcome, duration])).toEqual([
      ['timedOut', 5_000],
    ])
    expect(slow.model.calls.map((call) => call.signal.aborted)).toEqual([true])
    expect(run.realDelays()).toEqual([])
  })

  test('the timeout of an approval runs on it', async () => {
    const remove = createTool({
      id: 'remove',
      description: 'Removes.',
      inputSchema: z.object({}),
      requireApproval: true,
      approvalTimeout: 86_400_000,
      execute: () => 'removed',
    })
    const solo = worker('solo', [calls({ name: 'remove' }), 'Nobody answered.'], { tools: { remove } })
    using run = simulated(createTroupe({ agents: [solo.agent], ...keeping }), solo)
    await waitFor(deskOf(run.app), ({ awaiting }) => awaiting.length === 1)
    expect(run.clock.delays).toEqual([86_400_000])
    run.clock.increment(86_400_000)
    expect((await served(run.app)).context.result).toMatchObject({
      outcome: 'completed',
      text: 'Nobody answered.',
    })
    expect(run.realDelays()).toEqual([])
  })

  test('a delay that is too long for a timer of Node is waited for in pieces', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      const month = 40 * 86_400_000
      const busy = { error: new RetryableError('busy', { retryAfterMs: month }) }
      const solo = worker('solo', [busy, 'Done.'])
      const troupe = createTroupe({ agents: [solo.agent], pollInterval: month / 20 })
      const app = createActor(appMachine(troupe.logic(solo.agent)), { input }).start()
      await heard(deskOf(app), 'error')
      await vi.advanceTimersByTimeAsync(month - 1_000)
      expect(solo.model.calls).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(2_000)
      expect((await served(app)).context.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('a clock that was given to the troupe goes before it', async () => {
    const busy = { error: new RetryableError('busy') }
    const solo = worker('solo', [busy, 'Done.'])
    const clock = { now: () => 7, after: (_: number, callback: () => void) => (callback(), () => undefined) }
    const troupe = createTroupe({ agents: [solo.agent], clock })
    const app = createActor(appMachine(troupe.logic(solo.agent)), { input, clock: new ArmedClock() }).start()
    expect((await served(app)).context.result?.text).toBe('Done.')
    expect((await journalOf(troupe)).map(({ at }) => at)).toEqual([7, 7, 7, 7, 7])
  })
})

test('the inspector of the app sees every actor of the tree, where it hangs, and which machine it runs', async () => {
  const note = createTool({
    id: 'note',
    description: 'Notes.',
    inputSchema: z.object({}),
    execute: () => 'ok',
  })
  const writer = worker('writer', [calls({ name: 'note' }), 'Written.'], { tools: { note } })
  const boss = lead('boss', [calls(to('writer', 'Write')), 'Done.'], { agents: { writer: writer.agent } })
  const others: InspectionEvent[] = []
  const troupe = createTroupe({ agents: [boss.agent], inspect: (event) => others.push(event) })
  const actors: AnyActorRef[] = []
  const machines = new Map<AnyActorRef, string>()
  const app = createActor(appMachine(troupe.logic(boss.agent)), {
    id: 'app',
    input,
    inspect: (event) => {
      if (event.type === '@xstate.actor') actors.push(event.actorRef as AnyActorRef)
      if (event.type !== '@xstate.snapshot') return
      const { machine } = event.snapshot as Partial<AnyMachineSnapshot>
      if (machine !== undefined) machines.set(event.actorRef as AnyActorRef, machine.id)
    },
  }).start()
  const desk = deskOf(app)
  await served(app)
  const pathOf = (actor: AnyActorRef): string => {
    const parent = parentOf(actor)
    return parent === undefined ? actor.id : `${pathOf(parent)}/${actor.id}`
  }
  expect(actors.map((actor) => [pathOf(actor), machines.get(actor) ?? '-'])).toEqual([
    ['app', 'app'],
    ['app/desk', '-'],
    ['app/desk/boss', 'supervisor'],
    ['app/desk/boss/model', '-'],
    ['app/desk/boss/delegation:1.1', 'delegation'],
    ['app/desk/boss/delegation:1.1/writer', 'react'],
    ['app/desk/boss/delegation:1.1/writer/model', '-'],
    ['app/desk/boss/delegation:1.1/writer/call:1.1', 'tool-call'],
    ['app/desk/boss/delegation:1.1/writer/call:1.1/tool', '-'],
    ['app/desk/boss/delegation:1.1/writer/model', '-'],
    ['app/desk/boss/model', '-'],
  ])
  expect(desk.getSnapshot().children['boss']?.id).toBe('boss')
  expect(others).toEqual([])
})

test('it sees the actors of a workflow too, which have a system of their own', async () => {
  const greet = createWorkflow({
    id: 'greet',
    description: 'Greets.',
    inputSchema: z.object({ name: z.string() }),
    logic: fromPromise<string, { name: string }>(async ({ input: { name } }) => `Hello ${name}`),
  })
  const solo = worker('solo', [calls({ name: 'greet', args: { name: 'Ann' } }), 'Done.'], {
    workflows: { greet },
  })
  const others: InspectionEvent[] = []
  const troupe = createTroupe({ agents: [solo.agent], inspect: (event) => others.push(event) })
  const outputs: unknown[] = []
  const app = createActor(appMachine(troupe.logic(solo.agent)), {
    input,
    inspect: (event) => {
      if (event.type !== '@xstate.snapshot') return
      const { output } = event.snapshot
      if (typeof output === 'string') outputs.push(output)
    },
  }).start()
  await served(app)
  expect(outputs).toEqual(['Hello Ann'])
  expect(others).toEqual([])
})

test('runs side by side in one system keep their events, journals, answers and ends to themselves', async () => {
  const guarded = createTool({
    id: 'sign',
    description: 'Signs.',
    inputSchema: z.object({ name: z.string() }),
    requireApproval: true,
    execute: ({ name }) => `signed by ${name}`,
  })
  const clerk = worker('clerk', [], {
    tools: { sign: guarded },
    otherwise: ({ messages }) => {
      const name = messages.find(({ role }) => role === 'user')?.content ?? ''
      const told = messages.find(({ role }) => role === 'tool')?.content
      return told === undefined
        ? calls({ name: 'sign', args: { name: textOf(name) } })
        : `It is ${textOf(told)}.`
    },
  })
  const solo = worker('solo', [{ hang: true }])
  const troupe = createTroupe({ agents: [clerk.agent, solo.agent] })
  const machine = setup({
    types: { context: {} as { ended: Record<string, string> }, events: {} as { type: 'drop' } },
    actors: { clerk: troupe.logic(clerk.agent), solo: troupe.logic(solo.agent) },
  }).createMachine({
    id: 'office',
    context: { ended: {} },
    type: 'parallel',
    states: {
      first: {
        invoke: {
          src: 'clerk',
          id: 'first',
          input: { prompt: 'Ann' },
          onDone: {
            actions: assign({
              ended: ({ context, event }) => ({ ...context.ended, first: event.output.text }),
            }),
          },
        },
      },
      second: {
        invoke: {
          src: 'clerk',
          id: 'second',
          input: { prompt: 'Bob' },
          onDone: {
            actions: assign({
              ended: ({ context, event }) => ({ ...context.ended, second: event.output.text }),
            }),
          },
        },
      },
      third: {
        initial: 'there',
        states: {
          there: { invoke: { src: 'solo', id: 'third', input: { prompt: 'Wait' } }, on: { drop: 'gone' } },
          gone: {},
        },
      },
    },
  })
  const office = createActor(machine)
  const desks = office.getSnapshot().children as Record<'first' | 'second', ReturnType<typeof deskOf>>
  const events = { first: heardFrom(desks.first), second: heardFrom(desks.second) }
  office.start()
  for (const desk of [desks.first, desks.second]) await waitFor(desk, ({ awaiting }) => awaiting.length === 1)
  // both wait for a call of the same id: the answer is that of the one that is asked
  const toolCallId = 'clerk/call:1.1'
  desks.second.send({ type: 'approve', toolCallId })
  const { context } = await waitFor(office, ({ context }) => 'second' in context.ended)
  expect(context.ended).toEqual({ second: 'It is signed by Bob.' })
  expect(desks.first.getSnapshot().awaiting).toHaveLength(1)
  office.send({ type: 'drop' })
  desks.first.send({ type: 'approve', toolCallId })
  expect((await waitFor(office, ({ context }) => 'first' in context.ended)).context.ended).toEqual({
    first: 'It is signed by Ann.',
    second: 'It is signed by Bob.',
  })
  for (const name of ['first', 'second'] as const) {
    const { runId } = desks[name].getSnapshot()
    const runs = new Set(events[name].map((event) => (event.type === 'signal-refused' ? '' : event.runId)))
    expect([...runs]).toEqual([runId])
    expect(typesOf(events[name]).at(-1)).toBe('run-finish')
    expect((await troupe.replay(runId)).result).toMatchObject({
      text: context.ended[name] ?? 'It is signed by Ann.',
    })
  }
  const summaries = (await troupe.runs()).items
  expect(summaries.map(({ agent, outcome }) => [agent, outcome])).toEqual([
    ['clerk', 'completed'],
    ['clerk', 'completed'],
    ['solo', 'cancelled'],
  ])
})

describe('an end in mid-run', () => {
  function busyTroupe() {
    const started = Promise.withResolvers<AbortSignal>()
    const busy = createTool({
      id: 'busy',
      description: 'Never ends.',
      inputSchema: z.object({}),
      execute: (_, { signal }) => {
        started.resolve(signal)
        return new Promise<never>(() => undefined)
      },
    })
    const thinker = worker('thinker', [{ hang: true }])
    const toiler = worker('toiler', [calls({ name: 'busy' })], { tools: { busy } })
    const idle = worker('idle', [])
    const boss = lead('boss', [calls(to('thinker', 'Think'), to('toiler', 'Toil'), to('idle', 'Wait'))], {
      agents: { thinker: thinker.agent, toiler: toiler.agent, idle: idle.agent },
      toolCallConcurrency: 2,
      onFinish: () => {
        throw new Error('after a cancel nothing starts')
      },
    })
    const troupe = createTroupe({ agents: [boss.agent] })
    return { troupe, boss, thinker, idle, toolSignal: started.promise }
  }

  test.each(['leaving the state that invokes it', 'stopping the whole app'])('%s cancels it', async (how) => {
    using warn = vi.spyOn(console, 'warn')
    using error = vi.spyOn(console, 'error')
    const { troupe, boss, thinker, idle, toolSignal } = busyTroupe()
    const app = createActor(appMachine(troupe.logic(boss.agent)), { input }).start()
    const desk = deskOf(app)
    const toolWas = await toolSignal
    if (how === 'stopping the whole app') app.stop()
    else app.send({ type: 'leave' })
    expect(desk.getSnapshot().status).toBe('stopped')
    // the handle of the same run, by its id
    const run = await troupe.resume(desk.getSnapshot().runId)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'The actor of the run was stopped.' })
    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['thinker', 'cancelled'],
      ['toiler', 'cancelled'],
    ])
    expect(toolWas.aborted).toBe(true)
    expect(thinker.model.calls.map((call) => call.signal.aborted)).toEqual([true])
    expect(idle.model.calls).toEqual([])
    const journal = await journalOf(troupe)
    const cancel = journal.findIndex((entry) => entry.type === 'signal.received')
    expect(journal.slice(cancel).map((entry) => entry.type)).toEqual(['signal.received', 'run.settled'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect([warn.mock.calls, error.mock.calls]).toEqual([[], []])
  })

  test('before anything has begun: no model is asked', async () => {
    const { agent, model } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    const app = createActor(appMachine(troupe.logic(agent)), { input }).start()
    const { runId } = deskOf(app).getSnapshot()
    app.send({ type: 'leave' })
    await troupe.close()
    expect((await troupe.journal(runId)).map((entry) => entry.type)).toEqual([
      'run.started',
      'signal.received',
      'run.settled',
    ])
    expect(model.calls).toEqual([])
  })

  test('after the troupe was closed: the run stays as it is', async () => {
    const { agent } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent] })
    const app = createActor(appMachine(troupe.logic(agent)), { input }).start()
    await heard(deskOf(app), 'step-start')
    await troupe.close()
    app.stop()
    expect((await troupe.runs()).items.map(({ status }) => status)).toEqual(['running'])
  })
})

async function journalOf(troupe: Troupe): Promise<readonly JournalEntry[]> {
  const [run] = (await troupe.runs()).items
  return troupe.journal(run?.runId ?? '')
}
