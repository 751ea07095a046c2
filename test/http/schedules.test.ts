/** Schedules over HTTP, and the wake-up of a run that sleeps. */
import { createAgent, createTroupe, sleepUntil } from 'troupe'
import { createHandler, type AccessRequest } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { Client } from './support/client.ts'

const later = '2999-01-01T00:00:00Z'

async function open() {
  const model = scriptedModel([{ toolCalls: [{ name: 'sleep-until', args: { until: later } }] }], {
    otherwise: 'Up.',
  })
  const agent = createAgent({ id: 'clerk', instructions: '', model, tools: { 'sleep-until': sleepUntil() } })
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
  expect(await ben.post('/wake/now', { data: 'Mine.' })).toMatchObject({ status: 404 })
  expect(asked.some((one) => one.of === 'run' && one.right === 'answer')).toBe(true)
  expect(await ann.post('/wake/now', { data: 1, toolCallId: 'x' })).toMatchObject({ status: 400 })
  expect(await ann.post('/wake/now', { data: 'It was paid.' })).toMatchObject({ status: 204 })
  await expect.poll(async () => (await troupe.runs()).items[0]?.status).toBe('settled')
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('It was paid.')
  expect(await ann.post('/wake/now', { data: 'Again.' })).toMatchObject({ status: 409 })
  expect(await ann.post('/wake/nothing', { data: 'Again.' })).toMatchObject({ status: 404 })
  await troupe.close()
})
