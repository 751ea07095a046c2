/** An erasure that is cut, repeated, made beside another or too late; notes that a retention deletes; many deletions in a loop. */
import {
  createTool,
  createTroupe,
  memoryStore,
  StoreError,
  type RetentionLimits,
  type Store,
  type Troupe,
} from 'troupe'
import { storedRuns } from 'troupe/kit'
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ask = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'Yes.',
})
const clerk = () => worker('clerk', [], { otherwise: 'Noted.', memory: { lastMessages: 4 } }).agent
const waiter = () => worker('waiter', [], { otherwise: calls({ name: 'ask' }), tools: { ask } }).agent

/** Two ended runs in threads, a fork, a run that waits, and notes: for each of two people. */
async function filled(store: Store): Promise<Troupe> {
  const [scribe, asking] = [clerk(), waiter()]
  const troupe = createTroupe({ agents: [scribe, asking], store })
  for (const resourceId of ['ann', 'bob']) {
    const ids = { resourceId, threadId: `of-${resourceId}` }
    for (const task of ['One', 'Two']) {
      const run = await troupe.start(scribe, task, { ...ids, runId: `${resourceId}-${task}` })
      expect((await run.result).outcome).toBe('completed')
    }
    await (
      await troupe.fork(`${resourceId}-One`, { at: 2 })
    ).result
    const run = await troupe.start(asking, 'Ask', { resourceId, runId: `${resourceId}-waits` })
    expect((await run.whenIdle).outcome).toBe('suspended')
    await troupe.memory.setWorkingMemory(resourceId, `Likes ${resourceId}.`)
  }
  return troupe
}

async function leftOf(troupe: Pick<Troupe, 'runs' | 'memory' | 'awaiting'>, resourceId: string) {
  return {
    runs: (await troupe.runs({ resourceId })).items.length,
    threads: (await troupe.memory.threads({ resourceId })).length,
    notes: await troupe.memory.workingMemory(resourceId),
    questions: (await troupe.awaiting({ resourceId })).items.length,
  }
}

const nothing = { runs: 0, threads: 0, notes: undefined, questions: 0 }
const all = { runs: 4, threads: 2, notes: 'Likes bob.', questions: 1 }

/** The store, which fails with the deletion or the removal of this number, before it or after it. */
function failing(store: Store, at: number, when: 'before' | 'after'): Store {
  let count = 0
  const cut = async <Given>(act: () => Promise<Given>): Promise<Given> => {
    const isCut = ++count === at
    if (isCut && when === 'before') throw new StoreError('The process dies.')
    const given = await act()
    if (isCut) throw new StoreError('The process dies.')
    return given
  }
  const { memory } = store
  return {
    ...store,
    delete: (...given) => cut(() => store.delete(...given)),
    memory: memory && {
      ...memory,
      remove: (removal) =>
        'threadId' in removal ? cut(() => memory.remove(removal)) : memory.remove(removal),
      removeNotes: (...given) => cut(async () => (await memory.removeNotes?.(...given)) ?? false),
    },
  }
}

describe.each(['before', 'after'] as const)('a process that dies %s a step of an erasure', (when) => {
  test.each([1, 2, 3, 4, 5, 6, 7])('the %ith: a second call ends it, and touches nobody else', async (at) => {
    const store = memoryStore()
    const first = await filled(store)
    await first.close()
    const cut = createTroupe({ agents: [clerk(), waiter()], store: failing(store, at, when) })
    await expect(cut.eraseResource('ann', { deadline: 50 })).rejects.toThrow('The process dies.')
    await cut.close()
    const troupe = createTroupe({ agents: [clerk(), waiter()], store })
    expect(await troupe.eraseResource('ann', { by: 'officer' })).toMatchObject({
      resourceId: 'ann',
      by: 'officer',
      left: [],
    })
    expect(await leftOf(troupe, 'ann')).toEqual(nothing)
    expect(await leftOf(troupe, 'bob')).toEqual(all)
    await troupe.close()
  })
})

test('two calls at once, and one for nobody, end as one does', async () => {
  const troupe = await filled(memoryStore())
  const reports = await Promise.all([troupe.eraseResource('ann'), troupe.eraseResource('ann')])
  expect(reports.flatMap(({ left }) => left)).toEqual([])
  expect(reports[0].erased.runs + reports[1].erased.runs).toBe(4)
  expect(await leftOf(troupe, 'ann')).toEqual(nothing)
  expect((await troupe.eraseResource('ann')).erased).toEqual({
    runs: 0,
    threads: 0,
    messages: 0,
    notes: false,
    schedules: 0,
  })
  await troupe.close()
  await expect(troupe.eraseResource('bob')).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
})

test('a person who comes back begins anew', async () => {
  const store = memoryStore()
  await (await filled(store)).close()
  const agent = clerk()
  const troupe = createTroupe({ agents: [agent, waiter()], store })
  await troupe.eraseResource('ann')
  const run = await troupe.start(agent, 'Hello', { resourceId: 'ann', threadId: 'of-ann', runId: 'ann-One' })
  expect((await run.result).outcome).toBe('completed')
  expect((await troupe.memory.messages('of-ann')).map(({ content }) => content)).toEqual(['Hello', 'Noted.'])
  expect(await troupe.memory.workingMemory('ann')).toBeUndefined()
  await troupe.close()
})

test('the runs of a store can be erased without an engine', async () => {
  const store = memoryStore()
  await (await filled(store)).close()
  const stored = storedRuns({ store })
  expect(await stored.eraseResource('ann', { deadline: 20 })).toMatchObject({
    erased: { runs: 4, notes: true },
    left: [],
  })
  expect((await stored.runs()).items.map(({ resourceId }) => resourceId)).toEqual(Array(4).fill('bob'))
  await stored.close()
})

test.each<[string, object, RegExp]>([
  ['', {}, /resourceId/],
  ['ann', { deadlin: 1 }, /deadlin/],
  ['ann', { deadline: -1 }, /deadline/],
])('eraseResource(%j, %j) is refused', async (resourceId, options, message) => {
  const troupe = createTroupe({ agents: [clerk()] })
  await expect(troupe.eraseResource(resourceId, options)).rejects.toThrow(message)
  await troupe.close()
})

test.each<[string, RetentionLimits, string[]]>([
  ['by their number', { number: 1 }, ['bob']],
  ['by their age', { age: 1 }, []],
  ['and leaves young ones', { age: 3_600_000 }, ['ann', 'bob']],
])('a retention deletes notes %s', async (_, workingMemory, left) => {
  const clock = new ManualClock()
  const troupe = createTroupeIn(
    { clock, newId: () => 'id' },
    { agents: [clerk()], store: memoryStore(), retention: { workingMemory } },
  )
  for (const resourceId of ['ann', 'bob']) {
    await troupe.memory.setWorkingMemory(resourceId, 'Likes tea.')
    await new Promise((resolve) => setTimeout(resolve, 3)) // a store dates a note by the clock of its machine
  }
  for (let pass = 0; pass < 3; pass++) {
    clock.advance(60_000)
    for (let turn = 0; turn < 10; turn++) {
      await new Promise(setImmediate)
      clock.advance(1)
    }
  }
  expect((await troupe.memory.resources()).items.map(({ resourceId }) => resourceId)).toEqual(left)
  await troupe.close()
})

test('other work has its turn between deletions in a loop, also where the store answers at once', async () => {
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
  const agent = clerk()
  const troupe = createTroupe({ agents: [agent], store })
  const ids: string[] = []
  for (let count = 0; count < 30; count++) {
    const run = await troupe.start(agent, 'Go')
    await run.result
    ids.push(run.id)
  }
  let turns = 0
  let isOver = false
  const other = (): void => {
    turns++
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  for (const id of ids) await troupe.delete(id)
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(ids.length - 1)
  await troupe.close()
  await store.close()
})
