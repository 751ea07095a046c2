/** Messages to other systems, and effects of adapters, of runs whose store was restored. */
import { createTroupe, memoryStore, type AnyAgent, type OpenQuestion, type Store, type Troupe } from 'troupe'
import { defineChartAgent, defineEffect } from 'troupe/kit'
import { describe, expect, test } from 'vitest'
import { assign, setup } from 'xstate'
import { partnerWith, standingFor, type Partner } from '../../a2a/remote/partner.ts'
import { guardedCashier } from '../../a2a/remote/paying.ts'
import { calls, lead, to } from '../../support/agents/agents.ts'
import { recorded, type Recorded } from './copies.ts'

const deskWith = ({ fetch }: Pick<Partner, 'fetch'>): AnyAgent =>
  lead('desk', [], {
    agents: { partner: standingFor({ fetch }) },
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'It is paid.' : calls(to('partner', 'Pay back.')),
  }).agent

const troupeOn = (store: Store, agent: AnyAgent): Troupe =>
  createTroupe({ agents: [agent], store, leaseTtl: 1_000, pollInterval: 5 })

/** Answers all questions until the run has ended. */
async function ended(troupe: Troupe, runId: string, verdict: object, asked: OpenQuestion[] = []) {
  const { result } = await troupe.resume(runId)
  const over = { is: false }
  void result.finally(() => (over.is = true))
  while (!over.is) {
    for (const question of (await troupe.awaiting()).items) {
      const { toolCallId, type } = question
      const signal =
        type === 'approval'
          ? ({ type: 'approve', toolCallId } as const)
          : ({ type: 'resume', toolCallId, data: verdict as never } as const)
      const isTaken = await troupe.signal(runId, signal).then(
        () => true,
        () => false,
      )
      if (isTaken) asked.push(question)
    }
    await new Promise((resolve) => void setTimeout(resolve, 1))
  }
  return result
}

async function copyOf(made: Recorded, count: number): Promise<Store> {
  const store = memoryStore()
  await made.copyTo(store, count)
  for (const { runId } of (await store.list('runs', { status: 'unfinished' })).items) {
    const now = Date.now() + 3_600_000
    await store.claim(runId, 'nobody', now, now - 3_600_001)
  }
  return store
}

async function lived(partner: Partner) {
  const made = recorded(memoryStore())
  const desk = deskWith(partner)
  const troupe = troupeOn(made.store, desk)
  const run = await troupe.start(desk, 'Go')
  await ended(troupe, run.id, {})
  await troupe.close()
  return { ...made, runId: run.id }
}

const doubts = (asked: readonly OpenQuestion[]) => asked.filter(({ type }) => type === 'interruption')

describe('a message to an agent of another system', () => {
  test('is looked for there after a person has said so, in every copy', async () => {
    const { agent, paid } = guardedCashier()
    const partner = partnerWith(agent)
    const made = await lived(partner)
    expect(paid()).toBe(1)
    let questions = 0
    for (let count = 1; count <= made.changes(); count++) {
      const store = await copyOf(made, count)
      const [summary] = (await store.list('runs', {})).items
      if (summary?.status === 'settled') continue
      const troupe = troupeOn(store, deskWith(partner))
      await troupe.recover({ restored: true })
      const asked: OpenQuestion[] = []
      const result = await ended(troupe, made.runId, { retry: true }, asked)
      expect(result).toMatchObject({ outcome: 'completed', text: 'It is paid.' })
      expect({ count, paid: paid() }).toEqual({ count, paid: 1 })
      questions += doubts(asked).length
      await troupe.close()
    }
    expect(questions).toBeGreaterThan(2)
    await partner.troupe.close()
  })

  test('is sent again where the system does not know it, and only then', async () => {
    const former = guardedCashier()
    const partner = partnerWith(former.agent)
    const made = await lived(partner)
    await partner.troupe.close()
    for (const [verdict, paid] of [
      [{ retry: true }, 1],
      [{ result: 'Paid by hand.' }, 0],
    ] as const) {
      const other = guardedCashier()
      const forgetful = partnerWith(other.agent)
      const troupe = troupeOn(await copyOf(made, 1), deskWith(forgetful))
      await troupe.recover({ restored: true })
      const asked: OpenQuestion[] = []
      const result = await ended(troupe, made.runId, verdict, asked)
      expect(doubts(asked)[0]).toMatchObject({ toolName: 'remote-task', restored: true })
      expect(result.delegations).toMatchObject([{ outcome: 'succeeded' }])
      if (paid === 0) expect(result.delegations).toMatchObject([{ text: 'Paid by hand.' }])
      expect(other.paid()).toBe(paid)
      await troupe.close()
      await forgetful.troupe.close()
    }
  })

  test('is not sent where a person denies it, or cancels the run meanwhile', async () => {
    const former = guardedCashier()
    const partner = partnerWith(former.agent)
    const made = await lived(partner)
    for (const how of ['deny', 'cancel'] as const) {
      const troupe = troupeOn(await copyOf(made, 1), deskWith(partner))
      await troupe.recover({ restored: true })
      let question: OpenQuestion | undefined
      while (question === undefined) {
        await new Promise((resolve) => void setTimeout(resolve, 1))
        question = (await troupe.awaiting()).items[0]
      }
      const { toolCallId } = question
      if (how === 'deny') await troupe.signal(made.runId, { type: 'deny', toolCallId })
      else await troupe.cancel(made.runId, 'no more')
      const result = await (await troupe.resume(made.runId)).result
      expect(result.outcome).toBe(how === 'deny' ? 'completed' : 'cancelled')
      if (how === 'deny')
        expect(result.delegations).toMatchObject([{ outcome: 'failed', error: { code: 'DENIED' } }])
      expect(former.paid()).toBe(1)
      await troupe.close()
    }
    await partner.troupe.close()
  })
})

/** An agent that orders; where the order is in doubt it orders once more, if it insists. */
function broker(orders: string[], insists: boolean): AnyAgent {
  const order = defineEffect({
    name: 'order',
    once: true,
    perform: ({ symbol }: { symbol: string }) => {
      orders.push(symbol)
      return 'ordered'
    },
  })
  const chart = setup({
    types: {
      input: {} as { readonly task: string },
      context: {} as { readonly symbol: string; readonly text: string },
    },
    actors: { order },
    guards: { isInDoubt: (_, { outcome }: { outcome: unknown }) => insists && typeof outcome !== 'string' },
  }).createMachine({
    context: ({ input }) => ({ symbol: input.task, text: '' }),
    initial: 'ordering',
    states: {
      ordering: {
        invoke: {
          id: 'order',
          src: 'order',
          input: ({ context }) => ({ symbol: context.symbol }),
          onDone: [
            {
              guard: { type: 'isInDoubt', params: ({ event }) => ({ outcome: event.output }) },
              target: 'ordering',
              reenter: true,
            },
            {
              target: 'done',
              actions: assign(({ event }) => ({ text: JSON.stringify(event.output) })),
            },
          ],
        },
      },
      done: { type: 'final' },
    },
    output: ({ context }) => ({ text: context.text }),
  })
  return defineChartAgent({ id: 'broker', description: 'Buys.', chart: () => chart })
}

test.each([
  ['tells its chart, which may leave it', false, '{"type":"interrupted","restored":true}', []],
  ['is performed where its chart asks for it again', true, '"ordered"', ['ACME']],
])('an effect of an adapter that is made once %s', async (_what, insists, text, made) => {
  const former = recorded(memoryStore())
  const first = broker([], insists)
  const troupe = troupeOn(former.store, first)
  const run = await troupe.start(first, 'ACME')
  await run.result
  await troupe.close()
  const orders: string[] = []
  const again = troupeOn(await copyOf(former, 1), broker(orders, insists))
  await again.recover({ restored: true })
  expect(await (await again.resume(run.id)).result).toMatchObject({ text })
  expect(orders).toEqual(made)
  await again.close()
})

test('a run that is begun again under the id of a lost one asks, where its start says so', async () => {
  const former = guardedCashier()
  const partner = partnerWith(former.agent)
  const desk = deskWith(partner)
  const troupe = troupeOn(memoryStore(), desk)
  await expect(troupe.start(desk, 'Go', { restored: 'yes' as never })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  })
  const run = await troupe.start(desk, 'Go', { runId: 'job-7', restored: true })
  const asked: OpenQuestion[] = []
  await ended(troupe, run.id, { retry: true }, asked)
  expect(doubts(asked)).toMatchObject([{ restored: true }, { restored: true }])
  const { events } = await troupe.replay('job-7')
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['run-start', 'restored'])
  await expect(troupe.start(desk, 'Go', { runId: 'job-7', restored: true })).rejects.toMatchObject({
    code: 'RUN_EXISTS',
  })
  await troupe.close()
  await partner.troupe.close()
})
