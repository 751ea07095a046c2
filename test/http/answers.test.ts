/** Behaviours 82 and 83 on the wires of pages: answers that are wrong, late, or for a run of another agent. */
import { createTool, createTroupe, type AgentDefinition, type RunEvent } from 'troupe'
import { createHandler } from 'troupe/http'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { Client } from './support/client.ts'
import { deskAgent } from './support/desk.ts'

const go = [{ id: 'm', role: 'user', content: 'Go', parts: [{ type: 'text', text: 'Go' }] }]

/** The approvals of a page by each wire. */
const pages = {
  'ai-sdk': {
    path: (agent: string) => `/agents/${agent}/chat`,
    approve(runId: string, cursor: string, toolCallIds: readonly string[]) {
      const parts = toolCallIds.map((id) => {
        return { state: 'approval-responded', approval: { id, approved: true } }
      })
      return { id: 'c', messages: [...go, { id: runId, role: 'assistant', parts, metadata: { cursor } }] }
    },
  },
  'ag-ui': {
    path: (agent: string) => `/agents/${agent}/run`,
    approve(runId: string, cursor: string, toolCallIds: readonly string[]) {
      const resume = toolCallIds.map((toolCallId) => {
        const interruptId = JSON.stringify([runId, toolCallId, 'approval', cursor])
        return { interruptId, status: 'resolved', payload: { approved: true } }
      })
      return { runId: 'again', threadId: 'c', messages: go, resume }
    },
  },
} as const

/** A lead with two subagents, each of which asks before it stamps. */
function office() {
  const stamp = createTool({
    id: 'stamp',
    description: 'Stamps.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'stamped',
  })
  const clerk = (id: string) =>
    worker(id, [calls({ name: 'stamp', args: {} })], { otherwise: 'Done.', tools: { stamp } }).agent
  const agents = { ann: clerk('ann'), ben: clerk('ben') }
  return lead('desk', [calls(to('ann', 'Stamp'), to('ben', 'Stamp'))], { otherwise: 'All done.', agents })
    .agent
}

async function waiting(agent: AgentDefinition, questions: number, wire: keyof typeof pages) {
  const other = worker('other', [], { otherwise: 'No.' }).agent
  const troupe = createTroupe({ agents: [agent, other] })
  const run = await troupe.start(agent, 'Go', { conversationId: 'c' })
  await expect.poll(async () => (await troupe.awaiting()).items.length).toBe(questions)
  const seen: RunEvent[] = []
  for await (const event of troupe.watch(run.id)) {
    seen.push(event)
    if (event.type === 'suspended' && event.payload.awaiting.length === questions) break
  }
  const options = { authorize: 'everybody', agents: [agent, other], wire } as const
  const asked = (await troupe.awaiting({ order: 'oldest' })).items.map(({ toolCallId }) => toolCallId)
  const client = new Client(createHandler(troupe, options))
  return { troupe, run, client, asked, cursor: seen.at(-1)?.cursor ?? '' }
}

/** A call that asks a second time, for data, when it was approved; and one that asks for its approval alone. */
function counter() {
  const options = { description: 'Asks.', requireApproval: true, inputSchema: z.object({}) } as const
  const ask = createTool({
    ...options,
    id: 'ask',
    execute: (_, { suspend, resumeData }) => (resumeData === undefined ? suspend({ seat: '?' }) : 'seated'),
  })
  const pay = createTool({ ...options, id: 'pay', execute: () => 'paid' })
  const step = calls({ name: 'ask', args: {} }, { name: 'pay', args: {} })
  return worker('desk', [step], { otherwise: 'All done.', tools: { ask, pay } }).agent
}

describe.each(['ai-sdk', 'ag-ui'] as const)('the wire %s', (wire) => {
  const { path, approve } = pages[wire]

  test('an approval with a cursor that is none is refused, and does not count', async () => {
    const { troupe, run, client, asked } = await waiting(deskAgent(), 1, wire)
    for (const cursor of ['x', '1:other:desk=1.0']) {
      const answer = await client.post(path('desk'), approve(run.id, cursor, asked))
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
    }
    expect((await troupe.awaiting()).items).toMatchObject([{ toolCallId: asked[0] }])
    await troupe.close()
  })

  test('one request gives a thousand answers at most, and none of more', async () => {
    const { troupe, run, client, asked, cursor } = await waiting(deskAgent(), 1, wire)
    const many = Array.from({ length: 1_001 }, () => asked[0] ?? '')
    expect(await client.post(path('desk'), approve(run.id, cursor, many))).toMatchObject({
      status: 413,
      body: { error: { code: 'REQUEST_TOO_LARGE', message: 'The request has more than 1000 answers.' } },
    })
    expect((await troupe.awaiting()).items).toMatchObject([{ toolCallId: asked[0] }])
    await troupe.close()
  })

  test('a run of another agent than that of the address is as one that is not there', async () => {
    const { troupe, run, client, asked, cursor } = await waiting(deskAgent(), 1, wire)
    const answer = await client.post(path('other'), approve(run.id, cursor, asked))
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'RUN_NOT_FOUND' } } })
    expect((await troupe.awaiting()).items).toMatchObject([{ toolCallId: asked[0] }])
    await troupe.close()
  })

  test('an answer that is late is refused; beside one that counts it is left out, and the stream tells', async () => {
    const { troupe, run, client, asked, cursor } = await waiting(office(), 2, wire)
    await run.cancel('not needed', { delegationId: 'desk/delegation:1.2' })
    await expect.poll(async () => (await troupe.awaiting()).items.length).toBe(1)
    const late = asked.filter((id) => id.startsWith('desk/delegation:1.2/'))
    expect(late).toHaveLength(1)
    expect(await client.post(path('desk'), approve(run.id, cursor, late))).toMatchObject({
      status: 409,
      body: { error: { code: 'SIGNAL_TOO_LATE' } },
    })
    const { status, body } = await client.post(path('desk'), approve(run.id, cursor, asked))
    expect(status).toBe(200)
    expect(body).toContain('stamped')
    expect(body).toContain('All done.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
    await troupe.close()
  })

  test('an approval of a call that asks something else by now is refused; beside one that counts it is left out', async () => {
    const { troupe, run, client, asked, cursor } = await waiting(counter(), 2, wire)
    const [ask = '', pay = ''] = asked
    await run.approve(ask)
    await expect
      .poll(async () => (await troupe.awaiting()).items.map(({ type }) => type).toSorted())
      .toEqual(['approval', 'suspension'])
    expect(await client.post(path('desk'), approve(run.id, cursor, [ask]))).toMatchObject({
      status: 409,
      body: { error: { code: 'SIGNAL_TYPE_MISMATCH' } },
    })
    const { status, body } = await client.post(path('desk'), approve(run.id, cursor, [ask, pay]))
    expect(status).toBe(200)
    expect(body).toContain('paid')
    expect((await troupe.awaiting()).items).toMatchObject([{ toolCallId: ask, type: 'suspension' }])
    await run.resume(ask, 'window')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
    await troupe.close()
  })
})

test('arguments of a person that fit no more when the run looks again: the page of AG-UI is asked anew', async () => {
  let looks = 0
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    requireApproval: true,
    inputSchema: z
      .object({ amount: z.number() })
      .refine(async ({ amount }) => amount < 10 || ++looks === 1, 'That is too much.'),
    execute: ({ amount }) => `paid ${amount}`,
  })
  const step = calls({ name: 'pay', args: { amount: 5 } })
  const { agent } = worker('desk', [step], { otherwise: 'All done.', tools: { pay } })
  const { troupe, run, client, asked, cursor } = await waiting(agent, 1, 'ag-ui')
  const { path, approve } = pages['ag-ui']
  const body = approve(run.id, cursor, asked)
  const resume = body.resume.map((one) => ({
    ...one,
    payload: { approved: true, editedArgs: { amount: 50 } },
  }))
  const answer = await client.post(path('desk'), { ...body, resume })
  expect(answer.status).toBe(200)
  expect(answer.body).toContain('SIGNAL_ARGS_INVALID')
  const [ofRun, toolCallId, type, after = ''] = JSON.parse(interruptOf(String(answer.body))) as string[]
  expect([ofRun, toolCallId, type]).toEqual([run.id, asked[0], 'approval'])
  const whole = await client.post(path('desk'), approve(run.id, after, asked))
  expect(whole.body).toContain('paid 5')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All done.' })
  await troupe.close()
})

/** The id of the interrupt with which a stream of AG-UI has ended. */
function interruptOf(stream: string): string {
  const last = stream.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? ''
  const { outcome } = JSON.parse(last) as { outcome: { interrupts: readonly [{ readonly id: string }] } }
  return outcome.interrupts[0].id
}
