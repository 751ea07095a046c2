/** BEHAVIOUR 43: after a cancel nothing starts, everything under way is told, and everybody still reports. */
import {
  CancelledError,
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  type JournalEntry,
  type Run,
  type ScoringContext,
  type TerminalError,
} from 'troupe'
import type { AnyActorRef } from 'xstate'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker } from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({}),
  execute: () => 'noted',
})

/** A tool that works until it is told to stop, and tells when it began. */
function busyTool() {
  const { promise: began, resolve } = Promise.withResolvers<AbortSignal>()
  const tool = createTool({
    id: 'busy',
    description: 'Never ends.',
    inputSchema: z.object({}),
    execute: (_, { signal }) => {
      resolve(signal)
      return new Promise<never>(() => undefined)
    },
  })
  return { tool, began }
}

/** The status of every actor of a run, by path. */
function statuses(run: Run): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (actor: AnyActorRef, path: string): void => {
    const { status, children } = actor.getSnapshot() as {
      status: string
      children?: Record<string, AnyActorRef | undefined>
    }
    found[path] = status
    for (const [id, child] of Object.entries(children ?? {}))
      if (child !== undefined) visit(child, `${path}/${id}`)
  }
  visit(run.actor, '')
  return found
}

/** The effects that were asked for after the first cancel. */
function startedAfterCancel(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const at = journal.findIndex((entry) => entry.type === 'signal.received' && entry.signal.type === 'cancel')
  expect(at).toBeGreaterThan(0)
  return journal
    .slice(at + 1)
    .filter((entry) => entry.type !== 'run.settled' && entry.type !== 'signal.received')
}

describe('43: a cancel in mid-run', () => {
  test('aborts every model call and tool of every descendant; each reports; nothing starts afterwards', async () => {
    const busy = busyTool()
    const thinker = worker('thinker', [{ hang: true }])
    const toiler = worker('toiler', [calls({ name: 'busy' })], { tools: { busy: busy.tool } })
    const nested = lead('nested', [calls(to('thinker', 'Think'))], { agents: { thinker: thinker.agent } })
    const idle = worker('idle', [])
    const { agent, model } = lead(
      'lead',
      [calls(to('nested', 'Lead'), to('toiler', 'Toil'), to('idle', 'Wait'))],
      {
        agents: { nested: nested.agent, toiler: toiler.agent, idle: idle.agent },
        toolCallConcurrency: 2,
      },
    )
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const signal = await busy.began
    await until(run, 'step-start', (event) => event.agent === 'thinker')
    await run.cancel('The user closed the page.')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'The user closed the page.', text: '' })
    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['nested', 'cancelled'],
      ['toiler', 'cancelled'],
    ])
    expect(signal.aborted).toBe(true)
    expect(thinker.model.calls.map((call) => call.signal.aborted)).toEqual([true])
    expect([model, nested.model, thinker.model, toiler.model, idle.model].map((m) => m.calls.length)).toEqual(
      [1, 1, 1, 1, 0],
    )
    expect(statuses(run)).toEqual({ '': 'done', '/lead': 'done' })

    const events = await allEvents(run)
    expect(only(events, 'abort').map(({ agent, payload }) => [agent, payload.reason])).toEqual([
      ['lead', 'The user closed the page.'],
      ['nested', 'The user closed the page.'],
      ['thinker', 'The user closed the page.'],
      ['toiler', 'The user closed the page.'],
    ])
    expect(only(events, 'delegation-end').map(({ payload }) => [payload.agentId, payload.outcome])).toEqual(
      expect.arrayContaining([
        ['thinker', 'cancelled'],
        ['nested', 'cancelled'],
        ['toiler', 'cancelled'],
      ]),
    )
    expect(only(events, 'tool-error').map((event) => event.payload.outcome)).toEqual(['cancelled'])
    expect(events.at(-1)).toMatchObject({
      type: 'run-finish',
      payload: { outcome: 'cancelled' },
      final: true,
    })
    expect(startedAfterCancel(await troupe.journal(run.id))).toEqual([])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('the reason of the cancel is the reason of every abort signal', async () => {
    const busy = busyTool()
    const thinker = worker('thinker', [{ hang: true }])
    const { agent } = lead('lead', [calls(to('thinker', 'Think'), { name: 'busy' })], {
      agents: { thinker: thinker.agent },
      tools: { busy: busy.tool },
    })
    const run = agent.stream('Go')
    const signal = await busy.began
    await until(run, 'step-start', (event) => event.agent === 'thinker')
    await run.cancel('The user closed the page.')
    await run.result
    for (const { reason } of [signal, thinker.model.calls[0]?.signal ?? signal]) {
      expect(reason).toBeInstanceOf(CancelledError)
      expect(reason).toMatchObject({ code: 'CANCELLED', message: 'The user closed the page.' })
    }
    expect(thinker.model.calls).toHaveLength(1)
    expect(() => signal.throwIfAborted()).toThrow('The user closed the page.')
  })

  test('a cancel without a reason, and the cancel of one delegation, have their reasons too', async () => {
    const busy = busyTool()
    const toiler = worker('toiler', [calls({ name: 'busy' })], { tools: { busy: busy.tool } })
    const { agent } = lead('lead', [calls(to('toiler', 'Toil')), 'Done.'], {
      agents: { toiler: toiler.agent },
    })
    const run = agent.stream('Go')
    const signal = await busy.began
    await run.cancel('Too slow.', { delegationId: 'lead/delegation:1.1' })
    expect((await run.result).outcome).toBe('completed')
    expect(signal.reason).toMatchObject({ name: 'CancelledError', message: 'Too slow.' })

    const other = busyTool()
    const solo = worker('solo', [calls({ name: 'busy' })], { tools: { busy: other.tool } })
    const lone = solo.agent.stream('Go')
    const begun = await other.began
    await lone.cancel()
    await lone.result
    expect(begun.reason).toMatchObject({ name: 'CancelledError', message: 'cancelled' })
  })

  test('a timeout of the call or of its delegation is the reason of the abort signal', async () => {
    const signals: AbortSignal[] = []
    const slow = createTool({
      id: 'slow',
      description: 'Never ends.',
      inputSchema: z.object({}),
      timeout: 1_000,
      execute: (_, { signal }) => {
        signals.push(signal)
        return new Promise<never>(() => undefined)
      },
    })
    const busy = busyTool()
    const toiler = worker('toiler', [calls({ name: 'busy' })], { tools: { busy: busy.tool } })
    const { agent } = lead('lead', [calls({ name: 'slow' }), calls(to('toiler', 'Toil')), 'Done.'], {
      agents: { toiler: toiler.agent },
      tools: { slow },
      delegation: { timeout: 5_000 },
    })
    const clock = virtualClock()
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await until(run, 'tool-call')
    await clock.elapse(1_000)
    const signal = await busy.began
    await clock.elapse(5_000)
    expect((await run.result).outcome).toBe('completed')
    expect(signals.map(({ reason }) => (reason as TerminalError).code)).toEqual(['TOOL_TIMEOUT'])
    expect(signal.reason).toMatchObject({ name: 'TimeoutError', code: 'DELEGATION_TIMEOUT' })
  })

  test('with onFinish, onDelegationComplete and onIterationComplete set: none of them starts after it', async () => {
    const called: string[] = []
    const finish = (name: string) => () => {
      called.push(name)
    }
    const thinker = worker('thinker', [{ hang: true }], { onFinish: finish('child finish') })
    const { agent } = lead('lead', [calls(to('thinker', 'Think'))], {
      agents: { thinker: thinker.agent },
      onFinish: finish('finish'),
      onIterationComplete: finish('iteration'),
      delegation: { onDelegationComplete: finish('complete') },
    })
    const run = agent.stream('Go')
    await until(run, 'step-start', (event) => event.agent === 'thinker')
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' })
    expect(called).toEqual([])
  })

  test('keeps what was done: steps, usage and the last text', async () => {
    const { agent } = worker('solo', [{ text: 'A thought.', ...calls({ name: 'note' }) }, { hang: true }], {
      tools: { note },
    })
    const run = agent.stream('Go')
    await until(run, 'step-start', (event) => event.payload.step === 2)
    await run.cancel('enough')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'enough', text: 'A thought.' })
    expect(result.steps).toHaveLength(1)
    expect(result.usage.totalTokens).toBe(15)
  })

  test('a model that ignores its signal: its reply changes nothing', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model } = worker('solo', [{ ...calls({ name: 'note' }), until: gate.promise }], {
      tools: { note },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    await run.cancel()
    const result = await run.result
    gate.resolve()
    await gate.promise
    expect(model.calls).toHaveLength(1)
    expect((await troupe.journal(run.id)).map((entry) => entry.type)).toEqual([
      'run.started',
      'signal.received',
      'run.settled',
    ])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('during a back-off: the timer is called off, and there is no other attempt', async () => {
    const clock = virtualClock()
    const busy = Object.assign(new Error('busy'), { retryable: true })
    const { agent, model } = worker('solo', [{ error: busy }])
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.armed()
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(clock.pending).toBe(0)
    clock.advance(60_000)
    expect(model.calls).toHaveLength(1)
  })

  test('during scoring: the scorers are aborted, the deadline is called off, and nobody is fed back', async () => {
    const clock = virtualClock()
    const { promise: asked, resolve } = Promise.withResolvers<ScoringContext>()
    const judge = createScorer({
      id: 'judge',
      score: (context) => {
        resolve(context)
        return new Promise<number>(() => undefined)
      },
    })
    const { agent, model } = lead('lead', ['A draft.'], { completion: { scorers: [judge] } })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    const { signal } = await asked
    await run.cancel()
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      text: 'A draft.',
      scores: [
        { outcome: 'errored', results: [{ id: 'judge', passed: false, error: { code: 'CANCELLED' } }] },
      ],
    })
    expect(signal.aborted).toBe(true)
    expect(clock.pending).toBe(0)
    expect(model.calls).toHaveLength(1)
  })

  test('during a hook that never answers', async () => {
    const asked = Promise.withResolvers<void>()
    const { agent } = lead('lead', ['A draft.'], {
      onIterationComplete: () => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const run = agent.stream('Go')
    await asked.promise
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled', text: 'A draft.' })
  })

  test('during an onFinish that never answers: the outcome was settled before, and stands', async () => {
    const asked = Promise.withResolvers<void>()
    const { agent } = worker('solo', ['Done.'], {
      onFinish: () => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      },
    })
    const run = agent.stream('Go')
    await asked.promise
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('during the final turn', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'note' }), { hang: true }], {
      tools: { note },
      maxSteps: 1,
    })
    const run = agent.stream('Go')
    await until(run, 'step-finish')
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(model.calls.filter((call) => !call.signal.aborted && call.request.toolChoice === 'none')).toEqual(
      [],
    )
  })

  const guarded = createTool({
    id: 'guarded',
    description: 'Needs approval.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'ran',
  })

  test('while it waits for a person', async () => {
    const { agent } = worker('solo', [calls({ name: 'guarded' })], { tools: { guarded } })
    const run = agent.stream('Go')
    expect((await run.whenIdle).outcome).toBe('suspended')
    await run.cancel('nobody came')
    expect(await run.whenIdle).toMatchObject({ outcome: 'cancelled', reason: 'nobody came' })
    expect(only(await allEvents(run), 'tool-error').map((event) => event.payload.outcome)).toEqual([
      'cancelled',
    ])
  })

  test('while it waits for a person: from the call on it is not at rest', async () => {
    const { agent } = worker('solo', [calls({ name: 'guarded' })], { tools: { guarded } })
    const run = agent.stream('Go')
    expect((await run.whenIdle).outcome).toBe('suspended')
    const cancelling = run.cancel('nobody came')
    const { whenIdle } = run
    await cancelling
    expect((await whenIdle).outcome).toBe('cancelled')
  })

  test('one delegation of a run that waits for a person: from the call on the run is not at rest', async () => {
    const asking = worker('asking', [calls({ name: 'guarded' })], { tools: { guarded } })
    const { agent } = lead('lead', [calls(to('asking', 'Ask')), 'Done.'], {
      agents: { asking: asking.agent },
    })
    const run = agent.stream('Go')
    expect((await run.whenIdle).outcome).toBe('suspended')
    const cancelling = run.cancel('nobody came', { delegationId: 'lead/delegation:1.1' })
    const { whenIdle } = run
    await cancelling
    expect((await whenIdle).outcome).toBe('completed')
  })

  test('one run of many: the others go on', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('solo', [], { otherwise: { text: 'Done.', until: gate.promise } })
    const troupe = createTroupe({ agents: [agent] })
    const [first, second] = [await troupe.start(agent, 'One'), await troupe.start(agent, 'Two')]
    await first.cancel()
    expect(await first.result).toMatchObject({ outcome: 'cancelled' })
    gate.resolve()
    expect(await second.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})

describe('when it comes', () => {
  test('from inside an event listener', async () => {
    const { agent, model } = worker('solo', [calls({ name: 'note' }), 'Never.'], { tools: { note } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    for await (const event of run.events) if (event.type === 'step-finish') await run.cancel('seen enough')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'seen enough' })
    expect(model.calls.filter((call) => !call.signal.aborted)).toHaveLength(1)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(await allEvents(run))
  })

  test('from inside a hook, a tool and a subscriber of the actor, in the middle of a delivery', async () => {
    for (const where of ['hook', 'tool', 'subscriber'] as const) {
      let cancel = (): void => undefined
      const when = (place: string) => () => {
        if (place === where) cancel()
        return null
      }
      const tool = createTool({
        id: 'act',
        description: 'Acts.',
        inputSchema: z.object({}),
        execute: when('tool'),
      })
      const { agent } = worker('solo', [calls({ name: 'act' }), { hang: true }], {
        tools: { act: tool },
        onStepFinish: () => void when('hook')(),
      })
      const troupe = createTroupe({ agents: [agent] })
      const run = await troupe.start(agent, 'Go')
      cancel = () => run.cancel(`from a ${where}`)
      const child = (run.actor.getSnapshot() as { children: Record<string, AnyActorRef> }).children['solo']
      child?.subscribe(() => void when('subscriber')())
      const result = await run.result
      expect(result).toMatchObject({ outcome: 'cancelled', reason: `from a ${where}` })
      expect((await troupe.replay(run.id)).result).toEqual(result)
    }
  })

  test('before the first model call: there is none', async () => {
    const { agent, model } = worker('solo', [])
    const run = agent.stream('Go')
    await run.cancel('changed my mind')
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'cancelled',
      reason: 'changed my mind',
      text: '',
      steps: [],
      usage: { totalTokens: 0 },
    })
    expect(model.calls).toEqual([])
    expect((await allEvents(run)).map((event) => event.type)).toEqual([
      'run-start',
      'step-start',
      'abort',
      'step-finish',
      'run-finish',
    ])
  })

  test('twice: the first reason counts, and the run replays', async () => {
    const { agent } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    await run.cancel('first')
    await run.cancel('second')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'first' })
    expect(only(await allEvents(run), 'abort')).toHaveLength(1)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(await allEvents(run))
  })

  test('after the end: nothing happens', async () => {
    const { agent } = worker('solo', ['Done.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    const [events, journal] = [await allEvents(run), await troupe.journal(run.id)]
    await run.cancel('too late')
    expect(await run.whenIdle).toBe(result)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(await allEvents(run)).toEqual(events)
    expect(await troupe.journal(run.id)).toEqual(journal)
  })

  test('together with the reply of the model: one of them wins, and the replay agrees', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('solo', [{ text: 'Done.', until: gate.promise }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    gate.resolve()
    await run.cancel('a tie')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'a tie' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})

describe('other ways to cancel', () => {
  test('an AbortSignal: its reason is the reason', async () => {
    const controller = new AbortController()
    const { agent, model } = worker('solo', [{ hang: true }])
    const run = agent.stream('Go', { signal: controller.signal })
    await until(run, 'step-start')
    controller.abort(new Error('The request was closed.'))
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'The request was closed.' })
    expect(model.calls.map((call) => call.signal.aborted)).toEqual([true])
  })

  test('an AbortSignal that has fired already: no model call', async () => {
    const { agent, model } = worker('solo', [])
    const result = await agent.generate('Go', { signal: AbortSignal.abort('gone') })
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'gone' })
    expect(model.calls).toEqual([])
  })

  test('an AbortSignal that fires after the end: nothing happens, and nobody listens any more', async () => {
    const controller = new AbortController()
    const { agent } = worker('solo', ['Done.'])
    const run = agent.stream('Go', { signal: controller.signal })
    const result = await run.result
    controller.abort()
    expect(await run.result).toBe(result)
    expect(result.outcome).toBe('completed')
  })

  test('the event `cancel`, sent to the actor of the run: journaled like any other', async () => {
    const { agent } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent], store: memoryStore() })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    run.actor.send({ type: 'cancel', cause: 'cancel', reason: 'by event' })
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'by event' })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('the actor of the run is stopped: a run does not vanish', async () => {
    using warn = vi.spyOn(console, 'warn')
    const { agent, model } = worker('solo', [{ hang: true }])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'step-start')
    run.actor.stop()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled', reason: 'The actor of the run was stopped.' })
    expect(model.calls.map((call) => call.signal.aborted)).toEqual([true])
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(warn).not.toHaveBeenCalled()
  })
})
