/** Behaviour 83: the routes of the wire, each with its answer. */
import { createAgent, createTroupe, file, type Message, type RunEvent } from 'troupe'
import { createHandler, type ServedRun, type StartRequest } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { Client, eventsOf, readUntil } from './support/client.ts'
import { openDesk, toolCallId } from './support/desk.ts'

const asks = (event: RunEvent) => event.type === 'suspended'

test('a run is started, followed, answered, listed and deleted', async () => {
  const { troupe, client } = openDesk()
  const ann = client.as('ann')
  const started = await ann.post('/agents/desk/runs', { prompt: 'Go', threadId: 't', conversationId: 'c' })
  expect(started).toMatchObject({
    status: 201,
    body: {
      agent: 'desk',
      status: 'running',
      resourceId: 'ann',
      threadId: 't',
      conversationId: 'c',
      awaiting: [],
    },
  })
  const { runId } = started.body as ServedRun
  const stream = await ann.response('GET', `/runs/${runId}/events`)
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
  })
  const first = await readUntil(stream, asks)
  expect(await ann.get(`/runs/${runId}`)).toMatchObject({
    status: 200,
    body: { status: 'waiting', awaiting: [{ toolCallId, type: 'approval', args: { amount: 5 } }] },
  })
  const inbox = await ann.get('/awaiting')
  expect(inbox.body).toMatchObject({ items: [{ runId, toolCallId }] })
  expect(JSON.stringify(inbox.body)).not.toContain('asOf')

  expect((await ann.ask('DELETE', `/runs/${runId}`)).body).toMatchObject({ error: { code: 'RUN_NOT_ENDED' } })
  const approve = { type: 'approve', toolCallId, args: { amount: 4 }, note: 'less' }
  expect(await ann.post(`/runs/${runId}/answers`, approve)).toMatchObject({ status: 204, body: '' })
  expect(await ann.post(`/runs/${runId}/answers`, approve)).toMatchObject({
    status: 409,
    body: { error: { code: 'SIGNAL_ALREADY_ANSWERED' } },
  })
  const rest = await eventsOf(
    await ann.response('GET', `/runs/${runId}/events`, { headers: { 'last-event-id': first.lastId ?? '' } }),
  )
  const all = [...first.events, ...rest]
  expect(all.flatMap(({ seq }) => seq ?? [])).toEqual(
    all.flatMap(({ seq }) => seq ?? []).map((_, i) => i + 1),
  )
  expect(all.find(({ type }) => type === 'tool-call-answered')?.payload).toMatchObject({
    by: 'ann@test',
    note: 'less',
    args: { amount: 4 },
  })
  expect(all.at(-1)).toMatchObject({ type: 'run-finish', final: true, payload: { text: 'Paid.' } })
  expect((await ann.get(`/runs/${runId}`)).body).toMatchObject({ status: 'ended', outcome: 'completed' })

  const listed = await ann.get('/runs?agent=desk&conversationId=c&order=oldest')
  expect(listed.body).toMatchObject({ items: [{ runId }] })
  expect((await ann.get('/runs?threadId=other')).body).toEqual({ items: [] })
  expect(await ann.ask('DELETE', `/runs/${runId}`)).toMatchObject({ status: 204 })
  expect(await ann.get(`/runs/${runId}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'RUN_NOT_FOUND' } },
  })
  await troupe.close()
})

test('a start under the id of its client is done once', async () => {
  const { troupe, client } = openDesk()
  const ann = client.as('ann')
  const start = () => ann.post('/agents/desk/runs', { prompt: 'Go', runId: 'r-1' })
  const both = await Promise.all([start(), start()])
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 201]))
  expect(await start()).toMatchObject({ status: 200, body: { runId: 'r-1' } })
  expect((await ann.get('/runs')).body).toMatchObject({ items: [{ runId: 'r-1' }] })
  expect(await client.as('ben').post('/agents/desk/runs', { prompt: 'Go', runId: 'r-1' })).toMatchObject({
    status: 409,
    body: { error: { code: 'RUN_EXISTS' } },
  })
  await troupe.close()
})

test('messages and cancels may be sent again, also when the run has ended; an answer counts once', async () => {
  const { troupe, client } = openDesk()
  const ann = client.as('ann')
  const { runId } = (await ann.post('/agents/desk/runs', { prompt: 'Go' })).body as ServedRun
  await readUntil(await ann.response('GET', `/runs/${runId}/events`), asks)
  const say = () => ann.post(`/runs/${runId}/messages`, { message: 'Hurry', id: 'm1' })
  const answer = () => ann.post(`/runs/${runId}/answers`, { type: 'approve', toolCallId })
  const cancel = () => ann.post(`/runs/${runId}/cancel`, {})
  const statuses = async (...sent: readonly Promise<{ readonly status: number }>[]) =>
    (await Promise.all(sent)).map(({ status }) => status).toSorted((a, b) => a - b)
  expect(await statuses(say(), say())).toEqual([204, 204])
  expect(await statuses(answer(), answer(), answer())).toEqual([204, 409, 409])
  await eventsOf(await ann.response('GET', `/runs/${runId}/events`))
  expect(await statuses(say(), cancel(), cancel())).toEqual([204, 204, 204])
  expect(await answer()).toMatchObject({ status: 409, body: { error: { code: 'SIGNAL_ALREADY_ANSWERED' } } })
  const deletion = () => ann.ask('DELETE', `/runs/${runId}`)
  expect(await statuses(deletion(), deletion())).toEqual([204, 404])
  await troupe.close()
})

test('a denial, a message and a cancel reach the run, with the person who sends them', async () => {
  const { troupe, client } = openDesk()
  const ann = client.as('ann')
  const { runId } = (await ann.post('/agents/desk/runs', { prompt: 'Go' })).body as ServedRun
  await readUntil(await ann.response('GET', `/runs/${runId}/events`), asks)
  expect(await ann.post(`/runs/${runId}/messages`, { message: 'Hurry', id: 'm1' })).toMatchObject({
    status: 204,
  })
  expect(await ann.post(`/runs/${runId}/answers`, { type: 'deny', toolCallId, reason: 'no' })).toMatchObject({
    status: 204,
  })
  const all = await eventsOf(await ann.response('GET', `/runs/${runId}/events`))
  expect(all.find(({ type }) => type === 'said')?.payload).toMatchObject({ id: 'm1', by: 'ann@test' })
  expect(all.find(({ type }) => type === 'tool-error')?.payload).toMatchObject({ outcome: 'denied' })
  expect(await ann.post(`/runs/${runId}/messages`, { message: 'More' })).toMatchObject({
    status: 409,
    body: { error: { code: 'SIGNAL_TOO_LATE' } },
  })
  const second = (await ann.post('/agents/desk/runs', { prompt: 'Go' })).body as ServedRun
  expect(await ann.post(`/runs/${second.runId}/cancel`, { reason: 'enough' })).toMatchObject({ status: 204 })
  const events = await eventsOf(await ann.response('GET', `/runs/${second.runId}/events`))
  expect(events.at(-1)).toMatchObject({ payload: { outcome: 'cancelled', reason: 'enough' } })
  await troupe.close()
})

test.each(['/büro', '/b%C3%BCro', '/a/../büro'])('the base %s is that of the address', async (base) => {
  const { troupe, client } = openDesk({ base })
  expect(await client.as('ann').get('/büro/runs')).toMatchObject({ status: 200, body: { items: [] } })
  await troupe.close()
})

test('pages of a list go on where the last one ended', async () => {
  const { troupe, client } = openDesk()
  const ann = client.as('ann')
  for (const runId of ['r1', 'r2', 'r3']) await ann.post('/agents/desk/runs', { prompt: 'Go', runId })
  const first = (await ann.get('/runs?limit=2')).body as { items: ServedRun[]; next: string }
  const second = (await ann.get(`/runs?limit=2&before=${first.next}`)).body as { items: ServedRun[] }
  expect([...first.items, ...second.items].map(({ runId }) => runId)).toEqual(['r3', 'r2', 'r1'])
  expect(second).not.toHaveProperty('next')
  await troupe.close()
})

test('runOptions gives a run what a client may not, and files of a prompt reach the model', async () => {
  const model = scriptedModel([], { otherwise: 'Seen.' })
  const agent = createAgent({ id: 'solo', instructions: 'See.', model })
  const troupe = createTroupe({ agents: [agent] })
  const seen: StartRequest[] = []
  const handler = createHandler(troupe, {
    authorize: () => ({ resource: null }),
    agents: [agent],
    base: '/api/troupe',
    runOptions(start) {
      seen.push(start)
      return { resourceId: 'team', conversationId: 'own', context: { plan: 'free' } }
    },
  })
  const client = new Client(handler)
  const png = file(new Uint8Array([137, 80, 78, 71]), 'image/png')
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Look' }, png] }]
  const started = await client.post('/api/troupe/agents/solo/runs', {
    prompt,
    conversationId: 'theirs',
    input: [1],
  })
  expect(started).toMatchObject({ status: 201, body: { resourceId: 'team', conversationId: 'own' } })
  expect(seen).toMatchObject([{ agent: 'solo', input: [1], access: { resource: null } }])
  const { runId } = started.body as ServedRun
  await eventsOf(await client.response('GET', `/api/troupe/runs/${runId}/events`))
  const messages: readonly Message[] = model.calls[0]?.request.messages ?? []
  expect(JSON.stringify(messages)).toContain('image/png')
  expect(await client.get('/runs')).toMatchObject({ status: 404 })
  expect(await client.get('/api/troupe/agents')).toMatchObject({ status: 404 })
  await troupe.close()
})
