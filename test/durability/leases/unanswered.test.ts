/** A store that never answers a call: every promise settles, a close included, and other calls go on. */
import { createTool, memoryStore, type JournalEntry, type Run, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { listing } from '../../support/listing.ts'

const callId = 'asker/call:1.1'
const leaseTtl = 30_000

type Call = Exclude<keyof Store, 'memory' | 'config' | 'blobs' | 'subscribe' | 'schedule' | 'close'>

const everyCall: readonly Call[] = ['append', 'read', 'list', 'delete', 'claim', 'renew', 'enqueueSignal']

/** A store in memory that does not answer the calls in `silent`. It tells of no change. */
function falteringStore() {
  const { subscribe: _, ...memory } = memoryStore()
  const silent = new Set<Call>()
  const wrapped = everyCall.map((name) => {
    const call = memory[name] as (...args: readonly unknown[]) => unknown
    return [
      name,
      (...args: readonly unknown[]) => (silent.has(name) ? new Promise(() => undefined) : call(...args)),
    ]
  })
  return { store: { ...memory, ...(Object.fromEntries(wrapped) as Partial<Store>) } as Store, silent }
}

function world(passivateAfter: number) {
  const dug = Promise.withResolvers<string>()
  const inputSchema = z.object({})
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema,
    requireApproval: true,
    execute: () => 'yes',
  })
  const dig = createTool({ id: 'dig', description: 'Digs.', inputSchema, execute: () => dug.promise })
  const asker = worker('asker', [calls({ name: 'ask' })], { tools: { ask }, otherwise: 'Asked.' })
  const digger = worker('digger', [calls({ name: 'dig' })], { tools: { dig }, otherwise: 'Dug.' })
  const { store, silent } = falteringStore()
  const environment = virtualEnvironment()
  const troupe = createTroupeIn(environment, {
    agents: [asker.agent, digger.agent],
    store,
    leaseTtl,
    pollInterval: 100,
    passivateAfter,
    retention: { runs: { age: 1 } },
    onError: () => undefined,
  })
  return { troupe, store, silent, clock: environment.clock, dug, asker: asker.agent, digger: digger.agent }
}

/** Whether each promise has settled by now. */
function watched(promises: Readonly<Record<string, Promise<unknown>>>): () => readonly string[] {
  const pending = new Set(Object.keys(promises))
  for (const [name, promise] of Object.entries(promises)) {
    const settled = (): void => void pending.delete(name)
    promise.then(settled, settled)
  }
  return () => [...pending]
}

const ofRun = (run: Run): Record<string, Promise<unknown>> => ({ result: run.result, idle: run.whenIdle })

describe.each([...everyCall.map((call) => [call]), everyCall])('where it is silent on %s', (...silence) => {
  test('promises of live runs settle, and the troupe closes', async () => {
    const { troupe, silent, clock, dug, asker, digger } = world(Infinity)
    const [digs, asks] = [await troupe.start(digger, 'Go'), await troupe.start(asker, 'Go')]
    expect(await asks.whenIdle).toMatchObject({ outcome: 'suspended' })
    for (const call of silence) silent.add(call)
    const { result, idle } = ofRun(digs)
    const pending = watched({ result, idle, asked: asks.result, approved: asks.approve(callId) } as never)
    dug.resolve('earth')
    await clock.elapse(4 * leaseTtl)
    expect(pending()).toEqual([])
    const closed = watched({ closed: troupe.close() })
    await clock.elapse(2 * leaseTtl)
    expect(closed()).toEqual([])
  })

  test('an answer to a passivated run settles, and the troupe closes', async () => {
    const { troupe, silent, clock, asker } = world(0)
    const run = await troupe.start(asker, 'Go')
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    await clock.elapse(200)
    expect((await troupe.runs()).items).toMatchObject([{ isPassivated: true }])
    for (const call of silence) silent.add(call)
    const pending = watched({
      approved: run.approve(callId),
      resumed: troupe.resume(run.id),
      begun: troupe.start(asker, 'Go', { runId: 'another' }),
      listed: troupe.runs(),
      recovered: troupe.recover(),
      watched: troupe.watch(run.id).ready,
    })
    const result = watched({ result: run.result })
    await clock.elapse(4 * leaseTtl)
    expect(pending()).toEqual([])
    const closed = watched({ closed: troupe.close() })
    await clock.elapse(3 * leaseTtl)
    expect([...closed(), ...result()]).toEqual([])
  })
})

test('a retention that the memory never answers keeps no troupe from its end', async () => {
  const environment = virtualEnvironment()
  const memory = memoryStore()
  const store: Store = {
    ...memory,
    list: listing(memory, 'unusedThreads', () => new Promise(() => undefined)),
  }
  const { asker } = world(0)
  const config = { agents: [asker], store, leaseTtl, onError: () => undefined }
  const troupe = createTroupeIn(environment, { ...config, retention: { threads: { age: 1 } } })
  await environment.clock.elapse(10)
  const closed = watched({ closed: troupe.close() })
  await environment.clock.elapse(leaseTtl)
  expect(closed()).toEqual([])
})

test('a run whose append was never answered is lost with an error of the store, and goes on elsewhere', async () => {
  const { troupe, store, silent, clock, dug, digger } = world(Infinity)
  const run = await troupe.start(digger, 'Go')
  const lost = rejection(run.result)
  silent.add('append')
  dug.resolve('earth')
  await clock.elapse(leaseTtl - 1)
  silent.delete('append') // what was not answered stays so
  await clock.elapse(1)
  expect(await lost).toMatchObject({ name: 'StoreError', code: 'STORE_FAILED', runId: run.id })
  const again = await troupe.resume(run.id)
  expect(await again.result).toMatchObject({ outcome: 'completed' })
  expect((await store.list('runs', {})).items).toMatchObject([{ runId: run.id, status: 'settled' }])
  await troupe.close()
})

test('a passivated run is given up where each read of it fails later than the next poll is due', async () => {
  const { subscribe: _, ...memory } = memoryStore()
  const environment = virtualEnvironment()
  const { asker } = world(0)
  let isDown = false
  const slowly = <T>(answer: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (!isDown) return void answer().then(resolve, reject)
      environment.clock.after(10_000, () => reject(new Error('The server cannot be reached.')))
    })
  const read = (runId: string, from?: number): Promise<readonly JournalEntry[] | undefined> =>
    slowly(() => memory.read(runId, from))
  const config = { pollInterval: 100, leaseTtl, passivateAfter: 0, onError: () => undefined }
  const troupe = createTroupeIn(environment, { ...config, agents: [asker], store: { ...memory, read } })
  const run = await troupe.start(asker, 'Go')
  const lost = rejection(run.result)
  await run.whenIdle
  await environment.clock.elapse(500)
  isDown = true
  await environment.clock.elapse(4 * leaseTtl)
  isDown = false
  await environment.clock.elapse(1_000)
  const isLost = watched({ lost })
  await environment.clock.elapse(0)
  expect(isLost()).toEqual([])
  expect(await lost).toMatchObject({ name: 'StoreError', code: 'STORE_FAILED', runId: run.id })
  await troupe.close()
})
