/**
 * Behaviours 44 and 45 on Restate: an accepted answer stands before a deadline or a cancel that Restate has recorded
 * and the workflow has not processed, and every other answer rejects.
 */
import { TerminalError, type WorkflowSharedContext } from '@restatedev/restate-sdk'
import { createTool } from 'troupe'
import type { RestateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AgentRegistry } from '../../src/runtime/definition/registry.ts'
import { OpenSignals } from '../../src/runtime/state/signals/open-signals.ts'
import type { QuestionEnd } from '../../src/restate/wire/wire.ts'
import { tellWorkflow } from '../../src/restate/worker/signal-handler.ts'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { rejection } from '../support/agents/model-calls.ts'
import { Desk } from './crashes/desk.ts'
import { gatedTroupe } from './crashes/gated-worker.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

function guarded(approvalTimeout?: number) {
  const ran: string[] = []
  const remove = createTool({
    id: 'remove',
    description: 'Removes.',
    inputSchema: z.object({}),
    requireApproval: true,
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    execute: () => {
      ran.push('remove')
      return 'removed'
    },
  })
  return { ran, tools: { remove } }
}

/** Holds up every execution of an agent's workflow from `close` on. */
function gate(agentId: string) {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  let isClosed = false
  return {
    until(id: string) {
      if (!isClosed || id !== agentId) return undefined
      reached.resolve()
      return opened.promise
    },
    close: () => void (isClosed = true),
    /** Resolves when Restate has recorded an input, and begins to execute the workflow again. */
    reached: reached.promise,
    open: opened.resolve,
  }
}

/** Milliseconds. Restate's clock cannot be moved, and a slow machine needs time for what precedes the deadline. */
const deadline = 4_000

/** A workflow that waits is suspended at once: an input that Restate records begins it again. */
const suspendsAtOnce = { inactivityTimeout: 1 }

/** The signals and timers in the journal of one agent. */
async function inputsOf(troupe: RestateTroupe, id: string, path: string): Promise<readonly string[]> {
  const { parts } = await troupe.journal(id)
  const entries = parts.filter((part) => part.path === path).flatMap(({ turns }) => turns.flat())
  return entries.flatMap((entry) => {
    if (entry.type === 'signal.received') return [entry.signal.type]
    return entry.type === 'timer.fired' ? [entry.type] : []
  })
}

describe('an answer that is accepted before the workflow processes', () => {
  test('its deadline stands', async () => {
    const { ran, tools } = guarded(deadline)
    const { agent } = worker('timed', [calls({ name: 'remove' }), 'Done.'], { tools })
    const held = gate('timed')
    const troupe = await gatedTroupe(desk, agent, held.until, suspendsAtOnce)
    const run = await troupe.start(agent, 'Go', { conversationId: 'talk' })
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    held.close()
    await held.reached
    await run.approve('timed/call:1.1', { by: 'ann' })
    held.open()
    const result = await run.result
    expect(result).toMatchObject({ steps: [{ toolResults: [{ outcome: 'succeeded' }] }, {}] })
    expect(ran).toEqual(['remove'])
    expect(await inputsOf(troupe, run.id, 'timed')).toEqual(['answer', 'timer.fired'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
    const { parts } = await troupe.journal(run.id)
    const entries = parts.flatMap(({ turns }) => turns.flat())
    expect(new Set(entries.map(({ conversationId }) => conversationId))).toEqual(new Set(['talk']))
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((a, b) => a - b))
  })

  test('a cancel stands, and the run is cancelled', async () => {
    const { agent } = worker('ended', [calls({ name: 'remove' })], { tools: guarded().tools })
    const held = gate('ended')
    const troupe = await gatedTroupe(desk, agent, held.until, suspendsAtOnce)
    const run = await troupe.start(agent, 'Go')
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    held.close()
    await run.cancel('Enough.')
    await held.reached
    await run.approve('ended/call:1.1')
    held.open()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled' })
    expect(await inputsOf(troupe, run.id, 'ended')).toEqual(['answer', 'cancel'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('a deadline and a cancel stands before both', async () => {
    const { agent } = worker('hurried', [calls({ name: 'remove' })], { tools: guarded(deadline).tools })
    const held = gate('hurried')
    const troupe = await gatedTroupe(desk, agent, held.until, suspendsAtOnce)
    const run = await troupe.start(agent, 'Go')
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    held.close()
    await held.reached
    await run.cancel('Enough.')
    await run.approve('hurried/call:1.1')
    held.open()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'cancelled' })
    expect((await inputsOf(troupe, run.id, 'hurried'))[0]).toBe('answer')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('the cancel of its delegation stands', async () => {
    const { agent: helper } = worker('helper', [calls({ name: 'remove' })], { tools: guarded().tools })
    const { agent } = lead('parent', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
    const held = gate('helper')
    const troupe = await gatedTroupe(desk, agent, held.until, suspendsAtOnce)
    const run = await troupe.start(agent, 'Go')
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    held.close()
    await run.cancel('Enough.', { delegationId: 'parent/delegation:1.1' })
    await held.reached
    await run.approve('parent/delegation:1.1/helper/call:1.1')
    held.open()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'cancelled' }] })
    const inputs = await inputsOf(troupe, run.id, 'parent/delegation:1.1/helper')
    expect(inputs).toEqual(['answer', 'cancel'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('the bail of a subagent is on record, and the run has bailed', async () => {
    const ending = Promise.withResolvers<void>()
    const { agent: helper } = worker('helper', [{ text: 'Here it is.', until: ending.promise }])
    const { agent } = lead('bailing', [calls({ name: 'remove' }, to('helper', 'Help'))], {
      tools: guarded().tools,
      agents: { helper },
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const held = gate('bailing')
    const troupe = await gatedTroupe(desk, agent, held.until, suspendsAtOnce)
    const run = await troupe.start(agent, 'Go')
    for await (const { type } of run.events) if (type === 'tool-call-approval') break
    held.close()
    ending.resolve()
    await held.reached
    await run.approve('bailing/call:1.1', { by: 'ann' })
    held.open()
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'bailed', text: 'Here it is.' })
    expect(await inputsOf(troupe, run.id, 'bailing')).toContain('answer')
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })
})

test('questions that the time of the run ends take no answer afterwards', async () => {
  const { tools, ran } = guarded()
  const slow = createTool({
    id: 'slow',
    description: 'Takes long.',
    inputSchema: z.object({}),
    execute: () => new Promise<never>(() => undefined),
  })
  const { agent } = worker('brief', [calls({ name: 'remove' }, { name: 'slow' }), 'Last words.'], {
    tools: { ...tools, slow },
    budget: { wallClock: deadline },
  })
  const run = await (await desk.troupe(agent)).start(agent, 'Go')
  for await (const { type } of run.events) if (type === 'tool-call-approval') break
  expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
  expect(await rejection(run.approve('brief/call:1.1'))).toMatchObject({ code: 'SIGNAL_TOO_LATE' })
  expect(ran).toEqual([])
})

test('answers that arrive about when their deadline passes: each is accepted and stands, or rejects', async () => {
  const { ran, tools } = guarded(60)
  const { agent } = worker('racing', [], {
    tools,
    otherwise: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : calls({ name: 'remove' })),
  })
  const troupe = await desk.troupe(agent)
  const races = Array.from({ length: 30 }, async (_, index) => {
    const run = await troupe.start(agent, 'Go')
    for await (const { type } of run.events) if (type === 'tool-call-approval') break
    await new Promise((resolve) => setTimeout(resolve, 2 * index))
    const refusal = await run.approve('racing/call:1.1').then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'SIGNAL_TOO_LATE' })
    const outcome = refusal === undefined ? 'succeeded' : 'denied'
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', steps: [{ toolResults: [{ outcome }] }, {}] })
    expect((await troupe.replay(run.id)).result).toEqual(result)
    return outcome
  })
  const outcomes = await Promise.all(races)
  expect(ran).toHaveLength(outcomes.filter((outcome) => outcome === 'succeeded').length)
})

describe('a question that is open in the state of its workflow', () => {
  /** The handler of signals, with a promise that has resolved. */
  async function told(end: QuestionEnd) {
    const signals = new OpenSignals()
    signals.open(
      'solo/call:1.1/signal:approval#1',
      {
        id: 'solo/call:1.1',
        type: 'approval',
        agent: 'solo',
        toolName: 'remove',
        args: {},
      },
      0,
      1,
    )
    const context = {
      request: () => ({ body: new Uint8Array() }),
      get: async () => signals.toJSON(),
      promise: () => ({
        resolve: () => Promise.reject(new TerminalError('It is resolved.', { errorCode: 409 })),
        peek: async () => end,
      }),
    }
    const signal = { type: 'approve', toolCallId: 'solo/call:1.1' } as const
    return tellWorkflow(context as object as WorkflowSharedContext, { at: 1, signal }, new AgentRegistry())
  }

  test('refuses an answer as late where the workflow has closed it', async () => {
    expect(await told({ closed: true })).toMatchObject({ refused: { code: 'SIGNAL_TOO_LATE' } })
  })

  test('refuses a second answer', async () => {
    const answer = { type: 'answer', key: 'k', id: 'solo/call:1.1', answer: { approved: true } } as const
    expect(await told({ at: 1, signal: answer })).toMatchObject({
      refused: { code: 'SIGNAL_ALREADY_ANSWERED' },
    })
  })
})
