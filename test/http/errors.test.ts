/** What clients of each wire see of the errors of runs: the code alone, unless the option `errors` says otherwise. */
import { createTool, createTroupe } from 'troupe'
import { createHandler, type HandlerOptions } from 'troupe/http'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'

const secret = 'connect ECONNREFUSED db.internal:5432'

const go = [{ id: 'm', role: 'user', content: 'Go', parts: [{ type: 'text', text: 'Go' }] }]

/** By wire, the request that begins a run of the desk and reads its stream. */
const wires = {
  troupe: { path: '/agents/desk/runs', body: { prompt: 'Go' } },
  'ai-sdk': { path: '/agents/desk/chat', body: { id: 'c', messages: go } },
  'ag-ui': { path: '/agents/desk/run', body: { runId: 'r', threadId: 'c', messages: go } },
} as const

/** All that a client is sent of a run whose tool throws, and which then fails by its model. */
async function sentOver(wire: keyof typeof wires, errors?: HandlerOptions['errors']): Promise<string> {
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => Promise.reject(new Error(secret)),
  })
  const { agent } = worker('desk', [calls({ name: 'look', args: {} }), { error: new Error(secret) }], {
    tools: { look },
    retries: 0,
  })
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  const handle = createHandler(troupe, {
    wire,
    agents: [agent],
    authorize: 'everybody',
    onError: () => undefined,
    ...(errors === undefined ? {} : { errors }),
  })
  const { path, body } = wires[wire]
  const post = new Request(`http://host${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
  })
  const answer = await handle(post)
  const text = await answer.text()
  const { items } = await troupe.runs()
  const runId = items[0]?.runId ?? ''
  await (
    await troupe.resume(runId)
  ).result
  const events =
    wire === 'troupe' ? await (await handle(new Request(`http://host/runs/${runId}/events`))).text() : ''
  await troupe.close()
  return text + events
}

describe.each(Object.keys(wires) as (keyof typeof wires)[])('over %s', (wire) => {
  test('the code alone by default, and with errors: code', async () => {
    for (const errors of [undefined, 'code'] as const) {
      const sent = await sentOver(wire, errors)
      expect(sent).not.toContain('db.internal')
      expect(sent).toContain('TOOL_FAILED')
    }
  })

  test('the whole error with errors: show', async () => {
    expect(await sentOver(wire, 'show')).toContain(secret)
  })

  test('the text of a function, which is told where the error arose', async () => {
    const places: unknown[] = []
    const sent = await sentOver(wire, async ({ code }, { agent, type }) => {
      places.push({ agent, type })
      return `Sorry (${code})`
    })
    expect(sent).toContain('Sorry (TOOL_FAILED)')
    expect(sent).not.toContain('db.internal')
    expect(places).toContainEqual({ agent: 'desk', type: 'tool-error' })
  })

  test.each<[string, HandlerOptions['errors']]>([
    [
      'throws',
      () => {
        throw new Error(secret)
      },
    ],
    ['rejects', () => Promise.reject(new Error(secret))],
    ['answers no text', () => 5 as never],
  ])('the code alone where the function %s', async (_name, errors) => {
    const sent = await sentOver(wire, errors)
    expect(sent).not.toContain('db.internal')
    expect(sent).toContain('TOOL_FAILED')
  })
})
