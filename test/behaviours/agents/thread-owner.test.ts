/** A thread has one owner: runs of different resources that begin it at once do not see each other's messages. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTroupe, memoryStore, RetryableError, type RunResult, type Store, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { worker } from '../../support/agents/agents.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'

let folder: TemporaryFolder

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(() => folder[Symbol.dispose]())

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })],
  ['SQLite in a thread', () => sqliteStore(folder.file('runs.db'), { synchronous: 'normal', worker: true })],
  [
    'a memory of its own beside the journals',
    () => ({
      ...sqliteStore(folder.file('runs.db'), { synchronous: 'normal' }),
      memory: memoryStore().memory,
    }),
  ],
]

const refused = { outcome: 'failed', error: { code: 'THREAD_OF_ANOTHER_RESOURCE' } }

async function ended(
  troupe: Troupe,
  agent: Parameters<Troupe['start']>[0],
  threadId: string,
  resourceId?: string,
) {
  const run = await troupe.start(agent, `I am ${resourceId}.`, {
    threadId,
    ...(resourceId === undefined ? {} : { resourceId }),
  })
  return run.result
}

describe.each(stores)('%s', (_name, open) => {
  test('of two runs that begin a thread at once, one fails before its model is called', async () => {
    const { agent, model } = worker('guide', [], { memory: true, otherwise: 'Welcome.' })
    const store = open()
    const troupe = createTroupe({ agents: [agent], store })
    for (let round = 0; round < 20; round++) {
      const before = model.calls.length
      const both = await Promise.all([
        ended(troupe, agent, `t${round}`, 'ann'),
        ended(troupe, agent, `t${round}`, 'bob'),
      ])
      const [won, lost] = both.toSorted((one) => (one.outcome === 'completed' ? -1 : 1))
      expect(won).toMatchObject({ outcome: 'completed' })
      expect(lost).toMatchObject(refused)
      expect(model.calls.length - before).toBe(1)
      const winner = both.indexOf(won as RunResult & { outcome: 'completed' }) === 0 ? 'ann' : 'bob'
      expect(await troupe.memory.thread(`t${round}`)).toMatchObject({ resourceId: winner })
      expect((await troupe.memory.messages(`t${round}`)).map(({ content }) => content)).toEqual([
        `I am ${winner}.`,
        'Welcome.',
      ])
    }
    await troupe.close()
    await store.close?.()
  })

  test('the run of a resource that comes while another begins the thread fails at once', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent, model } = worker('guide', [{ text: 'For Ann.', until: gate.promise }], {
      memory: true,
      otherwise: 'Again.',
    })
    const store = open()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Mine.', { threadId: 't', resourceId: 'ann' })
    for await (const event of run.events) if (event.type === 'step-start') break
    expect(await ended(troupe, agent, 't', 'bob')).toMatchObject(refused)
    expect(await ended(troupe, agent, 't')).toMatchObject(refused)
    expect(await ended(troupe, agent, 't', 'ann')).toMatchObject({ outcome: 'completed' })
    expect(model.calls).toHaveLength(2)
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'For Ann.' })
    expect(await ended(troupe, agent, 't', 'bob')).toMatchObject(refused)
    await troupe.close()
    await store.close?.()
  })

  test('a run without a resource that comes first leaves the thread open to all', async () => {
    const gate = Promise.withResolvers<void>()
    const { agent } = worker('guide', [{ text: 'For all.', until: gate.promise }], {
      memory: true,
      otherwise: 'Yes.',
    })
    const store = open()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Anybody.', { threadId: 't' })
    for await (const event of run.events) if (event.type === 'step-start') break
    expect(await ended(troupe, agent, 't', 'bob')).toMatchObject({ outcome: 'completed' })
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(await troupe.memory.thread('t')).not.toHaveProperty('resourceId')
    expect(await troupe.memory.messages('t')).toHaveLength(4)
    await troupe.close()
    await store.close?.()
  })

  const ends: Readonly<Record<string, Parameters<typeof worker>[2]>> = {
    failed: { retries: 0 },
    tripped: { inputProcessors: [{ id: 'guard', processInput: ({ abort }) => abort('no') }] },
    cancelled: { onStepFinish: () => undefined },
  }
  test.each(Object.keys(ends))(
    'a run that ends as %s, without an answer, gives the thread up',
    async (end) => {
      const gate = Promise.withResolvers<void>()
      const { agent } = worker(
        'guide',
        [
          end === 'cancelled'
            ? { text: 'Late.', until: gate.promise }
            : () => {
                throw new RetryableError('The model is down.')
              },
        ],
        { memory: true, ...ends[end] },
      )
      const other = worker('other', ['For Bob.'], { memory: true })
      const store = open()
      const troupe = createTroupe({ agents: [agent, other.agent], store })
      const run = await troupe.start(agent, 'Mine.', { threadId: 't', resourceId: 'ann' })
      if (end === 'cancelled') {
        for await (const event of run.events) if (event.type === 'step-start') break
        await run.cancel()
      }
      expect((await run.result).outcome).toBe(end)
      gate.resolve()
      expect(await troupe.memory.threads()).toEqual([])
      expect(await ended(troupe, other.agent, 't', 'bob')).toMatchObject({ outcome: 'completed' })
      await troupe.close()
      await store.close?.()
    },
  )

  test('a run whose process has gone keeps the thread until it has come to its end elsewhere', async () => {
    const gate = Promise.withResolvers<void>()
    const first = worker('guide', [{ text: 'Never.', until: gate.promise }], { memory: true })
    const store = open()
    const troupe = createTroupe({ agents: [first.agent], store })
    const run = await troupe.start(first.agent, 'Mine.', { threadId: 't', resourceId: 'ann' })
    for await (const event of run.events) if (event.type === 'step-start') break
    await troupe.close()
    gate.resolve()

    const second = worker('guide', [], { memory: true, otherwise: 'Here.' })
    const again = createTroupe({ agents: [second.agent], store })
    expect(await ended(again, second.agent, 't', 'bob')).toMatchObject(refused)
    expect(second.model.calls).toHaveLength(0)
    const resumed = await again.resume(run.id)
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Here.' })
    expect(await again.memory.thread('t')).toMatchObject({ resourceId: 'ann' })
    await again.close()
    await store.close?.()
  })
})
