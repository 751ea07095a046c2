/** `GET /health` and `GET /health/stats`: how a troupe is, for those who may see all runs. */
import { createTroupe, memoryStore, type Store } from 'troupe'
import { createHandler, type Access, type AccessRequest } from 'troupe/http'
import { expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'

const marker = 'Ludmilla'

const troupeOn = (store: Store = memoryStore()) =>
  createTroupe({
    agents: [worker('poet', [], { otherwise: 'Done.' }).agent],
    store,
    onError: () => undefined,
  })

test('they are for those who may see the runs of all resources, and nobody else', async () => {
  const troupe = troupeOn()
  const asked: AccessRequest[] = []
  let access: Access | false = false
  const authorize = (_request: Request, what: AccessRequest): Access | false => {
    asked.push(what)
    return access
  }
  const handler = createHandler(troupe, { authorize })
  const statuses = async (): Promise<number[]> => {
    const responses = ['/health', '/health/stats'].map((path) => handler(new Request(`http://server${path}`)))
    return (await Promise.all(responses)).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([403, 403])
  expect(asked).toEqual(Array.from({ length: 2 }, () => ({ of: 'stats', right: 'read' })))
  for (const part of [
    { resource: 'ann' },
    { resource: null, threadId: 't' },
    { resource: null, conversationId: 'c' },
  ]) {
    access = part
    expect(await statuses()).toEqual([403, 403])
  }
  access = { resource: null }
  expect(await statuses()).toEqual([200, 200])
  await troupe.close()
})

test('the numbers are those of stats, as JSON, without a name', async () => {
  const troupe = troupeOn()
  const handler = createHandler(troupe, { authorize: 'everybody', base: '/api' })
  const read = async (query = ''): Promise<Record<string, unknown>> =>
    (await (await handler(new Request(`http://server/api/health/stats${query}`))).json()) as Record<
      string,
      unknown
    >
  expect(await read()).toMatchObject({
    phase: 'open',
    runs: { running: 0, suspended: 0 },
    appends: { count: 0 },
  })
  expect(await read('?settled=true')).toMatchObject({ runs: { settled: 0 } })
  expect(await read('?settled=yes')).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(await read('?setled=true')).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  await troupe.close()
})

test('health is 503 where something is wrong, and says no text of the error', async () => {
  const inner = memoryStore()
  const store: Store = { ...inner, census: () => Promise.reject(new Error(marker)) }
  const troupe = troupeOn(store)
  const handler = createHandler(troupe, { authorize: 'everybody', onError: () => undefined })
  const health = await handler(new Request('http://server/health'))
  const text = await health.text()
  expect([health.status, JSON.parse(text)]).toMatchObject([
    503,
    { ok: false, problems: [{ code: 'STORE_FAILED' }] },
  ])
  const stats = await handler(new Request('http://server/health/stats'))
  expect(stats.status).toBe(500)
  expect(text + (await stats.text())).not.toContain(marker)
  await troupe.close()
  expect((await handler(new Request('http://server/health'))).status).toBe(503)
})

test('a service without numbers has no such routes', async () => {
  const { stats: _stats, health: _health, ...service } = troupeOn()
  const handler = createHandler(service, { authorize: 'everybody' })
  for (const path of ['/health', '/health/stats'])
    expect((await handler(new Request(`http://server${path}`))).status).toBe(404)
})
