/** A database file that is removed or replaced under a live store is noticed at the next commit. */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTroupe, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { worker } from '../support/agents/agents.ts'
import { appends, fired, message, started } from '../support/journal-entries.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let folder: TemporaryFolder
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(folder.file('data'))
  file = folder.file('data/runs.db')
})

afterEach(() => folder[Symbol.dispose]())

const appending = async (store: Store, ...batch: Parameters<Store['append']>) => store.append(...batch)

const disasters: readonly (readonly [string, () => void])[] = [
  ['removed', () => rmSync(file)],
  ['renamed', () => renameSync(file, folder.file('data/other.db'))],
  [
    'replaced by a copy of itself',
    () => {
      copyFileSync(file, folder.file('copy.db'))
      renameSync(folder.file('copy.db'), file)
    },
  ],
  [
    'removed and made anew by another store',
    () => {
      for (const part of ['', '-wal', '-shm']) rmSync(`${file}${part}`, { force: true })
      void sqliteStore(file).close()
    },
  ],
  [
    'removed, with another file in its place',
    () => {
      rmSync(file)
      writeFileSync(file, 'notes')
    },
  ],
  ['gone with its folder', () => rmSync(folder.file('data'), { recursive: true })],
  ['renamed with its folder', () => renameSync(folder.file('data'), folder.file('moved'))],
  ['left without its log', () => rmSync(`${file}-wal`)],
  [
    'left with another log',
    () => {
      copyFileSync(`${file}-wal`, folder.file('copy'))
      renameSync(folder.file('copy'), `${file}-wal`)
    },
  ],
]

describe.each([false, true])('worker: %s', (inWorker) => {
  test.each(disasters)('a file that is %s: nothing more is written', async (_what, disaster) => {
    const store = sqliteStore(file, { worker: inWorker, synchronous: 'normal' })
    const lease = firstLease('a')
    await appending(store, appends('a', [started('a')], lease))
    disaster()
    const gone = { name: 'StoreError', code: 'STORE_GONE', message: expect.stringContaining(file) }
    await expect(appending(store, appends('a', [fired(1)], lease))).rejects.toMatchObject(gone)
    await expect(store.renew([{ ...lease, expiresAt: 9_000 }])).rejects.toMatchObject(gone)
    await expect(store.claim('a', 'me', 0, 1)).rejects.toMatchObject(gone)
    await expect(store.memory.save('t', [message('1', 'x', 1)])).rejects.toMatchObject(gone)
    await expect(store.config.set({ kind: 'k', key: 'x', value: 1 })).rejects.toMatchObject(gone)
    await store.close()
  })
})

test.each(disasters)('a run on a file that is %s is not told to be completed', async (_what, disaster) => {
  const gate = Promise.withResolvers<void>()
  const { agent } = worker('solo', [{ text: 'Done.', until: gate.promise }])
  const store = sqliteStore(file, { synchronous: 'normal' })
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  for await (const event of run.events) if (event.type === 'step-start') break
  disaster()
  gate.resolve()
  const outcome = await run.result.then(
    (result) => ({
      told: result.outcome,
      code: result.outcome === 'failed' ? result.error.code : undefined,
    }),
    (error: unknown) => ({ told: 'rejected', code: (error as { readonly code?: string }).code }),
  )
  expect(outcome.told).not.toBe('completed')
  expect(outcome.code).toBe('STORE_GONE')
})

test('a renewal of the leases notices it, while the run waits for its model', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent } = worker('solo', [{ text: 'Done.', until: gate.promise }])
  const store = sqliteStore(file, { synchronous: 'normal' })
  const errors: unknown[] = []
  const troupe = createTroupe({
    agents: [agent],
    store,
    leaseTtl: 30,
    pollInterval: 10,
    onError: ({ error }) => errors.push(error),
  })
  const run = await troupe.start(agent, 'Go')
  for await (const event of run.events) if (event.type === 'step-start') break
  rmSync(file)
  await expect.poll(() => errors).toContainEqual(expect.objectContaining({ code: 'STORE_GONE' }))
  gate.resolve()
  await run.result.catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_GONE' }))
})

test('files that were moved and put back as they were are gone on with', async () => {
  const store = sqliteStore(file)
  const lease = firstLease('a')
  await appending(store, appends('a', [started('a')], lease))
  renameSync(folder.file('data'), folder.file('moved'))
  await expect(store.renew([{ ...lease, expiresAt: 9_000 }])).rejects.toMatchObject({ code: 'STORE_GONE' })
  renameSync(folder.file('moved'), folder.file('data'))
  await appending(store, appends('a', [fired(1)], lease))
  await store.close()
  const again = sqliteStore(file)
  expect(await again.read('a')).toEqual([started('a'), fired(1)])
  await again.close()
})
