/** A store in a SQLite file tells of the changes that this process makes to the file, through whichever store. */
import { symlinkSync } from 'node:fs'
import { createTroupe, type Problem } from 'troupe'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { guarded } from '../support/agents/guarded.ts'
import { appends, fired, started } from '../support/journal-entries.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = folder.file('runs.db')
})

afterEach(() => folder[Symbol.dispose]())

function listen(store: SqliteStore) {
  const told: string[] = []
  return { told, stop: store.subscribe((runId, change) => told.push(`${runId} ${change}`)) }
}

const closeAll = (...stores: readonly SqliteStore[]) => Promise.all(stores.map((store) => store.close()))

test.each([false, true])('to the stores of the same file, by any path (worker: %s)', async (inWorker) => {
  const writing = sqliteStore(file, { worker: inWorker })
  symlinkSync(file, folder.file('link.db'))
  const linked = sqliteStore(folder.file('link.db'))
  const another = sqliteStore(folder.file('other.db'))
  const [own, other, none] = [listen(writing), listen(linked), listen(another)]
  await writing.append([...appends('a', [started('a'), fired(1)]), ...appends('b', [started('b')])])
  const entries = ['a entries', 'b entries']
  await expect.poll(() => [own.told, other.told]).toEqual([entries, entries])
  await linked.enqueueSignal('b', { type: 'cancel' })
  await expect.poll(() => own.told).toEqual([...entries, 'b signals'])
  await linked.enqueueSignal('nobody', { type: 'cancel' })
  own.stop()
  own.stop()
  await linked.append(appends('c', [started('c')]))
  await expect.poll(() => other.told).toEqual([...entries, 'b signals', 'c entries'])
  expect(own.told).toHaveLength(3)
  expect(none.told).toEqual([])
  await closeAll(writing, linked, another)
})

test('no listener is called within the append, nor for an append that is not kept, nor after its store was closed', async () => {
  const [store, closing] = [sqliteStore(file), sqliteStore(file)]
  const [stays, leaves] = [listen(store), listen(closing)]
  await closing.close()
  const report = store.append(appends('a', [started('a')]))
  expect(stays.told).toEqual([])
  await report
  await expect.poll(() => stays.told).toEqual(['a entries'])
  const unwritable = [{ ...fired(1), at: 1n as never }]
  await expect((async () => store.append(appends('a', unwritable)))()).rejects.toThrow('BigInt')
  await store.append(appends('b', [started('b')]))
  await expect.poll(() => stays.told).toEqual(['a entries', 'b entries'])
  expect(leaves.told).toEqual([])
  await store.close()
})

test('the error of a listener is reported to the onError of its store', async () => {
  const problems: Problem[] = []
  const store = sqliteStore(file, { onError: (problem) => problems.push(problem) })
  const writing = sqliteStore(file)
  store.subscribe(() => {
    throw new Error('deaf')
  })
  await writing.append(appends('a', [started('a')]))
  await expect
    .poll(() => problems)
    .toMatchObject([{ where: 'observer', runId: 'a', error: { message: 'deaf' } }])
  await closeAll(store, writing)
})

test('watches, messages and answers of two troupes of a process need no poll', async () => {
  const never = { pollInterval: 2 ** 30 }
  const { agent } = worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded } })
  const [first, second] = [sqliteStore(file), sqliteStore(file)]
  const owner = createTroupe({ agents: [agent], store: first, passivateAfter: Infinity, ...never })
  const other = createTroupe({ agents: [agent], store: second, ...never })
  const run = await owner.start(agent, 'Go')
  await run.whenIdle
  const watch = other.watch(run.id)
  await watch.ready
  await other.signal(run.id, { type: 'say', message: 'Be brief.' })
  await other.signal(run.id, { type: 'approve', toolCallId: 'solo/call:1.1' })
  const types: string[] = []
  for await (const { type } of watch) types.push(type)
  expect(types).toEqual(expect.arrayContaining(['said', 'heard', 'run-finish']))
  expect((await run.result).outcome).toBe('completed')
  await Promise.all([owner.close(), other.close()])
  await closeAll(first, second)
})
