/** Behaviour 73: A store that another process works on, and recordings: the inspector reads them, and takes no run. */
import { createTroupe, memoryStore, type Chart } from 'troupe'
import { inspector } from 'troupe/inspector'
import { recordRun } from 'troupe/testing'
import { expect, test } from 'vitest'
import { recordedInspection, recordedStore } from '../../src/inspector/recorded/recorded-store.ts'
import { inspectedStore, type InspectedStore } from '../../src/inspector/stored/inspected-store.ts'
import type { QuestionPage, ServiceInfo, StreamMessage, ViewDetail } from '../../src/inspector/wire/routes.ts'
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Client } from './support/client.ts'
import { office } from './support/office.ts'

async function shown(service: InspectedStore) {
  const view = inspector(service)
  return {
    client: await Client.of(view),
    async [Symbol.asyncDispose]() {
      await view.stop()
      await service.close()
    },
  }
}

async function gathered(messages: AsyncIterable<StreamMessage>): Promise<readonly StreamMessage[]> {
  const all: StreamMessage[] = []
  for await (const message of messages) all.push(message)
  return all
}

test('a run of another troupe on one file is followed, and its answer is queued for its owner', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store: sqliteStore(file), pollInterval: 20 })
  const stored = inspectedStore({ store: sqliteStore(file), agents: [office()], title: 'runs.db' })
  await using page = await shown(stored)
  const run = await troupe.start(agent, 'Pay the bill')
  let isAnswered = false
  const messages: StreamMessage[] = []
  for await (const message of page.client.stream(run.id)) {
    messages.push(message)
    const awaiting = message.type === 'summary' || message.type === 'run' ? message.run.awaiting : []
    if (awaiting[0] === undefined || isAnswered) continue
    isAnswered = true
    const { toolCallId } = awaiting[0]
    const path = `/runs/${run.id}/signal`
    expect((await page.client.post(path, { type: 'approve', toolCallId })).status).toBe(204)
  }
  expect((await run.result).outcome).toBe('completed')
  const journal = await troupe.journal(run.id)
  const rows = messages.flatMap((message) => (message.type === 'rows' ? message.rows : []))
  expect(rows).toHaveLength(journal.length)
  expect(rows.flatMap(({ transitions }) => transitions).length).toBeGreaterThan(10)
  expect((await page.client.post(`/runs/${run.id}/fork`, { at: 2 })).status).toBe(409)
  expect((await page.client.ask(`/runs/${run.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await page.client.ask(`/runs/${run.id}`)).status).toBe(404)
  await troupe.close()
})

test('a suspended run that no process has stays where it is, and its answer waits', async () => {
  const store = memoryStore()
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  await troupe.close()
  await using page = await shown(inspectedStore({ store, agents: [office()], title: '' }))
  const [question] = (await store.list('questions', {})).items
  const { toolCallId = '' } = question ?? {}
  const answers = await Promise.all(
    [1, 2].map(() => page.client.post(`/runs/${run.id}/signal`, { type: 'approve', toolCallId })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409])
  const unknown = await page.client.post(`/runs/${run.id}/signal`, { type: 'approve', toolCallId: 'none' })
  expect([unknown.status, unknown.text]).toEqual([409, expect.stringContaining('UNKNOWN_SIGNAL')])
  expect((await store.list('signals', { runIds: [run.id] })).items).toHaveLength(1)
  expect(await store.claim(run.id, 'another', Date.now(), Date.now() + 1000)).toBeDefined()
})

test('without the agents a run is told by those on its record, and nothing is answered', async () => {
  const store = memoryStore()
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill')
  for await (const event of run.events)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId)
  const journal = await troupe.journal(run.id)
  await troupe.close()
  await using page = await shown(inspectedStore({ store, agents: [], title: '' }))
  const messages = await gathered(page.client.stream(run.id))
  const rows = messages.flatMap((message) => (message.type === 'rows' ? message.rows : []))
  expect(rows.map(({ type, line }) => [type, line !== ''])).toEqual(journal.map(({ type }) => [type, true]))
  const { entries } = await createTroupe({ agents: [office()], store }).trail(run.id)
  expect(rows.map(({ transitions }) => transitions)).toEqual(
    entries.map(({ transitions }) => transitions.map(({ description: _, ...transition }) => transition)),
  )
  expect(messages.find(({ type }) => type === 'recorded')).toMatchObject({
    error: { code: 'AGENT_NOT_HERE' },
  })
  expect(messages.at(-1)).toEqual({ type: 'end' })
  expect(await page.client.get<ViewDetail>(`/runs/${run.id}/view/1`)).toMatchObject({ path: agent.id })
  const machines = rows.flatMap(({ actorsAdded }) => actorsAdded.flatMap(({ machine }) => machine ?? []))
  const charts = await page.client.get<readonly Chart[]>(`/runs/${run.id}/charts`)
  expect(charts.map(({ id }) => id)).toEqual(expect.arrayContaining(machines))
  expect((await page.client.post(`/runs/${run.id}/signal`, { type: 'cancel' })).status).toBe(409)
  const { unavailable } = await page.client.get<ServiceInfo>('/service')
  expect(unavailable.signal).toContain('--agents')
})

test('a run that another process goes on with is followed by its record', async () => {
  const store = memoryStore()
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  await using page = await shown(inspectedStore({ store, agents: [], title: '' }))
  const ends: string[] = []
  const outages: StreamMessage[] = []
  for await (const message of page.client.stream(run.id)) {
    if (message.type === 'outage') outages.push(message)
    if (message.type === 'live') {
      const { items } = await page.client.get<QuestionPage>('/awaiting')
      await run.approve(items[0]?.toolCallId ?? '')
    }
    if (message.type === 'rows')
      ends.push(...message.rows.flatMap(({ actorsEnded }) => actorsEnded.map(({ path }) => path)))
  }
  expect(ends).toContain(agent.id)
  expect(outages).toEqual([])
  await troupe.close()
})

test('a journal without agents is shown by its entries alone', async () => {
  const agent = office()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  const journal = await troupe.journal(run.id)
  await troupe.close()
  const text = journal.map((entry) => JSON.stringify({ ...entry, agents: undefined })).join('\n')
  const store = await recordedStore([text])
  await using page = await shown(
    inspectedStore({ store, agents: [], title: '', inspection: recordedInspection }),
  )
  const messages = await gathered(page.client.stream(run.id))
  const rows = messages.flatMap((message) => (message.type === 'rows' ? message.rows : []))
  expect(rows).toHaveLength(journal.length)
  expect(rows.flatMap(({ transitions, events }) => [...transitions, ...events])).toEqual([])
  expect(messages.find(({ type }) => type === 'untold')).toMatchObject({ error: { code: 'AGENT_NOT_HERE' } })
  expect((await page.client.ask(`/runs/${run.id}/view/1`)).status).toBe(404)
})

test('a journal whose agents have changed is followed, and the first difference told', async () => {
  const store = memoryStore()
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  await using page = await shown(inspectedStore({ store, agents: [office('Pay no bills.')], title: '' }))
  const before: StreamMessage[] = []
  for await (const message of page.client.stream(run.id)) {
    before.push(message)
    if (message.type === 'live') break
  }
  expect(before.find(({ type }) => type === 'diverged')).toMatchObject({ mismatch: { entry: 2 } })
  await troupe.close()
})

test.each([
  ['with its agents', () => [office()]],
  ['without them', () => []],
])('a run that no process has is ended by force, %s', async (_name, agents) => {
  const store = memoryStore()
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  await using page = await shown(inspectedStore({ store, agents: agents(), title: '' }))
  const info = await page.client.get<ServiceInfo>('/service')
  expect(info.unavailable).not.toHaveProperty('end')
  const end = (): ReturnType<Client['post']> =>
    page.client.post(`/runs/${run.id}/end`, { reason: 'Its worker died of it.' })
  const owned = await end()
  expect([owned.status, owned.text]).toEqual([409, expect.stringContaining('RUN_OWNED')])
  expect((await store.list('runs', {})).items).toMatchObject([{ status: 'suspended' }])
  await troupe.close()
  expect((await end()).status).toBe(204)
  expect((await store.list('runs', {})).items).toMatchObject([
    { status: 'settled', outcome: 'cancelled', awaiting: [] },
  ])
  expect((await store.list('questions', {})).items).toEqual([])
  const journal = (await store.read(run.id, 0)) ?? []
  expect(journal.at(-1)).toMatchObject({
    type: 'run.settled',
    forced: true,
    reason: 'Its worker died of it.',
  })
  expect((await end()).status).toBe(204)
  expect((await store.read(run.id, 0))?.length).toBe(journal.length)
})

test('a recording is shown, ended or not, and nothing can be done to it', async () => {
  const agent = office()
  const troupe = createTroupe({ agents: [agent] })
  const [ended, open] = [await troupe.start(agent, 'One'), await troupe.start(agent, 'Two')]
  await ended.cancel('enough')
  await Promise.all([ended.result, open.whenIdle])
  const recordings = await Promise.all(
    [ended, open].map(async ({ id }) => recordRun(await troupe.journal(id))),
  )
  await troupe.close()
  const store = await recordedStore(recordings)
  await using page = await shown(
    inspectedStore({ store, inspection: recordedInspection, agents: [office()], title: 'run.jsonl' }),
  )
  expect(await page.client.get<ServiceInfo>('/service')).toMatchObject({
    engine: 'recording',
    title: 'run.jsonl',
  })
  for (const [index, { id }] of [ended, open].entries()) {
    const messages = await gathered(page.client.stream(id))
    expect(messages.at(-1)).toEqual({ type: 'end' })
    const { text } = await page.client.ask(`/runs/${id}/recording`)
    expect(text).toBe(recordings[index])
    for (const path of ['signal', 'fork'])
      expect((await page.client.post(`/runs/${id}/${path}`, { type: 'cancel', at: 1 })).status).toBe(409)
    expect((await page.client.ask(`/runs/${id}`, { method: 'DELETE' })).status).toBe(409)
  }
  await expect(recordedStore(['{}'])).rejects.toThrow(/line 1/)
})
