/** The stores that a world may have: one in memory, which answers at once, and one on a Postgres in this process. */
import type { PGlite } from '@electric-sql/pglite'
import { memoryStore, StoreError, type WholeStore } from 'troupe'
import { postgresStore, type PostgresStore } from 'troupe/postgres'
import { flakyPool } from '../support/postgres/flaky-pool.ts'
import { sealed } from '../support/sealing.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import type { Random } from './random.ts'

/** The store of one world. */
export interface WorldStore {
  /** As it is, without latency and failures. */
  readonly base: WholeStore
  /** Whether an append may be done when it returns. */
  readonly isSync: boolean
  /** As a process opens it. `random`: of its connections; `failures`: how often a statement loses its connection. */
  open(random: Random, failures: () => number): WholeStore
  /** Removes all data. */
  close(): Promise<void>
}

export type OpenWorldStore = (seed: number) => Promise<WorldStore>

export async function inMemory(): Promise<WorldStore> {
  const base = memoryStore()
  return { base, isSync: true, open: () => base, close: async () => undefined }
}

/** Sealed, and each process seals by itself. The store below fails too, before it took effect: the world fails after it as well. */
export async function sealedInMemory(): Promise<WorldStore> {
  const inner = memoryStore()
  return {
    base: sealed(inner),
    isSync: false,
    open: (random, failures) =>
      sealed({
        ...inner,
        async append(appends) {
          if (random.chance(failures())) throw new StoreError('The store failed before the append.')
          return inner.append(appends)
        },
      }),
    close: async () => undefined,
  }
}

/** Every world has a schema of its own. */
export function onPostgres(database: PGlite): OpenWorldStore {
  const pool = pglitePool(database)
  let worlds = 0
  return async (seed) => {
    const schema = `world_${seed}_${++worlds}`
    const base = postgresStore({ pool, schema, retryTimeout })
    await base.open()
    return {
      base: operationsOf(base),
      isSync: false,
      open(random, failures) {
        const broken = (): 'before' | 'after' | undefined =>
          random.chance(failures()) ? random.pick(['before', 'after']) : undefined
        return operationsOf(postgresStore({ pool: flakyPool(pool, broken), schema, retryTimeout }))
      },
      async close() {
        await base.close()
        await database.exec(`DROP SCHEMA ${schema} CASCADE`)
      },
    }
  }
}

/** Milliseconds. It is real time: a loaded machine must not end an operation. */
const retryTimeout = 300_000

/** The world itself gathers appends and tells of changes. */
function operationsOf({
  schedule: _gathers,
  subscribe: _tells,
  open: _opens,
  close: _closes,
  ...store
}: PostgresStore): WholeStore {
  return store
}
