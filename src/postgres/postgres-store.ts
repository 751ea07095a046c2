/** `postgresStore()`: a store in a Postgres database. */
import { ConfigurationError } from '../index.ts'
import {
  type Fields,
  aBoolean,
  aFunction,
  afterTurn,
  defaultsOf,
  having,
  is,
  noContext,
  optional,
  readOptions,
  reporterOf,
  withDefault,
} from '../kit/index.ts'
import { type Ask, type OperationName, storeOn } from '../kit/sql/index.ts'
import pg from 'pg'
import { Connections } from './connection/connections.ts'
import { migrate } from './connection/migrate.ts'
import { Notifications } from './connection/notifications.ts'
import { tablesIn } from './connection/schema.ts'
import { operationsOn } from './tables/operations.ts'
import type { PostgresPool } from './connection/pool.ts'
import type { PostgresStore, PostgresStoreOptions } from './store-types.ts'

const fields = {
  connectionString: optional(
    is('a text that is not empty', (given) => typeof given === 'string' && given !== '', { isSecret: true }),
  ),
  pool: optional(having('a Pool of pg', 'connect', 'on', 'off')),
  schema: withDefault(
    is(
      'a name of at most 40 lower-case letters, digits and _, the first no digit',
      (given) => typeof given === 'string' && /^[a-z_][a-z0-9_]{0,39}$/.test(given),
    ),
    'troupe',
  ),
  retryTimeout: withDefault(
    is(
      'a whole number of milliseconds',
      (given) => Number.isSafeInteger(given) && Number(given) > 0 && Number(given) < 2 ** 31,
    ),
    10_000,
  ),
  preparedStatements: optional(aBoolean),
  onError: optional(aFunction),
} satisfies Fields<PostgresStoreOptions>

/**
 * A store in a schema of a Postgres database, for workers on any number of machines. The first operation, or `open()`,
 * connects and makes the tables. Close it with `close()`. An operation that loses its connection is tried again; an
 * append whose answer was lost is neither lost nor repeated. Throws a `ConfigurationError` for a wrong option;
 * operations reject with a `StoreError`.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const read = {
    ...defaultsOf(fields),
    ...readOptions<PostgresStoreOptions>(options, 'postgresStore', fields),
  }
  const { pool, end } = poolOf(read)
  const tables = tablesIn(read.schema)
  const connections = new Connections(pool, {
    ...read,
    isPreparing: (client) => read.preparedStatements ?? isClientOfPg(client),
  })
  let opened: Promise<void> | undefined
  const open = (): Promise<void> => {
    opened ??= noContext
      .run(() => migrate(connections, tables))
      .catch((error: unknown) => {
        opened = undefined // the next operation tries again
        throw error
      })
    return opened
  }
  const notifications = new Notifications(connections, {
    tables,
    isOpen: open,
    report: reporterOf(read.onError),
  })
  const operations = operationsOn(connections, tables)
  const ask = <Answer>(name: OperationName, ...args: readonly unknown[]): Promise<Answer> =>
    connections.perform(async () => {
      await open()
      const operation = operations[name] as (...args: readonly unknown[]) => Promise<Answer>
      return operation(...args)
    })
  return {
    ...storeOn(ask as Ask, { now: () => Date.now(), later: (act) => void afterTurn(act) }),
    open: () => connections.perform(open),
    subscribe: (listener) => notifications.subscribe(listener),
    async close() {
      notifications.close()
      await connections.close()
      await end()
    },
  }
}

function poolOf({ connectionString, pool }: PostgresStoreOptions): {
  readonly pool: PostgresPool
  readonly end: () => Promise<void>
} {
  if ((pool === undefined) === (connectionString === undefined))
    throw new ConfigurationError('postgresStore: give either connectionString or pool.')
  if (pool !== undefined) {
    assertRoom(pool)
    return { pool, end: async () => undefined }
  }
  const own = new pg.Pool({ connectionString, keepAlive: true, connectionTimeoutMillis: 5_000 })
  let ended: Promise<void> | undefined
  return { pool: own, end: () => (ended ??= own.end()) }
}

/** Others take a text and its values, also a client of `pg` that a program wraps. */
function isClientOfPg({ query }: { readonly query: unknown }): boolean {
  return query === pg.Client.prototype.query
}

/** A listener takes a connection for itself: operations would wait for it until they fail. */
function assertRoom({ options: { max = fewestConnections } = {} }: PostgresPool): void {
  if (max >= fewestConnections) return
  const message = `postgresStore: pool has at most ${max} connection, and needs ${fewestConnections}: one for notifications, others for operations. Give its option max ${fewestConnections} or more.`
  throw new ConfigurationError(message)
}

const fewestConnections = 2
