/** Cancels, failures and hostile replies of an agent that another system serves. */
import { createTroupe } from 'troupe'
import { agentCard } from 'troupe/a2a'
import { expect, test } from 'vitest'
import { lead, calls, to, worker } from '../../support/agents/agents.ts'
import { guardedCashier } from './paying.ts'
import { partnerWith, standingFor, type PartnerOptions } from './partner.ts'

/** The code of the error that a run fails with. */
async function failureWith(around: PartnerOptions['around'], more: Parameters<typeof standingFor>[1] = {}) {
  const partner = partnerWith(worker('poet', ['Snow falls.']).agent, { around })
  const result = await standingFor(partner, more).generate('A haiku.')
  const tasks = (await partner.troupe.runs()).items
  return { code: result.outcome === 'failed' ? result.error.code : result.outcome, tasks: tasks.length }
}

test('a cancel of the run reaches the system', async () => {
  const partner = partnerWith(guardedCashier().agent)
  const agent = standingFor(partner)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay back.')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await run.cancel('too late')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  expect((await partner.troupe.runs()).items).toMatchObject([{ outcome: 'cancelled' }])
  await troupe.close()
})

test('a cancel of the delegation reaches the system, and the supervisor goes on', async () => {
  const partner = partnerWith(guardedCashier().agent)
  const { agent } = lead('desk', [calls(to('partner', 'Pay back.')), 'It was called off.'], {
    agents: { partner: standingFor(partner) },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay back.')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await run.cancel('not now', { delegationId: 'desk/delegation:1.1' })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It was called off.' })
  expect((await partner.troupe.runs()).items).toMatchObject([{ outcome: 'cancelled' }])
  await troupe.close()
})

test('a server that is not available for a moment gets the task once', async () => {
  const statuses = [503, 429]
  const { code, tasks } = await failureWith(async ({ method }, answer) => {
    const status = method === 'SendMessage' ? statuses.shift() : undefined
    return status === undefined ? answer() : new Response('', { status, headers: { 'retry-after': '0' } })
  })
  expect({ code, tasks }).toEqual({ code: 'completed', tasks: 1 })
})

test('a server that asks for a year is not waited for', async () => {
  const busy = new Response('', { status: 503, headers: { 'retry-after': '31536000' } })
  const { code, tasks } = await failureWith(async ({ method }, answer) =>
    method === 'SendMessage' ? busy.clone() : answer(),
  )
  expect({ code, tasks }).toEqual({ code: 'RETRY_AFTER_TOO_LONG', tasks: 0 })
})

test('a reply that is lost after the server has taken the task begins no second one', async () => {
  let isLost = false
  const { code, tasks } = await failureWith(async ({ method }, answer) => {
    const response = await answer()
    if (method !== 'SendMessage' || isLost) return response
    isLost = true
    throw new TypeError('The connection was closed.')
  })
  expect({ code, tasks }).toEqual({ code: 'completed', tasks: 1 })
})

test('a task that fails there fails here, with the words of the system', async () => {
  const poet = worker('poet', []).agent
  const partner = partnerWith(poet)
  const result = await standingFor(partner).generate('A haiku.')
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'REMOTE_FAILED' } })
})

test('credentials that the server refuses are an error that is not repeated', async () => {
  let sent = 0
  const found = await failureWith(async ({ method }, answer) => {
    if (method === 'card') return answer()
    if (method === 'SendMessage') sent++
    return new Response('', { status: 401 })
  })
  expect({ ...found, sent }).toEqual({ code: 'REMOTE_UNAUTHORIZED', tasks: 0, sent: 1 })
})

test('a redirect is not followed', async () => {
  const found = await failureWith(async () => Response.redirect('http://elsewhere.test/', 307))
  expect(found.code).toBe('REMOTE_REDIRECTED')
})

test('a card that names another host gets no request to it', async () => {
  const hosts: string[] = []
  const poet = worker('poet', ['Snow falls.']).agent
  const card = agentCard(poet, { endpoints: [{ url: 'http://elsewhere.test/a2a', binding: 'JSONRPC' }] })
  const agent = standingFor({
    fetch: async (target) => {
      hosts.push(new URL(target instanceof Request ? target.url : target).host)
      return Response.json(card)
    },
  })
  expect(await agent.generate('A haiku.')).toMatchObject({
    outcome: 'failed',
    error: { code: 'REMOTE_CARD_INVALID' },
  })
  expect(new Set(hosts)).toEqual(new Set(['partner.test']))
})

test('a reply that is too large is cut off', async () => {
  const found = await failureWith(
    async ({ method }, answer) =>
      method === 'SendMessage' ? Response.json({ jsonrpc: '2.0', result: 'x'.repeat(50_000) }) : answer(),
    { maxReplyBytes: 20_000 },
  )
  expect(found.code).toBe('REMOTE_REPLY_TOO_LARGE')
})

test.each(['', 'null', '{}', '[]', '{"jsonrpc":"2.0","result":{}}', '<html>', '{"jsonrpc":"2.0","id":7}'])(
  'a reply of no sense is an error of the run: %s',
  async (body) => {
    const found = await failureWith(
      async ({ method }, answer) =>
        method === 'SendMessage'
          ? new Response(body, { headers: { 'content-type': 'application/json' } })
          : answer(),
      { retries: 0 },
    )
    expect(found.code).toMatch(/^REMOTE_|^MODEL_/)
    expect(found.tasks).toBe(0)
  },
)
