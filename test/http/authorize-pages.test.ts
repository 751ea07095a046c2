/** Behaviour 82 on the wires of pages: each request asks for its rights, and a stranger gets nothing. */
import { createTroupe } from 'troupe'
import { createHandler, type Access, type AccessRequest, type WireName } from 'troupe/http'
import { describe, expect, test } from 'vitest'
import { Client } from './support/client.ts'
import { deskAgent, toolCallId } from './support/desk.ts'

const go = [{ id: 'm', role: 'user', content: 'Go', parts: [{ type: 'text', text: 'Go' }] }]

interface Page {
  readonly path: string
  readonly start: (runId: string, conversation: string) => object
  readonly answer: (runId: string, cursor: string) => object
}

/** What a page of each wire sends. */
const pages: Readonly<Record<Exclude<WireName, 'troupe'>, Page>> = {
  'ai-sdk': {
    path: '/agents/desk/chat',
    start: (_, id) => ({ id, messages: go }),
    answer(runId, cursor) {
      const part = { state: 'approval-responded', approval: { id: toolCallId, approved: true } }
      const message = { id: runId, role: 'assistant', parts: [part], metadata: { cursor } }
      return { id: 'c', messages: [...go, message] }
    },
  },
  'ag-ui': {
    path: '/agents/desk/run',
    start: (runId, threadId) => ({ runId, threadId, messages: go }),
    answer(runId, cursor) {
      const interruptId = JSON.stringify([runId, toolCallId, 'approval', cursor])
      const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }]
      return { runId: 'again', threadId: 'c', messages: go, resume }
    },
  },
}

/** A desk whose run of Ann waits for an answer. `decide`: the answer of `authorize`; Ann has her own runs. */
async function openPages(wire: Exclude<WireName, 'troupe'>) {
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { resourceId: 'ann', conversationId: 'c' })
  await run.whenIdle
  const events = []
  for await (const event of troupe.watch(run.id)) {
    events.push(event)
    if (event.type === 'suspended') break
  }
  const cursor = events.at(-1)?.cursor ?? ''
  const asked: AccessRequest[] = []
  const clientOf = (decide: (access: AccessRequest) => Access | Response | false) =>
    new Client(
      createHandler(troupe, {
        agents: [agent],
        wire,
        authorize(_, access) {
          asked.push(access)
          return decide(access)
        },
      }),
    )
  return { troupe, run, cursor, asked, clientOf }
}

const isWaiting = { items: [{ toolCallId }] }

describe.each(['ai-sdk', 'ag-ui'] as const)('the wire %s', (wire) => {
  const { path, start, answer } = pages[wire]

  test('an answer asks for read and answer: without read it is as for a run that is not there, and without answer forbidden', async () => {
    const { troupe, run, cursor, asked, clientOf } = await openPages(wire)
    const deciders: ((access: AccessRequest) => Access | false)[] = [
      () => ({ resource: 'ben' }),
      ({ right }) => right === 'answer' && { resource: 'ann' },
      () => ({ resource: 'ann', conversationId: 'other' }),
    ]
    for (const decide of deciders) {
      expect(await clientOf(decide).post(path, answer(run.id, cursor))).toMatchObject({
        status: 404,
        body: { error: { code: 'RUN_NOT_FOUND' } },
      })
    }
    const reader = clientOf(({ right }) => right === 'read' && { resource: 'ann' })
    expect(await reader.post(path, answer(run.id, cursor))).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    })
    const nameless = clientOf(() => new Response('Who are you?', { status: 401 }))
    for (const runId of [run.id, 'none']) {
      expect(await nameless.post(path, answer(runId, cursor))).toMatchObject({ status: 401 })
    }
    expect(await troupe.awaiting()).toMatchObject(isWaiting)
    asked.length = 0
    const ann = clientOf(() => ({ resource: 'ann', by: 'ann@test' }))
    expect(await ann.post(path, answer(run.id, cursor))).toMatchObject({ status: 200 })
    expect(asked.map(({ of, right }) => `${of} ${right}`)).toEqual(['run read', 'run answer'])
    const { events } = await troupe.replay(run.id)
    expect(events.find(({ type }) => type === 'tool-call-answered')).toMatchObject({
      payload: { by: 'ann@test' },
    })
    await troupe.close()
  })

  test('a start asks for start, and belongs to its caller', async () => {
    const { troupe, run, asked, clientOf } = await openPages(wire)
    const list = () => troupe.runs().then(({ items }) => items)
    expect(await clientOf(() => false).post(path, start('s', 'd'))).toMatchObject({ status: 403 })
    const held = clientOf(() => ({ resource: 'cat', conversationId: 'own' }))
    expect(await held.post(path, start('s', 'd'))).toMatchObject({ status: 403 })
    expect(await list()).toMatchObject([{ runId: run.id }])
    asked.length = 0
    const cat = clientOf(() => ({ resource: 'cat' }))
    const response = await cat.response('POST', path, { body: start('s', 'd') })
    await response.body?.cancel()
    expect(asked).toMatchObject([{ of: 'agent', right: 'start', agent: 'desk' }])
    expect((await troupe.runs({ conversationId: 'd' })).items).toMatchObject([{ resourceId: 'cat' }])
    await troupe.close()
  })
})

test('a start of AG-UI under the id of a run streams it to those alone who may read it', async () => {
  const { troupe, run, clientOf } = await openPages('ag-ui')
  const { path, start } = pages['ag-ui']
  const starter = clientOf(({ right }) => right === 'start' && { resource: null })
  expect(await starter.post(path, start(run.id, 'c'))).toMatchObject({
    status: 409,
    body: { error: { code: 'RUN_EXISTS' } },
  })
  const { status, body } = await clientOf(() => ({ resource: 'ann' })).post(path, start(run.id, 'c'))
  expect(status).toBe(200)
  expect(body).toContain(toolCallId)
  await troupe.close()
})

test('a page that comes back gets the run of its own resource, if it may read it', async () => {
  const { troupe, run, asked, clientOf } = await openPages('ai-sdk')
  const stream = '/agents/desk/chat/c/stream'
  expect(await clientOf(() => ({ resource: 'ben' })).get(stream)).toMatchObject({ status: 204 })
  expect(await clientOf(() => ({ resource: null, conversationId: 'd' })).get(stream)).toMatchObject({
    status: 204,
  })
  expect(await clientOf(() => false).get(stream)).toMatchObject({ status: 403 })
  const lists = clientOf(({ of }) => of === 'runs' && { resource: 'ann' })
  expect(await lists.get(stream)).toMatchObject({ status: 404 })
  asked.length = 0
  const { status, body } = await clientOf(() => ({ resource: 'ann' })).get(stream)
  expect(status).toBe(200)
  expect(body).toContain(run.id)
  expect(asked.map(({ of, right }) => `${of} ${right}`)).toEqual(['runs read', 'run read'])
  await troupe.close()
})
