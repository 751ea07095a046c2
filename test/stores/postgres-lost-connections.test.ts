/** Behaviour 62: a store whose connections break all the time keeps the contract. */
import { PGlite } from '@electric-sql/pglite'
import { postgresStore, type PostgresPool, type PostgresStore } from 'troupe/postgres'
import { storeContract, type OpenStore } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appends, fired, settled, started } from '../support/journal-entries.ts'
import { flakyPool, type Break } from '../support/postgres/flaky-pool.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { queryText } from '../support/postgres/query-text.ts'

const database = new PGlite()
const sound = pglitePool(database)
let schemas = 0

beforeAll(() => database.waitReady)
afterAll(() => database.close())

/** Breaks about every eighth statement, the same ones in each run of the tests. */
function breaks(seed: number): () => Break {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const die = (state >>> 16) % 16
    return die === 0 ? 'before' : die === 1 ? 'after' : undefined
  }
}

function openOn(pool: PostgresPool): OpenStore {
  const schema = `lost_${++schemas}`
  const opened: PostgresStore[] = []
  const open = (): PostgresStore => {
    // The cases wait for one another: on a loaded machine for longer than an attempt may take by default.
    const store = postgresStore({ pool, schema, retryTimeout: 300_000 })
    opened.push(store)
    return store
  }
  const store = open()
  return {
    store,
    async reopen() {
      await store.close()
      return open()
    },
    async close() {
      for (const one of opened) await one.close()
    },
  }
}

/** The cases wait before they repeat a statement: hence several at once, each with breaks of its own. */
describe.concurrent('the contract on connections that break', () => {
  const open = (seed: number) => openOn(flakyPool(sound, breaks(seed)))
  const cases = storeContract({ open: () => open(0) }).map(({ name }, index) => ({ name, index }))
  test.each(cases)('$name', async ({ index }) => {
    const [own] = storeContract({ open: () => open(index) }).slice(index)
    await expect(own?.run()).resolves.toBeUndefined()
  })
})

/** A pool that breaks at the first statements that write entries, as often as given. */
function losing(...breaksOfAppends: Break[]): PostgresPool {
  return flakyPool(sound, (sql) => (sql.includes('jsonb_array_length') ? breaksOfAppends.shift() : undefined))
}

describe('an append whose answer was lost', () => {
  test('is kept once, and reported as kept, at the beginning, in the middle and at the end of a journal', async () => {
    const { store } = openOn(losing('after', 'after', 'before', 'after'))
    const lease = firstLease('a')
    expect(await store.append(appends('a', [started('a')], lease))).toBeUndefined()
    expect(await store.append(appends('a', [fired(1), fired(1)], lease))).toBeUndefined()
    expect(await store.append(appends('a', [fired(1), fired(1)], lease))).toBeUndefined()
    expect(await store.append(appends('a', [settled(2)], lease))).toBeUndefined()
    expect(await store.read('a')).toEqual([started('a'), fired(1), fired(1), fired(1), fired(1), settled(2)])
  })

  test('is not mistaken for the same entries of another beginning', async () => {
    const { store } = openOn(losing(undefined, 'before'))
    await store.append(appends('a', [started('a', 1)]))
    expect(await store.append(appends('a', [started('a', 2)]))).toEqual({ lost: ['a'] })
    expect(await store.read('a')).toEqual([started('a', 1)])
  })

  test('is lost when another owner has claimed the run meanwhile and appended', async () => {
    const pool = losing(undefined, 'after')
    const { store } = openOn(pool)
    const lease = { ...firstLease('a', 'me'), expiresAt: 10 }
    await store.append(appends('a', [started('a')], lease))
    const appended = store.append(appends('a', [fired(1)], lease))
    const claimed = await store.claim('a', 'other', 20, 30)
    const report = await appended
    const journal = await store.read('a')
    // Either order of the two is right; an owner that was told of a loss has at most entries that precede the claim.
    expect(claimed?.token).toBe(2)
    expect([undefined, { lost: ['a'] }]).toContainEqual(report)
    expect([[started('a')], [started('a'), fired(1)]]).toContainEqual(journal)
    if (report === undefined) expect(journal).toHaveLength(2)
  })
})

test('a statement that arrives after its repetition changes nothing', async () => {
  const late: (() => Promise<unknown>)[] = []
  const pool: PostgresPool = {
    ...sound,
    async connect() {
      const client = await sound.connect()
      return {
        ...client,
        async query(asked, values) {
          const text = queryText(asked)
          const isAppend = text.includes('jsonb_array_length')
          if (!isAppend || late.length > 0) return client.query(asked, values)
          late.push(() => database.query(text, values))
          throw new Error('Connection terminated unexpectedly')
        },
      }
    },
  }
  const { store } = openOn(pool)
  late.push(async () => undefined)
  await store.append(appends('a', [started('a')]))
  late.length = 0
  await store.append(appends('a', [fired(1)]))
  await store.append(appends('a', [fired(2)]))
  expect(late).toHaveLength(1)
  await late[0]?.()
  expect(await store.read('a')).toEqual([started('a'), fired(1), fired(2)])
})

test('a signal whose answer was lost is queued once, also when it has been taken meanwhile', async () => {
  let breaking: Break
  const pool = flakyPool(sound, (sql) => {
    if (sql !== 'COMMIT') return undefined
    const how = breaking
    breaking = undefined
    return how
  })
  const { store } = openOn(pool)
  const lease = firstLease('a')
  await store.append(appends('a', [started('a')], lease))
  breaking = 'after'
  const outcome = await store.enqueueSignal('a', { type: 'cancel' }, { key: 'k', entries: 1 })
  expect(outcome).toBe('accepted')
  expect((await store.list('signals', { runIds: ['a'] })).items).toHaveLength(1)
})
