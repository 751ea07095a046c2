/** Requests for runs that cannot go on: refused with their code, and told to the server in whole. */
import { createAgent, createTool, createTroupe, memoryStore, type AnyAgent } from 'troupe'
import { createHandler } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../support/agents/agents.ts'

/** A run that waits for an approval, in a store that its process has left. */
async function waiting() {
  const store = memoryStore()
  const refund = createTool({
    id: 'refund',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })
  const clerk = createAgent({
    id: 'clerk',
    instructions: 'A',
    model: scriptedModel([calls({ name: 'refund' })], { otherwise: 'Done.' }),
    tools: { refund },
  })
  const troupe = createTroupe({ agents: [clerk], store })
  const run = await troupe.start(clerk, 'x')
  await run.whenIdle
  const [question] = (await troupe.awaiting()).items
  await troupe.close()
  return { store, runId: run.id, toolCallId: question?.toolCallId ?? '' }
}

const agent = (id: string, instructions: string): AnyAgent =>
  createAgent({ id, instructions, model: scriptedModel([], { otherwise: 'No.' }) })

const edits: readonly (readonly [string, AnyAgent, object])[] = [
  ['AGENT_NOT_HERE', agent('another', 'A'), {}],
  ['PROGRAM_CHANGED', agent('clerk', 'B'), { onDrift: 'refuse' }],
]

async function served(served: AnyAgent, more: object) {
  const { store, runId, toolCallId } = await waiting()
  const errors: unknown[] = []
  const troupe = createTroupe({ agents: [served], store, onError: () => undefined, ...more })
  const handler = createHandler(troupe, {
    authorize: 'everybody',
    onError: ({ error }) => void errors.push(error),
  })
  const send = (method: string, path: string, body?: object) =>
    handler(
      new Request(`http://server${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    )
  return { troupe, send, errors, runId, toolCallId }
}

test.each(edits)(
  'an answer is refused with 409 and %s; the client sees no more',
  async (code, given, more) => {
    const { troupe, send, errors, runId, toolCallId } = await served(given, more)
    const response = await send('POST', `/runs/${runId}/answers`, { type: 'approve', toolCallId })
    expect(response.status).toBe(409)
    expect(await response.json()).toEqual({ error: { code, message: 'The run cannot go on here.' } })
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('force: true') as string }),
    ])
    await troupe.close()
  },
)

test('no client ends a run by force', async () => {
  const { troupe, send, runId } = await served(agent('another', 'A'), {})
  const cancel = await send('POST', `/runs/${runId}/cancel`, { reason: 'x', force: true })
  expect(cancel.status).toBe(400)
  expect((await send('DELETE', `/runs/${runId}?force=true`)).status).toBeGreaterThanOrEqual(400)
  expect((await troupe.runs()).items).toMatchObject([{ runId, status: 'suspended' }])
  await troupe.close()
})
