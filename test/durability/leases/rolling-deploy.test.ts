/** Behaviour 63: workers of two releases on one store, while one is replaced by the other. */
import { createTool, memoryStore, type Problem, type Run, type RunSignal, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { protocolVersion } from '../../../src/runtime/journal/journal.ts'
import { calls, lead } from '../../support/agents/agents.ts'
import { asRelease } from '../../support/other-release.ts'
import { expectPassivated, forever, processOn, signpost, suspendedBy, type Process } from '../processes.ts'

const olderProtocol = protocolVersion - 2

/** A lead that pays; `isAsked`: a person approves the payment first. */
function office(pay: () => unknown, { isAsked = false, isNew = true } = {}) {
  const paying = signpost<void>()
  const tool = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: isAsked,
    execute: () => {
      paying.pass()
      return pay()
    },
  })
  const steps = isNew ? [calls({ name: 'pay', args: {} }), 'Paid.'] : ['Paid.']
  return { agent: lead('lead', steps, { tools: { pay: tool } }).agent, paying }
}

type Office = ReturnType<typeof office>

interface Worker extends Process {
  readonly reports: readonly Problem[]
}

function newer(store: Store, { agent }: Office, passivateAfter = 1): Worker {
  const reports: Problem[] = []
  const process = processOn(store, [agent], {
    passivateAfter,
    onError: (problem) => reports.push(problem),
  })
  return { ...process, reports }
}

function older(store: Store, made: Office, passivateAfter?: number): Worker {
  return newer(asRelease(store, olderProtocol), made, passivateAfter)
}

/** A run of the older release, whose worker has died in mid-payment. */
async function abandoned(store: Store): Promise<Run> {
  const made = office(forever)
  const { troupe, end } = older(store, made)
  const run = await troupe.start(made.agent, 'Go')
  await made.paying.reached
  end()
  return run
}

describe('a run of another release', () => {
  test('is left by a newer worker, said once, and finished by a worker of its release', async () => {
    const store = memoryStore()
    const { id } = await abandoned(store)
    const before = await store.read(id)
    const deployed = newer(
      store,
      office(() => 'never'),
    )
    for (let pass = 0; pass < 3; pass++) {
      expect(await deployed.troupe.recover()).toEqual({
        runs: [],
        owned: [],
        refused: [],
        left: [{ runId: id, protocol: olderProtocol }],
      })
    }
    expect(deployed.reports).toMatchObject([{ where: 'run', runId: id }])
    expect(deployed.reports[0]?.message).toContain(`left to a worker of that release: ${id}`)
    expect(String(deployed.reports[0]?.error)).toContain(`protocol ${olderProtocol}`)
    expect(await store.read(id)).toEqual(before)

    const last = older(
      store,
      office(() => 'paid', { isNew: false }),
    )
    const { runs, left } = await last.troupe.recover()
    expect(left).toEqual([])
    expect(runs).toHaveLength(1)
    expect(await runs[0]?.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
    expect(await deployed.troupe.recover()).toMatchObject({ left: [] })
  })

  test('is left by an older worker too', async () => {
    const store = memoryStore()
    const made = office(forever)
    const deployed = newer(store, made)
    const run = await deployed.troupe.start(made.agent, 'Go')
    await made.paying.reached
    deployed.end()
    const { left, refused } = await older(
      store,
      office(() => 'never'),
    ).troupe.recover()
    expect({ left, refused }).toEqual({ left: [{ runId: run.id, protocol: olderProtocol }], refused: [] })
    const { runs } = await newer(
      store,
      office(() => 'paid', { isNew: false }),
    ).troupe.recover()
    expect(await runs[0]?.result).toMatchObject({ outcome: 'completed' })
  })

  test('does not hold up the runs of the release of the worker', async () => {
    const store = memoryStore()
    const { id } = await abandoned(store)
    const made = office(forever)
    const deployed = newer(store, made)
    const own = await deployed.troupe.start(made.agent, 'Go')
    await made.paying.reached
    deployed.end()
    const { runs, left } = await newer(
      store,
      office(() => 'paid', { isNew: false }),
    ).troupe.recover()
    expect(runs.map((run) => run.id)).toEqual([own.id])
    expect(left.map(({ runId }) => runId)).toEqual([id])
    expect(await runs[0]?.result).toMatchObject({ outcome: 'completed' })
  })

  test('is cancelled through a newer worker, by a worker of its release', async () => {
    const store = memoryStore()
    const made = office(forever)
    const owner = older(store, made)
    const run = await owner.troupe.start(made.agent, 'Go')
    await made.paying.reached
    const deployed = newer(
      store,
      office(() => 'never'),
    )
    await deployed.troupe.cancel(run.id, 'Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    await deployed.troupe.cancel(run.id) // it has ended: nothing waits for it any more
    expect((await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  })

  test('keeps the answers that wait for it', async () => {
    const store = memoryStore()
    const made = office(() => 'paid', { isAsked: true })
    const owner = older(store, made)
    const run = await owner.troupe.start(made.agent, 'Go')
    const [question] = (await suspendedBy(run)).awaiting
    const toolCallId = question?.toolCallId ?? ''
    await expectPassivated(store)
    owner.end()
    const queued = await store.enqueueSignal(run.id, { type: 'approve', toolCallId })
    expect(queued).toBe('accepted')

    const deployed = newer(
      store,
      office(() => 'never', { isAsked: true }),
    )
    for (let pass = 0; pass < 3; pass++) await deployed.troupe.recover()
    await expect.poll(() => deployed.reports.length).toBe(1)
    expect(await deployed.troupe.recover()).toMatchObject({
      left: [{ runId: run.id, protocol: olderProtocol }],
    })
    expect(deployed.reports).toMatchObject([{ where: 'signal', runId: run.id }])
    expect((await store.list('signals', { runIds: [run.id] })).items).toHaveLength(1)

    const last = older(
      store,
      office(() => 'paid', { isAsked: true, isNew: false }),
    )
    await last.troupe.recover()
    const again = await last.troupe.resume(run.id)
    expect(await again.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
  })

  /** A run of the older release that waits for an approval, in its live worker or passivated, and a newer worker. */
  async function asked(isLive: boolean) {
    const store = memoryStore()
    const made = office(() => 'paid', { isAsked: true })
    const owner = older(store, made, isLive ? Number.POSITIVE_INFINITY : 1)
    const run = await owner.troupe.start(made.agent, 'Go')
    const toolCallId = (await suspendedBy(run)).awaiting[0]?.toolCallId ?? ''
    if (!isLive) {
      await expectPassivated(store)
      owner.end()
    }
    const never = office(() => 'never', { isAsked: true })
    return { store, run, toolCallId, deployed: newer(store, never) }
  }

  test('gets an answer through a newer worker while a worker of its release has it', async () => {
    const { run, toolCallId, deployed } = await asked(true)
    await deployed.troupe.signal(run.id, { type: 'approve', toolCallId, by: 'ann' })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
    await expect(deployed.troupe.signal(run.id, { type: 'approve', toolCallId })).rejects.toMatchObject({
      code: 'SIGNAL_ALREADY_ANSWERED',
    })
  })

  test('gets one answer through newer workers before a worker of its release has it', async () => {
    const { store, run, toolCallId, deployed } = await asked(false)
    const other = newer(
      store,
      office(() => 'never', { isAsked: true }),
    )
    const approve: RunSignal = { type: 'approve', toolCallId }
    const answers = await Promise.allSettled([
      deployed.troupe.signal(run.id, approve),
      other.troupe.signal(run.id, approve),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'SIGNAL_ALREADY_ANSWERED' },
    })
    const last = older(
      store,
      office(() => 'paid', { isAsked: true, isNew: false }),
    )
    await last.troupe.recover()
    const again = await last.troupe.resume(run.id)
    expect(await again.result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
    expect((await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  })

  test('is not sent what it does not wait for, nor what only its charts can check', async () => {
    const { store, run, toolCallId, deployed } = await asked(false)
    const refused: readonly (readonly [RunSignal, string])[] = [
      [{ type: 'approve', toolCallId: 'another' }, 'UNKNOWN_SIGNAL'],
      [{ type: 'resume', toolCallId, data: 1 }, 'SIGNAL_TYPE_MISMATCH'],
      [{ type: 'approve', toolCallId, args: { sum: 2 } }, 'JOURNAL_MISMATCH'],
      [{ type: 'say', message: 'Hurry.' }, 'JOURNAL_MISMATCH'],
      [{ type: 'cancel', reason: 'Enough.', delegationId: 'lead/delegation:1.1' }, 'JOURNAL_MISMATCH'],
    ]
    for (const [signal, code] of refused)
      await expect(deployed.troupe.signal(run.id, signal)).rejects.toMatchObject({ code })
    expect((await store.list('signals', { runIds: [run.id] })).items).toEqual([])
  })
})
