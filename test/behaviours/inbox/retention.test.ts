/** Retention: old ended runs, threads and bytes are deleted by themselves; the store in memory keeps a number. */
import {
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  type RunSummary,
  type Store,
  type Troupe,
} from 'troupe'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { listing } from '../../support/listing.ts'

const remove = createTool({
  id: 'remove',
  description: 'Removes.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'removed',
})
const minute = 60_000

const idsOf = async (troupe: Troupe): Promise<string[]> =>
  (await troupe.runs()).items.map(({ runId }: RunSummary) => runId)

describe('the store in memory', () => {
  test('keeps the last 1 000 ended runs, however many there are', async () => {
    const store = memoryStore()
    const { agent } = worker('solo', [], { otherwise: 'Seen.' })
    const troupe = createTroupe({ agents: [agent], store })
    const ids: string[] = []
    for (let batch = 0; batch < 22; batch++) {
      const runs = await Promise.all(Array.from({ length: 50 }, () => troupe.start(agent, 'Go')))
      await Promise.all(runs.map(({ result }) => result))
      ids.push(...runs.map(({ id }) => id))
    }
    const left = await idsOf(troupe)
    expect(left).toHaveLength(1_000)
    expect(left.every((id) => ids.slice(50).includes(id))).toBe(true)
    await expect(troupe.replay(ids[0] ?? '')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect(await troupe.replay(ids.at(-1) ?? '')).toMatchObject({ result: { text: 'Seen.' } })
  })

  test('keeps as many as it is given, and every unfinished run beside them', async () => {
    const { agent } = worker('solo', [calls({ name: 'remove' })], { tools: { remove }, otherwise: 'Seen.' })
    const troupe = createTroupe({ agents: [agent], store: memoryStore({ endedRuns: 2 }) })
    const waiting = await troupe.start(agent, 'Go')
    await waiting.whenIdle
    const ids = [waiting.id]
    for (let index = 0; index < 4; index++) {
      const run = await troupe.start(agent, 'Go')
      await run.result
      ids.push(run.id)
    }
    expect(await idsOf(troupe)).toEqual([ids[0], ids[3], ids[4]])
    await waiting.approve('solo/call:1.1')
    await waiting.result
    expect(await idsOf(troupe)).toEqual([ids[0], ids[4]])
  })
})

describe('retention', () => {
  function scene(retention: Parameters<typeof createTroupe>[0]['retention']) {
    const clock = new ManualClock()
    let ids = 0
    const environment = { clock, newId: () => `run-${++ids}` }
    const store = memoryStore()
    const { agent } = worker('solo', [], { memory: true, otherwise: 'Seen.' })
    const troupe = createTroupeIn(environment, {
      agents: [agent],
      store,
      ...(retention === undefined ? {} : { retention }),
    })
    /** Lets the passes go on until they wait. */
    const pass = async (): Promise<void> => {
      for (let turn = 0; turn < 300; turn++) {
        clock.advance(1)
        await new Promise(setImmediate)
      }
    }
    const go = async (): Promise<string> => {
      const run = await troupe.start(agent, 'Go')
      await run.result
      return run.id
    }
    return { clock, store, troupe, pass, go }
  }

  test('deletes ended runs beyond a number, more than one slice of them, and keeps the newest', async () => {
    const { troupe, clock, pass, go } = scene({ runs: { number: 3 } })
    const ids: string[] = []
    for (let index = 0; index < 50; index++) {
      ids.push(await go())
      clock.advance(1)
    }
    clock.advance(minute)
    await pass()
    expect(await idsOf(troupe)).toEqual(ids.slice(-3))
    await troupe.close()
  })

  test('deletes ended runs and threads by age, and no sooner', async () => {
    const { troupe, clock, pass, go } = scene({ runs: { age: 10 * minute }, threads: { age: 10 * minute } })
    const old = await go()
    clock.advance(9 * minute)
    const young = await go()
    await pass()
    expect(await idsOf(troupe)).toEqual([old, young])
    clock.advance(2 * minute)
    await pass()
    clock.advance(minute)
    await pass()
    expect(await idsOf(troupe)).toEqual([young])
    expect((await troupe.memory.threads()).map(({ id }) => id)).toEqual([`${young}/solo`])
    await troupe.close()
  })

  test('leaves a thread that a run begins with while the retention is about to delete it', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    const { agent } = worker('solo', [], { memory: true, otherwise: { hang: true } })
    await inner.memory.save('old', [{ id: '1', role: 'user', content: 'Before', at: 0 }])
    const deleted: string[] = []
    let begin: () => Promise<void> = () => Promise.resolve()
    const store: Store = {
      ...inner,
      list: listing(inner, 'unusedThreads', async (read) => {
        const page = await read()
        if (page.items.length > 0) await begin()
        return page
      }),
      memory: {
        ...inner.memory,
        async remove(removal) {
          await inner.memory.remove(removal)
          if ('threadId' in removal) deleted.push(removal.threadId)
        },
      },
    }
    const other = createTroupeIn({ clock, newId: () => 'other' }, { agents: [agent], store: inner })
    begin = async () => void (await other.start(agent, 'Go', { threadId: 'old' }))
    clock.advance(1_000)
    const troupe = createTroupeIn(
      { clock, newId: () => 'sweeper' },
      { agents: [agent], store, retention: { threads: { age: 10 } } },
    )
    clock.advance(0)
    await vi.waitFor(() => expect(deleted).toEqual(['old']))
    expect((await inner.memory.threads({})).map(({ id }) => id)).toEqual(['old'])
    clock.advance(0) // the retention waits for the next turn
    await Promise.all([troupe.close(), other.close()])
  })

  test('without it nothing is deleted', async () => {
    const { troupe, clock, pass, go } = scene(undefined)
    const id = await go()
    clock.advance(1e12)
    await pass()
    expect(await idsOf(troupe)).toEqual([id])
    expect(await troupe.memory.threads()).toHaveLength(1)
    await troupe.close()
  })

  test('reports a store that fails, and goes on', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    const { agent } = worker('solo', [], { otherwise: 'Seen.' })
    let isFailing = true
    const problems: string[] = []
    const troupe = createTroupeIn(
      { clock, newId: () => 'only' },
      {
        agents: [agent],
        store: {
          ...inner,
          list: listing(inner, 'endedRuns', (read) =>
            isFailing ? Promise.reject(new Error('locked')) : read(),
          ),
        },
        retention: { runs: { age: 1 } },
        onError: ({ message }) => void problems.push(message),
      },
    )
    await (
      await troupe.start(agent, 'Go')
    ).result
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) {
        clock.advance(1)
        await new Promise(setImmediate)
      }
    }
    await turns()
    expect(problems).toEqual(['the retention could not delete; trying again'])
    isFailing = false
    clock.advance(minute)
    await turns()
    expect(await idsOf(troupe)).toEqual([])
    await troupe.close()
  })

  test('leaves what is damaged, says so once, and deletes the others', async () => {
    const clock = new ManualClock()
    const inner = memoryStore()
    const { agent } = worker('solo', [], { otherwise: 'Seen.' })
    const damaged = new Set<string>()
    const problems: string[] = []
    let ids = 0
    const troupe = createTroupeIn(
      { clock, newId: () => `run-${++ids}` },
      {
        agents: [agent],
        store: {
          ...inner,
          delete: (runId) =>
            damaged.has(runId)
              ? Promise.reject(new StoreError('It is damaged.', { code: 'STORE_CORRUPT' }))
              : inner.delete(runId),
        },
        retention: { runs: { number: 1 } },
        onError: ({ message }) => void problems.push(message),
      },
    )
    for (let index = 0; index < 30; index++) {
      const run = await troupe.start(agent, 'Go')
      if (index < 25) damaged.add(run.id)
      await run.result
      clock.advance(1)
    }
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 300; turn++) {
        clock.advance(1)
        await new Promise(setImmediate)
      }
    }
    for (let pass = 0; pass < 3; pass++) {
      await turns()
      clock.advance(minute)
    }
    expect(await idsOf(troupe)).toEqual([...damaged, `run-${ids}`])
    expect(problems).toEqual(
      [...damaged].map((id) => `the retention leaves the run "${id}", which is damaged`),
    )
    await troupe.close()
  })

  test('is refused where it says nothing, or where the store cannot', () => {
    const { agent } = worker('solo', [])
    const refuse = (retention: object, text: string) =>
      expect(() => createTroupe({ agents: [agent], retention })).toThrow(text)
    refuse({ runs: {} }, 'retention.runs must have an age, a number, or both')
    refuse({ blobs: {} }, 'retention.blobs must have an age')
    refuse({ runs: { number: 0 } }, 'must be a positive integer')
  })
})
