/** Agents that other systems serve, in runs on Restate: one task there, its questions and its cancel, whatever workers do. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, to } from '../../support/agents/agents.ts'
import { guardedCashier } from '../../a2a/remote/paying.ts'
import { partnerWith, standingFor, type Partner, type PartnerOptions } from '../../a2a/remote/partner.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const question = 'boss/delegation:1.1/partner/question:1'

function office(options: PartnerOptions = {}) {
  const { agent: cashier, paid } = guardedCashier()
  const partner = partnerWith(cashier, options)
  const { agent } = lead('boss', [], {
    agents: { partner: standingFor(partner) },
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'It is done.' : calls(to('partner', 'Pay back.')),
  })
  return { agent, partner, paid }
}

const tasksOf = async ({ troupe }: Partner) => (await troupe.runs()).items.map(({ outcome }) => outcome)

test.each([
  ['approved', '20 euros are on their way', 1],
  ['denied', 'Too much.', 0],
])(
  'a question is %s, and a workflow that is executed again asks for nothing twice',
  async (how, text, times) => {
    const { agent, partner, paid } = office()
    const troupe = await desk.troupe(agent, { inactivityTimeout: 0 })
    const run = await troupe.start(agent, 'Go')
    const asked = await run.whenIdle
    expect(asked).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolCallId: question, type: 'approval' }],
    })
    if (how === 'approved') await run.approve(question)
    else await run.deny(question, 'Too much.')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'It is done.' })
    expect(result.delegations[0]?.text).toContain(text)
    expect([await tasksOf(partner), paid()]).toEqual([['completed'], times])
    expect(partner.count('SendMessage')).toBe(2)
    const before = partner.arrived.length
    await troupe.replay(run.id)
    expect(partner.arrived).toHaveLength(before)
  },
)

test('a reply that is lost begins no second task', async () => {
  let isLost = false
  const { agent, partner } = office({
    around: async ({ method }, answer) => {
      const response = await answer()
      if (method !== 'SendMessage' || isLost) return response
      isLost = true
      throw new TypeError('The connection was closed.')
    },
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  expect((await run.whenIdle).outcome).toBe('suspended')
  await run.approve(question)
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(await tasksOf(partner)).toEqual(['completed'])
})

test('a cancel reaches the system while it asks', async () => {
  const { agent, partner } = office()
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await run.cancel('too late')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await expect.poll(() => tasksOf(partner)).toEqual(['cancelled'])
})

test('a cancel before the system has named the task reaches it', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { agent, partner } = office({
    around: async ({ method }, answer) => {
      if (method !== 'SendMessage') return answer()
      asked.resolve()
      await gate.promise
      return answer()
    },
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  await asked.promise
  const cancelled = run.cancel('too late')
  gate.resolve()
  await cancelled
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await expect.poll(() => tasksOf(partner)).toEqual(['cancelled'])
})
