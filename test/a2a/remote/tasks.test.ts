/** Tasks of servers of any make: their ends, questions, files and data; and approvals across two systems of ours. */
import { createTool, createTroupe, type Run } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { foreign, said } from './foreign.ts'
import { guardedCashier } from './paying.ts'
import { partnerWith, standingFor } from './partner.ts'

async function asked(run: Run) {
  const idle = await run.whenIdle
  if (idle.outcome !== 'suspended') throw new Error(`It does not ask: ${JSON.stringify(idle)}`)
  return idle.awaiting
}

test.each([
  ['REJECTED', 'REMOTE_REJECTED', 'The task was rejected: Not my trade.'],
  ['FAILED', 'REMOTE_FAILED', 'The task failed: Not my trade.'],
  ['CANCELED', 'REMOTE_CANCELLED', 'The task was cancelled: Not my trade.'],
])('a task that ends as %s fails the agent, with the words of the server', async (state, code, message) => {
  const status = { state: `TASK_STATE_${state}`, ...said({ text: 'Not my trade.' }) }
  const result = await standingFor(foreign([{ status }])).generate('Go.')
  expect(result).toMatchObject({ outcome: 'failed', error: { code, message } })
})

test.each([
  [{}],
  [{ status: {} }],
  [{ status: { state: 'TASK_STATE_UNSPECIFIED' } }],
  [{ status: { state: 'SLEEPING' } }],
])('a task that has no state is not asked about for ever: %j', async (task) => {
  const result = await standingFor(foreign([task])).generate('Go.')
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'REMOTE_STATE_UNKNOWN' } })
})

test('a supervisor learns that it failed, and goes on; the words are for people', async () => {
  const status = { state: 'TASK_STATE_REJECTED', ...said({ text: 'Not my trade.' }) }
  const { agent, model } = lead('desk', [calls(to('partner', 'Go.')), 'They refuse.'], {
    agents: { partner: standingFor(foreign([{ status }])) },
  })
  const result = await agent.generate('Go.')
  expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'failed' }] })
  expect(JSON.stringify(model.calls[1]?.request.messages)).not.toContain('Not my trade.')
  expect(JSON.stringify(result.errors)).toContain('Not my trade.')
})

test('a task that needs a right is a question, and its answer goes on with it', async () => {
  const server = foreign([
    { status: { state: 'TASK_STATE_AUTH_REQUIRED', ...said({ text: 'Sign in at x.test.' }) } },
    { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a', parts: [{ text: 'In.' }] }] },
  ])
  const agent = standingFor(server)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  const [question] = await asked(run)
  expect(question).toMatchObject({
    type: 'suspension',
    payload: { type: 'a2a-question', text: 'Sign in at x.test.', taskId: 't', isAuthRequired: true },
  })
  await run.resume(question?.toolCallId ?? '', 'It is done.')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'In.' })
  expect(server.heard[1]).toMatchObject({ taskId: 't', parts: [{ text: 'It is done.' }] })
  await troupe.close()
})

test('a question that nobody answers ends the agent, and the task is cancelled', async () => {
  const server = foreign([{ status: { state: 'TASK_STATE_INPUT_REQUIRED', ...said({ text: 'Which?' }) } }])
  const agent = standingFor(server)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  const [question] = await asked(run)
  await expect(run.approve(question?.toolCallId ?? '')).rejects.toMatchObject({
    code: expect.stringMatching(/^SIGNAL_/) as string,
  })
  await run.cancel()
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await troupe.close()
})

test('texts, files and data of artifacts are the answer', async () => {
  const parts = [
    { text: 'Here.' },
    { raw: Buffer.from('png').toString('base64'), mediaType: 'image/png', filename: 'sky.png' },
    { url: 'https://x.test/a.pdf', mediaType: 'application/pdf' },
    { url: 'file:///etc/passwd', mediaType: 'text/plain' },
    { data: { n: 1 } },
  ]
  const done = { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ artifactId: 'a', parts }] }
  const agent = standingFor(foreign([done]))
  const troupe = createTroupe({ agents: [agent] })
  const result = await (await troupe.start(agent, 'Go.')).result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Here.' })
  const [picture, paper, ...others] = result.files ?? []
  expect(picture).toMatchObject({ mediaType: 'image/png', name: 'sky.png' })
  expect(paper).toMatchObject({ url: 'https://x.test/a.pdf' })
  expect(others).toEqual([])
  const bytes =
    'ref' in (picture ?? {}) ? await troupe.blobs.get((picture as { ref: string }).ref) : undefined
  expect(Buffer.from(bytes ?? []).toString()).toBe('png')
  await troupe.close()
})

test('an answer of data alone is its text, and one of a shape is checked', async () => {
  const done = (...data: readonly unknown[]) => ({
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ artifactId: 'a', parts: data.map((value) => ({ data: value })) }],
  })
  expect(await standingFor(foreign([done({ n: 1 }, [2])])).generate('Go.')).toMatchObject({
    text: '{"n":1}\n[2]',
  })
  const structuredOutput = { schema: z.object({ n: z.number() }) }
  expect(await standingFor(foreign([done({ n: 1 })]), { structuredOutput }).generate('Go.')).toMatchObject({
    outcome: 'completed',
    object: { n: 1 },
  })
  expect(await standingFor(foreign([done({ n: 'x' })]), { structuredOutput }).generate('Go.')).toMatchObject({
    outcome: 'failed',
    error: { code: 'INVALID_OBJECT' },
  })
})

test('files of the user reach the server with their bytes', async () => {
  const server = foreign([{ status: { state: 'TASK_STATE_COMPLETED' } }])
  const data = Buffer.from('png').toString('base64')
  const prompt = [
    { type: 'text', text: 'See.' },
    { type: 'file', mediaType: 'image/png', name: 'sky.png', data },
  ] as const
  await standingFor(server).generate([{ role: 'user', content: prompt }])
  expect(server.heard[0]?.parts).toMatchObject([
    { text: 'See.' },
    { raw: data, filename: 'sky.png', mediaType: 'image/png' },
  ])
})

test.each([true, false])(
  'the call of a subagent there is approved by a person here: %s',
  async (approves) => {
    const { agent: cashier, paid } = guardedCashier()
    const there = lead('office', [calls(to('cashier', 'Pay back.')), 'As you wish.'], { agents: { cashier } })
    const partner = partnerWith(there.agent)
    const middle = lead('middle', [calls(to('partner', 'Pay back.')), 'So it is.'], {
      agents: { partner: standingFor(partner) },
    })
    const { agent } = lead('desk', [calls(to('middle', 'Pay back.')), 'It is done.'], {
      agents: { middle: middle.agent },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go.')
    const [question, ...others] = await asked(run)
    expect(others).toEqual([])
    expect(question).toMatchObject({
      toolCallId: 'desk/delegation:1.1/middle/delegation:1.1/partner/question:1',
      type: 'approval',
      agent: 'partner',
      toolName: 'refund',
      args: { euros: 20 },
    })
    expect((await troupe.awaiting()).items).toMatchObject([{ toolName: 'refund' }])
    const id = question?.toolCallId ?? ''
    await expect(run.approve(id, { args: { euros: 1 } })).rejects.toMatchObject({
      code: 'SIGNAL_ARGS_INVALID',
    })
    if (approves) await run.approve(id, { by: 'ann', note: 'By the book.' })
    else await run.deny(id, 'Too much.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It is done.' })
    expect(paid()).toBe(approves ? 1 : 0)
    const [there1] = (await partner.troupe.runs()).items
    const journal = JSON.stringify(await partner.troupe.journal(there1?.runId ?? ''))
    expect(journal).toContain(approves ? 'By the book.' : 'Too much.')
    await troupe.close()
  },
)

test('two questions of one task are asked one after the other, and each is answered by itself', async () => {
  const done: string[] = []
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({ nr: z.number() }),
    requireApproval: true,
    execute: ({ nr }) => {
      done.push(`did ${nr}`)
      return `did ${nr}`
    },
  })
  const acting = (nr: number) => ({ name: 'act', args: { nr } })
  const there = worker('actor', [calls(acting(1), acting(2)), 'Both.'], { tools: { act } })
  const agent = standingFor(partnerWith(there.agent))
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go.')
  const [first] = await asked(run)
  expect(first).toMatchObject({ args: { nr: 1 } })
  await run.approve(first?.toolCallId ?? '')
  const [second] = await asked(run)
  expect(second).toMatchObject({ args: { nr: 2 } })
  await run.deny(second?.toolCallId ?? '')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Both.' })
  expect(done).toEqual(['did 1'])
  await troupe.close()
})
