/** Runs on Restate over HTTP: the routes of each wire, with a stream that is cut and people who answer. */
import { createHandler, type ServedRun } from 'troupe/http'
import { restateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readByEachWire } from '../../examples/wires/read.ts'
import { Client, eventsOf, readUntil } from '../../http/support/client.ts'
import { byUser, deskAgent, toolCallId } from '../../http/support/desk.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

test('a run is started, read in parts, told, answered, listed, cancelled and deleted', async () => {
  const agent = deskAgent()
  const troupe = await desk.troupe(agent)
  await expect.poll(() => troupe.runs()).toEqual({ items: [] }) // the index of Restate is there a little later
  const client = new Client(createHandler(troupe, { authorize: byUser, agents: [agent] }))
  const [ann, ben] = [client.as('ann'), client.as('ben')]
  const start = { prompt: 'Go', runId: 'r-1', threadId: 't', conversationId: 'c' }
  expect(await ann.post('/agents/desk/runs', start)).toMatchObject({
    status: 201,
    body: { runId: 'r-1', agent: 'desk', resourceId: 'ann', threadId: 't', conversationId: 'c' },
  })
  expect(await ann.post('/agents/desk/runs', start)).toMatchObject({ status: 200, body: { runId: 'r-1' } })
  expect(await ben.post('/agents/desk/runs', start)).toMatchObject({
    status: 409,
    body: { error: { code: 'RUN_EXISTS' } },
  })

  const part = async (after: string | undefined, type: string) =>
    readUntil(
      await ann.response(
        'GET',
        '/runs/r-1/events',
        after === undefined ? {} : { headers: { 'last-event-id': after } },
      ),
      (event) => event.type === type,
    )
  const first = await part(undefined, 'delegation-start')
  const second = await part(first.lastId, 'suspended')
  await expect
    .poll(async () => (await ann.get('/awaiting')).body)
    .toMatchObject({
      items: [{ runId: 'r-1', toolCallId, type: 'approval', args: { amount: 5 } }],
    })
  expect(await ann.get('/runs/r-1')).toMatchObject({ status: 200, body: { status: 'waiting' } })
  expect((await ben.get('/awaiting')).body).toEqual({ items: [] })
  expect((await ben.get('/runs')).body).toEqual({ items: [] })
  for (const path of ['/runs/r-1', '/runs/r-1/events'])
    expect(await ben.get(path)).toMatchObject({ status: 404 })

  expect(await ann.post('/runs/r-1/messages', { message: 'Hurry', id: 'm1' })).toMatchObject({ status: 204 })
  const approve = { type: 'approve', toolCallId, args: { amount: 4 } }
  expect(await ben.post('/runs/r-1/answers', approve)).toMatchObject({ status: 404 })
  expect(await ann.ask('DELETE', '/runs/r-1')).toMatchObject({
    status: 409,
    body: { error: { code: 'RUN_NOT_ENDED' } },
  })
  expect(await ann.post('/runs/r-1/answers', approve)).toMatchObject({ status: 204 })
  expect(await ann.post('/runs/r-1/answers', approve)).toMatchObject({
    status: 409,
    body: { error: { code: 'SIGNAL_ALREADY_ANSWERED' } },
  })
  const rest = await part(second.lastId, 'run-finish')
  const all = [...first.events, ...second.events, ...rest.events]
  const numbers = all.flatMap(({ seq }) => seq ?? [])
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  expect(all.find(({ type }) => type === 'said')?.payload).toMatchObject({ id: 'm1', by: 'ann@test' })
  expect(all.find(({ type }) => type === 'tool-call-answered')?.payload).toMatchObject({ by: 'ann@test' })
  expect(all.at(-1)).toMatchObject({ type: 'run-finish', final: true, payload: { text: 'Paid.' } })

  await expect.poll(async () => (await ann.get('/runs/r-1')).body).toMatchObject({ status: 'ended' })
  const over = await ann.get('/runs/r-1/events', { headers: { 'last-event-id': rest.lastId ?? '' } })
  expect(over.status).toBe(204)

  const other = (await ann.post('/agents/desk/runs', { prompt: 'Go' })).body as ServedRun
  expect(await ann.post(`/runs/${other.runId}/cancel`, { reason: 'enough' })).toMatchObject({ status: 204 })
  const cancelled = await eventsOf(await ann.response('GET', `/runs/${other.runId}/events`))
  expect(cancelled.at(-1)).toMatchObject({ payload: { outcome: 'cancelled', reason: 'enough' } })
  const page = (await ann.get('/runs?limit=1&agent=desk')).body as { items: ServedRun[]; next: string }
  expect(page.items).toMatchObject([{ runId: other.runId }])
  expect((await ann.get(`/runs?limit=1&before=${page.next}`)).body).toMatchObject({
    items: [{ runId: 'r-1' }],
  })
  expect(await ann.get('/runs?before=x')).toMatchObject({ status: 400 })

  expect(await ann.ask('DELETE', '/runs/r-1')).toMatchObject({ status: 204 })
  expect(await ann.get('/runs/r-1')).toMatchObject({ status: 404 })
})

test('each wire reads a run, and a person answers by any of them', async () => {
  const agent = deskAgent()
  const troupe = await desk.troupe(agent)
  const conversationId = 'c'
  const { id: runId } = await troupe.start(agent, 'Go', { conversationId })
  await expect.poll(async () => (await troupe.runs({ conversationId })).items).toHaveLength(1)
  const reading = {
    agent,
    runId,
    conversationId,
    task: 'Go',
    answer: ({ toolCallId: id }: { readonly toolCallId: string }) =>
      ({ type: 'approve', toolCallId: id }) as const,
  }
  const last = await readByEachWire(troupe, reading, () => undefined)
  expect(last).toEqual({ troupe: 'Paid.', agUi: 'Paid.', aiSdk: 'Paid.' })
})

test('a client without the address of the admin API starts no run', async () => {
  const agent = deskAgent()
  const { ingress } = desk.server
  const problems: unknown[] = []
  const handler = createHandler(restateTroupe({ ingress, agents: [agent] }), {
    authorize: 'everybody',
    agents: [agent],
    onError: (problem) => problems.push(problem),
  })
  const client = new Client(handler)
  expect(await client.post('/agents/desk/runs', { prompt: 'Go', runId: 'r-2' })).toMatchObject({
    status: 500,
    body: { error: { code: 'SERVER_FAILED' } },
  })
  expect(problems).toMatchObject([
    { where: 'request', error: { code: 'INVALID_CONFIGURATION', message: expect.stringContaining('admin') } },
  ])
})
