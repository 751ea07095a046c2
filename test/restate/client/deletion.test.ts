/** A deletion on Restate that fails midway: a second call completes it. The test serves the admin API itself. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { memoryStore, type Store } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../../src/actors/values/sha256.ts'
import { worker } from '../../support/agents/agents.ts'

const bytes = Uint8Array.of(1, 2, 3)
const ref = sha256(bytes)
const runId = 'ended'

let invocations: string[]
let server: Server

beforeEach(async () => {
  invocations = ['part', 'root']
  server = createServer((request, response) => {
    const purged = /^\/invocations\/(.+)\/purge$/.exec(request.url ?? '')?.[1]
    if (purged !== undefined) invocations = invocations.filter((id) => id !== purged)
    const rows = invocations.map((id) => ({
      id,
      target_service_name: 'troupe.solo',
      target_service_key: id === 'root' ? runId : `${runId}/solo/delegation:1.1`,
      status: 'completed',
    }))
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ rows }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(() => void server.close())

test('a second call releases the files of a run whose first deletion failed in the store', async () => {
  const inner = memoryStore()
  const { blobs } = inner
  if (blobs === undefined) throw new Error('the store in memory has blobs')
  let isFailing = true
  const store: Store = {
    ...inner,
    blobs: {
      ...blobs,
      release: (holder) =>
        isFailing ? Promise.reject(new Error('locked')) : (blobs.release?.(holder) ?? Promise.resolve(0)),
    },
  }
  await blobs.put(ref, bytes, { runId })
  const { port } = server.address() as AddressInfo
  const admin = `http://127.0.0.1:${port}`
  const troupe = restateTroupe({ ingress: admin, admin, agents: [worker('solo', []).agent], store })
  await expect(troupe.delete(runId)).rejects.toThrow('locked')
  isFailing = false
  await troupe.delete(runId)
  expect(await blobs.get(ref), 'the bytes of the run').toBeUndefined()
  expect(invocations).toEqual([])
  await expect(troupe.delete(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
})

test('the files of a run that Restate has forgotten are released, and not those of a run of another namespace', async () => {
  const store = memoryStore()
  await store.blobs?.put(ref, bytes, { runId })
  const { port } = server.address() as AddressInfo
  const admin = `http://127.0.0.1:${port}`
  const agents = [worker('solo', []).agent]
  const other = restateTroupe({ ingress: admin, admin, agents, store, namespace: 'other' })
  await expect(other.delete(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect(await store.blobs?.get(ref)).toEqual(bytes)
  invocations = []
  await expect(other.delete(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  expect(await store.blobs?.get(ref)).toBeUndefined()
})
