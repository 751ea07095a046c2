/** One delegation is cancelled from outside: its agent's model is told, and the run goes on. */
import {
  createTool,
  createTroupe,
  memoryStore,
  SignalError,
  type BackgroundTask,
  type CancelOptions,
  type Run,
  type RunEvent,
  type Troupe,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'

const first = 'lead/delegation:1.1'
const told = (reason: string): string =>
  JSON.stringify({ error: `The agent "researcher" was cancelled: ${reason}` })

const isAtWork = (run: Run, path = `${first}/researcher`) =>
  until(run, 'step-start', (event) => event.path === path)

/** A lead whose researcher never comes to an end. */
async function stuck(backgroundTasks: Record<string, BackgroundTask> = {}) {
  const researcher = worker('researcher', [{ hang: true }])
  const { agent, model } = lead('lead', [calls(to('researcher', 'Find'))], {
    agents: { researcher: researcher.agent },
    backgroundTasks,
    otherwise: 'Without it.',
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  await isAtWork(run)
  return { troupe, run, model, researcher: researcher.model }
}

async function replayIsEqual(troupe: Troupe, run: Run): Promise<RunEvent[]> {
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(await run.result)
  expect(replay.events).toEqual(events)
  return events
}

describe('a delegation that is under way', () => {
  test('in the foreground', async () => {
    const { troupe, run, model, researcher } = await stuck()
    await run.cancel('It takes too long.', { delegationId: first })
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Without it.',
      delegations: [{ id: first, agent: 'researcher', outcome: 'cancelled' }],
    })
    expect(researcher.calls[0]?.signal.aborted).toBe(true)
    expect(toldOfCalls(model, 2)).toEqual([told('It takes too long.')])
    const events = await replayIsEqual(troupe, run)
    expect(only(events, 'abort').map(({ path, payload }) => [path, payload])).toEqual([
      [`${first}/researcher`, { reason: 'It takes too long.' }],
    ])
    expect(only(events, 'delegation-end').map(({ payload }) => payload.outcome)).toEqual(['cancelled'])
    expect(
      (await troupe.journal(run.id)).flatMap((e) => (e.type === 'signal.received' ? e.signal : [])),
    ).toEqual([{ type: 'cancel', reason: 'It takes too long.', delegationId: first }])
  })

  test('in the background, by its task id', async () => {
    const { troupe, run, model } = await stuck({ researcher: {} })
    const { payload } = await until(run, 'background-start')
    await until(run, 'text-end')
    await run.cancel('Not needed.', { delegationId: payload.taskId })
    expect(await run.result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'cancelled' }] })
    expect(model.calls.at(-1)?.request.messages.at(-1)).toEqual({
      role: 'user',
      content: `The background task "${first}" of the agent "researcher" has ended (cancelled): ${told('Not needed.')}`,
      internal: 'notice',
    })
    const events = await replayIsEqual(troupe, run)
    expect(only(events, 'background-end').map((event) => event.payload.outcome)).toEqual(['cancelled'])
  })

  test('without a reason', async () => {
    const { run, model } = await stuck()
    await run.signal({ type: 'cancel', delegationId: first })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(toldOfCalls(model, 2)).toEqual([told('no reason was given')])
  })

  test('twice: once is enough', async () => {
    const { troupe, run, model } = await stuck()
    await Promise.all([
      run.cancel('First.', { delegationId: first }),
      run.cancel('Second.', { delegationId: first }),
    ])
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(toldOfCalls(model, 2)).toEqual([told('First.')])
    await replayIsEqual(troupe, run)
  })

  test('and then the run', async () => {
    const { troupe, run } = await stuck()
    await Promise.all([run.cancel('This one.', { delegationId: first }), run.cancel('All.')])
    expect(await run.result).toMatchObject({
      outcome: 'cancelled',
      reason: 'All.',
      delegations: [{ outcome: 'cancelled' }],
    })
    await replayIsEqual(troupe, run)
  })

  test('beside others: they go on', async () => {
    const gate = Promise.withResolvers<void>()
    const researcher = worker('researcher', [{ hang: true }])
    const writer = worker('writer', [{ text: 'Written.', until: gate.promise }])
    const { agent, model } = lead('lead', [calls(to('researcher', 'a'), to('writer', 'b')), 'Done.'], {
      agents: { researcher: researcher.agent, writer: writer.agent },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await isAtWork(run)
    await run.cancel('Enough.', { delegationId: first })
    await until(run, 'delegation-end')
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2)).toEqual([told('Enough.'), 'Written.'])
    await replayIsEqual(troupe, run)
  })

  test('of a nested supervisor: that one is told', async () => {
    const researcher = worker('researcher', [{ hang: true }])
    const middle = lead('middle', [calls(to('researcher', 'a')), 'Middle, without.'], {
      agents: { researcher: researcher.agent },
    })
    const { agent, model } = lead('lead', [calls(to('middle', 'a')), 'Done.'], {
      agents: { middle: middle.agent },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const delegationId = `${first}/middle/delegation:1.1`
    await isAtWork(run, `${delegationId}/researcher`)
    await run.cancel('Enough.', { delegationId })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(middle.model, 2)).toEqual([told('Enough.')])
    expect(toldOfCalls(model, 2)).toEqual(['Middle, without.'])
    await replayIsEqual(troupe, run)
  })

  test('with a whole tree below: every descendant is told', async () => {
    const researcher = worker('researcher', [{ hang: true }])
    const middle = lead('middle', [calls(to('researcher', 'a'))], {
      agents: { researcher: researcher.agent },
      backgroundTasks: { researcher: {} },
      otherwise: { hang: true },
    })
    const { agent } = lead('lead', [calls(to('middle', 'a')), 'Done.'], { agents: { middle: middle.agent } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await isAtWork(run, `${first}/middle/delegation:1.1/researcher`)
    await run.cancel('Enough.', { delegationId: first })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(researcher.model.calls[0]?.signal.aborted).toBe(true)
    const events = await replayIsEqual(troupe, run)
    expect(only(events, 'delegation-end').map(({ path, payload }) => [path, payload.outcome])).toEqual([
      [`${first}/middle/delegation:1.1`, 'cancelled'],
      [first, 'cancelled'],
    ])
  })

  test('that is reviewed by the user', async () => {
    const asked = Promise.withResolvers<void>()
    const researcher = worker('researcher', ['Facts.'])
    const { agent, model } = lead('lead', [calls(to('researcher', 'a')), 'Done.'], {
      agents: { researcher: researcher.agent },
      delegation: {
        onDelegationComplete: () => {
          asked.resolve()
          return new Promise<undefined>(() => undefined)
        },
      },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await asked.promise
    await run.cancel('Enough.', { delegationId: first })
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'cancelled', text: 'Facts.' }],
    })
    expect(toldOfCalls(model, 2)).toEqual([told('Enough.')])
    await replayIsEqual(troupe, run)
  })
})

describe('a delegation that waits for a person', () => {
  const sign = createTool({
    id: 'sign',
    description: 'Signs.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'signed',
  })
  const signs = calls({ name: 'sign' })

  /** Says the first while no tool has answered yet, so that another process can take over. */
  const inTwo =
    (before: ScriptedStep, after: string): ScriptedStep =>
    (request) => {
      const said = request.messages.some(({ role }) => role === 'tool') ? after : before
      return typeof said === 'function' ? said(request) : said
    }

  function office() {
    const clerk = worker('clerk', [], { tools: { sign }, otherwise: inTwo(signs, 'Signed.') })
    const both = calls(to('clerk', 'a'), to('clerk', 'b'))
    return lead('lead', [], { agents: { clerk: clerk.agent }, otherwise: inTwo(both, 'Done.') })
  }

  test('the run goes on, and is suspended again for what is left', async () => {
    const { agent, model } = office()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const idle = await run.whenIdle
    expect(idle.outcome === 'suspended' && idle.awaiting.map(({ toolCallId }) => toolCallId)).toEqual([
      'lead/delegation:1.1/clerk/call:1.1',
      'lead/delegation:1.2/clerk/call:1.1',
    ])
    await run.cancel('Not this.', { delegationId: first })
    const again = await run.whenIdle
    expect(again.outcome === 'suspended' && again.awaiting.map(({ toolCallId }) => toolCallId)).toEqual([
      'lead/delegation:1.2/clerk/call:1.1',
    ])
    await run.approve('lead/delegation:1.2/clerk/call:1.1')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'cancelled' }, { outcome: 'succeeded' }],
    })
    expect(toldOfCalls(model, 2)).toEqual([
      JSON.stringify({ error: 'The agent "clerk" was cancelled: Not this.' }),
      'Signed.',
    ])
    const events = await replayIsEqual(troupe, run)
    expect(
      only(events, 'suspended', 'resumed').map(({ type, payload }) => (type === 'resumed' ? payload : type)),
    ).toEqual([
      'suspended',
      { delegationId: first },
      'suspended',
      { toolCallId: 'lead/delegation:1.2/clerk/call:1.1' },
    ])
  })

  test('of a run that has left memory', async () => {
    const complaints = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => complaints.mockRestore())
    const { agent } = office()
    const troupe = createTroupe({ agents: [agent], passivateAfter: 0 })
    const run = await troupe.start(agent, 'Go')
    await run.whenIdle
    await expect.poll(async () => (await troupe.runs()).items[0]?.isPassivated).toBe(true)
    await expect(run.cancel('x', { delegationId: 'lead/delegation:9.9' })).rejects.toThrow(SignalError)
    await run.cancel('Not this.', { delegationId: first })
    await until(run, 'delegation-end')
    await troupe.cancel(run.id, 'Nor that.', { delegationId: 'lead/delegation:1.2' })
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'cancelled' }, { outcome: 'cancelled' }],
    })
    await replayIsEqual(troupe, run)
    const journal = await troupe.journal(run.id)
    expect(journal.filter(({ type }) => type === 'signal.received')).toHaveLength(2)
    expect(complaints.mock.calls).toEqual([])
  })

  test('of a run of another process', async () => {
    const store = memoryStore()
    const { agent } = office()
    const troupe = createTroupe({ agents: [agent], store })
    const started = await troupe.start(agent, 'Go')
    await started.whenIdle
    await troupe.close()
    const { agent: same, model } = office()
    const again = createTroupe({ agents: [same], store })
    await again.signal(started.id, { type: 'cancel', reason: 'Not this.', delegationId: first })
    expect(await rejection(again.cancel(started.id, 'x', { delegationId: 'nobody' }))).toMatchObject({
      code: 'UNKNOWN_SIGNAL',
    })
    const resumed = await again.resume(started.id)
    await again.cancel(started.id, 'Nor that.', { delegationId: 'lead/delegation:1.2' })
    expect(await resumed.result).toMatchObject({
      delegations: [{ outcome: 'cancelled' }, { outcome: 'cancelled' }],
    })
    expect(model.calls).toHaveLength(1)
    await replayIsEqual(again, resumed)
  })
})

test('of a run that another troupe works on: it hears of it', async () => {
  const store = memoryStore()
  const make = () =>
    lead('lead', [calls(to('researcher', 'a')), 'Done.'], {
      agents: { researcher: worker('researcher', [{ hang: true }]).agent },
    }).agent
  const agent = make()
  const owner = createTroupe({ agents: [agent], store, pollInterval: 5 })
  const other = createTroupe({ agents: [make()], store })
  const run = await owner.start(agent, 'Go')
  await isAtWork(run)
  const refused = await rejection(other.cancel(run.id, 'no', { delegationId: 'lead/delegation:3.1' }))
  expect(refused).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
  await other.cancel(run.id, 'From afar.', { delegationId: first })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await replayIsEqual(owner, run)
  await owner.close()
  await other.close()
})

describe('a SignalError, and nothing else happens, for', () => {
  const refused = (run: Run, options: CancelOptions) => rejection(run.cancel('no', options))

  test('an unknown delegation', async () => {
    const { run } = await stuck()
    expect(await refused(run, { delegationId: 'lead/delegation:7.1' })).toMatchObject({
      name: 'SignalError',
      code: 'UNKNOWN_SIGNAL',
      id: 'lead/delegation:7.1',
      message:
        'Cannot cancel "lead/delegation:7.1": no such delegation or background task is under way. There are: lead/delegation:1.1.',
    })
    for (const delegationId of ['lead', `${first}/researcher`, 'constructor']) {
      expect(await refused(run, { delegationId })).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
    }
    await run.cancel('Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'Enough.' })
  })

  test('one that has ended, and one of a run that has ended', async () => {
    const gate = Promise.withResolvers<void>()
    const researcher = worker('researcher', ['Facts.'])
    const { agent } = lead('lead', [calls(to('researcher', 'a')), { text: 'Done.', until: gate.promise }], {
      agents: { researcher: researcher.agent },
    })
    const run = agent.stream('Go')
    await until(run, 'delegation-end')
    expect(await refused(run, { delegationId: first })).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(await refused(run, { delegationId: first })).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
  })
})
