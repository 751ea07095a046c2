/** Behaviours 28 and 40: what becomes of a run whose process has ended, and of the tool that was at work then. */
import {
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  RetryableError,
  RunNotFoundError,
  SignalError,
  type OnInterrupted,
  type Store,
  type SupervisorOptions,
} from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { fromPromise } from 'xstate'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, toldOfCalls, until, worker } from '../../support/agents/agents.ts'
import { forever, processOn, recovered, signpost, suspendedBy } from '../processes.ts'

const inputSchema = z.object({})
const callPay = calls({ name: 'pay', args: {} })
const callId = 'lead/delegation:1.1/clerk/call:1.1'

interface Payment {
  readonly idempotencyKey: string
  readonly runId: string
}

/** A lead with a clerk who pays; `pay` decides what the payment does. */
function office(
  pay: (payment: Payment) => unknown,
  steps: { readonly lead?: readonly ScriptedStep[]; readonly clerk?: readonly ScriptedStep[] } = {},
  onInterrupted?: OnInterrupted,
) {
  const seen = signpost<Payment>()
  const tool = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema,
    ...(onInterrupted && { onInterrupted }),
    execute: (_, { idempotencyKey, runId }) => {
      seen.pass({ idempotencyKey, runId })
      return pay({ idempotencyKey, runId })
    },
  })
  const clerk = worker('clerk', steps.clerk ?? [callPay, 'Paid.'], { tools: { pay: tool } })
  const boss = lead('lead', steps.lead ?? [calls(to('clerk', 'Pay the bill')), 'All paid.'], {
    agents: { clerk: clerk.agent },
  })
  return { agent: boss.agent, boss: boss.model, clerk: clerk.model, payments: seen }
}

/** A process that ends while the clerk pays. */
async function interruptedOffice(store: Store, onInterrupted?: OnInterrupted) {
  const made = office(forever, {}, onInterrupted)
  const { troupe, end } = processOn(store, [made.agent])
  const run = await troupe.start(made.agent, 'Go')
  await made.payments.reached
  end()
  return { ...made, runId: run.id }
}

describe('a run whose process has ended', () => {
  test('goes on in another: what was settled is not done again, and the events are told from the first', async () => {
    const store = memoryStore()
    const { runId } = await interruptedOffice(store)
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const { troupe } = processOn(store, [next.agent])
    const run = await recovered(troupe)
    expect(run.id).toBe(runId)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'All paid.',
      delegations: [{ outcome: 'succeeded', text: 'Paid.' }],
      usage: { inputTokens: 40, outputTokens: 20 },
    })
    // Two replies of four were there already.
    expect([next.boss.calls.length, next.clerk.calls.length]).toEqual([1, 1])
    expect(toldOfCalls(next.clerk, 1)).toEqual(['paid'])
    const events = await allEvents(run)
    expect(events[0]).toMatchObject({ type: 'run-start', seq: 1 })
    const kept = events.filter((event) => event.seq !== undefined)
    expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1))
    expect((await troupe.replay(runId)).result).toEqual(await run.result)
  })

  test('is free at once when its troupe was closed', async () => {
    const store = memoryStore()
    const made = office(forever)
    const first = createTroupe({ agents: [made.agent], store })
    await first.start(made.agent, 'Go')
    await made.payments.reached
    await first.close()

    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const run = await recovered(createTroupe({ agents: [next.agent], store }))
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
  })

  test('is given once, however often and by however many it is asked for', async () => {
    const store = memoryStore()
    const { runId } = await interruptedOffice(store)
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const { troupe } = processOn(store, [next.agent])
    const [one, two, { runs }] = await Promise.all([
      troupe.resume(runId),
      troupe.resume(runId),
      troupe.recover(),
    ])
    expect(two).toBe(one)
    expect(runs.filter((run) => run !== one)).toEqual([])
    expect(await one.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
    expect(next.payments.seen).toHaveLength(1)
    // And once more, when it has ended: from its journal.
    expect(await (await troupe.resume(runId)).result).toEqual(await one.result)
    expect(await troupe.recover()).toEqual({ runs: [], owned: [], refused: [], left: [] })
    expect(next.payments.seen).toHaveLength(1)
  })

  test('that nobody knows is not found', async () => {
    const { troupe } = processOn(memoryStore(), [office(forever).agent])
    await expect(troupe.resume('nobody')).rejects.toThrow(RunNotFoundError)
    await expect(troupe.signal('nobody', { type: 'cancel' })).rejects.toThrow(RunNotFoundError)
    await expect(troupe.fork('nobody', { at: 1 })).rejects.toThrow(RunNotFoundError)
    await expect(troupe.history('nobody')).rejects.toThrow(RunNotFoundError)
  })

  test('is refused where its agent is missing or has changed, and free for who has it', async () => {
    const store = memoryStore()
    const { runId } = await interruptedOffice(store)
    const stranger = worker('stranger', []).agent
    expect(await processOn(store, [stranger]).troupe.recover()).toMatchObject({
      runs: [],
      owned: [],
      refused: [{ runId, error: { code: 'INVALID_CONFIGURATION' } }],
    })
    const changed = lead('lead', [], { instructions: 'I have changed.' }).agent
    const { refused } = await processOn(store, [changed]).troupe.recover()
    expect(refused).toMatchObject([
      {
        runId,
        error: { code: 'JOURNAL_MISMATCH', message: expect.stringContaining('instructions of "lead"') },
      },
    ])
    // Neither has kept it, and nobody needs to wait for a lease.
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const run = await recovered(createTroupe({ agents: [next.agent], store }))
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('before anything of it was kept is no run', async () => {
    const store = memoryStore()
    const made = office(forever)
    const { troupe, end } = processOn(store, [made.agent])
    end()
    troupe.start(made.agent, 'Go').catch(() => undefined) // the process is told nothing of it any more
    expect(await processOn(store, [made.agent]).troupe.recover()).toEqual({
      runs: [],
      owned: [],
      refused: [],
      left: [],
    })
  })

  test('that had its end, but not on record, ends', async () => {
    const store = memoryStore()
    const made = worker('solo', ['Hi.'])
    let endRun = (): void => undefined
    const { troupe, end } = processOn(
      {
        ...store,
        append: (appends) => {
          if (appends.some(({ entry }) => entry?.type === 'run.settled')) {
            endRun()
            return forever()
          }
          return store.append(appends)
        },
      },
      [made.agent],
    )
    const ended = new Promise<void>((resolve) => (endRun = resolve))
    const { id } = await troupe.start(made.agent, 'Go')
    await ended
    end()
    expect((await store.read(id))?.at(-1)?.type).toBe('effect.settled')
    const next = worker('solo', [])
    const run = await recovered(processOn(store, [next.agent]).troupe)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
    expect(next.model.calls).toHaveLength(0)
    expect((await store.read(id))?.at(-1)?.type).toBe('run.settled')
  })
})

describe('a tool that was at work when its process ended', () => {
  test('runs again, with the same key', async () => {
    const store = memoryStore()
    const before = await interruptedOffice(store)
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const run = await recovered(processOn(store, [next.agent]).troupe)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(before.payments.seen).toEqual([{ runId: run.id, idempotencyKey: `${run.id}/${callId}` }])
    expect(next.payments.seen).toEqual(before.payments.seen)
    const interrupted = (await store.read(run.id))?.filter(
      (entry) => entry.type === 'effect.settled' && entry.kind === 'tool',
    )
    expect(interrupted).toMatchObject([
      { key: `${callId}/tool#1`, settlement: { value: { type: 'interrupted' } } },
      { key: `${callId}/tool#2`, settlement: { value: { type: 'returned', value: 'paid' } } },
    ])
  })

  test('keeps its key over retries and processes', async () => {
    const store = memoryStore()
    const made = office(({ idempotencyKey }) => {
      if (made.payments.seen.length === 1) throw new RetryableError('busy', { retryAfterMs: 1 })
      return idempotencyKey && forever()
    })
    const { troupe, end } = processOn(store, [made.agent])
    const { id } = await troupe.start(made.agent, 'Go')
    await expect.poll(() => made.payments.seen.length).toBe(2)
    end()
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    await (
      await recovered(processOn(store, [next.agent]).troupe)
    ).result
    const keys = [...made.payments.seen, ...next.payments.seen].map((payment) => payment.idempotencyKey)
    expect(keys).toEqual(Array(3).fill(`${id}/${callId}`))
  })

  test('as a workflow does, whose root actor bears the key', async () => {
    const store = memoryStore()
    const ids = signpost<string>()
    const shop = (work: () => Promise<string>, steps: readonly ScriptedStep[]) => {
      const logic = fromPromise<string, object>(({ self }) => {
        ids.pass(self.id)
        return work()
      })
      const order = createWorkflow({ id: 'order', description: 'Orders.', inputSchema, logic })
      return worker('shop', steps, { workflows: { order } }).agent
    }
    const first = shop(forever, [calls({ name: 'order' })])
    const { troupe, end } = processOn(store, [first])
    const { id } = await troupe.start(first, 'Go')
    await ids.reached
    end()
    const next = shop(async () => 'ordered', ['Done.'])
    const run = await recovered(processOn(store, [next]).troupe)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      steps: [{ toolResults: [{ outcome: 'succeeded', value: 'ordered' }] }, {}],
    })
    expect(ids.seen).toEqual([`${id}/shop/call:1.1`, `${id}/shop/call:1.1`])
  })

  test('is asked about when it was interrupted again and again: it may be what ends the process', async () => {
    const store = memoryStore()
    await interruptedOffice(store)
    let executions = 1
    for (let processes = 0; processes < 3; processes++) {
      const made = office(forever, { lead: [], clerk: [] })
      const { troupe, end } = processOn(store, [made.agent])
      await recovered(troupe)
      await made.payments.reached
      executions++
      end()
    }
    expect(executions).toBe(4)
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const run = await recovered(processOn(store, [next.agent]).troupe)
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolCallId: callId, type: 'interruption', toolName: 'pay' }],
    })
    expect(next.payments.seen).toEqual([])
    await run.resume(callId, { retry: true })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
    expect(next.payments.seen).toEqual([{ runId: run.id, idempotencyKey: `${run.id}/${callId}` }])
  })

  test('does not run again when it says so: its call has failed, and the model learns no more', async () => {
    const store = memoryStore()
    await interruptedOffice(store, 'fail')
    const next = office(() => 'paid', { lead: ['Not paid.'], clerk: ['It failed.'] }, 'fail')
    const run = await recovered(processOn(store, [next.agent]).troupe)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Not paid.' })
    expect(next.payments.seen).toEqual([])
    expect(toldOfCalls(next.clerk, 1)).toEqual(['{"error":"The tool \\"pay\\" failed."}'])
    expect(only(await allEvents(run), 'tool-error')).toMatchObject([
      { payload: { outcome: 'failed', error: { name: 'InterruptedError', code: 'INTERRUPTED' } } },
    ])
  })

  describe('and asks', () => {
    async function asked(store = memoryStore()) {
      await interruptedOffice(store, 'ask')
      const next = office(() => 'paid', { lead: ['All settled.'], clerk: ['I see.'] }, 'ask')
      const { troupe, end } = processOn(store, [next.agent])
      const run = await recovered(troupe)
      return { ...next, run, troupe, end, store, idle: await suspendedBy(run) }
    }

    test('is a suspension, at the root, with path and call id', async () => {
      const { run, idle, payments } = await asked()
      expect(idle.awaiting).toEqual([
        { toolCallId: callId, type: 'interruption', agent: 'clerk', toolName: 'pay', args: {} },
      ])
      expect(payments.seen).toEqual([])
      const announced = await until(run, 'tool-call-suspended')
      expect(announced).toMatchObject({
        path: callId,
        delegationId: 'lead/delegation:1.1',
        payload: { toolCallId: callId, toolName: 'pay', suspendPayload: { interrupted: true } },
      })
    })

    test('told to retry, it runs once more, with the same key', async () => {
      const { run, payments, clerk } = await asked()
      await run.resume(callId, { retry: true })
      expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All settled.' })
      expect(payments.seen).toEqual([{ runId: run.id, idempotencyKey: `${run.id}/${callId}` }])
      expect(toldOfCalls(clerk, 1)).toEqual(['paid'])
    })

    test('told its result, it does not run', async () => {
      const { run, payments, clerk } = await asked()
      await run.resume(callId, { result: 'paid by hand' })
      expect(await run.result).toMatchObject({ outcome: 'completed' })
      expect(payments.seen).toEqual([])
      expect(toldOfCalls(clerk, 1)).toEqual(['paid by hand'])
    })

    test('denied, it does not run, and the model is told why', async () => {
      const { run, payments, clerk } = await asked()
      await run.deny(callId, 'The bill was wrong.')
      expect(await run.result).toMatchObject({ outcome: 'completed' })
      expect(payments.seen).toEqual([])
      expect(toldOfCalls(clerk, 1)).toEqual([
        '{"error":"Tool call denied: The bill was wrong.","denied":true}',
      ])
    })

    test.each([
      ['approved', { type: 'approve' }],
      ['resumed with nothing', { type: 'resume' }],
      ['resumed with something else', { type: 'resume', data: { ok: true } }],
      ['told not to retry', { type: 'resume', data: { retry: false } }],
    ] as const)('%s, it says what it expects, and goes on waiting', async (_, signal) => {
      const { run, troupe, payments } = await asked()
      const answer = run.signal({ ...signal, toolCallId: callId })
      await expect(answer).rejects.toThrow(
        expect.objectContaining({ name: 'SignalError', code: 'SIGNAL_TYPE_MISMATCH' }),
      )
      expect((await troupe.runs()).items.map(({ status }) => status)).toEqual(['suspended'])
      await run.resume(callId, { retry: true })
      expect(await run.result).toMatchObject({ outcome: 'completed' })
      expect(payments.seen).toHaveLength(1)
    })

    test('still asks when that process ends too, and again when it is interrupted again', async () => {
      const { store, end, idle } = await asked()
      end()
      const third = office(forever, { lead: [], clerk: [] }, 'ask')
      const thirdProcess = processOn(store, [third.agent])
      const again = await recovered(thirdProcess.troupe)
      expect((await suspendedBy(again)).awaiting).toEqual(idle.awaiting)
      await again.resume(callId, { retry: true })
      await third.payments.reached
      thirdProcess.end()

      const fourth = office(() => 'paid', { lead: ['All settled.'], clerk: ['I see.'] }, 'ask')
      const run = await recovered(processOn(store, [fourth.agent]).troupe)
      expect((await suspendedBy(run)).awaiting).toEqual(idle.awaiting)
      await run.resume(callId, { retry: true })
      expect(await run.result).toMatchObject({ outcome: 'completed' })
    })
  })

  test('that the run had let go of by a bail is not run again', async () => {
    const store = memoryStore()
    const began = signpost<string>()
    const make = (steps: readonly ScriptedStep[], quickSteps: readonly ScriptedStep[]) => {
      const slow = createTool({
        id: 'slow',
        description: 'Slow.',
        inputSchema,
        execute: () => {
          began.pass('slow')
          return forever()
        },
      })
      const quick = worker('quick', quickSteps)
      return lead('lead', steps, {
        agents: { quick: quick.agent },
        tools: { slow },
        delegation: { onDelegationComplete: ({ bail }) => bail() },
        onFinish: () => {
          began.pass('end')
          return forever()
        },
      }).agent
    }
    const first = make(
      [calls({ name: 'slow' }, to('quick', 'Go'))],
      [() => ({ text: 'The answer.', until: began.reached })],
    )
    const { troupe, end } = processOn(store, [first])
    await troupe.start(first, 'Go')
    await expect.poll(() => began.seen).toEqual(['slow', 'end'])
    end()
    const again = make([], [])
    const second = processOn(store, [again])
    const run = await recovered(second.troupe)
    await expect.poll(() => began.seen).toEqual(['slow', 'end', 'end'])
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'bailed', text: 'The answer.' })
    expect(began.seen).toEqual(['slow', 'end', 'end'])
  })
})

describe('functions that were given with the run', () => {
  const options = (seen: string[]): SupervisorOptions => ({
    onStepFinish: ({ step }) => void seen.push(`step ${step}`),
    delegation: { onDelegationStart: () => void seen.push('start') },
    stopWhen: () => false,
  })

  async function interrupted(store: Store, seen: string[]) {
    const made = office(forever)
    const { troupe, end } = processOn(store, [made.agent])
    const { id } = await troupe.start(made.agent, 'Go', options(seen))
    await made.payments.reached
    end()
    return id
  }

  test('are asked for by name, and the run stays as it is', async () => {
    const store = memoryStore()
    const id = await interrupted(store, [])
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const { troupe } = processOn(store, [next.agent])
    const message = `The run "${id}" began with functions of its own, which no journal can hold. Hand them in again: onDelegationStart, stopWhen, onStepFinish.`
    await expect(troupe.resume(id)).rejects.toThrow(message)
    await expect(troupe.resume(id, { onStepFinish: () => undefined })).rejects.toThrow(
      'Hand them in again: onDelegationStart, stopWhen.',
    )
    expect(await troupe.recover()).toEqual({
      runs: [],
      owned: [],
      refused: [{ runId: id, error: { name: 'ConfigurationError', code: 'INVALID_CONFIGURATION', message } }],
      left: [],
    })
    expect(next.payments.seen).toEqual([])
  })

  test('go on where they are handed in', async () => {
    const store = memoryStore()
    const [before, after]: string[][] = [[], []]
    const id = await interrupted(store, before ?? [])
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const run = await processOn(store, [next.agent]).troupe.resume(id, options(after ?? []))
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
    expect(before).toEqual(['step 1', 'start'])
    expect(after).toEqual(['step 2'])
  })

  test('go on where they are handed in while the run is refused to a caller without them', async () => {
    const store = memoryStore()
    const id = await interrupted(store, [])
    const next = office(() => 'paid', { lead: ['All paid.'], clerk: ['Paid.'] })
    const { troupe } = processOn(store, [next.agent])
    const misspelt: object = { onStepFinnish: () => undefined }
    const [without, mistaken, given] = await Promise.allSettled([
      troupe.resume(id),
      troupe.resume(id, misspelt),
      troupe.resume(id, options([])),
    ])
    expect(without).toMatchObject({ reason: { message: expect.stringContaining('Hand them in again') } })
    expect(mistaken).toMatchObject({ reason: { message: expect.stringContaining('onStepFinnish') } })
    if (given.status === 'rejected') throw given.reason
    expect(await given.value.result).toMatchObject({ outcome: 'completed', text: 'All paid.' })
  })

  test('are not needed to see how a run has ended', async () => {
    const store = memoryStore()
    const made = office(() => 'paid')
    const run = await processOn(store, [made.agent]).troupe.start(made.agent, 'Go', options([]))
    const result = await run.result
    expect(await (await processOn(store, [made.agent]).troupe.resume(run.id)).result).toEqual(result)
  })

  test('are asked for only where the run is free: elsewhere it is owned', async () => {
    const store = memoryStore()
    const made = office(forever)
    const owner = createTroupe({ agents: [made.agent], store })
    const { id } = await owner.start(made.agent, 'Go', options([]))
    await made.payments.reached
    const other = createTroupe({ agents: [office(forever).agent], store })
    await expect(other.resume(id)).rejects.toThrow(expect.objectContaining({ code: 'RUN_OWNED', runId: id }))
    expect(await other.recover()).toEqual({ runs: [], owned: [id], refused: [], left: [] })
    await owner.close()
  })
})

test('an answer to a run that has ended elsewhere is too late', async () => {
  const store = memoryStore()
  const { runId } = await interruptedOffice(store, 'ask')
  const next = office(() => 'paid', { lead: ['All settled.'], clerk: ['I see.'] }, 'ask')
  const { troupe } = processOn(store, [next.agent])
  const run = await recovered(troupe)
  await suspendedBy(run)
  await run.resume(callId, { result: 'paid' })
  await run.result
  const other = processOn(store, [next.agent]).troupe
  await expect(
    other.signal(runId, { type: 'resume', toolCallId: callId, data: { retry: true } }),
  ).rejects.toThrow(SignalError)
})

test('a fork whose first entries are on their way is not taken by a recovery of the same troupe', async () => {
  const memory = memoryStore()
  const answered = Promise.withResolvers<void>()
  const isTaken = Promise.withResolvers<void>()
  let isForking = false
  const store: Store = {
    ...memory,
    async append(appends) {
      const report = await memory.append(appends)
      if (!isForking) return report
      isForking = false
      isTaken.resolve() // the entries are in the store, and the troupe does not know it yet
      await answered.promise
      return report
    },
  }
  const { agent, model } = worker('solo', ['Hi.'], { otherwise: 'Hi again.' })
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await run.result
  isForking = true
  const forking = troupe.fork(run.id, { at: 1 })
  await isTaken.promise
  expect((await memory.list('runs', { status: 'unfinished' })).items).toHaveLength(1)
  const recovering = troupe.recover()
  await new Promise((resolve) => setTimeout(resolve, 20)) // the recovery begins each run in a task of its own
  answered.resolve()
  const [forked] = await Promise.all([forking, recovering])
  expect(await forked.result).toMatchObject({ outcome: 'completed', text: 'Hi again.' })
  expect(model.calls).toHaveLength(2)
})

test('options with which a run is resumed are read, also of a run that is here', async () => {
  const { agent } = worker('solo', [{ hang: true }])
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const misspelt: object = { onStepFinsh: () => undefined }
  await expect(troupe.resume(run.id, misspelt)).rejects.toThrow(
    `options for resuming the run "${run.id}": there is no option "onStepFinsh"; did you mean "onStepFinish"?`,
  )
  expect((await troupe.resume(run.id)).id).toBe(run.id)
  await run.cancel()
})
