/** Cancels and ends of time at each state of a task: no task is left at work that nobody waits for. */
import { createTool, createTroupe, type Run } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { lead, calls, to, worker } from '../../support/agents/agents.ts'
import { guardedCashier } from './paying.ts'
import { partnerWith, standingFor, type Arrived, type Partner, type PartnerOptions } from './partner.ts'

/** A tool that waits until it is cancelled. */
function waiting() {
  const wait = createTool({
    id: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    execute: (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
  })
  return { wait }
}

const outcomes = async ({ troupe }: Partner) => (await troupe.runs()).items.map(({ outcome }) => outcome)

/** A partner at whose request of this method something happens, once. */
function atRequest(method: string, then: (answer: () => Promise<Response>) => Promise<Response>) {
  let isOver = false
  const around: PartnerOptions['around'] = async (arrived: Arrived, answer) => {
    if (arrived.method !== method || isOver) return answer()
    isOver = true
    return then(answer)
  }
  return around
}

/** Begins a run in which the partner is an agent by itself, or a subagent. */
async function begun(partner: Partner, form: 'alone' | 'as a subagent') {
  const agent = standingFor(partner)
  const root =
    form === 'alone'
      ? agent
      : lead('desk', [calls(to('partner', 'Pay back.')), 'Done.'], { agents: { partner: agent } }).agent
  const troupe = createTroupe({ agents: [root] })
  return { troupe, run: await troupe.start(root, 'Pay back.') }
}

const forms = ['alone', 'as a subagent'] as const

test.each(forms)(
  'before the server has named the task: it is cancelled once it has a name (%s)',
  async (form) => {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const partner = partnerWith(guardedCashier().agent, {
      around: atRequest('SendMessage', async (answer) => {
        asked.resolve()
        await gate.promise
        return answer()
      }),
    })
    const { run, troupe } = await begun(partner, form)
    await asked.promise
    const cancelled = run.cancel('too late')
    const again = run.cancel('and again')
    gate.resolve()
    await Promise.all([cancelled, again])
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'too late' })
    expect(await outcomes(partner)).toEqual(['cancelled'])
    await troupe.close()
  },
)

test('before the server has named the task, of a delegation: the supervisor goes on', async () => {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const partner = partnerWith(guardedCashier().agent, {
    around: atRequest('SendMessage', async (answer) => {
      asked.resolve()
      await gate.promise
      return answer()
    }),
  })
  const { run, troupe } = await begun(partner, 'as a subagent')
  await asked.promise
  const cancelled = run.cancel('not now', { delegationId: 'desk/delegation:1.1' })
  gate.resolve()
  await cancelled
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await outcomes(partner)).toEqual(['cancelled'])
  await troupe.close()
})

test('a server that answers the message with an error, or at once, has nothing to cancel', async () => {
  for (const reply of [new Response('', { status: 401 }), undefined]) {
    const asked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const partner = partnerWith(guardedCashier().agent, {
      around: async ({ method, id }, answer) => {
        if (method !== 'SendMessage') return answer()
        asked.resolve()
        await gate.promise
        return reply ?? direct(id)
      },
    })
    const { run, troupe } = await begun(partner, 'alone')
    await asked.promise
    const cancelled = run.cancel()
    gate.resolve()
    await cancelled
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect([await outcomes(partner), partner.count('CancelTask')]).toEqual([[], 0])
    await troupe.close()
  }
})

/** An answer without a task. */
function direct(id: unknown): Response {
  const message = { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'Here.' }] }
  return Response.json({ jsonrpc: '2.0', id, result: { message } })
}

test.each(forms)('while the server is at work (%s)', async (form) => {
  const partner = partnerWith(
    worker('clerk', [calls({ name: 'wait', args: {} })], { tools: waiting() }).agent,
  )
  const { run, troupe } = await begun(partner, form)
  await expect.poll(() => partner.count('SubscribeToTask')).toBe(1)
  await run.cancel()
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  expect(await outcomes(partner)).toEqual(['cancelled'])
  await troupe.close()
})

test('after the end a cancel changes nothing, here and there', async () => {
  const partner = partnerWith(guardedCashier().agent)
  const { run, troupe } = await begun(partner, 'alone')
  await answerFirst(run)
  expect((await run.whenIdle).outcome).toBe('completed')
  await run.cancel('after the end')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect([await outcomes(partner), partner.count('CancelTask')]).toEqual([['completed'], 0])
  await troupe.close()
})

async function answerFirst(run: Run): Promise<void> {
  const asked = await run.whenIdle
  if (asked.outcome !== 'suspended') throw new Error('It does not ask.')
  await run.approve(asked.awaiting[0]?.toolCallId ?? '')
}

test('the time of the run is up: before the task is named, and at work', async () => {
  for (const method of ['SendMessage', 'SubscribeToTask']) {
    const gate = Promise.withResolvers<void>()
    const partner = partnerWith(
      worker('clerk', [calls({ name: 'wait', args: {} })], { tools: waiting() }).agent,
      {
        around: atRequest(method, async (answer) => {
          setTimeout(gate.resolve, 60)
          await gate.promise
          return answer()
        }),
      },
    )
    const agent = standingFor(partner, { budget: { wallClock: 30 } })
    const result = await agent.generate('Go.')
    expect([method, result.outcome]).toEqual([method, 'exhausted'])
    expect(await outcomes(partner)).toEqual(['cancelled'])
  }
})

test('a server that does not answer a cancel does not keep the run from its end', async () => {
  const partner = partnerWith(guardedCashier().agent, {
    around: ({ method }, answer) =>
      method === 'CancelTask' ? new Promise<never>(() => undefined) : answer(),
  })
  const agent = standingFor(partner, { requestTimeout: 50 })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay back.')
  expect((await run.whenIdle).outcome).toBe('suspended')
  await run.cancel()
  expect(await run.result).toMatchObject({
    outcome: 'cancelled',
    errors: [{ error: { code: 'REMOTE_TIMEOUT' } }],
  })
  await troupe.close()
})

test.each(['SendMessage', 'SubscribeToTask'])(
  'a delegation whose time is up is cancelled there, and the supervisor goes on: %s',
  async (method) => {
    const gate = Promise.withResolvers<void>()
    const partner = partnerWith(
      worker('clerk', [calls({ name: 'wait', args: {} })], { tools: waiting() }).agent,
      {
        around: atRequest(method, async (answer) => {
          setTimeout(gate.resolve, 60)
          await gate.promise
          return answer()
        }),
      },
    )
    const { agent } = lead('desk', [calls(to('partner', 'Pay back.')), 'It takes too long.'], {
      agents: { partner: standingFor(partner) },
      delegation: { timeout: 30 },
    })
    const result = await agent.generate('Go.')
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'It takes too long.',
      delegations: [{ agent: 'partner', outcome: 'timedOut' }],
    })
    expect(await outcomes(partner)).toEqual(['cancelled'])
  },
)
