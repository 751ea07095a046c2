/** Behaviour 76: a run whose id its caller has chosen begins once. */
import { createTroupe, memoryStore, RunExistsError, type Store, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import { worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { bytes, chart, prompt, ref } from '../files/pictures.ts'

const folder = temporaryFolder()
const stores = { memory: memoryStore(), SQLite: sqliteStore(folder.file('runs.db')) }
afterAll(async () => {
  await stores.SQLite.close?.()
  folder[Symbol.dispose]()
})

const taken = { name: 'RunExistsError', code: 'RUN_EXISTS', runId: 'chosen' }

describe.each(Object.entries(stores))('in %s', (_, store: Store) => {
  test('a repeated start performs nothing, here and in another process, before and after the end', async () => {
    const { agent, model } = worker('solo', ['One.'], { otherwise: 'Another.' })
    const [here, there] = [createTroupe({ agents: [agent], store }), createTroupe({ agents: [agent], store })]
    const run = await here.start(agent, 'Go', { runId: 'chosen', resourceId: 'ann' })
    expect(run.id).toBe('chosen')
    const start = (troupe: Troupe) => troupe.start(agent, 'Go on', { runId: 'chosen' })
    await expect(start(here)).rejects.toMatchObject(taken)
    await expect(start(there)).rejects.toMatchObject(taken)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'One.' })
    await expect(start(here)).rejects.toBeInstanceOf(RunExistsError)
    await expect(start(there)).rejects.toMatchObject(taken)
    expect(model.calls).toHaveLength(1)
    expect((await there.runs({ runId: 'chosen' })).items).toMatchObject([
      { resourceId: 'ann', outcome: 'completed' },
    ])
    await here.delete('chosen')
    await (
      await start(there)
    ).result // the id is free again
    await there.delete('chosen')
    await Promise.all([here.close(), there.close()])
  })

  test('of two starts at once one begins, in one process and in two', async () => {
    const { agent } = worker('solo', [], { otherwise: 'Done.' })
    const troupes = [createTroupe({ agents: [agent], store }), createTroupe({ agents: [agent], store })]
    const begun = await Promise.allSettled(
      troupes.flatMap((troupe) => [1, 2].map(() => troupe.start(agent, 'Go', { runId: 'chosen' }))),
    )
    const runs = begun.flatMap((start) => (start.status === 'fulfilled' ? start.value : []))
    const refusals = begun.flatMap((start): unknown[] => (start.status === 'rejected' ? [start.reason] : []))
    expect(runs).toHaveLength(1)
    for (const refusal of refusals) expect(refusal).toMatchObject(taken)
    expect(await runs[0]?.result).toMatchObject({ text: 'Done.' })
    expect((await troupes[0]?.runs({ runId: 'chosen' }))?.items).toHaveLength(1)
    await troupes[0]?.delete('chosen')
    await Promise.all(troupes.map((troupe) => troupe.close()))
  })

  test('a start that fails takes no files from the run that begins under its id meanwhile', async () => {
    const { agent } = worker('eye', [], { otherwise: 'Seen.' })
    const here = createTroupe({ agents: [agent], store })
    const blobs = store.blobs ?? expect.fail('no blobs')
    // Of a process that has looked for the id before the other run began.
    const behind: Store = {
      ...store,
      read: async () => undefined,
      blobs: { ...blobs, put: () => Promise.reject(new Error('The storage is away.')) },
    }
    const there = createTroupe({ agents: [agent], store: behind })
    const start = (troupe: Troupe) => troupe.start(agent, prompt('See', chart), { runId: 'chosen' })
    await (
      await start(here)
    ).result
    await expect(start(there)).rejects.toThrow('The storage is away.')
    expect(await blobs.get(ref)).toEqual(bytes)
    await here.delete('chosen')
    expect(await blobs.get(ref)).toBeUndefined()
    await Promise.all([here.close(), there.close()])
  })
})

test.each(['', 'a/b', 'a b', 'ä', 'x'.repeat(129), '../x', 'a:b', '.', '..'])(
  'an id that is no part of an address is refused: %j',
  async (runId) => {
    const { agent, model } = worker('solo', ['Done.'])
    const troupe = createTroupe({ agents: [agent] })
    await expect(troupe.start(agent, 'Go', { runId })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
    expect(model.calls).toHaveLength(0)
    await troupe.close()
  },
)

describe('a hosted run that is given an id', () => {
  test('begins under it, is found again by it, and another prompt is refused', async () => {
    const store = memoryStore()
    const { agent, model } = worker('solo', ['One.'])
    const troupe = createTroupe({ agents: [agent], store })
    const first = createActor(troupe.logic(agent), { input: { prompt: 'Go', runId: 'chosen' } }).start()
    expect(await toPromise(first)).toMatchObject({ runId: 'chosen', text: 'One.' })
    const again = createActor(troupe.logic(agent), { input: { prompt: 'Go', runId: 'chosen' } }).start()
    expect(await toPromise(again)).toMatchObject({ runId: 'chosen', text: 'One.' })
    const other = createActor(troupe.logic(agent), { input: { prompt: 'Stay', runId: 'chosen' } })
    const failed = new Promise((resolve) => other.subscribe({ error: resolve }))
    other.start()
    expect(await failed).toMatchObject(taken)
    expect(model.calls).toHaveLength(1)
    await troupe.close()
  })

  test('goes on where a closed troupe left it', async () => {
    const store = memoryStore()
    const reached = Promise.withResolvers<void>()
    const first = worker('solo', [], {
      otherwise: () => {
        reached.resolve()
        return { text: 'Lost.', until: new Promise(() => undefined) }
      },
    })
    const before = createTroupe({ agents: [first.agent], store })
    const input = { prompt: 'Go', runId: 'chosen' }
    const actor = createActor(before.logic(first.agent), { input })
    const failed = new Promise((resolve) => actor.subscribe({ error: resolve }))
    actor.start()
    await reached.promise
    await before.close()
    expect(await failed).toMatchObject({ code: 'TROUPE_CLOSED' })
    const { agent, model } = worker('solo', ['Found.'])
    const after = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const found = createActor(after.logic(agent), { input }).start()
    expect(await toPromise(found)).toMatchObject({ runId: 'chosen', text: 'Found.' })
    expect(model.calls).toHaveLength(1)
    expect((await after.runs()).items).toHaveLength(1)
    await after.close()
  })
})
