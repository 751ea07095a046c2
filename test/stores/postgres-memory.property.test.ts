/** The same random operations give the same in memory and on Postgres, also on connections that break. */
import { PGlite } from '@electric-sql/pglite'
import fc from 'fast-check'
import { memoryStore, type Lease, type WholeStore } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstLease, released } from '../../src/runtime/journal/store.ts'
import { change, question } from '../../src/testing/store-contract/questions.ts'
import { appends, fired, message, settled, started } from '../support/journal-entries.ts'
import { flakyPool, type Break } from '../support/postgres/flaky-pool.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'

const database = new PGlite()
const pool = pglitePool(database)
let schemas = 0
beforeAll(() => database.waitReady)
afterAll(() => database.close())

const runIds = ['a', 'b', 'a "quoted"\0 \ud800']
const runId = fc.constantFrom(...runIds)
const token = fc.integer({ min: 1, max: 4 })
const owner = fc.constantFrom('me', 'other')
const time = fc.constantFrom(0, 500, 1_500, 9_000)
const leaseOf = (run: string, ofToken: number): Lease => ({ ...firstLease(run, 'me', 1_000), token: ofToken })

/** An operation on a store, by its name for the report of a failure. */
type Operation = readonly [name: string, perform: (store: WholeStore) => unknown]

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .tuple(runId)
    .map(([id]): Operation => [
      `begin ${id}`,
      (store) => store.append(appends(id, [started(id, 0, { threadId: 't' })], leaseOf(id, 1))),
    ]),
  fc
    .tuple(runId, token, fc.boolean())
    .map(([id, of, isSettled]): Operation => [
      `append ${id} ${of} ${isSettled}`,
      (store) => store.append(appends(id, [fired(1), ...(isSettled ? [settled(2)] : [])], leaseOf(id, of))),
    ]),
  fc
    .tuple(runId, runId, token)
    .map(([one, two, of]): Operation => [
      `append ${one} and ${two} ${of}`,
      (store) =>
        store.append([
          ...appends(one, [fired(3)], leaseOf(one, of)),
          ...appends(two, [fired(4)], leaseOf(two, 1)),
        ]),
    ]),
  fc
    .tuple(runId, token, fc.constantFrom('1', '2'), fc.boolean())
    .map(([id, of, call, isOpened]): Operation => [
      `question ${id} ${of} ${call} ${isOpened}`,
      (store) =>
        store.append(change(leaseOf(id, of), isOpened ? [question(id, call)] : [], isOpened ? [] : [call])),
    ]),
  fc
    .tuple(runId, owner, time, time)
    .map(([id, by, now, until]): Operation => [
      `claim ${id} ${by} ${now} ${until}`,
      (store) => store.claim(id, by, now, until),
    ]),
  fc
    .tuple(runId, token, time)
    .map(([id, of, until]): Operation => [
      `renew ${id} ${of} ${until}`,
      (store) => store.renew([{ ...leaseOf(id, of), expiresAt: until }]),
    ]),
  fc
    .tuple(runId, token, fc.option(time, { nil: undefined }))
    .map(([id, of, wakeAt]): Operation => [
      `release ${id} ${of} ${wakeAt}`,
      (store) => store.renew([released(leaseOf(id, of), wakeAt === undefined ? undefined : { wakeAt })]),
    ]),
  fc
    .tuple(runId, fc.constantFrom('k', undefined), fc.integer({ min: 1, max: 4 }))
    .map(([id, key, entries]): Operation => [
      `enqueue ${id} ${key} ${entries}`,
      (store) =>
        store.enqueueSignal(id, { type: 'cancel' }, key === undefined ? undefined : { key, entries }),
    ]),
  fc.tuple(runId, token).map(([id, of]): Operation => [
    `refuse ${id} ${of}`,
    async (store) => {
      const { items } = await store.list('signals', { runIds: [id] })
      const refused = items
        .slice(0, 1)
        .map((queued) => ({ runId: id, lease: leaseOf(id, of), queued: queued.id }))
      return store.append(refused)
    },
  ]),
  fc.tuple(runId).map(([id]): Operation => [`delete ${id}`, (store) => store.delete(id)]),
  fc
    .tuple(fc.constantFrom('1', '2'), fc.constantFrom('ann', 'bob', undefined))
    .map(([id, resource]): Operation => [
      `save ${id} ${resource}`,
      (store) => store.memory.save('t', [message(id, 'x', 1)], resource),
    ]),
  fc
    .tuple(runId, fc.constantFrom('ann', 'bob', undefined))
    .map(([id, resourceId]): Operation => [
      `recall ${id} ${resourceId}`,
      (store) => store.memory.messages('t', { runId: id, resourceId }),
    ]),
  fc.constant<Operation>(['delete the thread', (store) => store.memory.remove({ threadId: 't' })]),
)

/** The outcome as JSON, without the ids of signals, which a store chooses. */
async function outcomeOf(store: WholeStore, [, perform]: Operation): Promise<string> {
  try {
    return plain(await perform(store))
  } catch (error) {
    return `rejected: ${String((error as { readonly code?: unknown }).code)}`
  }
}

async function stateOf(store: WholeStore): Promise<string> {
  return plain({
    runs: await store.list('runs', {}),
    questions: (await store.list('questions', {})).items,
    journals: await Promise.all(runIds.map((id) => store.read(id))),
    signals: (await store.list('signals', { runIds })).items,
    threads: await store.memory.threads({}),
    messages: await store.memory.messages('t', {}),
  })
}

function plain(value: unknown): string {
  return JSON.stringify(sorted(value ?? null))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, of]) => of !== undefined && !(name === 'id' && typeof of === 'number'),
  )
  const inOrder = entries.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(inOrder.map(([name, of]) => [name, sorted(of)]))
}

test('random operations have the same outcomes, and lead to the same state', async () => {
  // More than a transaction has statements: one of its attempts succeeds.
  const everyNth = fc.integer({ min: 13, max: 40 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 40, size: 'max' }),
      everyNth,
      async (operations, nth) => {
        let statements = 0
        const next = (): Break =>
          ++statements % nth === 0 ? (statements % 2 === 0 ? 'before' : 'after') : undefined
        const onPostgres = postgresStore({ pool: flakyPool(pool, next), schema: `property_${++schemas}` })
        const inMemory = memoryStore()
        for (const one of operations) {
          expect([one[0], await outcomeOf(onPostgres, one)]).toEqual([one[0], await outcomeOf(inMemory, one)])
        }
        expect(await stateOf(onPostgres)).toBe(await stateOf(inMemory))
        await onPostgres.close()
      },
    ),
    { numRuns: 15 },
  )
})
