/** A process that is stopped while it writes holds up the writes of others, and nothing else of theirs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTroupe, memoryStore, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { firstLease, released } from '../../src/runtime/journal/store.ts'
import { worker } from '../support/agents/agents.ts'
import { appends, fired, message, started } from '../support/journal-entries.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = folder.file('runs.db')
})

afterEach(() => folder[Symbol.dispose]())

/** A process that is stopped within a transaction; `end` kills it, and its lock goes with it. */
async function stoppedWriter(): Promise<{ end(): Promise<void> }> {
  const program = `
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync(process.argv[1])
    database.exec('BEGIN IMMEDIATE')
    console.log('writing')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', program, '--', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  return {
    async end() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Resolves after so many turns of timers: only an event loop that is free gets there. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await sleep(1)
}

const appending = async (store: Store, ...batch: Parameters<Store['append']>) => store.append(...batch)

describe.each([false, true])('worker: %s', (inWorker) => {
  test('writes wait in their order, while the event loop goes on', async () => {
    const store = sqliteStore(file, { worker: inWorker, busyTimeout: 120_000 })
    const lease = firstLease('a')
    await appending(store, appends('a', [started('a')], lease))
    const writer = await stoppedWriter()
    const done: string[] = []
    const noted = (what: string) => () => void done.push(what)
    const writes = [
      appending(store, appends('a', [fired(1)], lease)).then(noted('first')),
      appending(store, appends('a', [fired(2)], lease)).then(noted('second')),
      store.memory.save('t', [message('1', 'x', 1)]).then(noted('save')),
      store.renew([{ ...lease, expiresAt: Number.MAX_SAFE_INTEGER }]).then(noted('renew')),
      store.enqueueSignal('a', { type: 'cancel', reason: 'later' }).then(noted('enqueue')),
      store.renew([released(lease)]).then(noted('release')),
    ]
    await turns(100)
    expect(done).toEqual([])
    if (!inWorker) expect(await store.read('a')).toEqual([started('a')]) // who reads waits for nobody
    await writer.end()
    await Promise.all(writes)
    expect(done).toEqual(['first', 'second', 'save', 'renew', 'enqueue', 'release'])
    expect(await store.read('a')).toEqual([started('a'), fired(1), fired(2)])
    await store.close()
  })

  test('what was asked for before a close is written before it', async () => {
    const store = sqliteStore(file, { worker: inWorker, busyTimeout: 120_000 })
    await appending(store, appends('a', [started('a')]))
    const writer = await stoppedWriter()
    const last = appending(store, appends('a', [fired(1)]))
    const closing = store.close()
    await expect(store.read('a')).rejects.toMatchObject({ code: 'STORE_CLOSED' })
    await turns(20)
    await writer.end()
    await last
    await closing
    const again = sqliteStore(file)
    expect(await again.read('a')).toEqual([started('a'), fired(1)])
    await again.close()
  })

  test('what waits too long is rejected as busy, and what comes after it is written', async () => {
    const store = sqliteStore(file, { worker: inWorker, busyTimeout: 50 })
    const lease = firstLease('a')
    await appending(store, appends('a', [started('a')], lease))
    const writer = await stoppedWriter()
    const busy = { name: 'StoreError', code: 'STORE_BUSY' }
    await expect(appending(store, appends('a', [fired(1)], lease))).rejects.toMatchObject(busy)
    await writer.end()
    await appending(store, appends('a', [fired(2)], lease))
    expect(await store.read('a')).toEqual([started('a'), fired(2)])
    await store.close()
  })
})

test('a run waits with its entry, and others go on meanwhile', async () => {
  const gate = Promise.withResolvers<void>()
  const held = worker('held', [{ text: 'Done.', until: gate.promise }])
  const free = worker('free', [], { otherwise: 'Done too.' })
  const store = sqliteStore(file, { busyTimeout: 120_000 })
  const troupe = createTroupe({ agents: [held.agent], store })
  const elsewhere = createTroupe({ agents: [free.agent], store: memoryStore() })
  const run = await troupe.start(held.agent, 'Go')
  for await (const event of run.events) if (event.type === 'step-start') break
  const writer = await stoppedWriter()
  let outcome: string | undefined
  void run.result.then((result) => (outcome = result.outcome))
  gate.resolve()
  for (let count = 0; count < 20; count++) {
    expect(await (await elsewhere.start(free.agent, 'Go')).result).toMatchObject({ outcome: 'completed' })
  }
  await turns(50)
  expect(outcome).toBeUndefined()
  expect((await troupe.runs()).items[0]).toMatchObject({ status: 'running' })
  await writer.end()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  await troupe.close()
  await store.close()
})

test('a store opens beside it, when the file has the newest schema', async () => {
  await sqliteStore(file).close()
  const writer = await stoppedWriter()
  const store = sqliteStore(file, { busyTimeout: 120_000 })
  expect((await store.list('runs', {})).items).toEqual([])
  const appended = appending(store, appends('a', [started('a')]))
  await turns(20)
  await writer.end()
  await appended
  await store.close()
})
