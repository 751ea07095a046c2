/** Schedules over HTTP, and the wake-up of a run that sleeps. */
import { createAgent, createTroupe, memoryStore, sleepUntil } from 'troupe'
import { createHandler, type AccessRequest } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { Client } from './support/client.ts'

const later = '2999-01-01T00:00:00Z'

function sleeper() {
  const model = scriptedModel([{ toolCalls: [{ name: 'sleep-until', args: { until: later } }] }], {
    otherwise: 'Up.',
  })
  const agent = createAgent({ id: 'clerk', instructions: '', model, tools: { 'sleep-until': sleepUntil() } })
  return { agent, model }
}

async function open() {
  const { agent, model } = sleeper()
  const troupe = createTroupe({ agents: [agent] })
  const asked: AccessRequest[] = []
  const handler = createHandler(troupe, {
    agents: [agent],
    authorize(request, access) {
      asked.push(access)
      return { resource: request.headers.get('x-user'), by: 'somebody' }
    },
  })
  const every = 3_600_000
  await troupe.schedule(agent, 'Look.', { key: 'annas', every }, { resourceId: 'ann' })
  await troupe.schedule(agent, 'Look.', { key: 'bens', every }, { resourceId: 'ben' })
  const client = new Client(handler)
  return { agent, troupe, asked, model, ann: client.as('ann'), ben: client.as('ben') }
}

test('a caller lists, pauses and removes the schedules of its resource, and sees no other', async () => {
  const { troupe, asked, ann, ben } = await open()
  const list = await ann.get('/schedules')
  expect(list).toMatchObject({
    status: 200,
    body: { items: [{ key: 'annas', status: 'waiting', plan: { every: 3_600_000 } }] },
  })
  expect(JSON.stringify(list.body)).not.toMatch(/bens|Look/)
  expect(await ann.post('/schedules/annas/pause', {})).toMatchObject({
    status: 200,
    body: { status: 'paused' },
  })
  expect(await ann.post('/schedules/annas/resume', {})).toMatchObject({ body: { status: 'waiting' } })
  expect(asked.at(-1)).toMatchObject({
    of: 'schedule',
    right: 'cancel',
    key: 'annas',
    schedule: { agent: 'clerk' },
  })
  for (const key of ['annas', 'nobodys', 'no%20key'])
    expect(await ben.ask('DELETE', `/schedules/${key}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'SCHEDULE_NOT_FOUND' } },
    })
  const form = { body: 'a=b', headers: { 'content-type': 'text/plain', 'x-user': 'ann' } }
  expect(await ann.ask('POST', '/schedules/annas/pause', form)).toMatchObject({ status: 415 })
  expect(await ann.post('/schedules/annas/pause', { until: 1 })).toMatchObject({ status: 400 })
  expect(await troupe.schedules.get('annas')).toMatchObject({ status: 'waiting' })
  expect(await ann.ask('DELETE', '/schedules/annas')).toMatchObject({ status: 204 })
  expect((await troupe.schedules.list()).items.map(({ key }) => key)).toEqual(['bens'])
  expect(await ann.get('/schedules?limit=x')).toMatchObject({ status: 400 })
  await troupe.close()
})

test('a run that sleeps is woken by the key of its schedule, by who may answer it alone', async () => {
  const { agent, troupe, asked, model, ann, ben } = await open()
  await troupe.schedule(agent, 'Sleep.', { key: 'now', at: Date.now() }, { resourceId: 'ann' })
  await expect.poll(async () => (await troupe.awaiting()).items.length).toBe(1)
  await expect.poll(async () => (await troupe.schedules.get('now'))?.status).toBe('ended')
  const refused = await ben.post('/wake/now', { data: 'Mine.' })
  const unknown = await ben.post('/wake/bad', { data: 'Mine.' })
  expect(refused).toMatchObject({ status: 404, body: { error: { code: 'RUN_NOT_FOUND' } } })
  expect(JSON.stringify(refused.body)).toBe(JSON.stringify(unknown.body).replace('bad', 'now'))
  expect(asked.some((one) => one.of === 'run' && one.right === 'answer')).toBe(true)
  expect(await ann.post('/wake/now', { data: 1, toolCallId: 'x' })).toMatchObject({ status: 400 })
  expect(await ann.post('/wake/now', { data: 'It was paid.' })).toMatchObject({ status: 204 })
  await expect.poll(async () => (await troupe.runs()).items[0]?.status).toBe('settled')
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('It was paid.')
  expect(await ann.post('/wake/now', { data: 'Again.' })).toMatchObject({ status: 409 })
  expect(await ann.post('/wake/nothing', { data: 'Again.' })).toMatchObject({ status: 404 })
  await troupe.close()
})

test('on a store without schedules a run is woken by its id, and there are no schedules to see', async () => {
  const { agent } = sleeper()
  const { schedules: _left, ...ports } = memoryStore()
  const troupe = createTroupe({ agents: [agent], store: ports })
  const client = new Client(createHandler(troupe, { agents: [agent], authorize: 'everybody' }))
  const run = await troupe.start(agent, 'Sleep.')
  await run.whenIdle
  expect(await client.get('/schedules')).toMatchObject({
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
  expect(await client.ask('DELETE', '/schedules/daily')).toMatchObject({ status: 404 })
  expect(await client.post(`/wake/${run.id}`, { data: 'Up!' })).toMatchObject({ status: 204 })
  expect(await run.result).toMatchObject({ text: 'Up.' })
  await troupe.close()
})
