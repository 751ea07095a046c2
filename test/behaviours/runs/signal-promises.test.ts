/** Behaviours 44 and 45: what a run is told is a promise, which settles when it is on record or refused. */
import {
  createTool,
  createTroupe,
  memoryStore,
  type Run,
  type RunSignal,
  type Store,
  type Troupe,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, until, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { runProgram } from '../../support/processes/run-program.ts'

const callId = 'solo/call:1.1'
const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  execute: (_, { suspend, resumeData }) => resumeData ?? suspend(),
})
const remove = createTool({
  id: 'remove',
  description: 'Removes.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'removed',
})

/** A store whose appends wait for `open` from the first signal on. */
function gated(): { readonly store: Store; readonly open: () => void } {
  const store = memoryStore()
  const gate = Promise.withResolvers<void>()
  return {
    open: gate.resolve,
    store: {
      ...store,
      append: async (appends) => {
        if (appends.some(({ entry }) => entry?.type === 'signal.received')) await gate.promise
        return store.append(appends)
      },
    },
  }
}

async function waiting(store: Store = memoryStore(), tool = 'remove'): Promise<{ troupe: Troupe; run: Run }> {
  const { agent } = worker('solo', [calls({ name: tool }), 'Done.'], { tools: { ask, remove } })
  const troupe = createTroupe({ agents: [agent], store, passivateAfter: Infinity })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  return { troupe, run }
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  await new Promise((resolve) => setImmediate(resolve))
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

describe('44: it resolves when the entry is durable, and not before', () => {
  test.each([
    ['approve', 'remove', (run: Run) => run.approve(callId)],
    ['deny', 'remove', (run: Run) => run.deny(callId, 'No.')],
    ['resume', 'ask', (run: Run) => run.resume(callId, 'a')],
    ['cancel', 'remove', (run: Run) => run.cancel('Enough.')],
    ['signal', 'remove', (run: Run) => run.signal({ type: 'approve', toolCallId: callId })],
    ['a second cancel', 'remove', (run: Run) => (run.cancel('One.'), run.cancel('Two.'))],
  ])('%s', async (_, tool, tell) => {
    const { store, open } = gated()
    const { run } = await waiting(store, tool)
    const told = tell(run)
    expect(await isSettled(told)).toBe(false)
    open()
    expect(await told).toBeUndefined()
    expect((await store.read(run.id))?.filter(({ type }) => type === 'signal.received')).toHaveLength(1)
    await run.result
  })

  test('a cancel of a delegation', async () => {
    const { store, open } = gated()
    const researcher = worker('researcher', [{ hang: true }])
    const { agent } = lead('lead', [calls(to('researcher', 'a')), 'Done.'], {
      agents: { researcher: researcher.agent },
    })
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
    await until(run, 'delegation-start')
    const told = run.cancel('Not this.', { delegationId: 'lead/delegation:1.1' })
    expect(await isSettled(told)).toBe(false)
    open()
    await told
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})

describe('a cancel resolves', () => {
  test('of a run that is being cancelled, and of one that has ended', async () => {
    const { run, troupe } = await waiting()
    await run.cancel('One.')
    await run.cancel('Two.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'One.' })
    await run.cancel('Three.')
    await troupe.cancel(run.id, 'Four.')
    expect((await troupe.journal(run.id)).filter(({ type }) => type === 'signal.received')).toHaveLength(1)
  })
})

describe('it rejects with the cause when the run cannot be told', () => {
  test('a closed troupe', async () => {
    const { run, troupe } = await waiting()
    await troupe.close()
    expect(await rejection(run.approve(callId))).toMatchObject({ code: 'TROUPE_CLOSED' })
    expect(await rejection(troupe.signal(run.id, { type: 'cancel' }))).toMatchObject({
      code: 'TROUPE_CLOSED',
    })
  })

  test('a lease that another troupe has taken', async () => {
    const store = memoryStore()
    const { run } = await waiting(store)
    await store.claim(run.id, 'another', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
    const lost = expect.objectContaining({ code: 'LEASE_LOST' })
    expect(await rejection(run.approve(callId))).toEqual(lost)
    expect(await rejection(run.cancel())).toEqual(lost)
    expect((await store.read(run.id))?.some(({ type }) => type === 'signal.received')).toBe(false)
  })

  test('a store that fails', async () => {
    const store = memoryStore()
    let isFull = false
    const failing: Store = {
      ...store,
      append: (appends) => {
        if (isFull) throw new Error('The disk is full.')
        return store.append(appends)
      },
    }
    const { run } = await waiting(failing)
    isFull = true
    const failed = expect.objectContaining({ code: 'STORE_FAILED' })
    expect(await rejection(run.approve(callId))).toEqual(failed)
    expect(await rejection(run.deny(callId))).toEqual(failed)
  })
})

const program = (act: string) => `
  import { createAgent, createTool, createTroupe } from 'troupe'
  import { scriptedModel } from 'troupe/testing'
  import { z } from 'zod'
  const remove = createTool({
    id: 'remove', description: 'Removes.', inputSchema: z.object({}), requireApproval: true, execute: () => 'removed',
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'remove', args: {} }] }, 'Done.'])
  const agent = createAgent({ id: 'solo', instructions: 'x', model, tools: { remove } })
  const onError = ({ message, error }) => console.log('reported:', error.code, message)
  const troupe = createTroupe({ agents: [agent], onError })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  ${act}
  await run.approve('solo/call:1.1')
  console.log((await run.result).outcome)
`

describe('a rejection never ends the process (--unhandled-rejections=strict)', () => {
  const flags = ['--unhandled-rejections=strict']

  test.each([
    ['an answer', `run.approve('nobody')`],
    ['a cancel of a delegation', `run.cancel('x', { delegationId: 'nobody' })`],
    ['an answer by the id of the run', `troupe.signal(run.id, { type: 'approve', toolCallId: 'nobody' })`],
  ])('%s that nothing handles is reported once', async (_, act) => {
    const { code, stdout, stderr } = await runProgram(program(act), { flags })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout.match(/reported: UNKNOWN_SIGNAL/g)).toHaveLength(1)
    expect(stdout).toContain('completed')
  })

  test.each([
    ['awaited', `await run.approve('nobody').catch(({ code }) => console.log('caught', code))`],
    [
      'awaited later',
      `const p = run.approve('nobody'); try { await p } catch ({ code }) { console.log('caught', code) }`,
    ],
    [
      'settled with others',
      `console.log('caught', (await Promise.allSettled([run.approve('nobody')]))[0].reason.code)`,
    ],
  ])('one that is %s is not reported', async (_, act) => {
    const { code, stdout } = await runProgram(program(act), { flags })
    expect(code).toBe(0)
    expect(stdout).toContain('caught UNKNOWN_SIGNAL')
    expect(stdout).not.toContain('reported')
  })
})

describe('malformed arguments reject, and say what was expected', () => {
  test.each([
    ['an unknown field', { nte: 'x' }, 'there is no option "nte"; did you mean "note"?'],
    ['a name that is no text', { by: 7 }, 'by must be a text, not 7'],
    ['an answer that is no object', 'yes', 'expected an object of options, not "yes"'],
    ['a rule that is no boolean', { always: 'yes' }, 'always must be true or false, not "yes"'],
  ])('%s', async (_, answer, message) => {
    const { run, troupe } = await waiting()
    const expected = expect.objectContaining({
      name: 'ConfigurationError',
      message: expect.stringContaining(message) as string,
    })
    expect(await rejection(run.approve(callId, answer as object))).toEqual(expected)
    expect(await rejection(run.deny(callId, 'No.', answer as object))).toEqual(expected)
    if (typeof answer === 'object') {
      const signal = { type: 'approve', toolCallId: callId, ...answer } as unknown as RunSignal
      expect(await rejection(run.signal(signal))).toEqual(expected)
      expect(await rejection(troupe.signal(run.id, signal))).toEqual(expected)
    }
    await run.approve(callId, { by: 'ann', note: 'Fine.' })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect((await troupe.history(run.id)).find(({ by }) => by === 'ann')).toMatchObject({ note: 'Fine.' })
  })

  test('an empty id, and a misspelt delegation', async () => {
    const { run } = await waiting()
    expect(await rejection(run.approve(''))).toMatchObject({ code: 'UNKNOWN_SIGNAL' })
    const options = { delegationID: 'x' } as object
    expect(await rejection(run.cancel('x', options))).toMatchObject({ name: 'ConfigurationError' })
    await run.approve(callId)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })
})
