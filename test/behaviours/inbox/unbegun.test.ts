/** Files of a run whose process ends between their storage and the first entry of the run. */
import { PGlite } from '@electric-sql/pglite'
import { createTroupe, memoryStore, type BlobStorage, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { bytes, chart, prompt, ref } from '../files/pictures.ts'

const hour = 3_600_000

afterEach(() => void vi.restoreAllMocks())

const kinds = {
  memory: async () => memoryStore(),
  SQLite: async (folder: { file(name: string): string }) =>
    sqliteStore(folder.file('runs.db'), { synchronous: 'normal' }),
  Postgres: async () => postgresStore({ pool: pglitePool(await PGlite.create()) }),
}

/** The store of a process that ends before its first append. */
function ending(store: Store): Store {
  return { ...store, append: () => Promise.reject(new Error('the process ends here')) }
}

/** Lets the retention of another process pass over the store. */
async function sweep(store: Store, age: number): Promise<void> {
  const clock = new ManualClock()
  const release = vi.spyOn((store.blobs ?? expect.fail('no blobs')) as Required<BlobStorage>, 'release')
  const troupe = createTroupeIn(
    { clock, newId: () => 'sweeper' },
    { agents: [worker('eye', []).agent], store, retention: { blobs: { age } } },
  )
  clock.advance(0)
  await vi.waitFor(() => expect(release).toHaveBeenCalledWith(expect.objectContaining({ of: 'holders' })))
  await troupe.close()
  release.mockRestore()
}

describe.each(Object.entries(kinds))('in %s', (_, open) => {
  async function scene(folder: { file(name: string): string }) {
    const store = await open(folder)
    const { agent } = worker('eye', [], { otherwise: 'Seen.' })
    const crashed = createTroupe({ agents: [agent], store: ending(store) })
    await expect(crashed.start(agent, prompt('See', chart))).rejects.toThrow('the process ends here')
    await crashed.close()
    expect(await store.blobs?.get(ref)).toEqual(bytes)
    return { store, agent }
  }
  const later = (milliseconds: number): void => {
    const now = Date.now() + milliseconds
    vi.spyOn(Date, 'now').mockImplementation(() => now)
  }

  test('the files go with a retention, and not before an hour has passed', async () => {
    using folder = temporaryFolder()
    const { store } = await scene(folder)
    later(hour / 2)
    await sweep(store, 1)
    expect(await store.blobs?.get(ref)).toEqual(bytes)
    later(hour)
    await sweep(store, 3 * hour)
    expect(await store.blobs?.get(ref)).toEqual(bytes)
    await sweep(store, 1)
    expect(await store.blobs?.get(ref)).toBeUndefined()
    await store.close?.()
  })

  test('a file that a run has begun with stays, and goes with that run', async () => {
    using folder = temporaryFolder()
    const { store, agent } = await scene(folder)
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, prompt('See', chart))
    await run.result
    later(2 * hour)
    await sweep(store, 1)
    expect(await store.blobs?.get(ref)).toEqual(bytes)
    await troupe.delete(run.id)
    expect(await store.blobs?.get(ref)).toBeUndefined()
    await troupe.close()
    await store.close?.()
  })
})
