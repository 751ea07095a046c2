/** Behaviour 82 for whatever routes there are: each route of each wire asks authorize, and gives nothing that it does not. */
import { createTroupe } from 'troupe'
import { createHandler, type AccessRequest, type Authorize, type WireName } from 'troupe/http'
import { expect, test } from 'vitest'
import { agUiWire } from '../../src/http/ag-ui-wire/wire.ts'
import { aiSdkWire } from '../../src/http/ai-sdk-wire/wire.ts'
import { fileRoute } from '../../src/http/files/route.ts'
import type { Serving, Wire } from '../../src/http/serving/serving.ts'
import { troupeWire } from '../../src/http/troupe-wire/wire.ts'
import { Client } from './support/client.ts'
import { deskAgent, toolCallId } from './support/desk.ts'

const wires: Readonly<Record<WireName, Wire>> = {
  troupe: troupeWire,
  'ai-sdk': aiSdkWire,
  'ag-ui': agUiWire,
}

const go = [{ id: 'm', role: 'user', content: 'Go', parts: [{ type: 'text', text: 'Go' }] }]
const approved = { state: 'approval-responded', approval: { id: toolCallId, approved: true } }
const interruptId = JSON.stringify(['r', toolCallId, 'approval', '1:r:desk=1.0'])

/** What is sent to each route that takes a body. A new route needs its bodies here. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  'POST /agents/:agent/runs': [{ prompt: 'Go' }, { prompt: 'Go', runId: 'r' }],
  'POST /runs/:id/answers': [{ type: 'approve', toolCallId }],
  'POST /runs/:id/messages': [{ message: 'Hi' }],
  'POST /runs/:id/cancel': [{}],
  'POST /schedules/:key/pause': [{}],
  'POST /schedules/:key/resume': [{}],
  'POST /wake/:key': [{ data: 'Up.' }],
  'POST /agents/:agent/chat': [
    { id: 'c', messages: go },
    { id: 'c', messages: [...go, { id: 'r', role: 'assistant', parts: [approved] }] },
  ],
  'POST /agents/:agent/chat/:id/cancel': [{}],
  'POST /agents/:agent/threads/:id/cancel': [{}],
  'POST /agents/:agent/run': [
    { runId: 'r', threadId: 'c', messages: go },
    {
      runId: 'again',
      threadId: 'c',
      messages: go,
      resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
    },
  ],
}

interface Sent {
  readonly wire: WireName
  readonly method: string
  readonly path: string
  readonly body?: object
}

const named = { agent: 'desk', id: 'r', key: 'r', ref: '0'.repeat(64) }

const requests: readonly Sent[] = (Object.keys(wires) as WireName[]).flatMap((wire) =>
  [...wires[wire]({} as Serving), fileRoute({} as Serving)].flatMap(({ method, path }): Sent[] => {
    const address = path.replaceAll(/:(\w+)/g, (_, name: keyof typeof named) => named[name])
    if (method !== 'POST') return [{ wire, method, path: address }]
    const given = bodies[`${method} ${path}`]
    if (given === undefined) throw new Error(`There is no body for ${method} ${path}.`)
    return given.map((body) => ({ wire, method, path: address, body }))
  }),
)

/** Ann's run `r`, in the conversation `c`, which waits. */
async function openRun(wire: WireName, authorize: Authorize) {
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { runId: 'r', resourceId: 'ann', conversationId: 'c' })
  await run.whenIdle
  const handler = createHandler(troupe, { agents: [agent], wire, authorize, onError: () => undefined })
  return { troupe, client: new Client(handler) }
}

test.each(requests)('$wire: $method $path $body', async ({ wire, method, path, body }) => {
  const sent = body === undefined ? {} : { body }
  const asked: AccessRequest[] = []
  const refusals: readonly (readonly [statuses: readonly number[], authorize: Authorize])[] = [
    [[403, 404], () => false],
    [[500], () => Promise.reject(new Error('secret of the database'))],
    [[500], (() => undefined) as unknown as Authorize],
    [[418], () => new Response('Who are you?', { status: 418 })],
  ]
  for (const [statuses, authorize] of refusals) {
    const { troupe, client } = await openRun(wire, (request, access) => {
      asked.push(access)
      return authorize(request, access)
    })
    const answer = await client.ask(method, path, sent)
    expect(statuses).toContain(answer.status)
    expect(JSON.stringify(answer.body)).not.toMatch(/secret|pay|ann|desk\/call/)
    expect((await troupe.runs()).items).toMatchObject([{ runId: 'r', status: 'suspended' }])
    expect((await troupe.awaiting()).items).toMatchObject([{ toolCallId }])
    await troupe.close()
  }
  // Of a run that a caller may not change, `authorize` is asked whether the caller may read it.
  const [first] = asked
  const isAskedAgain = first?.of === 'run' && first.right !== 'read'
  expect(asked).toHaveLength(refusals.length + (isAskedAgain ? 1 : 0))

  // Ben has a resource of his own: Ann's run is not there, and no list of his has it.
  const { troupe, client } = await openRun(wire, () => ({ resource: 'ben' }))
  const response = await client.response(method, path, sent)
  const [read] = response.status === 200 ? [await response.body?.getReader().read()] : []
  expect(new TextDecoder().decode(read?.value)).not.toMatch(/pay|ann|desk\/call/)
  expect((await troupe.runs({ resourceId: 'ann' })).items).toMatchObject([
    { runId: 'r', status: 'suspended' },
  ])
  expect((await troupe.awaiting({ resourceId: 'ann' })).items).toMatchObject([{ toolCallId }])
  await troupe.close()
})
