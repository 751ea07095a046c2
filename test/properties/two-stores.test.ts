/** The same random runs in memory and on SQLite give the same journals, entry by entry, the same index and threads. */
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { memoryStore, type WholeStore } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runRandomly } from './random-troupe.ts'

const parts = 5
const runsOfPart = 100

/** The one thing that is never the same in two runs is their id: here it is. */
const ids = vi.hoisted(() => ({ next: '' }))
vi.mock('nanoid', () => ({ nanoid: () => ids.next }))

/**
 * Each call of a store begins in a turn of its own. A turn of `setImmediate` ends with all of its microtasks, so how
 * many of them a store takes does not order what else settles.
 */
function inTurns(store: WholeStore): WholeStore {
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
  const delayed = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function' || name === 'append' || name === 'schedule') return value
        return async (...args: unknown[]): Promise<unknown> => {
          await turn()
          return Reflect.apply(value, target, args)
        }
      },
    })
  return { ...delayed(store), memory: delayed(store.memory), config: delayed(store.config) }
}

async function everyThreadIn({ memory }: WholeStore): Promise<readonly unknown[]> {
  const threads = await memory.threads({})
  return Promise.all(
    threads.map(async (thread) => ({ ...thread, messages: await memory.messages(thread.id, {}) })),
  )
}

const folder = temporaryFolder()
const sqlite = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
// Both gather what comes in one turn of the event loop, so that the order is the same as well.
const memory: WholeStore = { ...memoryStore(), schedule: (flush) => void setImmediate(flush) }
afterAll(async () => {
  await sqlite.close()
  folder[Symbol.dispose]()
})

let runs = 0

// In parts: a test has a limit of time, also on a loaded machine.
test.each(Array.from({ length: parts }, (_, part) => part + 1))(
  `random runs have the same journal in memory and on SQLite: ${runsOfPart} runs, part %i of ${parts}`,
  async () => {
    const choices = fc.array(fc.nat({ max: 1_000 }), { maxLength: 150, size: 'max' })
    await fc.assert(
      fc.asyncProperty(choices, async (choices) => {
        ids.next = `run-${++runs}`
        const inMemory = await runRandomly(choices, inTurns(memory))
        const onSqlite = await runRandomly(choices, inTurns(sqlite))
        const expected = JSON.stringify(await memory.read(ids.next), null, 1)
        expect(JSON.stringify(await sqlite.read(ids.next), null, 1)).toBe(expected)
        expect(onSqlite.result).toEqual(inMemory.result)
        expect(onSqlite.replay.events).toEqual(inMemory.replay.events)
      }),
      { numRuns: runsOfPart },
    )
  },
)

test('all of them have the same index and threads, are long, end in many ways, and remember', async () => {
  const numRuns = parts * runsOfPart
  const summaries = (await sqlite.list('runs', {})).items
  expect(summaries).toEqual((await memory.list('runs', {})).items)
  expect(summaries).toHaveLength(numRuns)
  const threads = await everyThreadIn(sqlite)
  expect(threads).toEqual(await everyThreadIn(memory))
  expect(summaries.reduce((sum, { entries }) => sum + entries, 0)).toBeGreaterThan(5 * numRuns)
  expect(new Set(summaries.map(({ outcome }) => outcome)).size).toBeGreaterThanOrEqual(5)
  expect(threads.length).toBeGreaterThan(numRuns / 10)
})
