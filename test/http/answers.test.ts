/** Behaviours 82 and 83 on the wires of pages: answers that are wrong, late, or for a run of another agent. */
import { createTool, createTroupe, type RunEvent } from 'troupe'
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

async function waiting(agent: ReturnType<typeof deskAgent>, questions: number, wire: keyof typeof pages) {
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
})
