/** A listener of a troupe is told of each run whose journal has grown, until it leaves. */
import { createTroupe, memoryStore, type Problem, type Store, type StoreListener } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test.each(['memory', 'SQLite'] as const)('it hears of runs in %s, also of another troupe', async (kind) => {
  using folder = temporaryFolder()
  const memory = memoryStore()
  const open = (): Store => (kind === 'memory' ? memory : sqliteStore(folder.file('runs.db')))
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const [troupe, other] = [open(), open()].map((store) => createTroupe({ agents: [agent], store }))
  if (troupe === undefined || other === undefined) throw new Error('There are two.')
  const told: string[] = []
  const leave = other.subscribe((runId, change) => void told.push(`${change} ${runId}`))
  const first = await troupe.start(agent, 'Go')
  await first.result
  await expect.poll(() => new Set(told)).toEqual(new Set([`entries ${first.id}`]))
  leave()
  const second = await troupe.start(agent, 'Go')
  await second.result
  await troupe.journal(second.id)
  expect(told.join(' ')).not.toContain(second.id)
  await Promise.all([troupe.close(), other.close()])
})

test('a store that tells nothing is no fault; a listener that is no function is one', async () => {
  const { subscribe: _, ...store } = memoryStore()
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const troupe = createTroupe({ agents: [agent], store })
  const leave = troupe.subscribe(() => undefined)
  leave()
  expect(() => troupe.subscribe('tell me' as never)).toThrow('subscribe: the listener must be a function')
  await troupe.close()
})

test('a listener that throws or rejects is reported to the troupe, and keeps the news from no other', async () => {
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const problems: Problem[] = []
  // A store of an application guards no listener.
  const { subscribe: _, ...memory } = memoryStore()
  const listeners = new Set<StoreListener>()
  const store: Store = {
    ...memory,
    append(appends) {
      const report = memory.append(appends)
      for (const { runId } of appends) for (const tell of listeners) tell(runId, 'entries')
      return report
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const troupe = createTroupe({ agents: [agent], store, onError: (problem) => void problems.push(problem) })
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')]
  troupe.subscribe(() => {
    throw thrown
  })
  troupe.subscribe(() => Promise.reject(rejected))
  const told: string[] = []
  troupe.subscribe((runId) => void told.push(runId))
  const run = await troupe.start(agent, 'Go', { runId: 'heard' })
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  expect(new Set(told)).toEqual(new Set(['heard']))
  expect(new Set(problems.map(({ error }) => error))).toEqual(new Set([thrown, rejected]))
  expect(problems[0]).toMatchObject({ where: 'observer', runId: 'heard' })
  await troupe.close()
  expect(listeners.size).toBe(0)
})

test.each(['memory', 'SQLite'] as const)(
  'in %s a listener may leave and add others as it is told',
  async (kind) => {
    using folder = temporaryFolder()
    const store = kind === 'memory' ? memoryStore() : sqliteStore(folder.file('runs.db'))
    const { agent } = worker('solo', [], { otherwise: 'Done.' })
    const troupe = createTroupe({ agents: [agent], store })
    const told: string[] = []
    let follows = 0
    const follow = (): void => {
      const leave = troupe.subscribe((runId) => {
        told.push(runId)
        leave()
        leave()
        if (++follows < 1_000) follow()
      })
    }
    follow()
    await (
      await troupe.start(agent, 'Go', { runId: 'followed' })
    ).result
    await expect.poll(() => told.length).toBeGreaterThan(0)
    // One a change, and no endless row of them at one change.
    expect(told.length).toBeLessThanOrEqual((await troupe.journal('followed')).length)
    await troupe.close()
    await store.close?.()
  },
)

test('the end of a troupe ends what it tells', async () => {
  const store = memoryStore()
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const [troupe, other] = [createTroupe({ agents: [agent], store }), createTroupe({ agents: [agent], store })]
  const [told, stays]: [string[], string[]] = [[], []]
  const leave = troupe.subscribe((runId) => void told.push(runId))
  other.subscribe((runId) => void stays.push(runId))
  await troupe.close()
  await (
    await other.start(agent, 'Go')
  ).result
  await expect.poll(() => stays.length).toBeGreaterThan(0)
  expect(told).toEqual([])
  leave()
  expect(() => troupe.subscribe(() => undefined)).toThrow(expect.objectContaining({ code: 'TROUPE_CLOSED' }))
  await other.close()
})
