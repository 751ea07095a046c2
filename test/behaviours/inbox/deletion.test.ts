/** Deletion: an ended run goes with all that only it needs; handles and forks stay whole. */
import { createTool, createTroupe, memoryStore, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { bytes, chart, prompt, ref } from '../files/pictures.ts'

const remove = createTool({
  id: 'remove',
  description: 'Removes.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'removed',
})

const solo = () => worker('solo', [], { otherwise: 'Seen.' })
const asking = () => worker('asking', [calls({ name: 'remove' })], { tools: { remove }, otherwise: 'Done.' })
const gone = { name: 'RunNotFoundError', code: 'RUN_NOT_FOUND' }
const notEnded = { name: 'RunNotEndedError', code: 'RUN_NOT_ENDED' }

describe.each(['memory', 'SQLite'] as const)('in %s', (kind) => {
  const open = (folder: { file(name: string): string }): Store =>
    kind === 'memory' ? memoryStore() : sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })

  test('afterwards every reader of the journal is refused, and the handle has its result and its events', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = solo()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    await run.result
    await troupe.delete(run.id)
    for (const refused of [
      troupe.replay(run.id),
      troupe.fork(run.id, { at: 1 }),
      troupe.resume(run.id),
      troupe.journal(run.id),
      troupe.history(run.id),
      troupe.cancel(run.id),
      troupe.delete(run.id),
    ]) {
      await expect(refused).rejects.toMatchObject({ ...gone, runId: run.id })
    }
    expect((await troupe.runs()).items).toEqual([])
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Seen.' })
    expect((await allEvents(run)).at(-1)).toMatchObject({ type: 'run-finish', final: true })
    await troupe.close()
    await store.close?.()
  })

  test('an unfinished run is refused: live here, live in another process, and passivated', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = asking()
    const owner = createTroupe({ agents: [agent], store, passivateAfter: Infinity })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const other = createTroupe({ agents: [solo().agent], store })
    await expect(owner.delete(run.id)).rejects.toMatchObject({ ...notEnded, runId: run.id })
    await expect(other.delete(run.id)).rejects.toMatchObject(notEnded)
    await owner.close()
    await expect(other.delete(run.id)).rejects.toMatchObject(notEnded)
    expect((await other.awaiting()).items).toHaveLength(1)
    const last = createTroupe({ agents: [asking().agent], store })
    await last.cancel(run.id)
    await other.delete(run.id)
    expect((await other.runs()).items).toEqual([])
    await last.close()
    await store.close?.()
  })

  test('a fork lives on with the files that it shares, and the last run takes them along', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = solo()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, prompt('See', chart))
    await run.result
    const fork = await troupe.fork(run.id, { at: 1 })
    await fork.result
    await troupe.delete(run.id)
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
    expect(await troupe.replay(fork.id)).toMatchObject({ result: { outcome: 'completed' } })
    await troupe.delete(fork.id)
    expect(await troupe.blobs.get(ref)).toBeUndefined()
    await troupe.close()
    await store.close?.()
  })

  test('of many runs of one file, started and deleted at once, each that is left has it', async () => {
    using folder = temporaryFolder()
    const store = open(folder)
    const { agent } = solo()
    const troupe = createTroupe({ agents: [agent], store })
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const run = await troupe.start(agent, prompt('See', chart))
        expect(await run.result).toMatchObject({ outcome: 'completed' })
        if (index > 0) await troupe.delete(run.id)
      }),
    )
    expect(await troupe.blobs.get(ref)).toEqual(bytes)
    await troupe.close()
    await store.close?.()
  })
})

test('a fork of a run that is deleted with its files meanwhile is refused, and nothing is left of it', async () => {
  const inner = memoryStore()
  const { agent } = solo()
  const first = createTroupe({ agents: [agent], store: inner })
  const run = await first.start(agent, prompt('See', chart))
  await run.result
  let isDeleting = true
  const store: Store = {
    ...inner,
    async read(runId, from) {
      const journal = await inner.read(runId, from)
      if (isDeleting) await inner.delete(run.id)
      isDeleting = false
      return journal
    },
  }
  const troupe = createTroupe({ agents: [agent], store })
  await expect(troupe.fork(run.id, { at: 1 })).rejects.toMatchObject({ ...gone, runId: run.id })
  expect((await troupe.runs()).items).toEqual([])
  expect(await troupe.blobs.get(ref)).toBeUndefined()
})

test('a caller that waits for a passivated run is told when the run was ended and deleted elsewhere', async () => {
  const store = memoryStore()
  const { agent } = asking()
  const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0, pollInterval: 5 })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
  const lease = await store.claim(run.id, 'another', Date.now(), Date.now() + 60_000)
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  const end = { type: 'run.settled', at: Date.now(), outcome: 'cancelled', text: '', usage } as const
  if (lease !== undefined) await store.append([{ runId: run.id, lease, entry: end }])
  await store.delete(run.id)
  await expect(run.result).rejects.toMatchObject(gone)
  await troupe.close()
})
